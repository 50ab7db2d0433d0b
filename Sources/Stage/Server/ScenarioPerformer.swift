import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

/// Performs the steps of one scenario; branches of it may run at the same time.
final class ScenarioPerformer: Sendable {
    private struct State {
        var lanes: [String: ConnectionLane] = [:]
        var allLanes: [ConnectionLane] = []
        var refused: Set<String> = []
        /// The last REST question of each name; it may not have begun if a step already waits to end its connection.
        var posts: [String: (post: PendingPost, hasBegun: Bool)] = [:]
        var scriptWait = Duration.zero
        var statedWait = Duration.zero
        var people: [String: JSONValue?] = [:]
        /// In a life, the questions so far: their principals and bodies.
        var asked: [(principal: String, body: JSONObject)] = []
        /// In a life, the entries of lists whose sessions were read afterwards, with their principals.
        var read: Set<String> = []
        var variables = ScenarioVariables()
        /// The names that later steps use for values from the subject.
        var savedNames: Set<String> = []
        /// The reasons why names have no value from the subject.
        var missingReasons: [String: String] = [:]
        var wasReceived: Bool?
        var sawStop = false
        var lostAt: ContinuousClock.Instant?
        var messageLimit: Int?
    }

    let subject: ServerSubject
    /// The process behind the subject, if this scenario may end and start it.
    let instance: SubjectInstance?
    /// Whether the suite started the subject, so that every stop of it is recorded.
    private let isStarted: Bool
    /// Whether it is a life, whose rounds do not depend on the success of earlier ones.
    let isLife: Bool
    let sendsVerbatim: Bool
    let connections: OpenConnections
    let armed = ArmedKills()
    let exchanges = Counter()
    /// Carries requests of all principals, one after another.
    let keptConnection = KeptConnection()
    private let nonces = Counter()
    let recorder: Recorder
    let schemas: SentSchemas
    let scenario: String
    let needs: Scenario.Needs
    /// The principals lent to this scenario, by their names in it.
    let principals: [String: ServerSubject.Principal]
    /// Nil without a push service.
    let pushRoute: PushRoute?
    /// The repeated questions, which need a key on the wire to be repeats.
    private let repeats: RepeatedQuestions
    private let state: Mutex<State>

    init(
        _ scenario: Scenario, subject: ServerSubject, principals: [ServerSubject.Principal], schemas: SentSchemas,
        run: String, instance: SubjectInstance? = nil, isStarted: Bool = false, isLife: Bool = false,
        beside connections: OpenConnections = OpenConnections()
    ) {
        (self.instance, self.isStarted, self.connections) = (instance, isStarted, connections)
        (self.isLife, sendsVerbatim) = (isLife, scenario.sendsVerbatim)
        (self.scenario, needs) = (scenario.name, scenario.needs)
        self.subject = subject
        self.schemas = schemas
        repeats = RepeatedQuestions(scenario.steps, of: subject.profiles, in: subject.dialect)
        var byName: [String: ServerSubject.Principal] = [:]
        for (index, principal) in principals.enumerated() { byName["p\(index + 1)"] = principal }
        self.principals = byName
        let inOrder = byName.sorted { $0.key < $1.key }
        recorder = Recorder(
            bounds: isLife ? .life : Recorder.Bounds(),
            redaction: Redaction(
                inOrder.map { ($0.key, $0.value.token) }, devices: inOrder.map { ($0.key, $0.value.device) },
                headers: subject.secretsOfHeaders))
        pushRoute = Self.pushRoute(byName, subject.pushSink, recorder)
        // A rate limit's refusal counts against a subject only if earlier questions are known (RATE-2).
        for (name, principal) in inOrder {
            guard let spent = principal.spent else { continue }
            recorder.note(.act("lend", ["principal": .string(name), "spent": JSONValue(spent)]), on: .server)
        }
        let variables = ScenarioVariables(
            run: run, kills: subject.kills, authSeconds: subject.stated("authSeconds"),
            tokens: byName.mapValues(\.token))
        var state = State(variables: variables)
        state.messageLimit = subject.greeting?.value?["limits"]?["maxFrameBytes"]?.intValue
        self.state = Mutex(state)
    }

    private static func pushRoute(
        _ principals: [String: ServerSubject.Principal], _ sink: PushSink?, _ recorder: Recorder
    ) -> PushRoute? {
        guard let sink else { return nil }
        // A server may forget a device that was refused, so no more pushes to it are expected.
        let devices = principals.compactMapValues(\.device).filter { sink.tokenState(of: $0.value) != .refused }
        return devices.isEmpty ? nil : PushRoute(devices: devices, at: sink.registry, recorder: recorder)
    }

    /// Whether the subject accepted the first connection; nil if none was tried.
    var wasReceived: Bool? { state.withLock { $0.wasReceived } }

    /// Whether the server announced a stop that may be true.
    var sawStop: Bool { state.withLock { $0.sawStop } }

    // MARK: steps

    /// - Throws: ``StepEnd`` if the rest cannot be performed.
    func perform(_ steps: [ScenarioStep], with local: ScenarioVariables = ScenarioVariables()) async throws {
        var omitted = OmittedMessages()
        for step in steps {
            if Task.isCancelled { throw StepEnd.interrupted }
            guard step.isFor(subject.profiles, hasAcks: subject.dialect.hasAcks) else { continue }
            if try omitted.covers(step) { continue }
            let context = StepContext(performer: self, pointer: step.pointer, local: local)
            do {
                try repeats.check(step, with: variables(with: local))
                try await context.perform(step.action)
            } catch StepEnd.inexpressible(let reason) {
                omitted.add(step, reason)
                recorder.note(
                    .act("leaveOut", ["step": .string("\(step.pointer)"), "reason": .string(reason)]), on: .server)
            } catch let end as StepEnd {
                throw end
            } catch {
                throw Task.isCancelled ? StepEnd.interrupted : StepEnd.unmet("\(step.pointer): \(error)")
            }
        }
    }

    // MARK: what steps share

    func variables(with local: ScenarioVariables) -> ScenarioVariables {
        state.withLock { $0.variables }.overlaid(by: local)
    }

    func save(_ value: JSONValue, as name: String) {
        state.withLock { state in
            state.variables[name] = value
            state.savedNames.insert(name)
            state.missingReasons[name] = nil
        }
    }

    /// Remembers why a name has no value from the subject; only steps that need the value cannot be performed.
    func noteMissing(_ name: String, because reason: String) {
        state.withLock { state in
            state.variables[name] = nil
            state.missingReasons[name] = state.missingReasons[name] ?? reason
        }
    }

    /// The reason why a name has no value from the subject; nil if none was requested.
    func whyMissing(_ name: String) -> String? {
        state.withLock { $0.missingReasons[name] } ?? (isLife ? "an earlier round did not reach '\(name)'" : nil)
    }

    var savedNames: Set<String> { state.withLock { $0.savedNames } }

    /// The key of a question, which stays the same when the question is repeated.
    func key(of question: String) -> String {
        state.withLock { state in
            if let known = state.variables[question]?.stringValue { return known }
            let key = UniqueName.uuid()
            state.variables[question] = .string(key)
            return key
        }
    }

    /// As last announced; nil if never announced.
    var messageLimit: Int? {
        get { state.withLock { $0.messageLimit } }
        set { state.withLock { $0.messageLimit = newValue } }
    }

    func lane(_ letter: String) -> ConnectionLane? { state.withLock { $0.lanes[letter] } }

    func wasRefused(_ letter: String) -> Bool { state.withLock { $0.refused.contains(letter) } }

    func noteRefusal(_ letter: String) {
        state.withLock { state in
            state.lanes[letter] = nil
            state.refused.insert(letter)
        }
    }

    func add(_ lane: ConnectionLane) {
        state.withLock { state in
            state.lanes[lane.letter] = lane
            state.refused.remove(lane.letter)
            state.allLanes.append(lane)
        }
    }

    var openLanes: [ConnectionLane] { state.withLock { $0.allLanes }.filter { !$0.mailbox.hasEnded } }

    func noteLoss() { state.withLock { $0.lostAt = .now } }

    private var lostAt: ContinuousClock.Instant? {
        let (lanes, lostAt) = state.withLock { ($0.allLanes, $0.lostAt) }
        return (lanes.map(\.lostAt) + [lostAt]).compactMap { $0 }.max()
    }

    /// Waits for the end of a process whose connections have just been lost.
    ///
    /// The system closes the sockets of an ending process a moment before it reports the end.
    func awaitExitAfterLoss(of instance: SubjectInstance) async {
        guard instance.exit == nil, let lostAt, lostAt > instance.startedAt else { return }
        _ = await instance.exit(within: .seconds(instance.isEnding ? 10 : 1))
    }

    func beginPost(of question: String) -> PendingPost {
        state.withLock { state in
            let awaited = state.posts[question].flatMap { $0.hasBegun ? nil : $0.post }
            let post = awaited ?? PendingPost()
            state.posts[question] = (post, true)
            return post
        }
    }

    /// The last question over REST with this name, or a new one.
    func post(of question: String) -> PendingPost {
        state.withLock { state in
            let post = state.posts[question]?.post ?? PendingPost()
            if state.posts[question] == nil { state.posts[question] = (post, false) }
            return post
        }
    }

    /// Notes the outcome of a connection; only the first of a scenario shows whether there is a server.
    func noteReception(_ received: Bool) {
        state.withLock { $0.wasReceived = $0.wasReceived ?? received }
    }

    func addScriptWait(_ milliseconds: Int) {
        state.withLock { $0.scriptWait += .milliseconds(milliseconds) }
    }

    func beginRound() {
        let lanes = state.withLock { state in
            (state.scriptWait, state.statedWait) = (.zero, .zero)
            state.allLanes.removeAll { $0.isOver }
            return state.allLanes
        }
        for lane in lanes { lane.mailbox.clear() }
    }

    func noteUse(_ principal: String, greetedBy connected: JSONValue? = nil) {
        state.withLock { state in
            if (state.people[principal] ?? nil) == nil { state.people[principal] = .some(connected) }
        }
    }

    /// The principals that took part, each with its first greeting; nil without one.
    var people: [(name: String, greeting: JSONValue?)] {
        state.withLock { $0.people }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func noteAsked(_ body: JSONObject, by principal: String) {
        if isLife { state.withLock { $0.asked.append((principal, body)) } }
    }

    func noteRead(_ entry: JSONValue, of principal: String) {
        if isLife { state.withLock { _ = $0.read.insert(principal + entry.text()) } }
    }

    /// Whether a session was read since its entry in the list last changed.
    func hasRead(_ entry: JSONValue, of principal: String) -> Bool {
        state.withLock { $0.read.contains(principal + entry.text()) }
    }

    /// At most this many questions of a principal, spread from the first to the newest.
    func asked(by principal: String, atMost count: Int) -> [JSONObject] {
        let own = state.withLock { $0.asked }.filter { $0.principal == principal }.map(\.body)
        guard own.count > count, count > 1 else { return own }
        return (0..<count).map { own[$0 * (own.count - 1) / (count - 1)] }
    }

    /// Adds an announced wait, and returns the sum, which must not exceed the patience.
    func addStatedWait(_ duration: Duration) -> Duration {
        state.withLock { state in
            state.statedWait += duration
            return state.statedWait
        }
    }

    /// The bound of a wait; for a turn, the time of its script is added.
    func limit(_ name: String) -> Duration {
        subject.timeouts.bound(name, scriptWait: state.withLock { $0.scriptWait })
    }

    func limit(_ names: [String]) -> Duration { names.map(limit).reduce(.zero, +) }

    // MARK: the end

    /// Fences open connections, so that unexpected frames are seen, then closes everything in bounded time.
    ///
    /// * `audits`: Whether to read the server's data first.
    func finish(audits: Bool) async {
        let lanes = state.withLock { $0.allLanes }
        let open = lanes.filter { !$0.wasEndedHere && !$0.mailbox.hasEnded }
        if !Task.isCancelled {
            if audits { await checkAtRest() }
            await withTaskGroup(of: Void.self) { group in
                for lane in open where lane.isAuthenticated && !lane.isPaused {
                    group.addTask { _ = await self.fence(lane) }
                }
            }
            await noteGoodbyes()
            await withTaskGroup(of: Void.self) { group in
                for lane in open {
                    group.addTask { await lane.close(code: 1000, timeout: min(.seconds(2), self.limit("close"))) }
                }
            }
        }
        for lane in lanes { await lane.abandon() }
        pushRoute?.close(sessions: Set(sessions().values.joined()))
    }

    /// Notes on each connection with a goodbye whether the server went on, if known.
    ///
    /// If the suite started the server and it announces a stop or restart, it went on unless its end is recorded. For
    /// an overloaded server, or one started elsewhere, other connections must show that it went on. An overloaded
    /// server may keep these connections and refuse new ones.
    private func noteGoodbyes() async {
        let lanes = state.withLock { $0.allLanes }
        for lane in lanes {
            guard let goodbye = lane.goodbye, goodbye.wasGreeted || goodbye.code != 1013 else { continue }
            var wentOn = isStarted && goodbye.code != 1013
            if !wentOn, let number = goodbye.number {
                wentOn = await connections.wentOn(after: number) {
                    // A silent connection may be closed for its silence.
                    for other in lanes where other.isAuthenticated && !other.isPaused && !other.mailbox.hasEnded {
                        _ = await self.fence(other)
                    }
                }
            }
            if wentOn {
                recorder.note(.act(Event.wentOn, [:]), on: lane.lane)
            } else {
                state.withLock { $0.sawStop = true }
            }
        }
    }

    /// The sessions that the subject named, by the principal to which it sent them; a later push about one of them
    /// belongs to no other scenario.
    func sessions() -> [String: Set<String>] {
        var sessions: [String: Set<String>] = [:]
        var owners: [Lane: String] = [:]
        func note(_ session: JSONValue?, on lane: Lane) {
            guard let session = session?.stringValue else { return }
            sessions[owners[lane] ?? "", default: []].insert(session)
        }
        for (event, frame) in recorder.arrivals() {
            switch event.kind {
            case .opening(let opening): owners[event.lane] = opening.principal
            case .text(.fromServer, let text):
                guard let message = (frame ?? Frame(text)).value else { continue }
                if let canonical = subject.dialect.meaning(of: message, sentBy: .server) {
                    note(canonical["sessionId"], on: event.lane)
                }
            case .response(let response):
                note((try? JSONParser.document(response.body).root)?["sessionId"], on: event.lane)
            case .request(let request) where event.lane == .push:
                let root = request.body.flatMap { try? JSONParser.document($0).root }
                note(root?["sessionId"], on: event.lane)
            case .request(let request): owners[event.lane] = request.principal
            default: break
            }
        }
        return sessions
    }

    /// Sends a ping with a nonce and waits for its pong; false if none arrives, which is recorded.
    ///
    /// If the dialect has no ping, it sends a WebSocket ping.
    func fence(_ lane: ConnectionLane) async -> Bool {
        let nonce = "fence-\(nonces.next())"
        var hasPing = true
        do {
            switch subject.dialect.encode(["type": "ping", "nonce": .string(nonce)], sentBy: .client) {
            case .frame(let frame): try await lane.send(text: frame.text())
            case .nothing, .inexpressible:
                hasPing = false
                try await lane.ping(nonce)
            }
        } catch {
            recorder.note(.wait(awaited: "pong", met: false), on: lane.lane)
            return false
        }
        let pong =
            hasPing
            ? await lane.mailbox.take(["pong"], within: limit("pong")) { $0["nonce"]?.stringValue ?? nonce == nonce }
            : await lane.mailbox.take([ConnectionLane.pong], within: limit("pong")) { $0.stringValue == nonce }
        if pong == nil { recorder.note(.wait(awaited: "pong", met: false), on: lane.lane) }
        return pong != nil
    }
}
