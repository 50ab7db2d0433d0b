import Holdfast

/// Performs many client scenarios, several at a time; if it is canceled, it returns the results so far.
package struct ClientRun: Sendable {
    /// The number of scenarios that may run at a time; never more than there are drivers.
    package var jobs: Int
    package let stage: ClientStage

    /// After this many consecutive scenarios without a driver, the others are omitted.
    private static let patience = 2

    package init(stage: ClientStage, jobs: Int = 1) {
        var stage = stage
        stage.audits = true
        self.stage = stage
        self.jobs = max(1, jobs)
    }

    /// Performs the scenarios, longest first.
    ///
    /// If the task is canceled, running scenarios end at once and keep their observations, and the others are omitted.
    /// All drivers have ended when this returns.
    /// - Returns: One performance for each scenario, in the given order.
    package func run(
        _ scenarios: [ClientScenario], progress: @Sendable (SuiteRun.Progress) -> Void = { _ in }
    ) async -> SuiteRun.Outcome {
        let subject = stage.subject
        let lengths = scenarios.map { $0.minDuration(subject.timeouts, timeScale: subject.timeScale(for: $0)) }
        var waiting = lengths.longestFirst[...]
        var results = [Performance?](repeating: nil, count: scenarios.count)
        var startProblem: HarnessProblem?
        var withoutDriver = 0
        var done = 0
        await withTaskGroup(of: (Int, Performance)?.self) { group in
            var running = 0
            var concurrency = ConcurrencyLimit()
            var alarm: ContinuousClock.Instant?
            let limit = min(jobs, max(1, subject.driver.capacity))
            while true {
                while running < limit, concurrency.hasRoom(beside: running), let index = waiting.popFirst() {
                    let scenario = scenarios[index]
                    var reason = subject.obstacle(to: scenario)
                    if Task.isCancelled { reason = "the run had ended" }
                    if withoutDriver >= Self.patience {
                        reason = "no driver was available for \(Self.patience) scenarios in a row"
                    }
                    if let reason {
                        var skipped = stage.skip(scenario, reason)
                        skipped.wasInterrupted = Task.isCancelled
                        results[index] = skipped
                        done += 1
                        progress(.finished(skipped, done: done, total: scenarios.count))
                        continue
                    }
                    progress(.started(scenario.name, done: done, total: scenarios.count))
                    running += 1
                    group.addTask { (index, await stage.perform(scenario)) }
                }
                if running < limit, !waiting.isEmpty, alarm != concurrency.nextCheck {
                    alarm = concurrency.nextCheck
                    group.addTask { [moment = concurrency.nextCheck] in
                        try? await Task.sleep(until: moment, clock: .continuous)
                        return nil
                    }
                }
                guard let next = await group.next() else { break }
                guard let (index, performance) = next else { continue }
                running -= 1
                done += 1
                results[index] = performance
                if !performance.wasInterrupted, let received = performance.wasReceived {
                    withoutDriver = received ? 0 : withoutDriver + 1
                    if !received { startProblem = startProblem ?? performance.startProblem }
                }
                progress(.finished(performance, done: done, total: scenarios.count))
            }
        }
        let anyReceived = results.contains { $0?.wasReceived == true }
        return SuiteRun.Outcome(
            performances: results.compactMap { $0 }, startProblem: anyReceived ? nil : startProblem)
    }
}

extension ClientScenario {
    /// The time that its watches alone take.
    func minDuration(_ timeouts: Timeouts, timeScale: Double) -> Duration {
        Self.minDuration(steps, timeouts, timeScale)
    }

    private static func minDuration(_ steps: [ClientStep], _ timeouts: Timeouts, _ scale: Double) -> Duration {
        func sum(_ steps: [ClientStep]) -> Duration { minDuration(steps, timeouts, scale) }
        return steps.reduce(.zero) { total, step in
            switch step.action {
            case .watch(.bound(let name)): total + timeouts.limit(of: name, timeScale: scale)
            case .watch(.milliseconds(let milliseconds)): total + .milliseconds(milliseconds)
            case .together(let branches): total + (branches.map(sum).max() ?? .zero)
            case .repeat(let times, _, let steps): total + sum(steps) * times
            case .everyOrder(let before, let groups, let after):
                total + (sum(before) + groups.map(sum).reduce(.zero, +) + sum(after))
                    * (1...max(1, groups.count)).reduce(1, *)
            default: total
            }
        }
    }
}
