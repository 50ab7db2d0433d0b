import Holdfast
import HoldfastBasics
import HoldfastJudge

/// A report as test cases, one for each clause.
///
/// A clause keeps its id from run to run; the text of its case names the scenarios that violated it.
///
/// Scenarios have cases only for failures of the suite or the driver, and the baseline only for stale entries.
struct ReportCases {
    enum Status: Equatable {
        /// The clause passed, possibly with a remark about a SHOULD.
        case passed(remark: String?)
        /// The clause is violated, or there is no proof.
        case failed
        case errored
        /// Not judged, with the reason.
        case skipped(String)
        /// Violated as expected, with the reason.
        case expected(String)
        /// Violated as a consequence of another clause's violation.
        case follows(ClauseID)
    }

    struct Case: Equatable {
        /// Its id, such as `SYNC-3`.
        let id: String
        var title = ""
        let status: Status
        /// The kind of failure, such as `violation`.
        var kind = ""
        /// The problem in one line; empty if there is none.
        var message = ""
        var details = ""
        var scenarios: [String] = []
        var file: (name: String, line: Int)?
        var cause = 0

        /// The priority: violations, failures of the suite, stale baseline entries, open clauses.
        var rank: Int {
            switch status {
            case .failed where kind == Outcome.violation.word: 0
            case .errored: 1
            case .failed where file != nil: 2
            case .failed: 3
            case .follows: 4
            default: 5
            }
        }

        var isWrong: Bool { status == .failed || status == .errored }

        var head: ClauseID? {
            if case .follows(let head) = status { return head }
            return nil
        }

        var hasRemark: Bool {
            if case .passed(.some) = status { return true }
            return false
        }

        static func == (left: Case, right: Case) -> Bool {
            (left.id, left.status, left.message) == (right.id, right.status, right.message)
        }
    }

    struct Suite {
        /// The area or topic.
        let name: String
        let cases: [Case]

        var rank: Int { cases.map(\.rank).min() ?? 5 }
    }

    let suites: [Suite]

    var all: [Case] { Self.worstFirst(suites.flatMap(\.cases), by: { ($0.rank, $0.cause) }) }

    init(_ report: RunReport) {
        let console = ConsoleReport(report, style: ConsoleStyle(width: 100))
        let heads = report.heads
        let causes = report.causes.map(\.head).enumerated().reduce(into: [:]) { $0[$1.element] = $1.offset }
        var cases = report.clauses.map { result in
            var entry = Self.clause(result, follows: heads[result.clause.id], report, console)
            entry.cause = causes[heads[result.clause.id] ?? result.clause.id] ?? 0
            return (id: result.clause.id, entry: entry)
        }
        let unreached = report.outOfReach.map { ($0.clauses, "out of reach: \($0.reason)") }
        let unjudged: [([ClauseID], String)] =
            unreached + [
                (report.setAside, "set aside: skipped on request"),
                (report.deferred, report.whyDeferred), (report.pending, "no check yet"),
            ]
        for (ids, reason) in unjudged {
            cases += ids.map { id in
                let title = report.sentences[id] ?? ""
                return (id, Case(id: id.description, title: title, status: .skipped(reason), message: reason))
            }
        }
        let byArea = Dictionary(grouping: cases.sorted { $0.id < $1.id }, by: \.id.area).mapValues { $0.map(\.entry) }
        let problems = report.scenarios.flatMap(Self.scenario)
        let stale = (report.baseline?.stale ?? []).map { Self.stale($0, in: report.baseline?.file ?? "") }
        var suites = byArea.sorted { $0.key < $1.key }.map {
            Suite(name: $0.key.rawValue, cases: Self.worstFirst($0.value, by: { ($0.rank, $0.cause) }))
        }
        if !problems.isEmpty { suites.append(Suite(name: "scenarios", cases: problems)) }
        if !stale.isEmpty { suites.append(Suite(name: "baseline", cases: stale)) }
        self.suites = Self.worstFirst(suites, by: { ($0.rank, 0) })
    }

    private static func worstFirst<Item>(_ items: [Item], by rank: (Item) -> (Int, Int)) -> [Item] {
        let ranked = items.enumerated().map { (rank: rank($0.element), offset: $0.offset, item: $0.element) }
        return ranked.sorted { ($0.rank.0, $0.rank.1, $0.offset) < ($1.rank.0, $1.rank.1, $1.offset) }.map(\.item)
    }

    private static func clause(
        _ result: ClauseResult, follows head: ClauseID?, _ report: RunReport, _ console: ConsoleReport
    ) -> Case {
        func entry(_ status: Status, _ message: String = "", _ details: String = "") -> Case {
            Case(
                id: result.clause.id.description, title: result.clause.sentence, status: status,
                kind: result.outcome.word, message: message, details: details,
                scenarios: result.outcome == .notApplicable ? [] : result.decidedBy)
        }
        let found =
            result.ordered.first.map { "\($0.finding.what) in scenario \($0.scenario)" }
            ?? "in scenario \(result.decidedBy.first ?? "")"
        switch result.outcome {
        case .pass: return entry(.passed(remark: nil))
        case .warning: return entry(.passed(remark: found), found, console.details(result))
        case .violation where report.isExpected(result):
            let reasons = report.scenarios.filter { result.decidedBy.contains($0.name) }
                .compactMap { report.expectation(of: result.clause.id, in: $0) }
                .map { "\($0.reason) (until \($0.expires)\($0.link.map { ", \($0)" } ?? ""))" }
            let reason = "expected: " + reasons.unique.joined(separator: "; ")
            return entry(.expected(reason), reason, console.details(result))
        case .violation:
            if let head { return entry(.follows(head), "follows from \(head): \(found)", console.details(result)) }
            return entry(.failed, "violated: \(found)", console.details(result))
        case .inconclusive: return entry(.failed, "inconclusive: \(found)", console.details(result))
        case .untested:
            return entry(.failed, "untested: \(report.whyUntested(result.clause.id))")
        case .notApplicable:
            let missing = report.undeclaredProfile(of: result.clause)
            return entry(.skipped("profile '\(missing.rawValue)' is not declared"))
        case .harnessError:
            return entry(.errored, "suite failure: no scenario could exercise it because the suite failed")
        }
    }

    private static func scenario(_ scenario: ScenarioResult) -> [Case] {
        var cases = scenario.problems.map { problem in
            Case(
                id: scenario.name, status: .errored, kind: "suite failure",
                message: "suite failure: \(problem.prefix { !$0.isNewline })", details: problem,
                scenarios: [scenario.name])
        }
        if let failure = scenario.failure {
            cases.append(
                Case(
                    id: scenario.name, status: .errored, kind: "driver failure",
                    message: "driver failure: \(failure)",
                    details: "\(failure)\nat \(scenario.stoppedAt ?? "the end")", scenarios: [scenario.name]))
        }
        return cases
    }

    private static func stale(_ result: BaselineResult.EntryResult, in file: String) -> Case {
        let fix = result.fix.map { "\nfix: \($0)" } ?? ""
        return Case(
            id: "\(file):\(result.entry.line)", status: .failed, kind: "stale baseline",
            message: "stale baseline: \(result.what)", details: result.what + fix, file: (file, result.entry.line))
    }
}
