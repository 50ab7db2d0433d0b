@preconcurrency import Dispatch
import Holdfast
import Judge
import Report
import Stage
import Synchronization

/// What a suite makes of its performances, whichever side they were about.
struct SuiteJudging {
    let specification: Specification

    /// The verdicts on each performance, in the order given.
    ///
    /// Judging computes for seconds and waits for nothing. On the threads of tasks it would hold up the scenarios that another
    /// suite performs at the same time, until their servers give them up.
    func results(_ performances: [Performance]) async -> [ScenarioResult] {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "holdfast.judging").async {
                let results = Mutex([ScenarioResult?](repeating: nil, count: performances.count))
                DispatchQueue.concurrentPerform(iterations: performances.count) { place in
                    let result = result(performances[place])
                    results.withLock { $0[place] = result }
                }
                continuation.resume(returning: results.withLock { $0.compactMap(\.self) })
            }
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
