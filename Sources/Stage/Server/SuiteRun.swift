import Holdfast

/// Performs many scenarios, several at a time, and returns the results so far even if it is ended early.
package struct SuiteRun: Sendable {
    package enum Progress: Sendable {
        case started(String, done: Int, total: Int)
        case finished(Performance, done: Int, total: Int)
        /// A scenario has ended but does not count, because the server ended during another; it is performed again.
        case disturbed(String, done: Int, total: Int)
    }

    /// Never more than the principals allow.
    package var jobs: Int
    package let stage: ServerStage

    /// After this many consecutive scenarios without a server, the others are omitted.
    private static let patience = 2

    package init(stage: ServerStage, jobs: Int = 1) {
        var stage = stage
        stage.audits = true
        self.stage = stage
        self.jobs = max(1, jobs)
    }

    package struct Outcome: Sendable {
        /// One performance for each scenario, in the given order.
        package var performances: [Performance]
        /// The reason why nothing could be performed: the subject did not start.
        package var startProblem: HarnessProblem?
        /// Other observations without a verdict, one line each.
        package var diagnostics: [String] = []
    }

    /// Performs the scenarios; starts and ends the subject if it has a start command.
    ///
    /// If the task is canceled, running scenarios end at once and keep their observations, and the others are omitted.
    /// If the subject does not answer two consecutive scenarios, or floods two, the others are omitted too; but a
    /// subject that had answered before first gets time to recover, and the run goes on.
    ///
    /// A started subject has one instance for all scenarios except those that end and start it. Each of these has its
    /// own, which runs alongside the others if the subject accepts any port, otherwise alone and last. In any case, all
    /// instances have ended when this returns.
    ///
    /// If the shared instance ends by itself while several scenarios use it, the cause is unknown: each of them is
    /// repeated alone, and only the repetition counts. Servers older than the specification are known to exit at a
    /// single message, and a server started elsewhere cannot be restarted. So in a dialect, the scenarios that send
    /// such messages run one at a time, after the others.
    ///
    /// A scenario cut short by an announced stop is performed again too; a server that announces stops again and again
    /// counts as going on (``OpenConnections``).
    ///
    /// With few principals, scenarios that report a device as gone run after all others, since it gets no more pushes,
    /// and so do those that fill a stream.
    ///
    /// On one instance, the scenarios with the longest waits begin first, so that none runs alone at the end.
    package func run(
        _ scenarios: [Scenario], progress: @Sendable (Progress) -> Void = { _ in }
    ) async -> Outcome {
        let start = stage.subject.startCommand
        let first = FirstStart(of: stage.subject)
        let shared = start.map {
            SharedInstance($0, data: $0.folder(for: "shared"), within: stage.subject.timeouts.start, first: first)
        }
        let waits = scenarios.map { $0.waits(for: stage.subject) }
        let order = waits.longestFirst
        let all = order.filter { start == nil || !scenarios[$0].needs.start }
        let isFrail = !stage.subject.dialect.isCanonical
        let dangerous = isFrail ? all.filter { scenarios[$0].sendsVerbatim } : []
        // With few principals, later scenarios would lack a usable device, or a stream that fits on one page.
        let hasFewPrincipals = stage.subject.principals.count < Self.fewPrincipals
        let last =
            hasFewPrincipals
            ? all.filter { scenarios[$0].endsDevice || scenarios[$0].fillsStream }.filter { !dangerous.contains($0) }
            : []
        let shareable = all.filter { !dangerous.contains($0) && !last.contains($0) }
        var state = State(
            scenarios, waits, unbegun: scenarios.map { stage.skip($0, "the run did not begin it") },
            pool: PrincipalPool(stage.subject, for: scenarios), patience: Self.patience, first: first)
        let early = state.pool.spendersFromTheStart
        let spenders = Queue(early > 0 ? shareable.filter { scenarios[$0].needs.budget } : [], limit: early)
        let ordinary = Queue(shareable.filter { !spenders.waiting.contains($0) }, limit: jobs)
        var own = Queue(order.filter { start != nil && scenarios[$0].needs.start }, limit: 1)
        if start?.runsSideBySide ?? false {
            own.limit = min(Self.ownInstances, jobs)
            await perform([own, spenders, ordinary], on: &state, shared, progress)
            await performAlone(dangerous + last, on: &state, shared, progress)
        } else {
            await perform([spenders, ordinary], on: &state, shared, progress)
            await performAlone(dangerous + last, on: &state, shared, progress)
            await shared?.end()
            await perform([own], on: &state, shared, progress)
        }
        await shared?.end()
        var outcome = Outcome(
            performances: state.results, startProblem: await shared?.startProblem ?? first.problem)
        if !state.rerun.isEmpty {
            let names = state.rerun.sorted().map { scenarios[$0].name }.joined(separator: ", ")
            outcome.diagnostics.append(
                "run again alone, because the server exited while they ran in parallel: \(names)")
        }
        if !state.stops.isEmpty {
            let names = state.stops.keys.sorted().map { scenarios[$0].name }.joined(separator: ", ")
            outcome.diagnostics.append("run again, because the server said that it stops: \(names)")
        }
        if let line = state.breaker.line { outcome.diagnostics.append(line) }
        return outcome
    }

    /// Performs scenarios one at a time, including those that were disturbed by the end of the server.
    private func performAlone(
        _ scenarios: [Int], on state: inout State, _ shared: SharedInstance?,
        _ progress: @Sendable (Progress) -> Void
    ) async {
        let rerun = state.rerun.sorted()
        await perform([Queue(rerun + scenarios, limit: 1)], on: &state, shared, progress)
    }

    /// With this many principals, enough usable devices remain.
    private static let fewPrincipals = 4

    /// The number of scenarios that may have their own instance at the same time; each is a whole server.
    private static let ownInstances = 3

    private struct Queue {
        var waiting: ArraySlice<Int>
        var limit: Int
        var running = 0

        init(_ waiting: [Int], limit: Int) {
            self.waiting = waiting[...]
            self.limit = limit
        }

        var next: Int? { running < limit ? waiting.first : nil }
    }

    private struct State {
        let scenarios: [Scenario]
        let waits: [Duration]
        /// A scenario that was not begun counts as skipped.
        var results: [Performance]
        var pool: PrincipalPool
        var breaker: CircuitBreaker
        let first: FirstStart
        var done = 0
        /// The scenarios on the shared instance at this moment.
        var onSharedInstance: Set<Int> = []
        /// The scenarios that ran when another one ended the shared instance.
        private var disturbed: Set<Int> = []
        /// The scenarios that ran alongside others when it ended; they are performed again.
        var rerun: Set<Int> = []
        /// The number of repetitions of each scenario because the server stopped.
        private(set) var stops: [Int: Int] = [:]
        /// The time since which scenarios wait for budgets.
        private var waiting: [Int: ContinuousClock.Instant] = [:]

        init(
            _ scenarios: [Scenario], _ waits: [Duration], unbegun: [Performance], pool: PrincipalPool, patience: Int,
            first: FirstStart
        ) {
            (self.first, self.scenarios, self.waits, self.pool) = (first, scenarios, waits, pool)
            results = unbegun
            breaker = CircuitBreaker(patience: patience)
        }

        mutating func finished(_ index: Int, _ performance: Performance) -> Progress {
            results[index] = performance
            done += 1
            return .finished(performance, done: done, total: scenarios.count)
        }

        /// Whether the shared instance ended while several scenarios used it, so that this one must be repeated.
        mutating func isDisturbed(_ ended: Ended) -> Bool {
            let beside = onSharedInstance.subtracting([ended.index])
            onSharedInstance = beside
            guard ended.performance.sawServerEnd, !ended.performance.wasInterrupted else {
                disturbed.remove(ended.index)
                return false
            }
            if !beside.isEmpty { disturbed.formUnion(beside.union([ended.index])) }
            guard disturbed.remove(ended.index) != nil else { return false }
            rerun.insert(ended.index)
            return true
        }

        /// Whether a stop of the server cut a scenario short, or turned it away, so that it must be performed again.
        mutating func isStopped(_ ended: Ended) -> Bool {
            let performance = ended.performance
            let wasTurnedAway = !stops.isEmpty && performance.wasReceived == false
            guard performance.sawStop || wasTurnedAway, performance.stoppedAt != nil, !performance.wasInterrupted else {
                return false
            }
            stops[ended.index, default: 0] += 1
            return stops[ended.index, default: 0] < OpenConnections.maxRestarts.count
        }

        func longest(of queues: [Queue], among open: Set<Int>) -> (queue: Int, index: Int)? {
            let next = open.sorted().compactMap { queue in queues[queue].next.map { (queue: queue, index: $0) } }
            return next.max { waits[$0.index] < waits[$1.index] }
        }

        /// Lends principals to a scenario; one that would wait for budgets longer than the patience is omitted.
        mutating func lend(to index: Int, for subject: ServerSubject, now: ContinuousClock.Instant)
            -> PrincipalPool.Loan
        {
            let scenario = scenarios[index]
            let sink = scenario.needs.profiles.contains(.push) ? subject.pushSink : nil
            let loan = pool.lend(to: scenario, reachedBy: sink, now: now)
            guard case .later(let moment, let isFinal, let reason) = loan, isFinal else { return loan }
            let since = waiting[index] ?? now
            waiting[index] = since
            return moment - since > subject.patience ? .never(reason: reason) : loan
        }
    }

    private struct Ended: Sendable {
        let queue: Int
        let index: Int
        let lent: [ServerSubject.Principal]
        let performance: Performance
    }

    private func perform(
        _ queues: [Queue], on state: inout State, _ shared: SharedInstance?, _ progress: @Sendable (Progress) -> Void
    ) async {
        var queues = queues
        await withTaskGroup(of: Ended?.self) { group in
            var alarms: Set<ContinuousClock.Instant> = []
            var concurrency = ConcurrencyLimit()
            while true {
                // The time of the next check, even if no scenario ends before.
                var alarm: ContinuousClock.Instant?
                var open = Set(queues.indices)
                while let (number, index) = state.longest(of: queues, among: open) {
                    let running = queues.map(\.running).reduce(0, +)
                    guard running < jobs else { break }
                    guard concurrency.hasRoom(beside: running) else {
                        alarm = min(alarm ?? concurrency.nextCheck, concurrency.nextCheck)
                        break
                    }
                    let scenario = state.scenarios[index]
                    var skipped = await skip(scenario, state, shared)
                    var lent: [ServerSubject.Principal]?
                    if skipped == nil {
                        switch state.lend(to: index, for: stage.subject, now: .now) {
                        case .lent(let principals): lent = principals
                        case .busy: break
                        case .later(let moment, _, _): alarm = min(alarm ?? moment, moment)
                        case .never(let reason): skipped = stage.skip(scenario, lacking: [reason])
                        }
                    }
                    if let skipped {
                        queues[number].waiting.removeFirst()
                        progress(state.finished(index, skipped))
                        continue
                    }
                    guard let lent else {
                        open.remove(number)
                        continue
                    }
                    progress(.started(scenario.name, done: state.done, total: state.scenarios.count))
                    group.addTask { [first = state.first] in
                        let performance = await perform(scenario, lent, shared, first)
                        return Ended(queue: number, index: index, lent: lent, performance: performance)
                    }
                    queues[number].waiting.removeFirst()
                    queues[number].running += 1
                    if !scenario.needs.start { state.onSharedInstance.insert(index) }
                }
                if let alarm, alarms.insert(alarm).inserted {
                    group.addTask {
                        try? await Task.sleep(until: alarm, clock: .continuous)
                        return nil
                    }
                }
                guard let next = await group.next() else { break }
                guard let ended = next else {
                    alarms = alarms.filter { $0 > .now }
                    continue
                }
                state.pool.take(
                    back: ended.lent, after: state.scenarios[ended.index].needs.start ? nil : ended.performance)
                queues[ended.queue].running -= 1
                let disturbed = Progress.disturbed(
                    ended.performance.scenario, done: state.done, total: state.scenarios.count)
                if state.isDisturbed(ended) {
                    progress(disturbed)
                    continue
                }
                if state.isStopped(ended) {
                    // A server that restarts is gone for a moment, or turns newcomers away until it has stopped.
                    let isFirst = state.stops[ended.index] == 1
                    try? await Task.sleep(for: isFirst ? .seconds(1) : OpenConnections.longestStop, clock: .continuous)
                    queues[ended.queue].waiting.insert(ended.index, at: queues[ended.queue].waiting.startIndex)
                    progress(disturbed)
                    continue
                }
                state.breaker.note(ended.performance)
                if let pause = state.breaker.pause {
                    try? await Task.sleep(for: pause, clock: .continuous)
                    state.breaker.resume()
                }
                progress(state.finished(ended.index, ended.performance))
            }
        }
    }

    private func perform(
        _ scenario: Scenario, _ lent: [ServerSubject.Principal], _ shared: SharedInstance?, _ first: FirstStart
    ) async -> Performance {
        guard let start = stage.subject.startCommand, let shared else {
            return await stage.perform(scenario, principals: lent)
        }
        if scenario.needs.start {
            let folder = start.folder(for: String(scenario.name.map { $0 == "/" ? "-" : $0 }))
            return await stage.perform(
                scenario, principals: lent, startedBy: start, data: folder, first: first)
        }
        do throws(HarnessProblem) {
            let instance = try await shared.startedInstance()
            return await stage.at(instance).perform(scenario, principals: lent, on: instance)
        } catch {
            return stage.skip(scenario, error.inShort)
        }
    }

    /// The result of a scenario that cannot be performed, or can no longer be; nil if it can.
    private func skip(_ scenario: Scenario, _ state: State, _ shared: SharedInstance?) async -> Performance? {
        let obstacles = stage.subject.obstacles(to: scenario)
        if !obstacles.isEmpty { return stage.skip(scenario, lacking: obstacles) }
        if let reason = state.breaker.reason { return stage.skip(scenario, reason) }
        var startProblem = await state.first.verdict()
        if Task.isCancelled { return stage.skip(scenario, "the run had ended", wasInterrupted: true) }
        if startProblem == nil { startProblem = await shared?.startProblem }
        return startProblem.map { stage.skip(scenario, $0.inShort) }
    }
}

/// Opens when there is evidently no subject, so that a run times out twice and not fifty times.
///
/// A subject that answered before may soon be back: the run pauses, longer each time, before the breaker opens.
struct CircuitBreaker {
    private static let pauses: [Duration] = [.seconds(1), .seconds(3), .seconds(10)]

    private let patience: Int
    private var unanswered = 0
    private var hasReceived = false
    private var resumed = 0
    /// The scenarios without a server, in the order of their ends.
    private var turnedAway: [String] = []
    /// The time for which the run pauses before it goes on; nil if it need not.
    private(set) var pause: Duration?
    private var lastUnanswered: ContinuousClock.Instant?
    private var floods = 0
    private(set) var reason: String?

    init(patience: Int) { self.patience = patience }

    /// Notes the outcome of a scenario that has just ended; of those that ran side by side only one counts, since one
    /// moment without a server affects all of them.
    mutating func note(_ performance: Performance, at now: ContinuousClock.Instant = .now) {
        if performance.wasInterrupted { return }
        if let received = performance.wasReceived {
            if !received { turnedAway.append(performance.scenario) }
            if received {
                unanswered = 0
                hasReceived = true
            } else if lastUnanswered.map({ now - performance.duration >= $0 }) ?? true {
                unanswered += 1
                lastUnanswered = now
            }
        }
        if performance.skipped == nil { floods = performance.wasFlooded ? floods + 1 : 0 }
        if unanswered >= patience, hasReceived, resumed < Self.pauses.count {
            pause = Self.pauses[resumed]
        } else if unanswered >= patience {
            reason = "the subject accepted no connection in \(patience) scenarios in a row"
        } else if floods >= patience {
            reason = "the subject flooded \(patience) scenarios in a row"
        }
    }

    mutating func resume() {
        pause = nil
        unanswered = 0
        resumed += 1
    }

    /// Nil if there were no pauses, or if the run did not go on.
    var line: String? {
        guard resumed > 0, reason == nil else { return nil }
        return "the run waited and went on, because the subject accepted no connection in: "
            + turnedAway.joined(separator: ", ")
    }
}
