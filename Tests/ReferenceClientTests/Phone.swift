import HoldfastJSON

@testable import ReferenceClient

/// A client without a network: what a test says happens, and what the client wants done is looked at.
struct Phone {
    var client: FaultyClient
    var core: ClientCore {
        get { client.core }
        set { client.core = newValue }
    }
    var now = 1_000_000
    /// Everything wanted so far.
    private(set) var effects: [Effect] = []
    /// Everything wanted since the last input.
    private(set) var latest: [Effect] = []
    private(set) var stored: String?

    init(
        _ defects: Set<ClientDefect> = [], _ variations: Set<ClientVariation> = [], scale: Double = 1,
        followsStream: Bool = true, memory: String? = nil, now: Int = 1_000_000
    ) {
        var rules = ClientRules(url: "ws://here/ws", base: "http://here", token: "secret", timeScale: scale)
        rules.variations = variations
        rules.followsStream = followsStream
        client = FaultyClient(rules: rules, memory: memory, dice: Dice(seed: 7), defects: defects)
        self.now = now
    }

    /// A phone that was launched, greeted, and has an empty new conversation on its screen.
    static func connected(
        _ defects: Set<ClientDefect> = [], _ variations: Set<ClientVariation> = [], epoch: String? = "e1",
        lastSeq: Int = 0
    ) -> Phone {
        var phone = Phone(defects, variations)
        phone.tell(.launched(opened: nil))
        phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        phone.connect(epoch: epoch, lastSeq: lastSeq)
        return phone
    }

    mutating func tell(_ input: Input, after milliseconds: Int = 1) {
        now += milliseconds
        latest = client.handle(input, at: now)
        effects += latest
        for case .save(let memory) in latest { stored = memory.text }
    }

    /// The newest socket is opened and greeted.
    mutating func connect(epoch: String? = "e1", lastSeq: Int = 0, maxFrameBytes: Int = 100_000) {
        tell(.opened(socket: socket))
        var frame: JSONValue = [
            "type": "connected", "protocol": 1, "connectionId": "k1", "serverTime": "2026-01-01T00:00:00Z",
            "capabilities": epoch == nil ? [] : ["sync"], "limits": ["maxFrameBytes": JSONValue(maxFrameBytes)],
        ]
        if let epoch {
            frame["epoch"] = .string(epoch)
            frame["lastSeq"] = .init(lastSeq)
        }
        receive(frame)
    }

    mutating func receive(_ frame: JSONValue) { tell(.received(socket: socket, frame.text())) }

    mutating func cut(code: Int? = nil) { tell(.ended(socket: socket, code: code)) }

    mutating func elapse(_ timer: ClientTimer, after milliseconds: Int = 1) {
        tell(.elapsed(timer), after: milliseconds)
    }

    /// Answers the oldest unanswered request whose path ends so.
    mutating func answer(path: String, _ body: String, status: Int = 200, retryAfter: String? = nil) {
        guard let number = waiting(path).first else { return }
        tell(.answered(request: number, RESTAnswer(status: status, body: body, retryAfter: retryAfter)))
    }

    mutating func fail(path: String) {
        guard let number = waiting(path).first else { return }
        tell(.answered(request: number, nil))
    }

    /// Requests whose path ends so, that wait for an answer.
    func waiting(_ path: String) -> [Int] {
        effects.compactMap { effect in
            guard case .request(let number, let request, _) = effect, request.url.hasSuffix(path) else { return nil }
            return core.purposes[number] == nil ? nil : number
        }
    }

    /// The socket opened last.
    var socket: Int {
        effects.reduce(0) { last, effect in
            if case .open(let socket, _) = effect { return socket }
            return last
        }
    }

    var attempts: Int { effects.count { if case .open = $0 { true } else { false } } }

    /// Frames sent, as JSON, by type where one is named.
    func sent(_ type: String? = nil, on socket: Int? = nil) -> [JSONValue] {
        let frames = effects.compactMap { effect -> JSONValue? in
            guard case .send(let to, let text) = effect, socket == nil || socket == to else { return .none }
            return try? JSONParser.value(text)
        }
        return frames.filter { type == nil || $0["type"]?.stringValue == type }
    }

    /// REST requests made, by the end of their path.
    func asked(_ method: String = "GET", _ path: String) -> [RESTRequest] {
        effects.compactMap { effect in
            guard case .request(_, let request, _) = effect, request.method == method, request.url.hasSuffix(path)
            else {
                return nil
            }
            return request
        }
    }

    /// How long the client last wanted to wait for something.
    func wait(_ timer: ClientTimer) -> Int? {
        effects.reduce(nil) { last, effect in
            if case .wait(timer, let milliseconds) = effect { return milliseconds }
            return last
        }
    }

    var screen: Screen { client.screen }
    var ids: [String?] { screen.messages.map(\.id) }
    var key: String { core.outbox.last?.key ?? screen.messages.last { $0.key != nil }?.key ?? "" }
}

/// A history with messages `u1`, `a1` and so on, each of the turn of its number.
func history(_ session: String, _ ids: [String], keys: [String: String] = [:], turns: [(String, String)] = []) -> String
{
    let messages = ids.map { id -> JSONValue in
        let isQuestion = id.hasPrefix("u")
        var message: JSONValue = [
            "id": .string(id), "role": isQuestion ? "user" : "assistant", "timestamp": "2026-01-01T00:00:00Z",
            "content": .string((isQuestion ? "question " : "answer ") + id.dropFirst()),
            "turnId": .string("t" + id.dropFirst()),
        ]
        if let key = keys[id] { message["clientMessageId"] = .string(key) }
        return message
    }
    let told = turns.map { turn, status -> JSONValue in ["turnId": .string(turn), "status": .string(status)] }
    let value: JSONValue = [
        "session": [
            "id": .string(session), "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z",
            "messages": .array(messages), "turns": .array(told),
        ]
    ]
    return value.text()
}

func done(_ number: Int, session: String = "s1", seq: Int? = nil, text: String? = nil) -> JSONValue {
    var frame: JSONValue = [
        "type": "done", "sessionId": .string(session), "turnId": .string("t\(number)"),
        "messageId": .string("a\(number)"), "text": .string(text ?? "answer \(number)"),
    ]
    frame["seq"] = seq.map { .init($0) }
    return frame
}

func ack(_ number: Int, _ key: String, session: String = "s1") -> JSONValue {
    [
        "type": "ack", "sessionId": .string(session), "turnId": .string("t\(number)"),
        "messageId": .string("u\(number)"), "clientMessageId": .string(key),
    ]
}

func toolUse(_ number: Int, session: String = "s1", seq: Int? = nil) -> JSONValue {
    var frame: JSONValue = [
        "type": "toolUse", "tool": "webFetch", "sessionId": .string(session), "turnId": .string("t\(number)"),
    ]
    frame["seq"] = seq.map { .init($0) }
    return frame
}
