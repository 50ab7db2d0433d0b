import Holdfast
import HoldfastJSON
import Testing

@testable import HoldfastReference

/// The wire of Nami, with its own faults and without: what its clients send, and what then comes back.
@Suite struct NamiWireTests {
    private static func chat(_ content: JSONValue, session: String? = nil) -> String {
        JSONValue(members: [
            "type": "chat", "messages": [["role": "user", "content": content] as JSONValue], "sessionId": session,
        ]).text()
    }

    @Test(arguments: [
        (#"{"type":"ping"}"#, ["pong"]), ("{bad", ["error error"]), (#"{"type":"zzz"}"#, ["error error"]),
        ("{}", ["error error"]), (#""x""#, ["error error"]), ("12", ["error error"]),
        (#"{"type":"sync","lastSeqSeen":0}"#, ["error error"]), (#"{"type":"auth","protocol":1}"#, ["error error"]),
        (#"{"type":"chat"}"#, ["error error"]), (#"{"type":"chat","messages":[]}"#, ["error error"]),
        (#"{"type":"chat","messages":"x"}"#, ["error error"]),
        (#"{"type":"chat","messages":[{"role":"user"}]}"#, ["error error"]),
        (chat("hello"), ["done sessionId text"]), (chat("hello", session: "ffffffff"), ["done sessionId text"]),
        (
            chat([["type": "text", "text": "see"], ["type": "image", "image": "data:image/png;base64,AAAA"]]),
            ["done sessionId text"]
        ),
        (
            chat(.string(script(["tool": "webFetch"], ["tool": "fileWrite"], ["reply": "used tools"]))),
            ["tool_use tool", "tool_use tool", "done sessionId text"]
        ),
        (chat(.string(script(["fail": "the model exploded"]))), ["error error"]),
    ])
    func `answers have the shapes of the captured ones`(_ sent: String, _ shapes: [String]) throws {
        let wire = try WireBench("nami")
        let socket = wire.open(admitted: "p1")
        #expect(wire.news(on: socket).isEmpty, "nobody greets")
        #expect(wire.say(sent, on: socket).map(\.shape) == shapes)
    }

    @Test func `an unknown session is echoed and never stored`() throws {
        let wire = try WireBench("nami")
        let done = wire.say(Self.chat("hi", session: "ffffffff"), on: wire.open(admitted: "p1"))
        #expect(done.first?["sessionId"] == "ffffffff")
        #expect(wire.bench.records.isEmpty)
        #expect(wire.ask("GET", "/api/sessions/ffffffff")?.status == 404)
        #expect(wire.body("GET", "/api/sessions/ffffffff")?["code"] == 404)
        let healthy = try WireBench("nami", isBroken: false)
        let refused = healthy.say(Self.chat("hi", session: "ffffffff"), on: healthy.open(admitted: "p1"))
        #expect(refused.map(\.shape) == ["error error"])
    }

    @Test(arguments: [true, false]) func `nothing is kept of a failed turn`(isBroken: Bool) throws {
        let wire = try WireBench("nami", isBroken: isBroken)
        let socket = wire.open(admitted: "p1")
        let session = wire.say(Self.chat("hello"), on: socket).first?.text("sessionId") ?? ""
        wire.say(Self.chat(.string(script(["fail": "no"])), session: session), on: socket)
        let stored = wire.body("GET", "/api/sessions/\(session)")?["session"]?["messages"]?.arrayValue
        #expect(stored?.map { $0.text("role") } == (isBroken ? ["user", "assistant"] : ["user", "assistant", "user"]))
    }

    @Test func `two questions of one session are answered out of order, to the one that asked`() throws {
        let wire = try WireBench("nami")
        let socket = wire.open(admitted: "p1")
        let other = wire.open(admitted: "p1")
        let session = wire.say(Self.chat("hello"), on: socket).first?.text("sessionId") ?? ""
        wire.say(Self.chat(.string(script(["wait": 400], ["reply": "slow"])), session: session), on: socket)
        #expect(wire.say(Self.chat("fast", session: session), on: socket).map { $0.text("text") } == ["You said: fast"])
        wire.bench.pass(ms: 400)
        #expect(wire.news(on: socket).map { $0.text("text") } == ["slow"])
        #expect(wire.news(on: other).isEmpty)
    }

    @Test(arguments: [true, false]) func `null ends the process of the broken one alone`(isBroken: Bool) throws {
        let wire = try WireBench("nami", isBroken: isBroken)
        let socket = wire.open(admitted: "p1")
        #expect(wire.say("null", on: socket).map(\.shape) == (isBroken ? [] : ["error error"]))
        #expect((wire.bench.said.last == "the process ends") == isBroken)
    }

    @Test func `the index is a session, and other names are none`() throws {
        let wire = try WireBench("nami")
        #expect(wire.body("GET", "/api/sessions/index")?["session"]?["sessions"] == [])
        #expect(wire.ask("GET", "/api/sessions/nope")?.status == 404)
        #expect(wire.body("GET", "/api/nope")?["code"] == 404)
        #expect(wire.ask("GET", "/api/sessions", token: "wrong")?.status == 401)
    }

    @Test func `binary messages are read as text by the broken one alone`() throws {
        let ping = Array(#"{"type":"ping"}"#.utf8)
        let broken = try WireBench("nami").heard(.binary(ping))
        #expect(broken == [.text(#"{"type":"ping"}"#)])
        #expect(try WireBench("nami", isBroken: false).heard(.binary(ping)) == [.binary(ping)])
    }
}

extension JSONValue {
    /// The type and the names of the other members.
    var shape: String {
        let names = objectValue?.keys.filter { $0 != "type" }.sorted() ?? []
        return ([text("type") ?? typeName] + names).joined(separator: " ")
    }
}
