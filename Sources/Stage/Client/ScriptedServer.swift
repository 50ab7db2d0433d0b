import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

/// Passes events on real sockets to a ``ServerWorld``, performs its effects, and records both.
///
/// All of it happens under one lock, without waiting, so the transcript has the order in which the world saw events.
final class ScriptedServer: Sendable {
    private struct State: Sendable {
        var world: ServerWorld
        var sockets: [Int: ServerSocket] = [:]
        var cutAt: [Int: ContinuousClock.Instant] = [:]
        /// The numbers of admitted connections, by the client's address.
        var admitted: [String: (number: Int, principal: String?, close: Int?)] = [:]
        var requests: [Int: (asked: RESTRequest, waiting: CheckedContinuation<HTTPServerResponse, Never>)] = [:]
        var unansweredUpgrades: [Int: CheckedContinuation<UpgradeDecision, Never>] = [:]
        var timers: [Task<Void, Never>] = []
        var lastConnection = -1
        var lastExchange = 0
        var problems: [HarnessProblem] = []
        var unexpressed: String?
        var isOver = false
        /// Resumes waiting tasks that have their answer.
        var resumptions: [@Sendable () -> Void] = []

        /// Gives a waiting task its answer; it continues after the lock is released.
        mutating func resume<Answer: Sendable>(_ waiting: CheckedContinuation<Answer, Never>, with answer: Answer) {
            resumptions.append { waiting.resume(returning: answer) }
        }
    }

    let pending = PendingArrivals()
    private let recorder: Recorder
    private let schemas: SentSchemas
    private let location: String
    private let token: String
    private let dialect: Dialect
    private let state: Mutex<State>

    /// The time in which a client must authenticate (AUTH-4).
    private static let authentication = Duration.seconds(10)

    init(
        _ world: ClientWorld, token: String, in dialect: Dialect, recorder: Recorder, schemas: SentSchemas,
        location: String
    ) {
        (self.recorder, self.schemas, self.location, self.token) = (recorder, schemas, location, token)
        self.dialect = dialect
        // Without a stream, the dialect has no `seq`.
        var world = world
        world.profiles.formIntersection(dialect.profiles)
        world.epoch = dialect.onlyEpoch ?? world.epoch
        var server = ServerWorld(world, token: token, now: WallClock.milliseconds())
        server.inheritsEpochs = dialect.inheritsEpochs
        state = Mutex(State(world: server))
    }

    /// The bounds of the server: a client that opens connections endlessly, or never ends a body, is cut off.
    static var limits: ServerLimits {
        ServerLimits(maxHeldBytes: 32 << 20, maxConnections: 64, requestTimeout: .seconds(20))
    }

    var problems: [HarnessProblem] { state.withLock { $0.problems } }

    /// Takes the reason why the dialect could not express a frame since the last call; nil if it expressed all.
    func takeUnexpressed() -> String? { state.withLock { $0.unexpressed.take() } }

    var unusedRules: [String] { state.withLock { $0.world.unusedRules } }

    @discardableResult
    func act<Result: Sendable>(_ body: @Sendable (inout ServerWorld) -> Result) -> Result {
        withState { state in act(&state, body) }
    }

    private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, resumptions) = state.withLock { state in
            let result = body(&state)
            let resumptions = state.resumptions
            state.resumptions = []
            return (result, resumptions)
        }
        for resume in resumptions { resume() }
        return result
    }

    private func act<Result>(_ state: inout State, _ body: (inout ServerWorld) -> Result) -> Result {
        state.world.now = max(state.world.now, WallClock.milliseconds())
        let result = body(&state.world)
        for effect in state.world.takeEffects() { perform(effect, &state) }
        return result
    }

    /// Ends everything; nothing is recorded after that.
    func finish() {
        withState { state in
            state.isOver = true
            for timer in state.timers { timer.cancel() }
            for request in state.requests.values { state.resume(request.waiting, with: .reset) }
            for continuation in state.unansweredUpgrades.values { state.resume(continuation, with: .reset) }
            state.requests = [:]
            state.unansweredUpgrades = [:]
            for socket in state.sockets.values { socket.cut(.reset) }
        }
    }

    // MARK: effects

    private func perform(_ effect: WorldEffect, _ state: inout State) {
        guard !state.isOver else { return }
        switch effect {
        case .send(let number, let frame):
            check(frame, &state)
            encodeAndSend(frame, on: number, &state)
        case .sendRaw(let number, let text, let bytes):
            if let frame = text.flatMap({ try? JSONParser.document($0) }), frame.flaws.isEmpty, !dialect.isCanonical {
                encodeAndSend(frame.root, on: number, &state)
            } else if let text {
                send(text, on: number, state)
            }
            guard let bytes, let socket = state.sockets[number] else { return }
            recorder.note(.binary(.fromServer, bytes), on: .connection(number: number))
            Task { try? await socket.send(WebSocketFrame(.binary, bytes)) }
        case .close(let number, let code):
            guard let socket = state.sockets[number] else { return }
            recorder.note(.close(.fromServer, code: code, reason: ""), on: .connection(number: number))
            pending.forget(connection: number)
            Task { await socket.close(code: UInt16(clamping: code)) }
        case .cut(let number, let how):
            guard let socket = state.sockets[number] else { return }
            let now = recorder.note(.act("cut", ["how": .string(how.rawValue)]), on: .connection(number: number))
            state.cutAt[number] = now
            pending.forget(connection: number)
            socket.cut(how)
        case .answer(let number, let answer):
            guard let request = state.requests.removeValue(forKey: number) else { return }
            let response = response(to: number, request.asked, answer, &state)
            state.resume(request.waiting, with: response)
        case .hangUp(let number):
            guard let request = state.requests.removeValue(forKey: number) else { return }
            recorder.note(.failed(reason: "the server reset the connection"), on: .exchange(number))
            state.resume(request.waiting, with: .reset)
        case .later(let token, let milliseconds):
            state.timers.append(
                Task { [weak self] in
                    try? await Task.sleep(for: .milliseconds(milliseconds))
                    if !Task.isCancelled { self?.act { $0.due(token) } }
                })
        case .arrived(let arrival): pending.note(arrival)
        }
    }

    /// Sends a frame in the dialect; drops acks if the dialect has none.
    private func encodeAndSend(_ frame: JSONValue, on number: Int, _ state: inout State) {
        let missed = dialect.isCanonical ? [] : frame["missed"]?.arrayValue ?? []
        for (index, frame) in ([frame] + missed).enumerated() {
            switch dialect.encode(frame, sentBy: .server) {
            case .frame(let wire): if index == 0 { send(wire.text(), on: number, state) }
            case .inexpressible(let reason): if dialect.hasAcks || frame["type"] != "ack" { state.unexpressed = reason }
            case .nothing: break
            }
        }
    }

    private func send(_ text: String, on number: Int, _ state: State) {
        guard let socket = state.sockets[number] else { return }
        guard recorder.record(.text(.fromServer, text), on: .connection(number: number), at: .now) else {
            // A large question is announced on each of the client's connections, which may exceed the bounds.
            recorder.noteFlood()
            return socket.cut(.reset)
        }
        // A socket that cannot send has ended, and its own task is about to report that.
        try? socket.post(text: text)
    }

    private func response(
        to number: Int, _ asked: RESTRequest, _ answer: WorldAnswer, _ state: inout State
    ) -> HTTPServerResponse {
        if let schema = answer.schema, let body = answer.body { check(body, as: schema, &state) }
        var response = answer.response
        let wire = dialect.encode(RESTResponse(status: response.status, body: response.body), to: asked)
        (response.status, response.body) = (wire.status, wire.body)
        recorder.note(.response(response), on: .exchange(number))
        return HTTPServerResponse(
            status: wire.status, headers: answer.headers + Self.headersForPages, body: Array(wire.body.utf8))
    }

    /// Headers that let a page of any origin read the answers.
    ///
    /// They are not recorded: they concern only the browser and the page, and no clause.
    private static let headersForPages = [
        ("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", "Retry-After"),
    ]

    /// The answer to a browser's preflight request; the page's own request follows, and is recorded.
    private static func preflight(of request: HTTPServerRequest) -> HTTPServerResponse? {
        guard request.method == "OPTIONS", request.header("Access-Control-Request-Method") != nil else { return nil }
        return HTTPServerResponse(
            status: 204,
            headers: headersForPages + [
                ("Access-Control-Allow-Methods", "GET, POST"),
                ("Access-Control-Allow-Headers", "Authorization, Content-Type"),
            ])
    }

    /// Checks the server's own frames; an invalid one is a failure of the suite.
    private func check(_ frame: JSONValue, _ state: inout State) {
        guard let type = frame["type"]?.stringValue, schemas.knows(type) else { return }
        check(frame, as: type == "error" && frame["code"] == "rate_limited" ? "rateLimit" : type, &state)
    }

    private func check(_ value: JSONValue, as name: String, _ state: inout State) {
        guard let problem = schemas.problem(of: value, as: name, at: location), state.problems.count < 10 else {
            return
        }
        state.problems.append(problem)
    }

    /// The owner of the credentials in a request: `p1`, `other`, or nil.
    private func principal(of request: HTTPServerRequest, opensSocket: Bool = false) -> String? {
        if dialect.credential == .none { return "p1" }
        if opensSocket, dialect.upgradeCarriesKey {
            return dialect.key(inQuery: request.query, header: request.header).map { $0 == token ? "p1" : "other" }
        }
        guard request.header("Authorization") != nil else { return nil }
        return request.bearerToken == token ? "p1" : "other"
    }
}

extension ScriptedServer: TransportHandler {
    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision {
        let principal = principal(of: upgrade, opensSocket: true)
        return await withCheckedContinuation { continuation in
            let number: Int? = withState { state in
                guard !state.isOver else {
                    state.resume(continuation, with: .reset)
                    return nil
                }
                state.lastConnection += 1
                let number = state.lastConnection
                let lane = Lane.connection(number: number)
                // Credentials usually come with the first frame, and there is one principal.
                let opening = Event.Opening(principal: principal ?? "p1", path: upgrade.target)
                guard recorder.record(.opening(opening), on: lane, at: .now) else {
                    recorder.noteFlood()
                    state.resume(continuation, with: .reset)
                    return nil
                }
                let admission = act(&state) { $0.admit(number) }
                if let refusal = admission.refusal { recorder.note(refusal, on: lane) }
                switch admission {
                case .accept:
                    state.admitted[upgrade.remoteAddress] = (number, principal, nil)
                    state.resume(continuation, with: .accept)
                case .acceptAndClose(let code):
                    state.admitted[upgrade.remoteAddress] = (number, principal, code)
                    state.resume(continuation, with: .accept)
                case .refuse(let status):
                    let body = #"{"error":"no WebSocket now","code":"internal"}"#
                    state.resume(continuation, with: .refuse(status: status, body: body))
                case .reset: state.resume(continuation, with: .reset)
                case .silence:
                    state.unansweredUpgrades[number] = continuation
                    return number
                }
                return nil
            }
            guard let number else { return }
            upgrade.disconnect?.onDisconnect { [weak self] in self?.gaveUp(number) }
        }
    }

    private func gaveUp(_ number: Int) {
        withState { state in
            guard let continuation = state.unansweredUpgrades.removeValue(forKey: number) else { return }
            recorder.note(.refused(status: nil, reason: "the client gave up"), on: .connection(number: number))
            state.resume(continuation, with: .reset)
        }
    }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        if let answer = Self.preflight(of: request) { return answer }
        let principal = principal(of: request)
        let text = String(decoding: request.body, as: UTF8.self)
        let wire = RESTRequest(method: request.method, path: request.target, body: request.body.isEmpty ? nil : text)
        // A request that the dialect lacks gets the empty path, where nothing is.
        let asked = dialect.heard(wire) ?? RESTRequest(method: request.method, path: "")
        let body = asked.body.flatMap { try? JSONParser.value($0) }
        return await withCheckedContinuation { continuation in
            let number: Int? = withState { state in
                guard !state.isOver else {
                    state.resume(continuation, with: .reset)
                    return nil
                }
                state.lastExchange += 1
                let number = state.lastExchange
                let seen = Event.Request(method: wire.method, path: wire.path, principal: principal, body: wire.body)
                guard recorder.record(.request(seen), on: .exchange(number), at: .now) else {
                    recorder.noteFlood()
                    state.resume(continuation, with: .reset)
                    return nil
                }
                state.requests[number] = (asked, continuation)
                act(&state) {
                    $0.asked(
                        number, method: asked.method, path: String(asked.path.prefix { $0 != "?" }),
                        principal: principal, body: body)
                }
                return number
            }
            guard let number else { return }
            request.disconnect?.onDisconnect { [weak self] in self?.gaveUpRequest(number) }
        }
    }

    private func gaveUpRequest(_ number: Int) {
        withState { state in
            guard let request = state.requests.removeValue(forKey: number) else { return }
            recorder.note(.failed(reason: "the client went away"), on: .exchange(number))
            act(&state) { $0.gone(number) }
            state.resume(request.waiting, with: .reset)
        }
    }

    func serve(_ socket: ServerSocket) async {
        let opened: (number: Int, at: ContinuousClock.Instant)? = withState { state in
            guard !state.isOver, let entry = state.admitted.removeValue(forKey: socket.remoteAddress) else {
                return nil
            }
            let at = recorder.note(.opened, on: .connection(number: entry.number))
            state.sockets[entry.number] = socket
            act(&state) { $0.opened(entry.number, principal: entry.principal) }
            if let challenge = dialect.challenge { send(challenge.text(), on: entry.number, state) }
            act(&state) { world in
                if let code = entry.close { return world.close(entry.number, code: code) }
                let assumedAuth: JSONValue = ["type": "auth", "protocol": 1]
                if dialect.assumedGreeting != nil { world.receive(assumedAuth.text(), on: entry.number) }
            }
            return (entry.number, at)
        }
        guard let opened else { return socket.cut(.reset) }
        let (number, openedAt) = opened
        let alarm = Task { [weak self] in
            try? await Task.sleep(for: Self.authentication)
            if !Task.isCancelled { self?.act { $0.authenticationIsOverdue(number) } }
        }
        defer { alarm.cancel() }
        for await arrival in socket.messages {
            guard take(arrival.event, from: number, at: max(arrival.at, openedAt)) else { break }
        }
        withState { state in
            // A connection that was made silent stays so, until the client or the scenario ends it.
            state.sockets[number] = nil
            pending.forget(connection: number)
            act(&state) { $0.ended(number) }
        }
    }

    /// Returns false if nothing more is to be read.
    private func take(_ event: WebSocketEvent, from number: Int, at time: ContinuousClock.Instant) -> Bool {
        withState { state in
            guard !state.isOver else { return false }
            let lane = Lane.connection(number: number)
            if let cutAt = state.cutAt[number], time > cutAt { return !event.isLast }
            func record(_ kind: Event.Kind) -> Bool {
                if recorder.record(kind, on: lane, at: time) { return true }
                recorder.noteFlood()
                state.cutAt[number] = time
                state.sockets[number]?.cut(.reset)
                recorder.note(
                    .eof(reason: "flooded: more than the suite keeps, so the suite cut the connection"), on: lane)
                return false
            }
            switch event {
            case .text(let text):
                guard record(.text(.toServer, text)) else { return false }
                if let text = dialect.heard(text) { act(&state) { $0.receive(text, on: number) } }
            case .invalidText(let bytes), .binary(let bytes):
                guard record(.binary(.toServer, bytes)) else { return false }
                act(&state) { $0.receiveOther(tooLarge: false, on: number) }
            case .tooLarge:
                guard record(.act("tooLarge", [:])) else { return false }
                act(&state) { $0.receiveOther(tooLarge: true, on: number) }
            case .ping: return record(.ping(.toServer)) && record(.pong(.fromServer))
            case .pong: return record(.pong(.toServer))
            case .close(let code, let reason):
                guard record(.close(.toServer, code: code.map(Int.init), reason: reason)) else { return false }
                pending.forget(connection: number)
                act(&state) { $0.ended(number) }
            case .eof:
                _ = record(.eof(reason: ""))
                return false
            case .failed(let problem):
                _ = record(.eof(reason: problem.name))
                return false
            case .flooded:
                _ = record(.eof(reason: "flooded"))
                return false
            }
            return true
        }
    }
}
