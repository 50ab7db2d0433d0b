import Holdfast
import HoldfastJSON
import TestSupport
import Testing

/// A dialect for a system that nobody has seen: the example of CONTRIBUTING, which has to work.
@Suite struct ThirdDialectTests {
    /// A server whose frames are `{"event": …, "data": {…}}`, with the key in a header.
    private static let source = """
        {
          "name": "birdhouse",
          "summary": "An invented server: events with data, threads in place of sessions.",
          "profiles": ["core"],
          "socket": { "path": "/live", "credential": { "in": "header", "name": "X-Key", "prefix": "Key " } },
          "greeting": { "opens": "client" },
          "typeAt": "event",
          "frames": [
            { "sender": "client", "wire": "hello", "is": "auth",
              "members": { "protocol": { "always": 1 }, "token": null, "clientId": "/data/device" } },
            { "sender": "client", "wire": "ask", "is": "chat",
              "members": { "messages": { "lastUserText": "/data/question" }, "sessionId": "/data/thread",
                           "clientMessageId": "/data/ref" } },
            { "sender": "client", "wire": "*", "unknown": "answered with oops" },
            { "sender": "server", "wire": "welcome", "is": "connected",
              "members": { "connectionId": "/data/socket", "serverTime": { "at": "/data/now", "time": "spaced-utc" } } },
            { "sender": "server", "wire": "taken", "is": "ack",
              "members": { "clientMessageId": "/data/ref", "sessionId": "/data/thread", "messageId": "/data/id",
                           "turnId": "/data/job", "duplicate": { "at": "/data/again", "values": [["yes", true]] } } },
            { "sender": "server", "wire": "reply", "is": "done",
              "members": { "text": "/data/words", "sessionId": "/data/thread", "turnId": "/data/job" },
              "writes": { "/data/kind": "final" } },
            { "sender": "server", "wire": "oops", "is": "error",
              "members": { "error": "/data/words", "code": { "at": "/data/why", "values": [["E1", "unknown_type"]] } } },
            { "sender": "server", "wire": "weather", "ignored": "no conversation" }
          ],
          "rest": {
            "health": null,
            "sessionList": { "path": "/threads", "answer": { "members": { "/sessions": { "list": "threads", "members": { "id": "key" } } } } },
            "session": { "path": "/threads/{id}", "answer": { "members": {
              "/session/id": "key",
              "/session/messages": { "list": "lines", "members": { "content": "words", "role": { "at": "who", "values": [["you", "user"], ["me", "assistant"]] } } } } } }
          }
        }
        """

    @Test func `it is read, and says the same in both directions`() throws {
        let dialect = try Dialect(Self.source, file: "birdhouse.json")
        #expect(dialect.credential == .header("x-key", prefix: "Key ") && dialect.socketPath == "/live")
        let pairs: [(Role, JSONValue, JSONValue)] = [
            (.client, ["event": "hello", "data": ["device": "d"]], ["type": "auth", "protocol": 1, "clientId": "d"]),
            (
                .client, ["event": "ask", "data": ["question": "why", "thread": "t", "ref": "c1"]],
                [
                    "type": "chat", "messages": [["role": "user", "content": "why"]], "sessionId": "t",
                    "clientMessageId": "c1",
                ]
            ),
            (
                .server,
                ["event": "taken", "data": ["ref": "c1", "thread": "t", "id": "u1", "job": "j", "again": "yes"]],
                [
                    "type": "ack", "clientMessageId": "c1", "sessionId": "t", "messageId": "u1", "turnId": "j",
                    "duplicate": true,
                ]
            ),
            (
                .server, ["event": "reply", "data": ["words": "so", "thread": "t", "job": "j", "kind": "final"]],
                ["type": "done", "text": "so", "sessionId": "t", "turnId": "j"]
            ),
        ]
        for (sender, wire, canonical) in pairs {
            #expect(dialect.decode(wire, sentBy: sender) == .frame(canonical))
            #expect(dialect.encode(canonical, sentBy: sender) == .frame(wire))
        }
        #expect(dialect.decode(["event": "weather"], sentBy: .server) == .ignored("no conversation"))
        #expect(dialect.decode(["event": "sing"], sentBy: .client) == .frame(["event": "sing", "type": "sing"]))
        // A member that is called `type` means nothing here.
        #expect(dialect.decode(["type": "chat"], sentBy: .client) == .frame([:]))
        let read = RESTRequest(method: "GET", path: "/api/sessions/t")
        let wire = try #require(dialect.encode(read))
        #expect(wire.path == "/threads/t" && dialect.decode(wire) == read)
        let answer = RESTResponse(status: 200, body: #"{"key":"t","lines":[{"words":"why","who":"you","id":"u1"}]}"#)
        let canonical = try JSONParser.value(dialect.decode(answer, to: wire).body)
        #expect(
            canonical == ["session": ["id": "t", "messages": [["id": "u1", "role": "user", "content": "why"]]]])
        #expect(
            try JSONParser.value(dialect.encode(dialect.decode(answer, to: wire), to: read).body)
                == JSONParser.value(answer.body))
    }

    @Test func `a check tells what a capture holds`() throws {
        var coverage = DialectCoverage(try Dialect(Self.source, file: "birdhouse.json"))
        coverage.take(#"{"event":"hello","data":{}}"#, sentBy: .client, at: "c:1")
        coverage.take(#"{"event":"sing"}"#, sentBy: .client, at: "c:2")
        coverage.take(#"{"event":"weather"}"#, sentBy: .server, at: "c:3")
        coverage.take(#"{"event":"novelty"}"#, sentBy: .server, at: "c:4")
        coverage.take("null", sentBy: .client, at: "c:5")
        coverage.take(#"{"event":"novelty"}"#, sentBy: .server, at: "c:6")
        coverage.take(RESTRequest(method: "GET", path: "/threads/t"), at: "c:7")
        #expect(coverage.total == 7 && coverage.entries.count == 6)
        #expect(coverage.unmapped.map(\.location) == ["c:4"] && coverage.unmapped[0].count == 2)
        #expect(coverage.entries.last?.meaning == .understood("GET /api/sessions/t"))
    }
}
