import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastJudge
import HoldfastReport
import HoldfastStage

extension Life {
    /// The time for reproducing all findings in shorter lives and shrinking these: half of the life, 10 to 60 s.
    private var shrinkingTime: Duration { max(.seconds(10), min(.seconds(60), time.duration / 2)) }
    /// The numbers of final rounds to try, with only the earlier steps that they need.
    private static let lengths = [1, 2, 4, 8]
    private static let maxFindings = 3
    private static let maxAttempts = 200

    /// Reproduces findings of a life in fresh, shorter ones, and shrinks these until the time is up, or `stop` returns.
    func shrink(
        _ result: ScenarioResult, until stop: Stop?,
        keeping keep: @escaping @Sendable (ClauseID, String) throws -> String
    ) async {
        let end = ContinuousClock.now + shrinkingTime
        _ = await cancelling(at: first(of: { try? await Task.sleep(until: end, clock: .continuous) }, stop)) { [self] in
            var done: Set<ClauseID> = []
            for verdict in result.verdicts where verdict.outcome == .violation && done.count < Self.maxFindings {
                guard !Task.isCancelled, done.insert(verdict.clause).inserted else { continue }
                state.withLock { $0.activity = ("repeating \(verdict.clause) in a short one", end) }
                notify(
                    "\(verdict.clause): repeating it in shorter lives, at most \(readable(end - .now)); "
                        + "Ctrl-C ends this and prints the report\n")
                guard let small = await smallPlan(verdict, after: Self.moment(of: verdict, in: result.history)) else {
                    continue
                }
                let file = small.file(
                    about: [verdict.clause], title: "Breaks \(verdict.clause)",
                    summary: verdict.findings.first?.what ?? "Violates \(verdict.clause).")
                do {
                    let again = try keep(verdict.clause, file.text(pretty: true) + "\n")
                    notify(
                        "\(verdict.clause): the same in \(counted(small.count, "step")) of a fresh life\n"
                            + "  again: \(again)\n")
                } catch {
                    notify("\(error)\n")
                }
            }
        }
    }

    /// A small plan that reproduces a finding; nil if none was found in time.
    private func smallPlan(_ verdict: Verdict, after moment: Duration) async -> Plan? {
        let (planner, rounds) = state.withLock { state in
            (state.planner, state.rounds.filter { $0.at <= moment }.map(\.round))
        }
        let cause = Exploration.cause(verdict)
        func firstReproducing(_ plans: [Plan]) async -> Int? {
            if Task.isCancelled { return nil }
            let files = plans.enumerated().compactMap { index, plan -> ScenarioFile? in
                var named = plan.settled
                named.name = "\(role)/life/\(index)"
                return try? ScenarioFile(named)
            }
            let performances = await perform(files).performances
            return files.firstIndex { file in
                performances.first { $0.scenario == file.name }.map { performance in
                    judge(performance.history, under: specification).contains {
                        $0.outcome == .violation && Exploration.cause($0) == cause
                    }
                } ?? false
            }
        }
        for length in Self.lengths where length <= rounds.count * 2 {
            let candidate = planner.plan(of: rounds.suffix(length), after: rounds.dropLast(length))
            guard await firstReproducing([candidate]) != nil else { continue }
            return await Shrinking(attempts: Self.maxAttempts).smallest(candidate, width: 2, firstReproducing)
        }
        return nil
    }
}
