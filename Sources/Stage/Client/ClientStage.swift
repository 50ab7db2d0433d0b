import Holdfast
import HoldfastJSON
import HoldfastTranscript
import HoldfastTransport

/// Performs scenarios with a client against a scripted server, and records what was observed.
package struct ClientStage: Sendable {
    package let subject: ClientSubject
    package let specification: Specification

    var bounds = Recorder.Bounds()

    private let schemas: SentSchemas

    package init(subject: ClientSubject, specification: Specification) {
        self.subject = subject
        self.specification = specification
        schemas = SentSchemas(specification)
    }

    /// Performs one scenario to its end, or until the task is canceled, and keeps the observations so far.
    ///
    /// In any case, driver and server have ended when this returns.
    package func perform(_ scenario: ClientScenario) async -> Performance {
        await perform(scenario) { performer, performance in
            do {
                try await performer.perform(scenario.steps)
            } catch {
                performance.note(error)
                // The judge decides about an overdue act of the client, and needs evidence that it did not happen.
                if case StepEnd.unmet = error { await performer.keepWatching() }
            }
            guard audits, performance.skipped == nil, performance.problems.isEmpty, !performance.wasInterrupted else {
                return
            }
            await performer.audit(limit: Self.sessionsAtRest)
        }
    }

    /// Whether each scenario ends with a check of the client at rest.
    var audits = false
    package static let sessionsAtRest = 4

    /// The part of a run between the driver's first greeting and the end of the app.
    typealias Course = (ClientPerformer, inout Performance) async -> Void

    func perform(_ scenario: ClientScenario, _ course: Course) async -> Performance {
        if let obstacle = subject.obstacle(to: scenario) { return skip(scenario, obstacle) }
        let began = ContinuousClock.now
        let startedAt = WallClock.now()
        let token = "p1-\(UniqueName.uuid())"
        let recorder = Recorder(bounds: bounds, redaction: Redaction([(name: "p1", token: token)]))
        let server = ScriptedServer(
            scenario.world, token: token, in: subject.dialect, recorder: recorder, schemas: schemas,
            location: scenario.name)
        var performance = Performance(scenario: scenario.name, history: history(scenario))
        do {
            let folder = try DataFolder.temporary()
            defer { folder.remove() }
            let listener = try await TransportServer.start(
                host: subject.host, limits: ScriptedServer.limits, handler: server)
            await perform(scenario, server, on: listener, token, recorder, folder.path, course, into: &performance)
            server.finish()
            await listener.stop(graceful: .zero)
        } catch {
            let reason = "\(error)".prefix { $0 != "\n" }
            performance.problems = [
                HarnessProblem(
                    .faultImpossible(fault: "a scripted server", reason: String(reason)), at: scenario.name)
            ]
        }
        performance.history = history(scenario, recorder, since: startedAt)
        performance.problems += server.problems
        performance.wasFlooded = recorder.wasFlooded
        performance.wasInterrupted = performance.wasInterrupted || Task.isCancelled
        performance.duration = ContinuousClock.now - began
        return performance
    }

    private func perform(
        _ scenario: ClientScenario, _ server: ScriptedServer, on listener: TransportServer, _ token: String,
        _ recorder: Recorder, _ folder: String, _ course: Course, into performance: inout Performance
    ) async {
        let link: any DriverLink
        do {
            link = try await subject.driver.open(data: folder, timeScale: subject.timeScale(for: scenario))
        } catch {
            if case .interrupted = error.code {
                performance.wasInterrupted = true
                return
            }
            performance.wasReceived = false
            performance.stoppedAt = error.inShort
            let problem = HarnessProblem(.driver(error), at: scenario.name)
            performance.startProblem = problem
            if error.isHarness { performance.problems = [problem] } else { performance.failure = error.what }
            return
        }
        performance.wasReceived = true
        let performer = ClientPerformer(
            scenario, subject: subject, server: server,
            address: ClientPerformer.Address(
                webSocket: listener.webSocketURL(subject.dialect.socketPath ?? "/ws"),
                http: String(listener.httpURL().dropLast()), token: token),
            link: link, recorder: recorder, run: UniqueName.short())
        await course(performer, &performance)
        await performer.finish()
        performance.failure = performer.failure
        await link.end()
    }

    /// Empty without a recorder.
    func history(
        _ scenario: ClientScenario, _ recorder: Recorder? = nil, since startedAt: String? = nil
    ) -> History {
        var header = History.Header(
            specification: specification.version, scenario: scenario.name, subject: subject.declaration,
            timeouts: subject.timeouts, timeScale: subject.timeScale(for: scenario), startedAt: startedAt,
            dialect: subject.dialect)
        recorder?.noteLateness(in: &header)
        return History(header: header, events: recorder?.events() ?? [])
    }

    func skip(_ scenario: ClientScenario, _ reason: String) -> Performance {
        Performance(scenario: scenario.name, history: history(scenario), skipped: reason)
    }
}
