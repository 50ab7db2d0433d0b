import Holdfast

/// Performs many scenarios, several at a time, and returns what was learnt even when it is ended early.
public struct SuiteRun: Sendable {
    /// What happens during a run.
    public enum Progress: Sendable, Equatable {
        /// A scenario begins; so many are done of so many.
        case started(String, done: Int, total: Int)
        /// A scenario has ended; so many are done of so many.
        case finished(String, done: Int, total: Int)
    }

    /// How many scenarios may run at a time; never more than the principals allow.
    public var jobs: Int
    /// The stage they are performed on.
    public let stage: ServerStage

    /// After this many scenarios in a row that found nobody, the rest is left out.
    private static let patience = 2

    /// A run on a stage.
    public init(stage: ServerStage, jobs: Int = 1) {
        self.stage = stage
        self.jobs = max(1, jobs)
    }

    /// Performs the scenarios.
    ///
    /// When the task is cancelled, scenarios that run are ended at once and keep what they observed, and the others are left
    /// out. When the subject does not answer two scenarios in a row, or floods two in a row, the others are left out too.
    /// - Parameters:
    ///   - scenarios: What to perform; a scenario begins no sooner than those before it.
    ///   - progress: Told when a scenario begins and ends.
    /// - Returns: One performance for each scenario, in the order given.
    public func perform(
        _ scenarios: [Scenario], progress: @Sendable (Progress) -> Void = { _ in }
    ) async -> [Performance] {
        var results = [Performance?](repeating: nil, count: scenarios.count)
        var pool = PrincipalPool(stage.subject.principals)
        var breaker = Breaker(patience: Self.patience)
        var done = 0
        await withTaskGroup(of: (Int, [ServerSubject.Principal], Performance).self) { group in
            var next = 0
            var running = 0
            while true {
                while next < scenarios.count, running < jobs {
                    let scenario = scenarios[next]
                    if let reason = leftOut(scenario, breaker) {
                        results[next] = stage.skip(scenario, reason)
                        done += 1
                        next += 1
                        progress(.finished(scenario.name, done: done, total: scenarios.count))
                        continue
                    }
                    guard let lent = lend(to: scenario, from: &pool) else { break }
                    let index = next
                    progress(.started(scenario.name, done: done, total: scenarios.count))
                    group.addTask { (index, lent, await stage.perform(scenario, principals: lent)) }
                    next += 1
                    running += 1
                }
                guard let (index, lent, performance) = await group.next() else { break }
                pool.take(back: lent)
                breaker.note(performance)
                results[index] = performance
                running -= 1
                done += 1
                progress(.finished(performance.scenario, done: done, total: scenarios.count))
            }
        }
        return results.compactMap { $0 }
    }

    private func lend(to scenario: Scenario, from pool: inout PrincipalPool) -> [ServerSubject.Principal]? {
        guard scenario.needs.profiles.contains(.push), let sink = stage.subject.pushSink else {
            return pool.lend(scenario.needs.principals)
        }
        return pool.lend(scenario.needs.principals, reachedBy: sink)
    }

    private func leftOut(_ scenario: Scenario, _ breaker: Breaker) -> String? {
        stage.subject.obstacle(to: scenario) ?? breaker.reason ?? (Task.isCancelled ? "the run was interrupted" : nil)
    }
}

/// Opens when a subject is evidently not there, so that its silence is waited for twice and not fifty times.
struct Breaker {
    private let patience: Int
    private var unanswered = 0
    private var floods = 0
    private(set) var reason: String?

    init(patience: Int) {
        self.patience = patience
    }

    mutating func note(_ performance: Performance) {
        if performance.wasInterrupted { return }
        if let received = performance.wasReceived { unanswered = received ? 0 : unanswered + 1 }
        if performance.skipped == nil { floods = performance.wasFlooded ? floods + 1 : 0 }
        if unanswered >= patience {
            reason = "the subject took no connection in \(patience) scenarios in a row"
        } else if floods >= patience {
            reason = "the subject flooded \(patience) scenarios in a row"
        }
    }
}
