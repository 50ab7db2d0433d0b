@preconcurrency import Dispatch
import Holdfast
import HoldfastJudge
import HoldfastPlatform
import HoldfastReport
import HoldfastStage
import HoldfastTranscript

final class SuiteJudging: Sendable {
    private struct Early {
        var results: [String: ScenarioResult] = [:]
        var waiting: ArraySlice<Performance> = []
        var isJudging = false
    }

    private let specification: Specification
    private let early = Mutex(Early())
    /// Whether the run has ended; locked while a result is reported, so that none is reported after the end.
    private let isOver = Mutex(false)

    init(specification: Specification) { self.specification = specification }

    /// Judges and reports one performance at a time while others still run; the rest are judged at the end.
    ///
    /// Unless it is urgent, judging uses the time for which the scenarios wait.
    func judgeMeanwhile(
        _ performance: Performance, isUrgent: Bool, _ notify: @escaping @Sendable (ScenarioResult) -> Void
    ) {
        let isRunning = early.withLock { early in
            early.waiting.append(performance)
            defer { early.isJudging = true }
            return early.isJudging
        }
        if isRunning { return }
        Task {
            await onDeepStack { [self] in
                if !isUrgent { Processes.letOthersRunFirst() }
                while let next = next() {
                    let result = result(next)
                    early.withLock { $0.results[next.scenario] = result }
                    isOver.withLock { if !$0 { notify(result) } }
                }
            }
        }
    }

    private func next() -> Performance? {
        let isOver = isOver.withLock { $0 }
        return early.withLock { early in
            let next = isOver ? nil : early.waiting.popFirst()
            early.isJudging = next != nil
            return next
        }
    }

    /// The verdicts on each performance, in the given order.
    ///
    /// Judging computes for seconds without waiting. On the threads of tasks, it would block the scenarios that another
    /// suite performs at the same time, until their servers abandon them.
    func results(_ performances: [Performance]) async -> [ScenarioResult] {
        isOver.withLock { $0 = true }
        let known = early.withLock { $0.results }
        // A performance that the background thread is still judging is judged again: that thread may be slow. Long ones
        // come first.
        let rest = performances.filter { known[$0.scenario] == nil }.sorted {
            $0.history.events.count > $1.history.events.count
        }
        return await onDeepStack { [self] in
            let results = Mutex(known)
            DispatchQueue.concurrentPerform(iterations: rest.count) { index in
                let result = result(rest[index])
                results.withLock { $0[rest[index].scenario] = result }
            }
            return results.withLock { results in performances.compactMap { results[$0.scenario] } }
        }
    }

    private func result(_ performance: Performance) -> ScenarioResult {
        ScenarioResult(performance, performance.verdicts(under: specification), named: performance.scenario)
    }
}

extension Performance {
    /// The verdicts on what was performed.
    func verdicts(under specification: Specification) -> [Verdict] {
        skipped == nil ? judge(history, under: specification) : []
    }
}

extension ScenarioResult {
    /// The result of a scenario that was not performed.
    init(unperformed name: String, against subject: History.Subject, under specification: Specification) {
        let header = History.Header(specification: specification.version, scenario: name, subject: subject)
        self.init(name: name, history: History(header: header, events: []), verdicts: [])
    }

    init(_ performance: Performance, _ verdicts: [Verdict], named name: String, isLife: Bool = false) {
        let isTheirs = performance.failure == nil && performance.problems.isEmpty
        let early: Cut? =
            performance.startProblem != nil ? .start : isLife && performance.stoppedAt != nil ? .life : nil
        self.init(
            name: name, history: performance.history, verdicts: verdicts,
            problems: performance.problems.map(\.description), skipped: performance.skipped,
            stoppedAt: performance.stoppedAt ?? (performance.wasInterrupted ? "the run had ended" : nil),
            cut: performance.wasInterrupted ? .interruption : isTheirs ? early : nil, failure: performance.failure,
            duration: performance.duration, lacks: performance.lacks)
        reach = Reach(performance.history)
    }
}

extension [Verdict] {
    /// The clauses that were exercised and held, or are only recommendations.
    var held: [ClauseID] { filter { $0.exercised > 0 && [.pass, .warning].contains($0.outcome) }.map(\.clause) }
}

extension [ScenarioResult] {
    /// The clauses that one of the results decides.
    var decided: Set<ClauseID> {
        Set(flatMap(\.verdicts).filter { $0.exercised > 0 && $0.outcome != .inconclusive }.map(\.clause))
    }
}
