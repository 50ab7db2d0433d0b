import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

struct HTMLRun {
    let report: RunReport
    let links: HTMLLinks
    let scenarios: [String: ScenarioResult]
    let outcomes: [String: [ClauseID: Outcome]]

    /// The maximum numbers of findings per clause, and of clauses with charts.
    static let maxFindings = 20
    static let maxCharts = 60
    /// The maximum numbers of rows in all charts together, and in one chart.
    static let maxRows = 30_000
    static let maxRowsOfOne = 4_000
    /// The maximum number of rows of a stretch without marks, in a scenario without findings.
    static let maxRowsOfQuiet = 50
    /// The maximum number of characters of a verbatim text, in scenarios with findings and in others.
    static let maxVerbatim = 4_096
    static let maxQuietVerbatim = 600

    /// A report on a page; if not `isWhole`, it shows only its findings, because the page has several reports.
    init(_ report: RunReport, prefix: String = "", isWhole: Bool = true) {
        self.report = report
        let carded = Self.groups(of: report).flatMap { $0.results.map(\.clause.id) }
        let shown = report.scenarios.filter { isWhole || Self.hasFindings($0, in: report) }
        links = HTMLLinks(
            prefix: prefix, clauses: Set(isWhole ? report.clauses.map(\.clause.id) : carded),
            scenarios: Set(shown.map(\.name)))
        scenarios = report.scenarios.keyed(by: \.name)
        outcomes = scenarios.mapValues { scenario in
            Dictionary(scenario.verdicts.map { ($0.clause, $0.outcome) }, uniquingKeysWith: { first, _ in first })
        }
    }
}
