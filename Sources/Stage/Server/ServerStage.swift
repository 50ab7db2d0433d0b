import Holdfast
import HoldfastPlatform
import HoldfastTranscript

/// Performs scenarios against a server, and records what was observed.
package struct ServerStage: Sendable {
    package private(set) var subject: ServerSubject
    package let specification: Specification
    /// Whether each scenario ends with a check of the server's data.
    var audits = false

    private let schemas: SentSchemas
    /// The connections of all scenarios that it performs.
    private let connections = OpenConnections()

    package init(subject: ServerSubject, specification: Specification) {
        self.subject = subject
        self.specification = specification
        schemas = SentSchemas(specification)
        subject.pushSink?.registry.expect(subject.principals.compactMap(\.device))
    }

    /// Performs one scenario to its end, or until the task is canceled, and keeps everything observed until then.
    ///
    /// * `principals`: The principals lent to this scenario alone; nil for the subject's own.
    package func perform(_ scenario: Scenario, principals: [ServerSubject.Principal]? = nil) async -> Performance {
        guard scenario.needs.start, let start = subject.startCommand, subject.obstacle(to: scenario) == nil else {
            return await perform(scenario, principals: principals, on: nil)
        }
        return await perform(scenario, principals: principals, startedBy: start, data: nil)
    }

    func perform(
        _ scenario: Scenario, principals: [ServerSubject.Principal]?, startedBy start: StartCommand, data: String?,
        first: FirstStart? = nil, _ body: (@Sendable (ServerStage, ScenarioPerformer) async throws -> Void)? = nil
    ) async -> Performance {
        let instance: SubjectInstance
        do throws(HarnessProblem) {
            instance = try await (first ?? FirstStart(of: subject)).trying { () async throws(HarnessProblem) in
                try await SubjectInstance.start(start, data: data, within: subject.timeouts.start)
            }
        } catch {
            // If no server starts at all, the run reports that once, for all of its scenarios.
            var performance = Performance(
                scenario: scenario.name, history: History(header: header(scenario), events: []))
            performance.wasInterrupted = Task.isCancelled
            performance.startProblem = error
            if !Task.isCancelled { performance.stoppedAt = "its server did not start: \(error.inShort)" }
            return performance
        }
        let stage = at(instance)
        var life: (@Sendable (ScenarioPerformer) async throws -> Void)?
        if let body { life = { try await body(stage, $0) } }
        let performance = await stage.perform(scenario, principals: principals, on: instance, life)
        await instance.end()
        return performance
    }

    func at(_ instance: SubjectInstance) -> ServerStage {
        var stage = self
        stage.subject = subject.at(instance)
        return stage
    }

    /// Performs a scenario at the subject's current address.
    ///
    /// * `life`: Performs the rounds of a life instead of the steps of a scenario.
    func perform(
        _ scenario: Scenario, principals: [ServerSubject.Principal]?, on instance: SubjectInstance?,
        _ life: (@Sendable (ScenarioPerformer) async throws -> Void)? = nil
    ) async -> Performance {
        let obstacles = subject.obstacles(to: scenario)
        if !obstacles.isEmpty { return skip(scenario, lacking: obstacles) }
        let lent: [ServerSubject.Principal]
        do {
            lent = try await (principals ?? Array(subject.principals.prefix(scenario.needs.principals))).refreshed()
        } catch {
            var performance = skip(
                scenario, lacking: ["it needs a valid token, and there is none: \(error)"])
            performance.wasInterrupted = Task.isCancelled
            return performance
        }
        guard lent.count >= scenario.needs.principals else { return skip(scenario, "too few principals were assigned") }
        let began = ContinuousClock.now
        let startedAt = WallClock.now()
        let performer = ScenarioPerformer(
            scenario, subject: subject, principals: lent, schemas: schemas, run: UniqueName.short(),
            instance: scenario.needs.start ? instance : nil, isStarted: instance != nil, isLife: life != nil,
            beside: connections)
        let exits = Mutex<[SubjectExit]>([])
        let observer = instance.map { instance in
            instance.observe { exit in
                var details = exit.details
                if let said = instance.complaint { details["said"] = .string(said) }
                performer.recorder.note(.act("exit", details), on: .server)
                exits.withLock { $0.append(exit) }
            }
        }
        var performance = Performance(scenario: scenario.name, history: History(header: header(scenario), events: []))
        do {
            if let life { try await life(performer) } else { try await performer.perform(scenario.steps) }
        } catch {
            performance.note(error)
        }
        await performer.finish(audits: audits)
        if let instance, let observer {
            await performer.awaitExitAfterLoss(of: instance)
            instance.stopObserving(observer)
            if !scenario.needs.start, let exit = exits.withLock({ $0.first }) {
                // Any scenario that the server served at that moment may be the cause, so all of them stop.
                let words = ["the server exited by itself, \(exit)", instance.complaint, performance.stoppedAt]
                performance.stoppedAt = words.compactMap { $0 }.joined(separator: "; ")
                performance.sawServerEnd = true
            }
        }
        // After an early end, unused kills and answers mean nothing.
        if life == nil, performance.stoppedAt == nil, performance.skipped == nil, !performance.wasInterrupted {
            performance.stoppedAt =
                performer.armed.unfired(beside: performer.recorder.busyQuestions).map {
                    "\($0.pointer): the server was not killed, because it never sent \($0.awaited)"
                }
                ?? performer.pushRoute?.unused
        }
        performance.history = history(of: performer, scenario, since: startedAt)
        performance.wasInterrupted = performance.wasInterrupted || Task.isCancelled
        performance.wasReceived = performer.wasReceived
        performance.sawStop = performer.sawStop
        performance.wasFlooded = performer.recorder.wasFlooded
        performance.duration = ContinuousClock.now - began
        return performance
    }

    func history(
        of performer: ScenarioPerformer, _ scenario: Scenario, since startedAt: String? = nil
    ) -> History {
        var header = header(scenario)
        performer.recorder.noteLateness(in: &header)
        header.startedAt = startedAt
        return performer.recorder.history(header)
    }

    func skip(_ scenario: Scenario, _ reason: String, wasInterrupted: Bool = false) -> Performance {
        Performance(
            scenario: scenario.name, history: History(header: header(scenario), events: []), skipped: reason,
            wasInterrupted: wasInterrupted)
    }

    func skip(_ scenario: Scenario, lacking lacks: [String]) -> Performance {
        var performance = skip(scenario, Performance.words(lacking: lacks) ?? "")
        performance.lacks = lacks
        return performance
    }

    private func header(_ scenario: Scenario) -> History.Header {
        History.Header(
            specification: specification.version, scenario: scenario.name, subject: subject.declaration,
            timeouts: subject.timeouts, dialect: subject.dialect)
    }
}
