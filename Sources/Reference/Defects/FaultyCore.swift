import Holdfast
import HoldfastJSON

/// A server core behind what is wrong with it: layers that change what comes in and what goes out, what is stored and when.
///
/// The core knows of none of them. A healthy server has none, and its core is asked at once.
struct FaultyCore: Sendable {
    var core: ServerCore
    var notes = Notes()
    private let layers: [Fault.Layer]
    private let messages: [@Sendable (Input.Received) -> Input.Received]

    /// What layers remember between two inputs.
    struct Notes: Sendable {
        /// Facts, each with its defect's own word before it.
        var marks: Set<String> = []
        var texts: [String: String] = [:]
        var numbers: [String: Int] = [:]
        /// What is held back until something else has happened.
        var held: [String: [Effect]] = [:]
        /// What is held back for a time, by the timer that ends it.
        var late: [Int: [Effect]] = [:]
        /// REST requests that have no answer yet.
        var asked: [Int: RESTRequest] = [:]
        var windows: [String: RateWindow] = [:]
        /// A second ledger beside that of the core.
        var ledger = IdempotencyLedger()
    }

    /// A core with these records, behind some defects, which also change the rules.
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

    /// What a message of a socket is taken for, before anything else sees it.
    func taken(_ received: Input.Received) -> Input.Received { messages.reduce(received) { $1($0) } }

    /// Whether nothing runs and nothing waits for the disk.
    var isIdle: Bool { core.isIdle && notes.late.isEmpty }

    /// Takes in what happened and tells what to do about it, in order.
    mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
        var input = input
        if !messages.isEmpty, case .received(let socket, let received) = input {
            input = .received(socket: socket, taken(received))
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

    /// Does what it is told; the value says what that is.
    /// - Throws: A problem that names the member that is wrong.
    mutating func obey(
        _ order: ServerOrder, at moment: Moment
    ) throws(InputProblem) -> (answer: JSONValue, effects: [Effect]) {
        let (answer, effects) = try core.obey(order, at: moment)
        return (answer, through(0, .beat) { _, _ in effects })
    }

    /// Hands an input through the layers to what lies behind them, and the effects back.
    private mutating func through(_ index: Int, _ input: Input, _ innermost: Fault.Next) -> [Effect] {
        guard index < layers.count else { return innermost(input, &self) }
        let layer = layers[index]
        return layer(input, &self) { input, server in server.through(index + 1, input, innermost) }
    }

    /// What was held back for a time, oldest first; nil stands for all of it.
    private mutating func release(upTo timer: Int = .max) -> [Effect] {
        let due = notes.late.keys.filter { $0 <= timer }.sorted()
        return due.flatMap { notes.late.removeValue(forKey: $0) ?? [] }
    }

    // MARK: what layers use

    /// Lets the core do something beside what it is asked; what follows from it.
    mutating func having(_ deed: (inout ServerCore) -> Void) -> [Effect] {
        let before = core.effects
        core.effects = []
        deed(&core)
        defer { core.effects = before }
        return core.effects
    }

    /// Holds effects back for a time.
    mutating func delaying(_ effects: [Effect], ms: Int) -> [Effect] {
        let timer = core.nextNumber()
        notes.late[timer] = effects
        return [.wait(timer: timer, ms: ms)]
    }

    /// Whether more principals are connected than a suite has.
    var isCrowded: Bool { core.connections.principals > 12 }

    func said(_ frame: JSONValue) -> Outgoing { Outgoing(frame: frame, text: core.shaper.text(ofShaped: frame)) }

    func sending(_ frame: JSONValue, to socket: Int) -> Effect { .send(to: [socket], said(frame)) }

    /// Who asks in an input, and over which transport; nil for what is no question, and for strangers.
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

    /// Somebody with a question.
    struct Asker {
        let principal: String
        let origin: Origin
        /// The frame or body.
        var chat: JSONValue

        var key: String? { chat.text("clientMessageId") }
        var session: String? { chat.text("sessionId") }
        var content: JSONValue? { chat["messages"]?.arrayValue?.last?["content"] }
        var isREST: Bool { if case .request = origin { true } else { false } }
        /// The account by which transports are told apart.
        var account: String {
            if case .socket(let socket) = origin { "\(principal)/\(socket)" } else { "\(principal)/rest" }
        }
    }

    /// The object of a sound text.
    func frame(_ text: String) -> JSONValue? {
        guard let document = try? JSONParser.document(text, limits: JSONLimits(maxDepth: 128)), document.flaws.isEmpty,
            document.root.objectValue != nil
        else { return nil }
        return document.root
    }

    /// The question that was accepted under the key of an asker.
    func entry(of asker: Asker) -> IdempotencyLedger.Entry? {
        asker.key.flatMap { core.ledger.entry($0, of: asker.principal) }
    }

    /// Whether a question is asked again.
    func isRepeat(_ asker: Asker) -> Bool {
        guard let key = asker.key, let entry = entry(of: asker) else { return false }
        return entry.matches(
            ClientMessage.Chat(content: asker.content ?? .null, session: asker.session, key: key))
    }

    func session(of frame: JSONValue) -> SessionStore.Session? { frame.text("sessionId").flatMap { core.sessions[$0] } }

    /// Those who see what belongs to a frame's session now.
    func listeners(to frame: JSONValue) -> [Int] {
        session(of: frame).map { core.connections.sockets(of: $0.owner) } ?? []
    }

    func isRunning(_ session: String?) -> Bool {
        core.turns.values.contains { $0.names.session == session && $0.state == .running }
    }

    /// Tells the devices of a principal of an answer.
    mutating func announcing(_ done: JSONValue) -> [Effect] {
        guard let session = session(of: done), let turn = done.text("turnId"), let message = done.text("messageId")
        else { return [] }
        let names = TurnNames(session: session.id, turn: turn, question: message, key: "")
        return having { $0.push(names, of: session.owner, message: message, text: done.text("text") ?? "") }
    }

    /// Says a frame once more, with a number of its own.
    mutating func broadcasting(_ frame: JSONValue) -> [Effect] {
        guard let session = session(of: frame) else { return [] }
        let names = TurnNames(session: session.id, turn: frame.text("turnId") ?? "", question: "", key: "")
        let turn = LiveTurn(placing: names, of: session.owner, at: core.now.steady)
        return having { $0.broadcast(frame, of: turn) }
    }

    /// Puts a question nobody asked into a session, a new one unless told otherwise, without any turn that runs.
    mutating func invent(_ content: JSONValue, of principal: String, in session: String? = nil) {
        let names = TurnNames(
            session: session ?? core.ids.next("ses"), turn: core.ids.next("trn"), question: core.ids.next("msg"),
            key: core.ids.next("key"))
        core.sessions.apply(
            .question(
                StoredRecord.Question(
                    principal: principal, session: names.session, turn: names.turn, message: names.question,
                    key: names.key, content: content, at: core.stamp())))
        core.sessions.endUnstored(names.turn, in: names.session, .failed(code: ErrorCode.internal.rawValue, text: ""))
    }
}

extension JSONValue {
    /// Whether it is an `error` that ends no turn.
    var isRefusal: Bool { type == "error" && self["turnId"] == nil }

    /// A copy with each element of an array member changed, or left out.
    func mapping(_ name: String, _ change: (JSONValue) -> JSONValue?) -> JSONValue {
        guard let elements = self[name]?.arrayValue else { return self }
        var copy = self
        // Where a closure has both to choose from, `nil` is the null of JSON.
        copy[name] = .array(elements.compactMap(change).filter { !$0.isNull })
        return copy
    }
}
