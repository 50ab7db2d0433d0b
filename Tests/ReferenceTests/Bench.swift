import HoldfastJSON

@testable import HoldfastReference

/// A server core on a bench: a disk of memory that can fail or wait, a clock moved by hand, and a record of everything said.
final class Bench {
    var server: FaultyCore
    var core: ServerCore { server.core }
    var now = Moment(steady: 1_000_000, wall: 1_772_000_000_000_000)
    /// What the disk holds.
    var records: [StoredRecord] = []
    /// Everything the server did, one line each, in order.
    var said: [String] = []
    /// The frames each socket got.
    var frames: [Int: [JSONValue]] = [:]
    /// The REST answers by request.
    var answers: [Int: RESTAnswer] = [:]
    var pushes: [PushNotice] = []
    /// What the push service makes of the next notices; nil never answers, and those after the last are taken.
    var pushOutcomes: [PushOutcome?] = []
    var ended: Set<Int> = []
    var storageFails = false
    var storageWaits = false

    private var timers: [(due: Int, timer: Int)] = []
    private var held: [(write: Int, records: [StoredRecord])] = []
    private var (last, asked) = (0, 0)
    private let rules: CoreRules
    private let defects: Set<Defect>

    static var rules: CoreRules {
        CoreRules(
            principalsByToken: ["t1": "p1", "t2": "p2"], anonymous: "p1", requiresAuth: true, replayFrames: 10,
            maxFrameBytes: 5000, maxSentBytes: 6000)
    }

    init(_ rules: CoreRules = Bench.rules, defects: Set<Defect> = []) {
        self.rules = rules.broken(by: defects)
        self.defects = defects
        server = FaultyCore(self.rules, records: [], ids: IDSource(seed: 1), defects: defects)
    }

    // MARK: what happens to the server

    func open(as token: String = "t1", client: String? = nil) -> Int {
        let socket = openOnly()
        var auth: JSONValue = ["type": "auth", "protocol": 1, "token": .string(token)]
        if let client { auth["clientId"] = .string(client) }
        say(auth, on: socket)
        return socket
    }

    func openOnly(admitted: String? = nil) -> Int {
        last += 1
        feed(.opened(socket: last, principal: admitted))
        return last
    }

    func say(_ frame: JSONValue, on socket: Int) { say(text: frame.text(), on: socket) }

    func say(text: String, on socket: Int) { feed(.received(socket: socket, .text(text))) }

    /// Asks a question; returns the frames it brought on that socket.
    @discardableResult
    func chat(
        _ text: String, key: String? = nil, session: String? = nil, on socket: Int
    ) -> [JSONValue] {
        let before = frames[socket]?.count ?? 0
        say(Self.question(text, key: key ?? newKey(), session: session, type: true), on: socket)
        return Array((frames[socket] ?? []).dropFirst(before))
    }

    @discardableResult
    func ask(
        _ method: String, _ path: String, query: String? = nil, token: String? = "t1", body: JSONValue? = nil
    ) -> RESTAnswer? {
        last += 1
        feed(
            .asked(
                request: last,
                RESTRequest(
                    method: method, path: path, query: query, token: token,
                    body: body.map { Array($0.text().utf8) } ?? [])))
        return answers[last]
    }

    @discardableResult
    func post(
        _ text: String, key: String? = nil, session: String? = nil, token: String = "t1"
    ) -> RESTAnswer? {
        let body = Self.question(text, key: key ?? newKey(), session: session, type: false)
        return ask("POST", "/api/chat", token: token, body: body)
    }

    /// A key that no other question has.
    private func newKey() -> String {
        asked += 1
        return "key-\(asked)"
    }

    /// Who made the last request is gone.
    func leave() { feed(.left(request: last)) }

    func end(_ socket: Int) { feed(.ended(socket: socket)) }

    func pass(ms: Int) {
        let end = now.advanced(byMs: ms)
        while let next = timers.filter({ $0.due <= end.steady }).min(by: { $0.due < $1.due }) {
            timers.removeAll { $0.timer == next.timer }
            now = now.advanced(byMs: max(0, next.due - now.steady) / 1000)
            feed(.elapsed(timer: next.timer))
        }
        now = end
    }

    /// Lets the disk do what it was asked for while it waited.
    func releaseStorage() {
        storageWaits = false
        let waiting = held
        held = []
        for (write, records) in waiting { finish(write, records) }
    }

    /// Ends the process at once and starts another one on the same disk.
    func kill() {
        held = []
        timers = []
        ended = []
        said.append("kill")
        now = now.advanced(byMs: 50)
        server = FaultyCore(
            rules, records: records, ids: IDSource(seed: UInt64(records.count + 99)), defects: defects)
        perform(server.handle(.started, at: now))
    }

    /// Tells the server to do something; returns what it says it did.
    @discardableResult
    func order(_ order: MockCommand) throws -> JSONValue {
        now = now.advanced(byMs: 1)
        let (told, effects) = try server.obey(order, at: now)
        perform(effects)
        return told
    }

    /// Stops the server and starts it again, as on request.
    func restart(keepingEpoch keepsEpoch: Bool) {
        let memory = core.memory(keepingEpoch: keepsEpoch)
        kill()
        server.core.remember(memory)
    }

    func feed(_ input: Input) {
        now = now.advanced(byMs: 1)
        perform(server.handle(input, at: now))
    }

    // MARK: what the server does

    private func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .send(let sockets, let outgoing):
                for socket in sockets {
                    said.append("\(socket)< \(outgoing.text)")
                    guard let frame = try? JSONParser.document(outgoing.text).root else { continue }
                    frames[socket, default: []].append(frame)
                }
            case .ping(let socket): said.append("\(socket)< ping")
            case .close(let socket, let code, let reason):
                said.append("\(socket)< close \(code) \(reason)")
                ended.insert(socket)
            case .cut(let socket):
                said.append("\(socket)! cut")
                ended.insert(socket)
            case .endProcess: said.append("the process ends")
            case .answer(let request, let answer):
                said.append("\(request)< \(answer.status) \(answer.body) \(answer.headers.sorted { $0.key < $1.key })")
                answers[request] = answer
            case .store(let write, let records):
                if storageWaits { held.append((write, records)) } else { finish(write, records) }
            case .wait(let timer, let ms): timers.append((now.steady + ms * 1000, timer))
            case .push(let device, let notice):
                said.append("push \(device) \(notice.payload) \(notice.headers.sorted { $0.key < $1.key })")
                pushes.append(notice)
                let outcome = pushOutcomes.isEmpty ? .answered(status: 200, reason: nil) : pushOutcomes.removeFirst()
                if let outcome { feed(.pushed(turn: notice.turn, device: device, outcome)) }
            }
        }
    }

    private func finish(_ write: Int, _ stored: [StoredRecord]) {
        if !storageFails { records += stored }
        said.append("disk \(storageFails ? "refused" : "has") \(stored.count)")
        feed(.stored(write: write, succeeded: !storageFails))
    }

    static func question(_ text: String, key: String, session: String?, type: Bool) -> JSONValue {
        JSONValue(members: [
            "type": type ? "chat" as String? : nil,
            "messages": [["role": "user", "content": .string(text)] as JSONValue], "clientMessageId": key,
            "sessionId": session,
        ])
    }
}

extension Bench {
    /// The frames of a type that a socket got.
    func frames(_ type: String, on socket: Int) -> [JSONValue] {
        (frames[socket] ?? []).filter { $0["type"]?.stringValue == type }
    }

    /// The messages a session read shows.
    func messages(_ session: String, token: String = "t1") -> [JSONValue] {
        read(session, token: token)?["session"]?["messages"]?.arrayValue ?? []
    }

    func read(_ session: String, token: String = "t1") -> JSONValue? {
        ask("GET", "/api/sessions/\(session)", token: token).flatMap { try? JSONParser.value($0.body) }
    }

    func list(token: String = "t1") -> [JSONValue] {
        ask("GET", "/api/sessions", token: token).flatMap { try? JSONParser.value($0.body)["sessions"]?.arrayValue }
            ?? []
    }
}

extension JSONValue {
    var seq: Int? { self["seq"]?.intValue }
    var code: String? { text("code") }
}

/// The text of a script for the agent.
func script(_ steps: JSONValue...) -> String {
    let script: JSONValue = ["script": .array(steps)]
    return script.text()
}

extension Moment {
    /// The same instant, later on both clocks.
    fileprivate func advanced(byMs milliseconds: Int) -> Moment {
        Moment(steady: steady + milliseconds * 1000, wall: wall + milliseconds * 1000)
    }
}
