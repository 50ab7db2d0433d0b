import Foundation
import Holdfast
import HoldfastJSON
import TestSupport
import Testing

/// Frames and requests of the included dialects, in both directions.
@Suite struct DialectMappingTests {
    private func dialect(_ name: String) throws -> Dialect { try SourceTree.specification().dialect(named: name) }

    private func value(_ text: String) throws -> JSONValue { try JSONParser.value(text) }

    private func expectSame(
        _ name: String, _ sender: Role, wire: String, canonical: String, line: Int = #line
    ) throws {
        let dialect = try dialect(name)
        let (wire, canonical) = (try value(wire), try value(canonical))
        #expect(dialect.decode(wire, sentBy: sender) == .frame(canonical), "line \(line)")
        #expect(dialect.encode(canonical, sentBy: sender) == .frame(wire), "line \(line)")
    }

    @Test func `nami says the same in its own words`() throws {
        try expectSame(
            "nami", .server, wire: #"{"type":"tool_use","tool":"webFetch"}"#,
            canonical: #"{"type":"toolUse","tool":"webFetch"}"#)
        try expectSame(
            "nami", .client, wire: #"{"type":"chat","messages":[{"role":"user","content":"hi"}],"sessionId":"s"}"#,
            canonical: #"{"type":"chat","messages":[{"role":"user","content":"hi"}],"sessionId":"s"}"#)
        let nami = try dialect("nami")
        #expect(
            try nami.encode(
                value(#"{"type":"error","error":"no","code":"busy","sessionId":"s","seq":3}"#), sentBy: .server)
                == .frame(value(#"{"type":"error","error":"no"}"#)))
        #expect(nami.socketPath == "/ws" && nami.credential == .query("key") && nami.challenge == nil)
        #expect(nami.assumedGreeting == ["type": "connected"])
    }

    @Test func `what the upgrade says needs no frame`() throws {
        let nami = try dialect("nami")
        guard case .nothing = nami.encode(["type": "auth", "protocol": 1, "token": "k"], sentBy: .client) else {
            Issue.record("auth")
            return
        }
        guard case .nothing = nami.encode(["type": "connected", "protocol": 1], sentBy: .server) else {
            Issue.record("connected")
            return
        }
        guard case .inexpressible = nami.encode(["type": "auth", "protocol": 2], sentBy: .client) else {
            Issue.record("another version")
            return
        }
        #expect(
            nami.encode(["type": "sync", "lastSeqSeen": 0], sentBy: .client)
                == .inexpressible("the dialect nami has no 'sync'"))
    }

    @Test func `adjutant says the same in its own words`() throws {
        try expectSame(
            "adjutant", .client, wire: #"{"type":"auth_response","apiKey":"k"}"#,
            canonical: #"{"type":"auth","protocol":1,"token":"k"}"#)
        try expectSame(
            "adjutant", .client, wire: #"{"type":"message","id":"c-1","to":"kerrigan","body":"hello"}"#,
            canonical: """
                {"type":"chat","clientMessageId":"c-1","sessionId":"kerrigan",\
                "messages":[{"role":"user","content":"hello"}]}
                """)
        try expectSame(
            "adjutant", .server,
            wire: #"{"type":"delivered","messageId":"m","clientId":"c-1","timestamp":"2026-11-20 21:08:37"}"#,
            canonical: #"{"type":"ack","messageId":"m","clientMessageId":"c-1","timestamp":"2026-11-20 21:08:37"}"#)
        try expectSame(
            "adjutant", .server,
            wire:
                #"{"type":"chat_message","id":"m","from":"user","to":"kerrigan","body":"x","timestamp":"2026-11-20 21:08:37","seq":4}"#,
            canonical: """
                {"type":"message","messageId":"m","sessionId":"kerrigan","role":"user","text":"x",\
                "timestamp":"2026-11-20T21:08:37Z","seq":4}
                """)
        try expectSame(
            "adjutant", .server,
            wire: #"{"type":"chat_message","id":"m","from":"kerrigan","to":"user","body":"on it","seq":5}"#,
            canonical: #"{"type":"done","messageId":"m","sessionId":"kerrigan","text":"on it","seq":5}"#)
        try expectSame(
            "adjutant", .server, wire: #"{"type":"error","code":"server_error","message":"no","relatedId":"c-1"}"#,
            canonical: #"{"type":"error","code":"internal","error":"no","clientMessageId":"c-1"}"#)
    }

    @Test func `replayed frames are translated one by one`() throws {
        let adjutant = try dialect("adjutant")
        let wire = try value(
            """
            {"type":"sync_response","missed":[{"type":"stream_token","seq":6},
            {"type":"chat_message","id":"m","from":"kerrigan","to":"user","body":"on it","seq":7},{"type":"novelty","seq":8}]}
            """)
        #expect(
            try adjutant.decode(wire, sentBy: .server)
                == .frame(
                    value(
                        """
                        {"type":"syncResult","epoch":"the only one","missed":[
                        {"type":"done","messageId":"m","sessionId":"kerrigan","text":"on it","seq":7},
                        {"type":"novelty","seq":8}]}
                        """)))
        #expect(adjutant.assumedMembers(of: wire, sentBy: .server) == [JSONPointer(tokens: ["epoch"])])
    }

    @Test func `what a dialect cannot say is not said`() throws {
        let adjutant = try dialect("adjutant")
        let two: JSONValue = ["type": "auth", "protocol": 2]
        guard case .inexpressible(let reason) = adjutant.encode(two, sentBy: .client) else {
            Issue.record("version 2")
            return
        }
        #expect(reason.contains("'/protocol' can only be 1, not 2"))
        for text in [
            #"{"type":"chat","messages":[]}"#, #"{"type":"chat","messages":"x"}"#,
            #"{"type":"chat","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}"#,
            #"{"type":"sync","lastSeqSeen":3,"epoch":"another"}"#, #"{"type":"ping"}"#,
        ] {
            guard case .inexpressible = try adjutant.encode(value(text), sentBy: .client) else {
                Issue.record("\(text)")
                continue
            }
        }
        // Hostile frames are no messages of the specification, and go out as they are.
        #expect(adjutant.encode(["type": "zzz"], sentBy: .client) == .frame(["type": "zzz"]))
        #expect(adjutant.encode(nil, sentBy: .client) == .frame(nil))
    }

    @Test func `a wire null is absent`() throws {
        let adjutant = try dialect("adjutant")
        #expect(
            adjutant.decode(["type": "delivered", "messageId": "u1", "clientId": nil], sentBy: .server)
                == .frame(["type": "ack", "messageId": "u1"]))
        #expect(
            adjutant.decode(["type": "sync_response", "missed": nil], sentBy: .server)
                == .frame(["type": "syncResult", "epoch": "the only one"]))
    }

    @Test func `an unknown type is never taken for one of the specification`() throws {
        let adjutant = try dialect("adjutant")
        #expect(adjutant.decode(["type": "ping"], sentBy: .client) == .frame(["type": "adjutant:ping"]))
        guard case .unmapped = adjutant.decode(["type": "done", "text": "x"], sentBy: .server) else {
            Issue.record("done")
            return
        }
        #expect(adjutant.foreign(["type": "done"]) == ["type": "adjutant:done"])
        #expect(adjutant.decode(nil, sentBy: .client) == .frame(nil))
        #expect(adjutant.decode([:], sentBy: .client) == .frame([:]))
    }

    @Test func `adjutant keeps its conversations elsewhere`() throws {
        let adjutant = try dialect("adjutant")
        #expect(adjutant.encode(RESTRequest(method: "GET", path: "/api/sessions")) == nil)
        let read = RESTRequest(method: "GET", path: "/api/sessions/k%20e")
        let wire = try #require(adjutant.encode(read))
        #expect(wire == RESTRequest(method: "GET", path: "/api/messages?agentId=k%20e&limit=200"))
        #expect(adjutant.decode(wire) == read)
        #expect(adjutant.decode(RESTRequest(method: "GET", path: "/api/messages?agentId=k&beforeId=m")) == nil)
        #expect(adjutant.decode(RESTRequest(method: "GET", path: "/api/sessions")) == nil)
        let body = """
            {"success":true,"data":{"items":[{"id":"a1","role":"agent","body":"ho","threadId":null,\
            "createdAt":"2026-11-20 21:09:45"}],"total":1,"hasMore":false},"timestamp":"2026-11-20T21:09:46.784Z"}
            """
        let canonical = try value(adjutant.decode(RESTResponse(status: 200, body: body), to: wire).body)
        #expect(canonical["session"]?["id"] == "k e")
        let message = try #require(canonical["session"]?["messages"]?[0])
        #expect(message["role"] == "assistant" && message["content"] == "ho" && message["id"] == "a1")
        #expect(message["timestamp"] == "2026-11-20T21:09:45Z")
        let part = body.replacing("\"hasMore\":false", with: "\"hasMore\":true")
        #expect(adjutant.isComplete(RESTResponse(status: 200, body: body), to: wire))
        #expect(!adjutant.isComplete(RESTResponse(status: 200, body: part), to: wire))
    }

    @Test func `questions and errors over REST have their envelopes`() throws {
        let adjutant = try dialect("adjutant")
        let chat = RESTRequest(
            method: "POST", path: "/api/chat",
            body: #"{"messages":[{"role":"user","content":"hi"}],"sessionId":"k","clientMessageId":"c"}"#)
        let wire = try #require(adjutant.encode(chat))
        #expect(wire.path == "/api/messages" && wire.method == "POST")
        #expect(try value(#require(wire.body)) == ["to": "k", "body": "hi"])
        let accepted = RESTResponse(
            status: 201, body: #"{"success":true,"data":{"messageId":"u1","timestamp":"2026-11-20 21:09:46"}}"#)
        let canonical = adjutant.decode(accepted, to: wire)
        let named = try value(canonical.body)["messageId"]
        #expect(canonical.status == 200 && named == nil)
        let refused = RESTResponse(
            status: 401, body: #"{"success":false,"error":{"code":"UNAUTHORIZED","message":"API key required"}}"#)
        let error = adjutant.decode(refused, to: wire)
        #expect(try value(error.body) == ["error": "API key required", "code": "auth_failed"])
        #expect(try value(adjutant.encode(error, to: chat).body) == value(refused.body))
        let nami = try dialect("nami")
        let missing = RESTResponse(status: 404, body: #"{"error":"Session not found","code":404}"#)
        let get = RESTRequest(method: "GET", path: "/api/sessions/x")
        #expect(try value(nami.decode(missing, to: get).body)["code"] == "session_not_found")
        #expect(try value(nami.encode(nami.decode(missing, to: get), to: get).body) == value(missing.body))
        #expect(nami.decode(RESTRequest(method: "GET", path: "/api/sessions/../x"))?.path == "/api/sessions/../x")
        #expect(nami.decode(RESTRequest(method: "PATCH", path: "/api/sessions/x")) == nil)
    }

    @Test func `syl hides a message in its frame, and null is absent at any depth`() throws {
        let syl = try dialect("syl")
        let stored: JSONValue = [
            "id": "syl:message:1", "conversationId": "syl:conversation:1", "clientId": "c1", "role": "user",
            "text": "hi", "createdAt": "2026-11-25T18:51:27.754Z", "seq": 7, "attachments": [],
        ]
        let message: JSONValue = [
            "type": "chat_message", "seq": 12, "ts": "2026-11-25T18:51:27.755Z", "message": stored,
        ]
        let seen = try #require(syl.meaning(of: message, sentBy: .server))
        #expect(seen["type"] == "message" && seen["seq"] == 12 && seen["messageId"] == "syl:message:1")
        #expect(seen["clientMessageId"] == "c1" && seen["text"] == "hi" && seen["role"] == "user")
        let error: JSONValue = [
            "type": "error", "fatal": false,
            "error": [
                "code": "VALIDATION_FAILED", "message": "no", "retryable": false, "details": nil, "retryAfterMs": nil,
            ],
        ]
        #expect(
            syl.decode(error, sentBy: .server)
                == .frame(["type": "error", "fatal": false, "error": "no", "code": "bad_request", "retryable": false]))
    }

    @Test func `syl lists its messages newest first, a page of them is no read`() throws {
        let syl = try dialect("syl")
        let read = RESTRequest(method: "GET", path: "/api/sessions/syl%3Aconversation%3A1")
        let wire = try #require(syl.encode(read))
        #expect(
            wire.path == "/api/v1/conversations/syl%3Aconversation%3A1/messages?limit=200" && syl.decode(wire) == read)
        let body = """
            {"success":true,"data":{"items":[{"id":"a1","role":"assistant","text":"ho","clientId":null,\
            "createdAt":"2026-11-25T18:51:28.000Z"},{"id":"u1","role":"user","text":"hi","clientId":"c1",\
            "createdAt":"2026-11-25T18:51:27.754Z"}],"nextCursor":null,"hasMore":false}}
            """
        let canonical = syl.decode(RESTResponse(status: 200, body: body), to: wire)
        let session = try value(canonical.body)["session"]
        #expect(session?["id"] == "syl:conversation:1")
        let messages = try #require(session?["messages"]?.arrayValue)
        #expect(messages.map { $0["id"] } == ["u1", "a1"] && messages[1]["clientMessageId"] == nil)
        let again = try value(syl.encode(canonical, to: read).body)
        #expect(again["data"]?["items"]?.arrayValue?.map { $0["id"] } == ["a1", "u1"])
        let part = body.replacing("\"hasMore\":false", with: "\"hasMore\":true")
        #expect(!syl.isComplete(RESTResponse(status: 200, body: part), to: wire))
    }
}
