import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

/// Records the traffic of a proxy as its subject saw it, and applies the rules for faults.
///
/// A history contains what the subject sent and received. So a dropped message is recorded only if the subject sent it,
/// and a duplicated one is recorded twice only if the subject received both.
final class ProxyRecord: Sendable {
    private struct Connection {
        let lane: Lane
        var principal: String
        /// Whether no more of its events are recorded.
        var isOver = false
    }

    private struct Exchange {
        let lane: Lane
        let request: Event.Request
        var answerRule: Rule?
        var isRecorded = false
    }

    private struct State {
        var credentials: ShownCredentials
        var faults: Rules
        var file: TranscriptFile?
        var connections: [Int: Connection] = [:]
        var exchanges: [Int: Exchange] = [:]
        var lastConnection = -1
        var lastExchange = 0
        var lastTime = 0
        var isReachable = true
        var tallies = ProxyTallies()
    }

    private let watch: @Sendable (Event) -> Void
    private let role: Role
    private let dialect: Dialect
    private let hasMessageRules: Bool
    private let start = ContinuousClock.now
    private let state: Mutex<State>
    private let note: @Sendable (String) -> Void

    init(
        role: Role, dialect: Dialect, rules: [Rule], file: sending TranscriptFile?, showsSecrets: Bool,
        watch: @escaping @Sendable (Event) -> Void, note: @escaping @Sendable (String) -> Void
    ) {
        (self.role, self.dialect, self.watch, self.note) = (role, dialect, watch, note)
        hasMessageRules = Rule.concernMessages(rules)
        state = Mutex(
            State(credentials: ShownCredentials(showsSecrets: showsSecrets), faults: Rules(rules), file: file))
    }

    var tallies: ProxyTallies { state.withLock { $0.tallies } }

    var unusedRules: [Rule] { state.withLock { $0.faults.unused } }

    var fileFailure: String? { state.withLock { $0.file?.failure } }

    // MARK: writing

    private func write(_ kind: Event.Kind, on lane: Lane, _ state: inout State) {
        state.lastTime = max(state.lastTime, (ContinuousClock.now - start).microseconds)
        let event = Event(at: state.lastTime, lane: lane, kind: kind)
        state.file?.append(event)
        // Messages are forwarded in batches; any other event may go out at once, so it is written now.
        if !kind.isMessage { flush(&state) }
        watch(event)
        state.tallies.events += 1
    }

    private func flush(_ state: inout State) {
        guard let file = state.file, file.failure == nil else { return }
        file.flush()
        if let failure = file.failure { note("the transcript ends here; it cannot be written: \(failure)") }
    }

    private func mark(_ rule: Rule, on lane: Lane?, _ state: inout State) {
        state.tallies.faults += 1
        write(.act("fault", ["rule": .string(rule.text)]), on: lane ?? (role == .server ? .server : .client), &state)
        note("fault: \(rule.text)" + (lane.map { " on \($0)" } ?? ""))
    }

    private func direction(from side: RelaySide) -> Direction { side == .client ? .toServer : .fromServer }

    private var subjectSide: RelaySide { role == .server ? .server : .client }
}

extension ProxyRecord: RelayWatcher {
    // MARK: requests

    func began(_ request: HTTPServerRequest, isUpgrade: Bool, number: Int) -> RelayChoice {
        state.withLock { state in
            let principal = state.credentials.principal(of: request)
            let path = state.credentials.applied(toPath: request.target)
            let rule = state.faults.rule(for: Rule.Arrival(request: request.method, isUpgrade: isUpgrade))
            let keepsItFromServer = rule.map { !$0.isAfter && $0.action != .delay } ?? false
            if isUpgrade {
                state.lastConnection += 1
                let lane = Lane.connection(number: state.lastConnection)
                let connection = Connection(lane: lane, principal: principal ?? "unknown \(lane)")
                state.tallies.connections += 1
                if let rule, keepsItFromServer {
                    if role == .client {
                        write(.opening(.init(principal: connection.principal, path: path)), on: lane, &state)
                        write(.refused(status: rule.status, reason: "fault"), on: lane, &state)
                    }
                    mark(rule, on: role == .client ? lane : nil, &state)
                    return rule.choice
                }
                state.connections[number] = connection
                write(.opening(.init(principal: connection.principal, path: path)), on: lane, &state)
                if let rule { mark(rule, on: lane, &state) }
                return rule.map(\.choice) ?? .pass
            }
            state.lastExchange += 1
            state.tallies.requests += 1
            let lane = Lane.exchange(state.lastExchange)
            let sent = Event.Request(method: request.method, path: path, principal: principal)
            if let rule, keepsItFromServer {
                if role == .client {
                    write(.request(sent), on: lane, &state)
                    if let status = rule.status {
                        write(.response(.init(status: status)), on: lane, &state)
                    } else {
                        write(.failed(reason: "fault"), on: lane, &state)
                    }
                }
                mark(rule, on: role == .client ? lane : nil, &state)
                return rule.choice
            }
            state.exchanges[number] = Exchange(
                lane: lane, request: sent, answerRule: rule?.isAfter == true ? rule : nil)
            if let rule, !rule.isAfter { mark(rule, on: nil, &state) }
            return rule.map { $0.isAfter ? .pass : $0.choice } ?? .pass
        }
    }

    func asked(_ body: RelayBody, number: Int) {
        state.withLock { state in
            guard var exchange = state.exchanges[number] else { return }
            var request = exchange.request
            switch body {
            case .whole(let bytes):
                if !bytes.isEmpty {
                    let text = String(decoding: bytes, as: UTF8.self)
                    state.credentials.learn(inBody: text)
                    request.body = state.credentials.applied(toBody: text)
                }
            case .unseen:
                // Without its body, the request and its answer are unknown, but a rule may still match.
                state.tallies.unseen += 1
                return
            }
            write(.request(request), on: exchange.lane, &state)
            exchange.isRecorded = true
            state.exchanges[number] = exchange
        }
    }

    func answering(_ answer: HTTPServerResponse, number: Int) -> RelayChoice {
        state.withLock { state in
            guard let exchange = state.exchanges[number], let rule = exchange.answerRule else { return .pass }
            state.exchanges[number]?.answerRule = nil
            mark(rule, on: exchange.isRecorded ? exchange.lane : nil, &state)
            return rule.choiceOfAnswer
        }
    }

    func answered(_ answer: HTTPServerResponse, _ body: RelayBody, number: Int) {
        state.withLock { state in
            if let connection = state.connections.removeValue(forKey: number) {
                var reason = ""
                if case .whole(let bytes) = body { reason = String(decoding: bytes, as: UTF8.self) }
                state.credentials.learn(from: answer, reason)
                // A credential would not be recognized if it were cut.
                let shown = String(state.credentials.applied(toBody: reason).prefix(400))
                return write(.refused(status: answer.status, reason: shown), on: connection.lane, &state)
            }
            guard let exchange = state.exchanges.removeValue(forKey: number), exchange.isRecorded,
                case .whole(let bytes) = body
            else { return }
            let text = String(utf8: bytes)
            let shown = text ?? String(decoding: bytes, as: UTF8.self)
            state.credentials.learn(from: answer, shown)
            let headers = answer.headers.map { name, value in
                Event.Header(name: name.lowercased(), value: state.credentials.applied(toField: name, value))
            }
            write(
                .response(
                    .init(
                        status: answer.status, headers: headers, body: state.credentials.applied(toBody: shown),
                        bodyIsText: text != nil)), on: exchange.lane, &state)
        }
    }

    func failed(_ problem: TransportProblem, by side: RelaySide, number: Int) {
        state.withLock { state in
            if side == .server, problem.isAboutReachability { noteReach(false, problem, &state) }
            let reason = side == .client ? "the client went away" : problem.name
            if let connection = state.connections.removeValue(forKey: number) {
                write(.refused(status: nil, reason: reason), on: connection.lane, &state)
            } else if let exchange = state.exchanges.removeValue(forKey: number) {
                if let rule = exchange.answerRule { state.faults.giveBack(rule) }
                guard exchange.isRecorded else { return }
                write(.failed(reason: reason), on: exchange.lane, &state)
            }
        }
    }

    private func noteReach(_ isReachable: Bool, _ problem: TransportProblem?, _ state: inout State) {
        if let problem, !isReachable, state.isReachable {
            // The code alone is not enough: the cause is usually the certificate, and the reason names its flaw.
            let what =
                if case .tls(let reason) = problem.code {
                    "\(problem.address): TLS failed, \(reason.prefix(200))"
                } else {
                    String(problem.description.prefix { $0 != "\n" })
                }
            note("\(what); clients get 502")
        }
        state.isReachable = isReachable
    }

    // MARK: WebSockets

    func keep() { state.withLock { flush(&$0) } }

    func upgraded(number: Int) {
        state.withLock { state in
            noteReach(true, nil, &state)
            if let connection = state.connections[number] { write(.opened, on: connection.lane, &state) }
        }
    }

    func saw(_ event: WebSocketEvent, from side: RelaySide, number: Int) -> RelayAction {
        state.withLock { state in
            guard var connection = state.connections[number], !connection.isOver else { return .pass }
            let found = CredentialMembers(in: event)
            if let found, !found.members.isEmpty {
                learn(found, from: side, &connection, &state)
                state.connections[number] = connection
            }
            state.tallies.messages += event.isMessage ? 1 : 0
            let rule =
                hasMessageRules && event.isMessage && !event.isTooLarge
                ? state.faults.rule(for: event, frame(of: event, from: side), from: side, on: number) : nil
            let action = rule?.relayAction ?? .pass
            if side == subjectSide || action.copies > 0 && action.delay == .zero {
                for _ in 0..<(side == subjectSide ? 1 : action.copies) {
                    write(event, found, from: side, connection, &state)
                }
            }
            // An oversized message may have been a question or an answer that later events depend on.
            if case .tooLarge = event { state.connections[number]?.isOver = true }
            if let rule { mark(rule, on: connection.lane, &state) }
            if let ending = action.ending { end(number, ending, &state) }
            return action
        }
    }

    func delivered(_ event: WebSocketEvent, from side: RelaySide, number: Int) {
        state.withLock { state in
            guard let connection = state.connections[number], !connection.isOver, side != subjectSide else { return }
            write(event, CredentialMembers(in: event), from: side, connection, &state)
        }
    }

    private func learn(
        _ found: CredentialMembers, from side: RelaySide, _ connection: inout Connection, _ state: inout State
    ) {
        guard side == .client else { return state.credentials.learn(fromServer: found) }
        guard let name = state.credentials.principal(of: found), name != connection.principal else { return }
        connection.principal = name
        write(.act("belongs", ["to": .string(name)]), on: connection.lane, &state)
    }

    private func write(
        _ event: WebSocketEvent, _ found: CredentialMembers?, from side: RelaySide, _ connection: Connection,
        _ state: inout State
    ) {
        let direction = direction(from: side)
        let kind: Event.Kind
        switch event {
        case .text(let text):
            kind = .text(direction, state.credentials.applied(toFrame: text, found))
        case .invalidText(let bytes), .binary(let bytes):
            kind = .binary(direction, state.credentials.applied(toFrame: bytes, found))
        case .ping: kind = .ping(direction)
        case .pong: kind = .pong(direction)
        case .close(let code, let reason):
            kind = .close(direction, code: code.map(Int.init), reason: state.credentials.applied(to: reason))
        case .tooLarge(let bytes):
            write(.act("unseen", ["bytes": JSONValue(bytes)]), on: connection.lane, &state)
            state.tallies.unseen += 1
            kind = .act("cut", ["how": "silence"])
        case .eof, .failed, .flooded: return
        }
        write(kind, on: connection.lane, &state)
    }

    /// A message in the specification's form; nil if it has none.
    private func frame(of event: WebSocketEvent, from side: RelaySide) -> JSONValue? {
        guard case .text(let text) = event, let wire = try? JSONParser.document(text).root else { return nil }
        return dialect.frame(wire, sentBy: side == .client ? .client : .server)
    }

    private func end(_ number: Int, _ ending: ConnectionEnding, _ state: inout State) {
        guard let connection = state.connections[number] else { return }
        state.connections[number] = nil
        state.faults.forget(number)
        switch ending {
        case .cut(let how): write(.act("cut", ["how": .string(how.rawValue)]), on: connection.lane, &state)
        case .close(let code):
            write(
                .close(direction(from: subjectSide.other), code: Int(code), reason: ""), on: connection.lane, &state)
        }
    }

    func lost(_ problem: TransportProblem, from side: RelaySide, number: Int) {
        state.withLock { state in
            guard let connection = state.connections[number], !connection.isOver else { return }
            // The rest is unknown, so neither side is blamed for it.
            state.connections[number]?.isOver = true
            state.tallies.unseen += 1
            let reason = String(problem.description.prefix { $0 != "\n" })
            write(
                .act("unreadable", ["from": .string(side.rawValue), "why": .string(reason)]), on: connection.lane,
                &state)
            write(.act("cut", ["how": "silence"]), on: connection.lane, &state)
            note("\(connection.lane): the \(side.rawValue)'s bytes are no longer WebSocket frames; forwarded unread")
        }
    }

    func ended(by side: RelaySide, wasReset: Bool, number: Int) {
        state.withLock { state in
            state.faults.forget(number)
            guard let connection = state.connections.removeValue(forKey: number), !connection.isOver else { return }
            if side == subjectSide {
                write(.eof(reason: wasReset ? "reset" : ""), on: connection.lane, &state)
            } else {
                write(.act("cut", ["how": wasReset ? "reset" : "fin"]), on: connection.lane, &state)
            }
        }
    }
}

extension TransportProblem {
    /// Whether the server could not be reached at all.
    fileprivate var isAboutReachability: Bool {
        switch code {
        case .connectionRefused, .unreachable, .tls: true
        default: false
        }
    }
}

extension WebSocketEvent {
    package var isMessage: Bool {
        switch self {
        case .text, .invalidText, .binary, .tooLarge: true
        default: false
        }
    }

    /// Whether only its header was seen, so that it cannot be dropped or duplicated.
    fileprivate var isTooLarge: Bool { if case .tooLarge = self { true } else { false } }
}

extension CredentialMembers {
    /// The members of a message; some servers send text as binary.
    fileprivate init?(in event: WebSocketEvent) {
        switch event {
        case .text(let text): self.init(text)
        case .binary(let bytes), .invalidText(let bytes): self.init(bytes)
        default: return nil
        }
    }
}

extension Event.Kind {
    fileprivate var isMessage: Bool {
        switch self {
        case .text, .binary, .ping, .pong: true
        default: false
        }
    }
}
