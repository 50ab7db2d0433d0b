import Holdfast
import HoldfastJSON
import Testing

@testable import HoldfastReference

/// The wire of Adjutant, with its own faults and without: what its clients send, and what then comes back.
@Suite struct AdjutantWireTests {
    private static func message(_ body: String, id: String? = nil, to agent: String? = "kerrigan") -> String {
        JSONValue(members: ["type": "message", "id": id, "to": agent, "body": body]).text()
    }

    private static func opened(_ wire: WireBench) -> Int {
        let socket = wire.open()
        wire.say(#"{"type":"auth_response","apiKey":"t1"}"#, on: socket)
        return socket
    }

    @Test func `the server asks, the client answers, the server greets`() throws {
        let wire = try WireBench("adjutant")
        #expect(wire.edge.challenge == [#"{"type":"auth_challenge"}"#])
        let socket = wire.open()
        #expect(wire.news(on: socket).isEmpty)
        #expect(wire.say(Self.message("x", id: "c-0"), on: socket).map(\.shape) == ["error code message relatedId"])
        #expect(wire.say("{oops", on: socket).map { $0.text("code") } == ["parse_error"])
        let greeting = wire.say(#"{"type":"auth_response","apiKey":"t1"}"#, on: socket)
        #expect(greeting.map(\.shape) == ["connected lastSeq serverTime sessionId"])
        #expect(greeting.first?["lastSeq"] == 0)
    }

    @Test(arguments: [#"{"type":"auth_response"}"#, #"{"type":"auth","apiKey":"wrong"}"#])
    func `a bad key is refused and the socket closed with 4001`(_ auth: String) throws {
        let wire = try WireBench("adjutant")
        let socket = wire.open()
        #expect(wire.say(auth, on: socket).map { $0.text("code") } == ["auth_failed"])
        #expect(wire.bench.said.last == "\(socket)< close 4001 bad credentials")
    }

    @Test func `silence is closed with 4002 after ten seconds`() throws {
        let wire = try WireBench("adjutant")
        let socket = wire.open()
        wire.bench.pass(ms: 10_000)
        wire.bench.feed(.beat)
        #expect(wire.news(on: socket).map { $0.text("code") } == ["auth_timeout"])
        #expect(wire.bench.said.last?.hasPrefix("\(socket)< close 4002") == true)
    }

    @Test(arguments: [
        (#"{"type":"ping"}"#, "error code message"), (#"{"type":"nope"}"#, "error code message"),
        ("{}", "error code message"), (#"{"type":"done","text":"x"}"#, "error code message"),
        (#"{"type":"chat","messages":[]}"#, "error code message"),
    ])
    func `what it does not know is refused in its own form`(_ sent: String, _ shape: String) throws {
        let wire = try WireBench("adjutant")
        #expect(wire.say(sent, on: Self.opened(wire)).map(\.shape) == [shape])
    }

    @Test(arguments: [#"{"type":"ack","seq":2}"#, #"{"type":"typing","state":"started"}"#, #"{"type":"subscribe"}"#])
    func `what is beside the protocol is passed over`(_ sent: String) throws {
        let wire = try WireBench("adjutant")
        #expect(wire.say(sent, on: Self.opened(wire)).isEmpty)
    }

    @Test func `a message is delivered, shown to everybody and answered`() throws {
        let wire = try WireBench("adjutant")
        let asker = Self.opened(wire)
        let other = Self.opened(wire)
        let frames = wire.say(Self.message("hello", id: "c-1"), on: asker)
        #expect(frames.map { $0.text("type") } == ["delivered", "chat_message", "chat_message"])
        #expect(frames[0]["clientId"] == "c-1" && frames[0]["seq"] == nil)
        #expect(frames[0]["messageId"] == frames[1]["id"])
        #expect(frames[1].text("from") == "user" && frames[1].text("to") == "kerrigan" && frames[1]["seq"] == 1)
        #expect(frames[1].text("timestamp")?.utf8.count == "2026-11-20 21:08:37".utf8.count)
        #expect(frames[2].text("from") == "kerrigan" && frames[2].text("to") == "user" && frames[2]["seq"] == 2)
        #expect(wire.news(on: other) == Array(frames.dropFirst()))
    }

    @Test func `SYNC-5 numbers and frames outlive the healthy one, whose wire has no word for a new epoch`() throws {
        let wire = try WireBench("adjutant", isBroken: false)
        let frames = wire.say(Self.message("hello", id: "c-1", to: nil), on: Self.opened(wire))
        let numbered = frames.filter { $0["seq"] != nil }
        wire.bench.kill()
        let socket = wire.open()
        let greeting = wire.say(#"{"type":"auth_response","apiKey":"t1"}"#, on: socket)
        #expect(greeting.first?["lastSeq"] == numbered.last?["seq"] && numbered.count == 2)
        let replay = wire.say(#"{"type":"sync","lastSeqSeen":0}"#, on: socket)
        #expect(replay.first?["missed"]?.arrayValue == numbered)
    }

    @Test(arguments: [true, false]) func `a resend is stored twice by the broken one alone`(isBroken: Bool) throws {
        let wire = try WireBench("adjutant", isBroken: isBroken)
        let socket = Self.opened(wire)
        wire.news(on: socket)
        let agent = isBroken ? "kerrigan" : nil
        let first = wire.say(Self.message("hello", id: "c-1", to: agent), on: socket)
        let session = isBroken ? "kerrigan" : first[1].text("to") ?? ""
        wire.say(Self.message("hello", id: "c-1", to: agent), on: socket)
        let items = wire.body("GET", "/api/messages?agentId=\(session)&limit=200")?["data"]?["items"]?.arrayValue
        #expect(items?.map { $0.text("role") } == Array(["user", "agent", "user", "agent"].prefix(isBroken ? 4 : 2)))
        #expect(items?.first?.text("body") == "hello")
    }

    @Test func `a position of an earlier process is taken for one of this`() throws {
        let wire = try WireBench("adjutant")
        let before = Self.opened(wire)
        for number in 1...3 { wire.say(Self.message("\(number)"), on: before) }
        wire.bench.kill()
        let after = wire.open()
        let greeting = wire.say(#"{"type":"auth_response","apiKey":"t1"}"#, on: after)
        #expect(greeting.first?["lastSeq"] == 0)
        #expect(wire.say(Self.message("4"), on: after).last?["seq"] == 2)
        let replay = wire.say(#"{"type":"sync","lastSeqSeen":1}"#, on: after)
        #expect(replay.map(\.shape) == ["sync_response missed"])
        #expect(replay.first?["missed"]?.arrayValue?.map(\.seq) == [2], "3 to 6 of the process before are gone unsaid")
    }

    @Test func `what left the buffer is missing without a word, and odd positions are read somehow`() throws {
        let wire = try WireBench("adjutant")
        let socket = Self.opened(wire)
        for number in 1...10 { wire.say(Self.message("\(number)"), on: socket) }
        for sync in [#"{"type":"sync","lastSeqSeen":2}"#, #"{"type":"sync"}"#, #"{"type":"sync","lastSeqSeen":"2"}"#] {
            let replay = wire.say(sync, on: socket)
            #expect(replay.map(\.shape) == ["sync_response missed"])
            #expect(replay.first?["missed"]?.arrayValue?.map(\.seq) == Array(11...20))
        }
        #expect(wire.say(#"{"type":"sync","lastSeqSeen":9999}"#, on: socket).first?["missed"] == [])
    }

    @Test func `what the wire has no word for takes no number and no place in a replay`() throws {
        let wire = try WireBench("adjutant", isBroken: false)
        let socket = Self.opened(wire)
        let script = #"{"script":[\#(String(repeating: #"{"tool":"x"},"#, count: 20)){"reply":"done"}]}"#
        let frames = wire.say(Self.message(script, to: nil), on: socket)
        let numbered = frames.filter { $0["seq"] != nil }
        #expect(numbered.count == 2)
        let replay = wire.say(#"{"type":"sync","lastSeqSeen":0}"#, on: socket)
        #expect(replay.first?["missed"]?.arrayValue == numbered)
    }

    @Test func `where nothing tells a page from the whole, the whole comes`() throws {
        let wire = try WireBench("adjutant", isBroken: false)
        #expect(!wire.edge.hasPages && wire.edge.inexpressibleFrames == ["toolUse"])
        let nami = try WireBench("nami", isBroken: false)
        #expect(nami.edge.hasPages && nami.edge.inexpressibleFrames == ["message"])
        let socket = Self.opened(wire)
        let text = String(repeating: "x", count: 400_000)
        for _ in 1...3 { wire.say(Self.message(text, to: nil), on: socket) }
        let replay = wire.say(#"{"type":"sync","lastSeqSeen":0}"#, on: socket)
        #expect(replay.map { $0["missed"]?.arrayValue?.count } == [6])
    }

    @Test func `the limit is one of each connection, and tells no wait`() throws {
        let wire = try WireBench("adjutant", budget: 2)
        let socket = Self.opened(wire)
        for _ in 1...2 { wire.say(Self.message("x"), on: socket) }
        let refused = wire.say(Self.message("x", id: "r-60"), on: socket)
        #expect(refused.map(\.shape) == ["error code message relatedId"])
        #expect(refused.first?["code"] == "rate_limited" && refused.first?["relatedId"] == "r-60")
        #expect(wire.say(Self.message("z", id: "fresh"), on: Self.opened(wire)).first?["clientId"] == "fresh")
    }

    @Test func `null ends the process, also before anybody said who he is`() throws {
        let wire = try WireBench("adjutant")
        #expect(wire.say("null", on: wire.open()).isEmpty)
        #expect(wire.bench.said.last == "the process ends")
    }

    @Test func `REST answers stand in an envelope`() throws {
        let wire = try WireBench("adjutant")
        let created = wire.ask("POST", "/api/messages", body: ["to": "kerrigan", "body": "via rest"])
        #expect(created?.status == 201)
        let refused = wire.ask("GET", "/api/messages?agentId=kerrigan&limit=200", token: "wrong")
        #expect(refused?.status == 401)
        let body = try JSONParser.value(refused?.body ?? "")
        #expect(body["success"] == false && body["error"]?["code"] == "UNAUTHORIZED")
        #expect(wire.ask("GET", "/api/sessions")?.status == 404)
        #expect(wire.body("GET", "/api/sessions")?["error"]?["code"] == "NOT_FOUND")
    }
}
