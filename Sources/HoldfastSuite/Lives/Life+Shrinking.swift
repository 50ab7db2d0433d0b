import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastJudge
import HoldfastReport
import HoldfastStage

extension Life {
    /// How long it may take to show a finding again in a shorter life and to make that small, for all findings together.
    private static let shrinkingTime = Duration.seconds(60)
    /// How many of the last rounds are tried alone, with what they need of the earlier ones.
    private static let lengths = [1, 2, 4, 8]
    private static let mostFindings = 3
    private static let attempts = 200

    /// Shows findings of a life again in fresh, shorter ones, and makes these small.
    ///
    /// * `stage`: Performs scenarios against the peer.
    /// * `plan`: Makes a plan of rounds, with what they need of earlier ones.
    /// * `keep`: Takes each small plan as a scenario file, by the clause that it breaks, and gives the command that runs it.
    package func shrink(
        _ result: ScenarioResult, on stage: @Sendable ([ScenarioFile]) async -> SuiteRun.Outcome,
        making plan: ([LifeRound], [LifeRound]) -> Plan, keeping keep: (ClauseID, String) throws -> String
    ) async {
        let end = ContinuousClock.now + Self.shrinkingTime
        var done: Set<ClauseID> = []
        for verdict in result.verdicts where verdict.outcome == .violation && done.count < Self.mostFindings {
            guard !Task.isCancelled, .now < end, !done.contains(verdict.clause) else { break }
            done.insert(verdict.clause)
            let rounds = rounds(upTo: Self.moment(of: verdict, in: result.history))
            let cause = Exploration.cause(verdict)
            func first(_ plans: [Plan]) async -> Int? {
                let files = plans.enumerated().compactMap { index, plan -> ScenarioFile? in
                    var named = plan.settled
                    named.name = "\(role)/life/\(index)"
                    return try? ScenarioFile(named)
                }
                let performances = await stage(files).performances
                return files.firstIndex { file in
                    performances.first { $0.scenario == file.name }.map { performance in
                        judge(performance.history, under: specification).contains {
                            $0.outcome == .violation && Exploration.cause($0) == cause
                        }
                    } ?? false
                }
            }
            var shown: Plan?
            for length in Self.lengths where shown == nil && .now < end && length <= rounds.count * 2 {
                let candidate = plan(rounds.suffix(length), rounds.dropLast(length))
                if await first([candidate]) != nil { shown = candidate }
            }
            guard let shown else { continue }
            let small = await Shrinking(attempts: Self.attempts).smallest(shown, width: 2) { plans in
                guard !Task.isCancelled, .now < end else { return nil }
                return await first(plans)
            }
            let file = small.file(
                about: [verdict.clause], title: "Breaks \(verdict.clause)",
                summary: verdict.findings.first?.what ?? "Violates \(verdict.clause).")
            do {
                let again = try keep(verdict.clause, file.text(pretty: true) + "\n")
                tell(
                    "\(verdict.clause): the same in \(counted(small.count, "step")) of a fresh life\n  again: \(again)\n"
                )
            } catch {
                tell("\(error)\n")
            }
        }
    }
}
