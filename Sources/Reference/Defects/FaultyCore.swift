import Holdfast
import HoldfastJSON

/// A server core behind its faults: layers that change inputs, effects and storage.
///
/// The core is unaware of them. A healthy server has none, and inputs go straight to its core.
struct FaultyCore: Sendable {
    var core: ServerCore
    var notes = Notes()
    private let layers: [Fault.Layer]
    private let messages: [@Sendable (Input.Received) -> Input.Received]

    struct Notes: Sendable {
        /// Facts, each prefixed with its defect's own word.
        var marks: Set<String> = []
        var texts: [String: String] = [:]
        var numbers: [String: Int] = [:]
        /// Effects held back until an event.
        var held: [String: [Effect]] = [:]
        /// Effects held back for a time, by timer.
        var late: [Int: [Effect]] = [:]
        /// REST requests without an answer.
        var asked: [Int: RESTRequest] = [:]
        var windows: [String: RateWindow] = [:]
        var ledger = IdempotencyLedger()
    }

    /// A core with these records and defects; the rules already contain the changes of the defects.
    init(_ rules: CoreRules, records: [StoredRecord], ids: IDSource = IDSource(), defects: Set<Defect> = []) {
        var records = records
        var layers: [Fault.Layer] = []
        let faults = defects.faults
        for fault in faults {
            switch fault {
            case .records(let change): change(&records)
            case .layer(let layer): layers.append(layer)
            case .rules, .start, .message, .disk, .upgrade: break
            }
        }
        self.layers = layers
        messages = faults.compactMap { if case .message(let change) = $0 { change } else { nil } }
        core = ServerCore(rules: rules, records: records, ids: ids)
        for case .start(let change) in faults { change(&core) }
    }

    func changed(_ received: Input.Received) -> Input.Received { messages.reduce(received) { $1($0) } }

    var isIdle: Bool { core.isIdle && notes.late.isEmpty }

    mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
        var input = input
        if !messages.isEmpty, case .received(let socket, let received) = input {
            input = .received(socket: socket, changed(received))
        }
        guard !layers.isEmpty else { return core.handle(input, at: moment) }
        core.now = moment
        if case .asked(let request, let asked) = input { notes.asked[request] = asked }
        if case .elapsed(let timer) = input, notes.late[timer] != nil { return release(upTo: timer) }
        let late = if case .stopping = input { release() } else { [Effect]() }
        let effects = late + through(0, input) { input, server in server.core.handle(input, at: moment) }
        for case .answer(let request, _) in effects { notes.asked[request] = nil }
        return effects
    }

    /// - Throws: A problem that names the wrong member.
    mutating func obey(
        _ order: MockCommand, at moment: Moment
    ) throws(InputProblem) -> (answer: JSONValue, effects: [Effect]) {
        let (answer, effects) = try core.obey(order, at: moment)
        return (answer, through(0, .beat) { _, _ in effects })
    }

    private mutating func through(_ index: Int, _ input: Input, _ innermost: Fault.Next) -> [Effect] {
        guard index < layers.count else { return innermost(input, &self) }
        let layer = layers[index]
        return layer(input, &self) { input, server in server.through(index + 1, input, innermost) }
    }

    /// The effects held back for a time, oldest first, up to a timer; all by default.
    private mutating func release(upTo timer: Int = .max) -> [Effect] {
        let due = notes.late.keys.filter { $0 <= timer }.sorted()
        return due.flatMap { notes.late.removeValue(forKey: $0) ?? [] }
    }

    // MARK: what layers use

    mutating func collecting(_ action: (inout ServerCore) -> Void) -> [Effect] {
        let before = core.effects
        core.effects = []
        action(&core)
        defer { core.effects = before }
        return core.effects
    }

    mutating func delaying(_ effects: [Effect], ms: Int) -> [Effect] {
        let timer = core.nextNumber()
        notes.late[timer] = effects
        return [.wait(timer: timer, ms: ms)]
    }

    var isUnderLoad: Bool { core.connections.principals > 20 }

    func outgoing(_ frame: JSONValue) -> Outgoing { Outgoing(frame: frame, text: core.shaper.text(ofShaped: frame)) }

    func sending(_ frame: JSONValue, to socket: Int) -> Effect { .send(to: [socket], outgoing(frame)) }

    /// The question in an input, with its asker and transport; nil if there is none, or if the asker is unknown.
    func asker(in input: Input) -> Asker? {
        switch input {
        case .received(let socket, .text(let text)):
            guard let principal = core.connections[socket]?.principal, let frame = frame(text), frame.type == "chat"
            else { return nil }
            return Asker(principal: principal, origin: .socket(socket), chat: frame)
        case .asked(let request, let asked):
            guard asked.method == "POST", asked.path == "/api/chat",
                let principal = core.rules.principal(token: asked.token),
                let chat = frame(String(decoding: asked.body, as: UTF8.self))
            else { return nil }
            return Asker(principal: principal, origin: .request(request), chat: chat)
        default: return nil
        }
    }

    struct Asker {
        let principal: String
        let origin: Origin
        /// The frame or body.
        var chat: JSONValue

        var key: String? { chat.text("clientMessageId") }
        var session: String? { chat.text("sessionId") }
        var content: JSONValue? { chat["messages"]?.arrayValue?.last?["content"] }
        var isREST: Bool { if case .request = origin { true } else { false } }
        /// An account name that includes the transport.
        var account: String {
            if case .socket(let socket) = origin { "\(principal)/\(socket)" } else { "\(principal)/rest" }
        }
    }

    func frame(_ text: String) -> JSONValue? {
        guard let document = try? JSONParser.document(text, limits: JSONLimits(maxDepth: 128)), document.flaws.isEmpty,
            document.root.objectValue != nil
        else { return nil }
        return document.root
    }

    func entry(of asker: Asker) -> StoredRecord.Post? {
        asker.key.flatMap { core.ledger.entry($0, of: asker.principal) }
    }

    func isRepeat(_ asker: Asker) -> Bool {
        guard let key = asker.key, let entry = entry(of: asker) else { return false }
        return entry.matches(
            ClientMessage.Chat(content: asker.content ?? .null, session: asker.session, key: key))
    }

    func session(of frame: JSONValue) -> SessionStore.Session? { frame.text("sessionId").flatMap { core.sessions[$0] } }

    /// The sockets that currently see a frame's session.
    func listeners(to frame: JSONValue) -> [Int] {
        session(of: frame).map { core.connections.sockets(of: $0.owner) } ?? []
    }

    func principal(_ sockets: [Int]) -> String? { sockets.first.flatMap { core.connections[$0]?.principal } }

    func isRunning(_ session: String?) -> Bool {
        core.turns.values.contains { $0.names.session == session && $0.state == .running }
    }

    mutating func announcing(_ done: JSONValue) -> [Effect] {
        guard let session = session(of: done), let turn = done.text("turnId"), let message = done.text("messageId")
        else { return [] }
        let names = TurnNames(session: session.id, turn: turn, question: message, key: "")
        return collecting { $0.push(names, of: session.owner, message: message, text: done.text("text") ?? "") }
    }

    mutating func broadcasting(_ frame: JSONValue) -> [Effect] {
        guard let session = session(of: frame) else { return [] }
        return collecting { $0.broadcast(frame, to: session.owner) }
    }

    /// Adds a made-up question to a session, by default a new one, without running a turn.
    mutating func invent(_ content: JSONValue, of principal: String, in session: String? = nil) {
        let names = TurnNames(
            session: session ?? core.ids.next("ses"), turn: core.ids.next("trn"), question: core.ids.next("msg"),
            key: core.ids.next("key"))
        let question = StoredRecord.Post(principal: principal, names: names, content: content, at: core.stamp())
        core.sessions.apply(.question(question))
        core.sessions.endUnstored(names.turn, in: names.session, .failed(code: ErrorCode.internal.rawValue, text: ""))
    }
}

extension Input {
    /// The same input with another question, as its frame or body.
    func asking(_ chat: JSONValue) -> Input {
        switch self {
        case .received(let socket, _): return .received(socket: socket, .text(chat.text()))
        case .asked(let request, var asked):
            asked.body = Array(chat.text().utf8)
            return .asked(request: request, asked)
        default: return self
        }
    }
}

extension JSONValue {
    var isRefusal: Bool { type == "error" && self["turnId"] == nil }

    /// Changes each element of an array member; one that becomes null is removed.
    mutating func edit(_ name: String, _ change: (inout JSONValue) -> Void) {
        guard var elements = self[name]?.arrayValue else { return }
        for index in elements.indices { change(&elements[index]) }
        self[name] = .array(elements.filter { !$0.isNull })
    }
}
