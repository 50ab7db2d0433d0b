import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript

/// Performs the steps of one client scenario; branches of it may run at the same time.
final class ClientPerformer: ClientScene, Sendable {
    private struct State {
        var sent: [(name: String, text: String)] = []
        var launches = 0
        var condition = ClientCondition()
        /// When an audit looks at no further session; nil while there is none.
        var auditEnd: ContinuousClock.Instant?
        var mark = 0
        var shown: JSONValue?
        /// When a look was recorded last.
        var noted: ContinuousClock.Instant?
        var broken: DriverProblem?
        /// Why the driver, and not the scenario, ended it.
        var failure: String?
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

    /// Where the scripted server listens, and the credential it takes.
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

    /// Why the driver, and not the scenario, ended it; nil when it did not.
    var failure: String? { state.withLock { $0.failure } }

    // MARK: steps

    /// Performs steps one after the other.
    /// - Throws: ``StepEnd`` when the rest cannot be performed.
    func perform(
        _ steps: [ClientStep], with local: ScenarioVariables = ScenarioVariables(), keepsMark: Bool = false
    ) async throws {
        for step in steps {
            if Task.isCancelled { throw StepEnd.interrupted }
            if recorder.wasFlooded { throw StepEnd.unmet("\(step.pointer): the client flooded the suite") }
            if let profile = step.profile, !subject.profiles.contains(profile) { continue }
            let context = ClientStepContext(performer: self, pointer: step.pointer, local: local, keepsMark: keepsMark)
            do {
                try await context.perform(step.action)
            } catch let end as StepEnd {
                throw end
            } catch {
                throw Task.isCancelled ? StepEnd.interrupted : StepEnd.unmet("\(step.pointer): \(error)")
            }
        }
    }

    func limit(_ name: String) -> Duration { subject.timeouts.limit(of: name, timeScale: timeScale) }

    func setMark() {
        let mark = server.pending.mark
        state.withLock { $0.mark = mark }
    }

    /// What came later than this is new.
    var mark: Int { state.withLock { $0.mark } }

    // MARK: the scene

    var sent: [(name: String, text: String)] { state.withLock { $0.sent } }

    func note(sent name: String, _ text: String) { state.withLock { $0.sent.append((name, text)) } }

    var condition: ClientCondition { state.withLock { $0.condition } }

    func note(done act: ClientAct) {
        // The app runs once the driver has started it.
        guard act.verb != "launch", !ClientAct.endsApp(["do": .string(act.verb)]) else { return }
        state.withLock { $0.condition.take(act) }
    }

    func record(_ kind: Event.Kind, on lane: Lane) { recorder.note(kind, on: lane) }

    func act<Result: Sendable>(_ body: @Sendable (inout ServerWorld) -> Result) -> Result { server.act(body) }

    // MARK: commands

    /// Has the driver do something, and records it and what the client shows then; something may happen in the same moment,
    /// before the driver is told.
    func command(
        _ command: JSONObject, as act: JSONObject, at pointer: JSONPointer, before: @Sendable () -> Void = {}
    ) async throws {
        let verb = command["do"]?.stringValue ?? ""
        try await gate.alone { () throws(StepEnd) in
            if Task.isCancelled { throw .interrupted }
            recorder.note(.act(verb, act), on: .client)
            before()
            if let state = try await perform(command, at: pointer) { note(state) }
        }
    }

    func launch(fresh: Bool?, opened: JSONValue?, details: JSONObject, at pointer: JSONPointer) async throws {
        let isFresh = state.withLock { state in
            state.launches += 1
            state.shown = nil
            return fresh ?? (state.launches == 1)
        }
        var command: JSONObject = [
            "do": "launch", "url": .string(address.webSocket), "http": .string(address.http),
            "token": .string(address.token), "timeScale": JSONValue(timeScale), "fresh": .bool(isFresh),
        ]
        command["opened"] = opened
        var act: JSONObject = ["fresh": .bool(isFresh)]
        for member in details { act[member.key] = member.value }
        try await self.command(command, as: act, at: pointer)
        state.withLock { $0.condition.take(.launch(fresh: nil, opened: nil)) }
    }

    /// Forgets what earlier rounds of a life waited for.
    func beginRound() {
        server.pending.forgetAll()
        state.withLock { $0.sent = $0.sent.suffix(40) }
    }

    /// Whether the app was started and not ended.
    var isRunning: Bool { condition.isRunning }

    /// How long a screen that does not change goes unrecorded: when it then changes, the record tells since when at the latest.
    private static let longestSilence = Duration.milliseconds(500)

    /// What the client shows now; recorded when it differs from what was recorded last, when that is a while ago, or must be.
    func look(recording isForced: Bool = false, at pointer: JSONPointer) async throws -> JSONValue {
        try await gate.alone { () throws(StepEnd) in
            // Another strand of the steps may have ended the app while this look waited for its turn.
            guard isRunning else { return [:] }
            let state = try await perform(["do": "state"], at: pointer)
            if let state { note(state, isForced: isForced) }
            return state ?? [:]
        }
    }

    private func note(_ value: JSONValue, isForced: Bool = false) {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            let isDue =
                isForced || state.shown != value
                || state.noted.map { now - $0 >= Self.longestSilence } ?? true
            state.shown = value
            if isDue { state.noted = now }
            return isDue
        }
        if isDue { _ = recorder.record(.state(value), on: .client, at: now) }
    }

    private func perform(_ command: JSONObject, at pointer: JSONPointer) async throws(StepEnd) -> JSONValue? {
        let verb = command["do"]?.stringValue ?? ""
        if let problem = state.withLock({ $0.broken }) { throw .unmet("\(pointer): \(problem.what)") }
        let reply: DriverReply
        do {
            reply = try await link.perform(command, within: subject.timeouts.driver)
        } catch {
            throw end(for: error, at: pointer)
        }
        switch reply {
        case .done(let shown, _):
            if ClientAct.endsApp(command) { state.withLock { $0.condition.isRunning = false } }
            return shown
        case .unsupported(let reason): throw .unsuitable("the driver does not support \(verb): \(clipped(reason))")
        case .failed(let words):
            let reason = "the driver could not do '\(verb)': \(words.prefix(300))"
            state.withLock { $0.failure = reason }
            throw .unmet("\(pointer): \(reason)")
        }
    }

    /// Records what became of a driver that does not answer.
    private func end(for problem: DriverProblem, at pointer: JSONPointer) -> StepEnd {
        if Task.isCancelled || problem.code == .interrupted { return .interrupted }
        state.withLock { state in
            state.broken = problem
            state.failure = problem.what
        }
        if problem.isHarness { return .harness(HarnessProblem(.driver(problem), at: "\(scenario.name) \(pointer)")) }
        let reason: JSONObject = ["reason": .string(problem.inShort)]
        switch problem.code {
        case .ended(let exit): recorder.note(.act("exit", exit.details), on: .client)
        case .hung: recorder.note(.act("hang", reason), on: .client)
        default: recorder.note(.act("nonsense", reason), on: .client)
        }
        return .unmet("\(pointer): \(problem.what)")
    }

    // MARK: the end

    /// Looks at what the client owes at rest, where it runs and can be brought there.
    ///
    /// * `most`: So many sessions; nil for all of them, and for an app that is launched for it.
    func audit(most: Int?) async {
        guard failure == nil, !recorder.wasFlooded, most == nil || isRunning && !server.act({ $0.isSentAway }) else {
            return
        }
        state.withLock { $0.auditEnd = .now + (most == nil ? .seconds(60) : .seconds(20)) }
        // What cannot be brought about says nothing.
        try? await perform([ClientStep(.rest(.audit(most: most)))])
        state.withLock { $0.auditEnd = nil }
        server.act { $0.answerReads() }
    }

    /// Whether an audit may look at one more session: a client that shows nothing right is not waited for sixty times.
    var hasTimeToLook: Bool { state.withLock { $0.auditEnd.map { ContinuousClock.now < $0 } ?? true } }

    /// Looks on for a while after the scenario could not go on, because the client did not do what it waited for.
    func watchOn() async {
        let deadline = PatientDeadline(limit("backoff"))
        while deadline.rest > .zero, isRunning, failure == nil, !recorder.wasFlooded {
            do {
                try await Task.sleep(for: min(.milliseconds(240), max(.milliseconds(1), deadline.rest)))
                _ = try await look(at: JSONPointer())
            } catch {
                return
            }
        }
    }

    /// Looks at the screen a last time and has the app end; whatever happens, in bounded time.
    func finish() async {
        let (isRunning, isBroken) = state.withLock { ($0.condition.isRunning, $0.broken != nil) }
        if isRunning, !isBroken, !Task.isCancelled {
            _ = try? await look(recording: true, at: JSONPointer())
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
        // How long was watched is part of the evidence.
        recorder.note(.wait(awaited: "end of the scenario", met: true), on: .client)
    }
}

/// Lets one command through at a time, in the order of asking.
actor CommandGate {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func alone<Result: Sendable>(
        _ body: () async throws(StepEnd) -> Result
    ) async throws(StepEnd) -> Result {
        await enter()
        do throws(StepEnd) {
            let result = try await body()
            await leave()
            return result
        } catch {
            await leave()
            throw error
        }
    }

    /// Waits for its turn; each command is bounded, and so is the wait for it.
    private func enter() async {
        if !isBusy {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Lets the next one through.
    private func leave() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
