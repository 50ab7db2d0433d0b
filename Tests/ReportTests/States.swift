import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReport

/// Runs of five kinds, as every format has to show them.
enum States {
    static let finding = Finding(
        "complete is true, but ]]> & <b>\u{1B}[2J is missing", expected: "seq 1, 2 | all", actual: "seq 2\n```", at: [1]
    )
    static let sync3 = ClauseID(.SYNC, 3)
    static let env1 = ClauseID(.ENV, 1)
    static let day = CivilDate("2026-11-22")

    static func verdict(_ clause: ClauseID, _ outcome: Outcome, repeated: Int = 1) -> Verdict {
        let finding = Finding(
            String(repeating: self.finding.what + " ", count: repeated - 1) + self.finding.what,
            expected: self.finding.expected, actual: self.finding.actual, at: self.finding.events)
        let isShown = [Outcome.violation, .warning, .inconclusive].contains(outcome)
        return Verdict(
            clause: clause, outcome: outcome, exercised: isShown || outcome == .pass ? 2 : 0,
            findings: isShown ? [finding] : [])
    }

    static let replay = "server/SYNC/replay-after-cut"
    static let null = "server/ENV/null-frame"

    /// Two scenarios and two clauses; what SYNC-3 came to, what went wrong in the suite, and the day of January.
    static func report(_ sync: Outcome, problem: String? = nil, on day: Int = 1) throws -> RunReport {
        try Sample.report(
            [
                .init(null, [verdict(env1, .pass)]),
                .init(replay, [verdict(env1, .pass), verdict(sync3, sync)], problems: problem.map { [$0] } ?? []),
            ], selection: [sync3, env1], intended: [null: [env1], replay: [sync3]],
            startedAt: "2026-01-0\(day)T06:00:00Z")
    }

    static func entry(
        _ clause: String = "SYNC-3", _ scenario: String = replay, expires: String = "2026-12-31",
        isIntermittent: Bool = false
    ) throws -> Baseline.Entry {
        Baseline.Entry(
            clause: clause, scenario: scenario, reason: "the buffer is cut by count",
            link: "https://tracker.example/412",
            expires: try #require(CivilDate(expires)), isIntermittent: isIntermittent, line: 4)
    }

    static func compared(
        _ report: RunReport, _ entries: [Baseline.Entry], on day: String = "2026-11-22"
    ) throws -> RunReport {
        var report = report
        report.compare(
            with: Baseline(file: "baseline.json", entries: entries), on: try #require(CivilDate(day)),
            clauses: ["ENV-1", "SYNC-3", "SYNC-7"], scenarios: [null, replay, "server/SYNC/other"])
        return report
    }

    static func green() throws -> RunReport { try report(.pass) }
    static func violated() throws -> RunReport { try report(.violation) }
    static func untested() throws -> RunReport { try report(.untested) }
    static func broken() throws -> RunReport { try report(.untested, problem: "lost a frame\n  fix: none") }
    static func stale() throws -> RunReport { try compared(report(.pass), [entry()]) }
    static func expected() throws -> RunReport { try compared(report(.violation), [entry()]) }
}
