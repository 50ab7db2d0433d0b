import Holdfast
import HoldfastBasics
import HoldfastJudge

/// A report as the cases that test tools know: one for each clause.
///
/// Clauses are what a subject is to keep, and their ids stay the same from run to run. In which scenarios a clause was broken
/// stands in the text of its case.
///
/// Scenarios have a case of their own only where the suite, or the driver, failed in them, and the baseline only where an
/// entry of it is stale.
struct ReportCases {
    /// What became of a case.
    enum Status: Equatable {
        /// Kept; a remark when a SHOULD was not.
        case passed(remark: String?)
        /// Broken, or nothing shows that it is kept.
        case failed
        /// The suite or the driver could not tell.
        case errored
        /// Not in question here, and why.
        case skipped(String)
        /// Broken, and expected to be.
        case expected(String)
        /// Broken as a part of what a clause that failed is broken by.
        case follows(ClauseID)
    }

    struct Case: Equatable {
        /// Its id, such as `SYNC-3`.
        let id: String
        /// The sentence of the clause.
        var title = ""
        let status: Status
        /// The kind of failure in one word, such as `violation`.
        var kind = ""
        /// What is wrong, in one line; empty when nothing is.
        var message = ""
        /// Everything about it, in lines; empty when there is nothing to say.
        var details = ""
        /// The scenarios that decided it.
        var scenarios: [String] = []
        /// Where in a file it is to be mended; nil when in no file.
        var file: (name: String, line: Int)?
        /// Which cause of the report it belongs to, from 0.
        var cause = 0

        /// What has to be looked at first: what is broken, what could not be told, what is to be edited, what is open.
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

        /// Whether it keeps a run from conforming.
        var isWrong: Bool { status == .failed || status == .errored }

        /// The clause it follows from; nil where it follows from none.
        var head: ClauseID? {
            if case .follows(let head) = status { return head }
            return nil
        }

        /// Whether it passed and something is worth saying.
        var isRemarked: Bool {
            if case .passed(.some) = status { return true }
            return false
        }

        static func == (left: Case, right: Case) -> Bool {
            (left.id, left.status, left.message) == (right.id, right.status, right.message)
        }
    }

    struct Suite {
        /// The area, or what else the cases are about.
        let name: String
        /// The cases, those that failed first.
        let cases: [Case]

        var rank: Int { cases.map(\.rank).min() ?? 5 }
    }

    /// The suites, those with failures first.
    let suites: [Suite]

    /// The cases of all suites, those that failed first.
    var all: [Case] { Self.worstFirst(suites.flatMap(\.cases), by: { ($0.rank, $0.cause) }) }

    init(_ report: RunReport) {
        let console = ConsoleReport(report, style: ConsoleStyle(width: 100))
        let heads = report.heads
        let causes = report.causes.map(\.head).enumerated().reduce(into: [:]) { $0[$1.element] = $1.offset }
        var cases = report.clauses.map { result in
            var made = Self.clause(result, follows: heads[result.clause.id], report, console)
            made.cause = causes[heads[result.clause.id] ?? result.clause.id] ?? 0
            return (id: result.clause.id, made: made)
        }
        let unreached = report.outOfReach.map { ($0.clauses, "out of reach: \($0.reason)") }
        let left: [([ClauseID], String)] =
            unreached + [
                (report.setAside, "set aside: skipped on request"),
                (report.elsewhere, "left to the other shards of the run"), (report.pending, "no check yet"),
            ]
        for (ids, reason) in left {
            cases += ids.map { id in
                let title = report.sentences[id] ?? ""
                return (id, Case(id: id.description, title: title, status: .skipped(reason), message: reason))
            }
        }
        let byArea = Dictionary(grouping: cases.sorted { $0.id < $1.id }, by: \.id.area).mapValues { $0.map(\.made) }
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
        func made(_ status: Status, _ message: String = "", _ details: String = "") -> Case {
            Case(
                id: result.clause.id.description, title: result.clause.sentence, status: status,
                kind: result.outcome.word, message: message, details: details,
                scenarios: result.outcome == .notApplicable ? [] : result.decidedBy)
        }
        let first = result.findings.first { report.expectation(of: result, in: $0) == nil } ?? result.findings.first
        let found =
            first.map { "\($0.finding.what) in scenario \($0.scenario)" }
            ?? "in scenario \(result.decidedBy.first ?? "")"
        switch result.outcome {
        case .pass: return made(.passed(remark: nil))
        case .warning: return made(.passed(remark: found), found, console.details(result))
        case .violation where report.isExpected(result):
            let reasons = report.scenarios.filter { result.decidedBy.contains($0.name) }
                .compactMap { report.expectation(of: result.clause.id, in: $0) }
                .map { "\($0.reason) (until \($0.expires)\($0.link.map { ", \($0)" } ?? ""))" }
            let reason = "expected: " + reasons.unique.joined(separator: "; ")
            return made(.expected(reason), reason, console.details(result))
        case .violation:
            if let head { return made(.follows(head), "follows from \(head): \(found)", console.details(result)) }
            return made(.failed, "violated: \(found)", console.details(result))
        case .inconclusive: return made(.failed, "inconclusive: \(found)", console.details(result))
        case .untested:
            return made(.failed, "untested: \(report.whyUntested(result.clause.id))")
        case .notApplicable:
            let missing = report.undeclaredProfile(of: result.clause)
            return made(.skipped("profile '\(missing.rawValue)' is not declared"))
        case .harnessError:
            return made(.errored, "harness error: no scenario could exercise it because the suite failed")
        }
    }

    private static func scenario(_ scenario: ScenarioResult) -> [Case] {
        var cases = scenario.problems.map { problem in
            Case(
                id: scenario.name, status: .errored, kind: "harness error",
                message: "harness error: \(Self.summary(problem))", details: problem, scenarios: [scenario.name])
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

    /// The first line of a problem, without the word that says whose it is.
    private static func summary(_ problem: String) -> Substring {
        let line = problem.prefix { $0 != "\n" }
        return line.hasPrefix("harness: ") ? line.dropFirst("harness: ".count) : line
    }

    private static func stale(_ result: BaselineResult.EntryResult, in file: String) -> Case {
        let fix = result.fix.map { "\nfix: \($0)" } ?? ""
        return Case(
            id: "\(file):\(result.entry.line)", status: .failed, kind: "stale baseline",
            message: "stale baseline: \(result.what)", details: result.what + fix, file: (file, result.entry.line))
    }
}
