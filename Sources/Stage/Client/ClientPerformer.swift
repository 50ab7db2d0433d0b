import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript

/// Performs the steps of one client scenario; branches of it may run at the same time.
final class ClientPerformer: ClientScene, Sendable {
    private struct State {
        var notes = ClientNotes()
        /// The time after which an audit checks no further session; nil outside an audit.
        var auditEnd: ContinuousClock.Instant?
        var broken: DriverProblem?
        /// The driver's failure that ended the scenario.
        var failure: String?
        /// A moving average of the time until optional arrivals, and their number; nil outside a life.
        var average: (time: Duration, count: Int)?
    }

    let scenario: ClientScenario
    let subject: ClientSubject
    let timeScale: Double
    let server: ScriptedServer
    let recorder: Recorder
    let run: String
    private let link: any DriverLink
    private let gate = CommandGate()
    private let address: Address
    private let state = Mutex(State())

    struct Address: Sendable {
        var webSocket: String
        var http: String
        var token: String
    }

    init(
        _ scenario: ClientScenario, subject: ClientSubject, server: ScriptedServer, address: Address,
        link: any DriverLink, recorder: Recorder, run: String
    ) {
        self.scenario = scenario
        self.subject = subject
        timeScale = subject.timeScale(for: scenario)
        (self.server, self.address, self.link, self.recorder, self.run) = (server, address, link, recorder, run)
    }

    var failure: String? { state.withLock { $0.failure } }

    // MARK: steps

    /// - Throws: ``StepEnd`` if the rest cannot be performed.
    func perform(
        _ steps: [ClientStep], with local: ScenarioVariables = ScenarioVariables(), keepsMark: Bool = false
    ) async throws {
        for step in steps {
            if Task.isCancelled { throw StepEnd.interrupted }
            if recorder.wasFlooded { throw StepEnd.unmet("\(step.pointer): the client flooded the suite") }
            if let profile = step.profile, !subject.profiles.contains(profile) { continue }
            if case .when(let rule) = step.action, rule.event == .auth, subject.dialect.assumedGreeting != nil {
                throw StepEnd.unsuitable(subject.dialect.noHandshakeReason)
            }
            let context = ClientStepContext(performer: self, pointer: step.pointer, local: local, keepsMark: keepsMark)
            do {
                try await context.perform(context.begin(step.action))
                if let reason = server.takeUnexpressed() { throw StepEnd.unsuitable(reason) }
            } catch let end as StepEnd {
                if case .unmet = end, let reason = server.takeUnexpressed() { throw StepEnd.unsuitable(reason) }
                throw end
            } catch {
                throw Task.isCancelled ? StepEnd.interrupted : StepEnd.unmet("\(step.pointer): \(error)")
            }
        }
    }

    func limit(_ name: String) -> Duration { subject.timeouts.limit(of: name, timeScale: timeScale) }

    /// From now on, ends optional waits of `scheduling` soon after the usual time; they would take half of a life.
    func shortenOptionalWaits() { state.withLock { $0.average = (.zero, 0) } }

    func limit(_ name: String, isOptional: Bool) -> Duration {
        let whole = limit(name)
        guard isOptional, name == "scheduling", let average = state.withLock({ $0.average }), average.count > 4 else {
            return whole
        }
        return min(whole, max(.milliseconds(400), average.time * 3))
    }

    func noteOptionalArrival(after time: Duration) {
        state.withLock { state in
            guard let average = state.average else { return }
            state.average = (max(time, (average.time * 3 + time) / 4), average.count + 1)
        }
    }

    var lastArrival: Int { server.pending.mark }

    // MARK: the scene

    func notes<Result: Sendable>(_ body: (inout ClientNotes) -> Result) -> Result {
        state.withLock { body(&$0.notes) }
    }

    func note(done act: ClientAct) {
        // The app does not run until the driver has started it.
        guard act.verb != "launch", !ClientAct.endsApp(["do": .string(act.verb)]) else { return }
        notes { $0.condition.take(act) }
    }

    func record(_ kind: Event.Kind, on lane: Lane) { recorder.note(kind, on: lane) }

    func act<Result: Sendable>(_ body: @Sendable (inout ServerWorld) -> Result) -> Result { server.act(body) }

    // MARK: commands

    /// Sends a command to the driver and records it with the resulting screen; `before` runs at the same moment,
    /// before the driver receives the command.
    func command(
        _ command: JSONObject, as act: JSONObject, at pointer: JSONPointer, before: @Sendable () -> Void = {}
    ) async throws {
        let verb = command["do"]?.stringValue ?? ""
        try await gate.alone { () throws(StepEnd) in
            if Task.isCancelled { throw .interrupted }
            recorder.note(.act(verb, act), on: .client)
            before()
            let asked = ContinuousClock.now
            if let state = try await perform(command, at: pointer) { note(state, since: asked) }
        }
    }

    func beginRound() {
        server.pending.forgetAll()
        notes { $0.sent = $0.sent.suffix(40) }
    }

    var isRunning: Bool { condition.isRunning }

    /// The current screen; recorded if it differs from the last record, if that record is old, or if forced.
    func readScreen(recording isForced: Bool = false, at pointer: JSONPointer) async throws -> JSONValue {
        try await gate.alone { () throws(StepEnd) in
            // Another branch may have ended the app while this read waited for its turn.
            guard isRunning else { return [:] }
            let asked = ContinuousClock.now
            let state = try await perform(["do": "state"], at: pointer)
            if let state { note(state, since: asked, isForced: isForced) }
            return state ?? [:]
        }
    }

    private func note(_ value: JSONValue, since asked: ContinuousClock.Instant, isForced: Bool = false) {
        let now = ContinuousClock.now
        recorder.noteAnswer(from: asked, to: now)
        if notes({ $0.sampling.isDue(value, at: now - recorder.start, isForced: isForced) }) {
            _ = recorder.record(.state(value), on: .client, at: now)
        }
    }

    private func perform(_ command: JSONObject, at pointer: JSONPointer) async throws(StepEnd) -> JSONValue? {
        let verb = command["do"]?.stringValue ?? ""
        var command = command
        if verb == "launch" {
            command["url"] = .string(address.webSocket)
            command["http"] = .string(address.http)
            command["token"] = .string(address.token)
            command["timeScale"] = JSONValue(timeScale)
        }
        if let problem = state.withLock({ $0.broken }) { throw .unmet("\(pointer): \(problem.what)") }
        let reply: DriverReply
        let asked = ContinuousClock.now
        do {
            reply = try await link.perform(command, within: subject.timeouts.driver)
        } catch {
            throw end(for: error, asked: asked, at: pointer)
        }
        switch reply {
        case .done(let shown, _):
            if ClientAct.endsApp(command) { notes { $0.condition.isRunning = false } }
            if verb == "launch" { notes { $0.condition.take(.launch(fresh: nil, opened: nil)) } }
            return shown
        case .unsupported(let reason): throw .unsuitable("the driver does not support \(verb): \(clipped(reason))")
        case .failed(let words):
            let reason = "the driver could not do '\(verb)': \(words.prefix(600))"
            state.withLock { $0.failure = reason }
            throw .unmet("\(pointer): \(reason)")
        }
    }

    private func end(
        for problem: DriverProblem, asked: ContinuousClock.Instant, at pointer: JSONPointer
    ) -> StepEnd {
        if Task.isCancelled || problem.code == .interrupted { return .interrupted }
        state.withLock { state in
            state.broken = problem
            state.failure = problem.what
        }
        if problem.isHarness { return .harness(HarnessProblem(.driver(problem), at: "\(scenario.name) \(pointer)")) }
        let reason: JSONObject = ["reason": .string(problem.inShort), "command": .string(problem.command ?? "")]
        switch problem.code {
        case .ended(let exit): recorder.note(.act("exit", exit.details), on: .client)
        // From then on, inaction of its app proves nothing.
        case .hung: recorder.note(.act("hang", reason), on: .client, at: asked)
        default: recorder.note(.act("nonsense", reason), on: .client)
        }
        return .unmet("\(pointer): \(problem.what)")
    }

    // MARK: the end

    /// Checks the client at rest, if it runs and can be brought to rest.
    ///
    /// * `limit`: The number of sessions to check; nil checks all of them, and launches the app if necessary.
    func audit(limit: Int?) async {
        guard failure == nil, !recorder.wasFlooded, limit == nil || isRunning && !server.act({ $0.isSentAway }) else {
            return
        }
        state.withLock { $0.auditEnd = .now + (limit == nil ? .seconds(60) : .seconds(20)) }
        // A client that cannot be brought to rest proves nothing.
        try? await perform([ClientStep(.rest(.audit(limit: limit)))])
        state.withLock { $0.auditEnd = nil }
        server.act { $0.answerReads() }
    }

    /// Whether an audit has time for another session, so that it does not time out on each session of a broken client.
    var hasTimeForSession: Bool { state.withLock { $0.auditEnd.map { ContinuousClock.now < $0 } ?? true } }

    /// Keeps watching for a while after the client did not do what the scenario waited for.
    func keepWatching() async {
        let deadline = ExtendedDeadline(limit("backoff"))
        while deadline.rest > .zero, isRunning, failure == nil, !recorder.wasFlooded {
            try? await Task.sleep(for: min(.milliseconds(240), max(.milliseconds(1), deadline.rest)))
            guard !Task.isCancelled, (try? await readScreen(at: JSONPointer())) != nil else { return }
        }
    }

    /// Bounded in time, whatever the client does.
    func finish() async {
        let (isRunning, isBroken) = state.withLock { ($0.notes.condition.isRunning, $0.broken != nil) }
        if isRunning, !isBroken, !Task.isCancelled {
            _ = try? await readScreen(recording: true, at: JSONPointer())
        }
        if let used = link.processorTime {
            recorder.note(
                .act("processorTime", ["milliseconds": JSONValue(used.milliseconds)]), on: .client)
        }
        for rule in server.unusedRules {
            recorder.note(.wait(awaited: "use of the rule '\(rule)'", met: false), on: .client)
        }
        if isRunning, state.withLock({ $0.broken }) == nil, !Task.isCancelled {
            _ = try? await command(["do": "quit"], as: [:], at: JSONPointer())
        }
        // The length of the watch is part of the evidence.
        recorder.note(.wait(awaited: "end of the scenario", met: true), on: .client)
    }
}

actor CommandGate {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func alone<Result: Sendable>(
        _ body: () async throws(StepEnd) -> Result
    ) async throws(StepEnd) -> Result {
        await enter()
        return try await finally({ await leave() }, body)
    }

    /// Each command is bounded, and so is this wait.
    private func enter() async {
        if !isBusy {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }
}
