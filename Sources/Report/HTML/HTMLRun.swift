import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

struct HTMLRun {
    let report: RunReport
    let links: HTMLLinks
    let scenarios: [String: ScenarioResult]
    let outcomes: [String: [ClauseID: Outcome]]

    /// The most findings per clause, and the most clauses with charts.
    static let maxFindings = 20
    static let maxCharts = 60
    /// The most rows in all charts together, and in one of them.
    static let maxRows = 30_000
    static let maxRowsOfOne = 4_000
    /// The most rows of a stretch without marks, in a scenario without findings.
    static let maxRowsOfQuiet = 50
    /// The most characters of a verbatim text, in scenarios with findings and in others.
    static let maxVerbatim = 4_096
    static let maxQuietVerbatim = 600

    /// A report on a page; if the page has several, it shows only its findings.
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
