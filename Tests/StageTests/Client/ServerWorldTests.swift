import HoldfastJSON
import Testing

@testable import Holdfast
@testable import HoldfastStage

/// The scripted server as a state machine, without sockets.
struct ServerWorldTests {
    private func world(_ text: String = "{}") throws -> ServerWorld {
        let scenario = try ClientScenarioReader.scenario(
            #"{"title":"t","summary":"s","role":"client","clauses":["CLIENT-36"],"world":\#(text),"#
                + #""steps":[{"do":"launch"}]}"#, named: "client/CLIENT/x", file: "x.json")
        return ServerWorld(scenario.world, token: "secret-token")
    }

    /// A world with so many greeted connections, whose effects so far are forgotten.
    private func greeted(_ text: String = "{}", connections: Int = 1) throws -> ServerWorld {
        var world = try world(text)
        for number in 0..<connections {
            _ = world.admit(number)
            world.opened(number, principal: nil)
            world.receive(#"{"type":"auth","protocol":1,"token":"secret-token"}"#, on: number)
        }
        _ = world.takeEffects()
        return world
    }

    /// What was sent, as `connection type`, with what matters.
    private func sent(_ world: inout ServerWorld) -> [String] {
        world.takeEffects().compactMap { effect in
            switch effect {
            case .send(let connection, let frame):
                let seq = frame["seq"]?.intValue.map { " #\($0)" } ?? ""
                let code = frame["code"]?.stringValue.map { " \($0)" } ?? ""
                let copy = frame["duplicate"] == true ? " copy" : ""
                return "\(connection) \(frame["type"]?.stringValue ?? "?")\(code)\(seq)\(copy)"
            case .close(let connection, let code): return "\(connection) close \(code)"
            case .cut(let connection, let how): return "\(connection) cut \(how.rawValue)"
            case .answer(let request, let answer): return "request \(request) \(answer.status)"
            case .hangUp(let request): return "request \(request) reset"
            case .later(_, let milliseconds): return "later \(milliseconds)"
            default: return nil
            }
        }
    }

    private func chat(_ text: String, key: String? = "k1", session: String? = nil) -> String {
        var frame: JSONValue = ["type": "chat", "messages": [["role": "user", "content": .string(text)]]]
        frame["clientMessageId"] = key.map { .string($0) }
        frame["sessionId"] = session.map { .string($0) }
        return frame.text()
    }

    /// A question of another device, with its answer.
    private func turn(_ number: Int) -> [ClientWorld.Message] {
        [.init(id: "u\(number)", role: .user), .init(id: "a\(number)", role: .assistant)]
    }

    private func rule(_ text: String, in world: inout ServerWorld) throws {
        let scenario = try ClientScenarioReader.scenario(
            #"{"title":"t","summary":"s","role":"client","clauses":["CLIENT-36"],"steps":[\#(text)]}"#,
            named: "client/CLIENT/x", file: "x.json")
        guard case .when(let rule) = scenario.steps.first?.action else { return }
        world.add(rule)
    }

    private func body(_ world: inout ServerWorld, _ path: String) -> JSONValue? {
        world.asked(99, method: "GET", path: path, principal: "p1", body: nil)
        for case .answer(99, let answer) in world.takeEffects() { return answer.body }
        return nil
    }

    // MARK: correct by itself

    @Test func `a question is acknowledged, announced to the others, and answered to all`() throws {
        var world = try greeted(connections: 2)
        world.receive(chat("hello"), on: 0)
        #expect(sent(&world) == ["0 ack", "1 message #1", "0 done #2", "1 done #2"])
        world.receive(chat("hello"), on: 1)
        #expect(sent(&world) == ["1 ack copy", "1 done copy"])
        world.receive(chat("other words"), on: 1)
        #expect(sent(&world) == ["1 error idempotency_mismatch"])
        world.receive(chat("hello", key: "k2", session: "s9"), on: 1)
        #expect(sent(&world) == ["1 error session_not_found"])
    }

    @Test func `the turns of a session end one after another`() throws {
        var world = try greeted(#"{"sessions":[{"id":"s1","messages":["u1","a1"]}],"lastSeq":2}"#)
        try rule(#"{"do":"when","comes":"chat","then":"ack","times":1}"#, in: &world)
        world.receive(chat("first", key: "k2", session: "s1"), on: 0)
        world.receive(chat("second", key: "k3", session: "s1"), on: 0)
        let third = try JSONParser.value(chat("third", key: "k4", session: "s1"))
        world.asked(7, method: "POST", path: "/api/chat", principal: "p1", body: third)
        #expect(sent(&world) == ["0 ack", "0 ack", "0 message #5"])
        world.fail(2, code: "agent_failed")
        #expect(sent(&world) == ["0 error agent_failed #6", "0 done #7", "0 done #8", "request 7 200"])
        // Another session does not wait; what ends a turn ends the earlier ones of its session first.
        try rule(#"{"do":"when","comes":"chat","then":"ack"}"#, in: &world)
        for key in ["k5", "k6", "k7"] { world.receive(chat(key, key: key, session: "s1"), on: 0) }
        world.storeElsewhere(turn(8), in: "s2", to: .all)
        #expect(sent(&world) == ["0 ack", "0 ack", "0 ack", "0 message #12", "0 done #13"])
        world.finish(6)
        #expect(sent(&world) == ["0 done #14", "0 done #15"])
        world.storeElsewhere(turn(9), in: "s1", to: .all)
        #expect(sent(&world) == ["0 message #16", "0 done #17", "0 done #18"])
    }

    @Test func `a question that waits for its turn can fail, and use a tool`() throws {
        var world = try greeted(#"{"sessions":[{"id":"s1","messages":["u1","a1"]}],"profiles":["core"]}"#)
        try rule(#"{"do":"when","comes":"chat","then":"ack","times":2}"#, in: &world)
        for key in ["k2", "k3", "k4"] { world.receive(chat(key, key: key, session: "s1"), on: 0) }
        #expect(sent(&world) == ["0 ack", "0 ack", "0 ack"])
        world.fail(3, code: "agent_failed")
        #expect(sent(&world) == ["0 done", "0 error agent_failed", "0 done"])
        try rule(#"{"do":"when","comes":"chat","then":"ack","times":1}"#, in: &world)
        for key in ["k5", "k6"] { world.receive(chat(key, key: key, session: "s1"), on: 0) }
        world.use("search", in: 6, to: .all)
        #expect(sent(&world) == ["0 ack", "0 ack", "0 done", "0 toolUse", "0 done"])
        world.receive(chat("k7", key: "k7", session: "s1"), on: 0)
        world.remove("s1")
        #expect(world.runningTurns.isEmpty)
    }

    @Test func `a token that is not the principal's ends the connection, and nothing comes before auth`() throws {
        var world = try world()
        world.opened(0, principal: nil)
        world.receive(chat("early"), on: 0)
        world.receive(#"{"type":"auth","protocol":1,"token":"x"}"#, on: 0)
        #expect(sent(&world) == ["0 error not_authenticated", "0 error auth_failed", "0 close 4001"])
        world.opened(1, principal: nil)
        world.receive(#"{"type":"auth","protocol":2,"token":"secret-token"}"#, on: 1)
        #expect(sent(&world) == ["1 error unsupported_version", "1 close 4010"])
        world.opened(2, principal: nil)
        world.authenticationIsOverdue(2)
        #expect(sent(&world) == ["2 error auth_timeout", "2 close 4002"])
    }

    @Test(arguments: [
        ("null", "parse_error"), ("[]", "parse_error"), ("{}", "bad_request"), (#"{"type":"dance"}"#, "unknown_type"),
        (#"{"type":"chat"}"#, "bad_request"), (#"{"type":"chat","messages":[]}"#, "bad_request"),
        (#"{"type":"sync","lastSeqSeen":-1}"#, "bad_request"), (#"{"type":"auth","protocol":1}"#, "bad_request"),
    ])
    func `what is no message is refused, and the socket survives`(text: String, code: String) throws {
        var world = try greeted()
        world.receive(text, on: 0)
        world.receive(#"{"type":"ping"}"#, on: 0)
        #expect(sent(&world) == ["0 error \(code)", "0 pong"])
    }

    @Test func `a replay is whole, paged, evicted or of another epoch, and says so`() throws {
        var world = try greeted(#"{"lastSeq":2}"#)
        world.receive(chat("a", key: "k1"), on: 0)
        world.receive(chat("b", key: "k2"), on: 0)
        func reply(_ frame: JSONValue) -> String {
            let result = world.replay(for: frame)
            let missed = result["missed"]?.arrayValue?.compactMap { $0["seq"]?.intValue } ?? []
            let reason = result["reason"]?.stringValue ?? "whole"
            return "\(missed) \(reason)\(result["more"] == true ? " more" : "")"
        }
        #expect(reply(["lastSeqSeen": 4, "epoch": "e1"]) == "[5, 6] whole")
        #expect(reply(["lastSeqSeen": 3, "epoch": "e1", "limit": 2]) == "[4, 5] too_many more")
        #expect(reply(["lastSeqSeen": 1, "epoch": "e1"]) == "[3, 4, 5, 6] evicted")
        #expect(reply(["lastSeqSeen": 3, "epoch": "e0"]) == "[] epoch_changed")
        #expect(reply(["lastSeqSeen": 9, "epoch": "e1"]) == "[] unknown_position")
        #expect(reply(["lastSeqSeen": 3]) == "[] unknown_position")
        world.forget(upTo: 5)
        #expect(reply(["lastSeqSeen": 3, "epoch": "e1"]) == "[6] evicted")
        world.restart(epoch: "e2", lastSeq: 40, keepsFrames: false)
        #expect(reply(["lastSeqSeen": 40, "epoch": "e2"]) == "[] whole")
    }

    @Test func `sessions are listed newest first and read as they are stored`() throws {
        var world = try greeted(#"{"sessions":[{"id":"s1","messages":["u1","a1"]},{"id":"s2","messages":["u2"]}]}"#)
        #expect(body(&world, "/api/sessions")?["sessions"]?.arrayValue?.map { $0["id"] } == ["s2", "s1"])
        world.now += 5000
        world.receive(chat("more", session: "s1"), on: 0)
        _ = world.takeEffects()
        #expect(body(&world, "/api/sessions")?["sessions"]?.arrayValue?.map { $0["id"] } == ["s1", "s2"])
        let session = body(&world, "/api/sessions/s1")?["session"]
        #expect(session?["messages"]?.arrayValue?.map { $0["id"] } == ["u1", "a1", "u3", "a3"])
        #expect(session?["messages"]?.arrayValue?[2]["clientMessageId"] == "k1")
        #expect(session?["turns"]?.arrayValue?.map { $0["status"] } == ["done", "done"])
        world.asked(7, method: "GET", path: "/api/sessions/s9", principal: "p1", body: nil)
        world.asked(8, method: "GET", path: "/api/sessions", principal: nil, body: nil)
        world.asked(9, method: "PUT", path: "/api/chat", principal: "p1", body: nil)
        #expect(sent(&world) == ["request 7 404", "request 8 401", "request 9 405"])
    }

    @Test func `without sync nothing is numbered`() throws {
        var world = try world(#"{"profiles":[]}"#)
        world.opened(0, principal: "p1")
        world.receive(#"{"type":"auth","protocol":1}"#, on: 0)
        world.receive(chat("hello"), on: 0)
        world.receive(#"{"type":"sync","lastSeqSeen":0}"#, on: 0)
        let frames = world.takeEffects().compactMap { if case .send(_, let frame) = $0 { frame } else { nil } }
        #expect(frames.map { $0["type"] } == ["connected", "ack", "done", "error"])
        for frame in frames {
            for name in ["epoch", "lastSeq", "seq"] {
                #expect(frame.objectValue?.contains(name) == false, "\(frame.text())")
            }
            #expect(frame.objectValue?.values.contains(.null) == false, "\(frame.text())")
        }
    }

    @Test func `a question without a key is refused`() throws {
        var world = try greeted()
        world.receive(chat("hello", key: nil), on: 0)
        #expect(sent(&world) == ["0 error bad_request"])
    }

    // MARK: rules

    @Test func `the newest rule counts, and the older one returns after its times`() throws {
        var world = try greeted()
        try rule(#"{"do":"when","comes":"chat","then":"ack"}"#, in: &world)
        try rule(#"{"do":"when","comes":"chat","then":"drop","times":1}"#, in: &world)
        world.receive(chat("a", key: "k1"), on: 0)
        #expect(sent(&world) == [])
        world.receive(chat("a", key: "k1"), on: 0)
        #expect(sent(&world) == ["0 ack"])
        try rule(#"{"do":"when","comes":"chat","then":"serve"}"#, in: &world)
        world.receive(chat("b", key: "k2"), on: 0)
        #expect(sent(&world) == ["0 ack", "0 done #3"])
        try rule(#"{"do":"when","comes":"list","then":"reset"}"#, in: &world)
        #expect(world.unusedRules == ["list reset"])
    }

    @Test func `a refusal names the question, and leaves out what it did not have`() throws {
        var world = try greeted()
        try rule(
            #"{"do":"when","comes":"chat","then":"refuse","cut":"fin","frame":{"type":"error","error":"no","#
                + #""code":"busy","clientMessageId":"${key}","sessionId":"${session}"}}"#, in: &world)
        world.receive(chat("a"), on: 0)
        let effects = world.takeEffects()
        let expected: JSONValue = ["type": "error", "error": "no", "code": "busy", "clientMessageId": "k1"]
        #expect(effects.contains(.send(connection: 0, expected)))
        #expect(effects.contains(.cut(connection: 0, .fin)))
        #expect(world.turns.isEmpty && world.sessions.isEmpty)
    }

    @Test(arguments: [(#"{"profiles":["core"]}"#, []), ("{}", ["0 message #1", "0 done #2"])])
    func `only in a stream is a question over REST announced`(text: String, numbered: [String]) throws {
        var world = try greeted(text)
        let body = try JSONParser.value(chat("a"))
        world.asked(1, method: "POST", path: "/api/chat", principal: "p1", body: body)
        world.finish(1)
        let frames = sent(&world).filter { $0.hasPrefix("0 ") }
        #expect(frames == (numbered.isEmpty ? ["0 done"] : numbered))
    }

    @Test func `a question that was stored without a word is known when it comes again, over either road`() throws {
        var world = try greeted()
        try rule(#"{"do":"when","comes":"chat","then":"store","cut":"silence"}"#, in: &world)
        world.receive(chat("a"), on: 0)
        #expect(sent(&world) == ["0 cut silence"])
        world.asked(1, method: "POST", path: "/api/chat", principal: "p1", body: try JSONParser.value(chat("a")))
        #expect(sent(&world) == [])
        world.finish(1)
        let answers = world.takeEffects().compactMap {
            if case .answer(1, let answer) = $0 { answer.body } else { nil }
        }
        #expect(answers.map { $0["duplicate"] } == [true] && answers.first?["turnId"] == "t1")
        #expect(world.sessions.first?.messages.map(\.id) == ["u1", "a1"])
    }

    @Test func `reads held back are answered in any order, as of then or as of now`() throws {
        var world = try greeted(#"{"sessions":[{"id":"s1","messages":["u1"]},{"id":"s2","messages":["u2"]}]}"#)
        try rule(#"{"do":"when","comes":"read","then":"hold"}"#, in: &world)
        for (number, session) in [(1, "s1"), (2, "s2"), (3, "s1")] {
            world.asked(number, method: "GET", path: "/api/sessions/\(session)", principal: "p1", body: nil)
        }
        world.storeElsewhere([ClientWorld.Message(id: "a1", role: .assistant)], in: "s1", to: .none)
        _ = world.takeEffects()
        func release(_ it: ClientRelease) -> (Int, Int)? {
            guard world.release(it) else { return nil }
            for case .answer(let request, let answer) in world.takeEffects() {
                return (request, answer.body?["session"]?["messages"]?.arrayValue?.count ?? -1)
            }
            return nil
        }
        let releases = [
            ClientRelease(comes: .read, session: "s2"), ClientRelease(comes: .read, isAsAsked: true, isNewest: true),
            ClientRelease(comes: .read), ClientRelease(comes: .read),
        ]
        let answers = releases.map { release($0).map { "\($0.0): \($0.1)" } }
        #expect(answers == ["2: 1", "3: 1", "1: 2", nil])
    }

    @Test func `a stale read shows what was so when the rule was made`() throws {
        var world = try greeted(#"{"sessions":[{"id":"s1","messages":["u1"]}]}"#)
        try rule(#"{"do":"when","comes":"read","then":"stale"}"#, in: &world)
        world.storeElsewhere([ClientWorld.Message(id: "a1", role: .assistant)], in: "s1", to: .all)
        #expect(sent(&world) == ["0 done #1"])
        let session = body(&world, "/api/sessions/s1")?["session"]
        #expect(session?["messages"]?.arrayValue?.count == 1)
        #expect(session?["turns"]?.arrayValue?.first?["status"] == "running")
    }

    @Test func `a greeting is held, changed and put off`() throws {
        var world = try world()
        try rule(
            #"{"do":"when","comes":"auth","then":"hold","greeting":{"epoch":null,"lastSeq":null,"x":1}}"#, in: &world)
        world.opened(0, principal: nil)
        world.receive(#"{"type":"auth","protocol":1,"token":"secret-token"}"#, on: 0)
        world.receive(#"{"type":"ping"}"#, on: 0)
        #expect(sent(&world) == ["0 error not_authenticated"])
        let isReleased = world.release(ClientRelease(comes: .auth))
        #expect(isReleased)
        let frames = world.takeEffects().compactMap { if case .send(_, let frame) = $0 { frame } else { nil } }
        #expect(frames.first?["x"] == 1 && frames.first?.objectValue?.contains("epoch") == false)
        try rule(#"{"do":"when","comes":"auth","then":"delay","milliseconds":5}"#, in: &world)
        world.opened(1, principal: nil)
        world.receive(#"{"type":"auth","protocol":1,"token":"secret-token"}"#, on: 1)
        #expect(sent(&world) == ["later 5"])
        world.due(world.lastToken)
        #expect(sent(&world) == ["1 connected"])
    }

    @Test func `without network everything falls silent, and requests are reset`() throws {
        var world = try greeted(connections: 2)
        try rule(#"{"do":"when","comes":"list","then":"hold"}"#, in: &world)
        world.asked(1, method: "GET", path: "/api/sessions", principal: "p1", body: nil)
        world.setReachable(false)
        #expect(sent(&world) == ["0 cut silence", "1 cut silence", "request 1 reset"])
        let refused = world.admit(2)
        #expect(refused == .reset)
        world.asked(2, method: "GET", path: "/api/health", principal: nil, body: nil)
        #expect(sent(&world) == ["request 2 reset"])
        world.setReachable(true)
        let admitted = world.admit(3)
        #expect(admitted == .accept)
    }

    @Test func `frames that are lost on the way are numbered and kept`() throws {
        var world = try greeted(connections: 2)
        world.receive(chat("a"), on: 0)
        _ = world.takeEffects()
        world.tell(["type": "presence"], to: .none)
        world.tell(["type": "notice"], isNumbered: false)
        #expect(sent(&world) == ["0 notice", "1 notice"])
        #expect(world.kept.map(\.seq) == [1, 2, 3] && world.lastSeq == 3)
    }

    @Test func `every order of things is another one`() {
        #expect(ClientStep.orders(of: 2) == [[0, 1], [1, 0]])
        #expect(Set(ClientStep.orders(of: 4)).count == 24)
    }
}
