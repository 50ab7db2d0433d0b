import Holdfast
import Judge
import Report
import Stage

/// What a suite makes of its performances, whichever side they were about.
struct SuiteJudging {
    let specification: Specification

    /// The verdicts on each performance, in the order given.
    func results(_ performances: [Performance]) async -> [ScenarioResult] {
        await withTaskGroup(of: (Int, ScenarioResult).self) { group in
            for (place, performance) in performances.enumerated() {
                group.addTask { (place, result(performance)) }
            }
            var results: [(Int, ScenarioResult)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func result(_ performance: Performance) -> ScenarioResult {
        ScenarioResult(
            name: performance.scenario, history: performance.history,
            verdicts: performance.skipped == nil ? judge(performance.history, under: specification) : [],
            problems: performance.problems.map(\.description), skipped: performance.skipped,
            stoppedAt: performance.stoppedAt ?? (performance.wasInterrupted ? "the run was interrupted" : nil),
            failure: performance.failure, duration: performance.duration)
    }
}
