import Holdfast
import HoldfastJSON
import HoldfastTranscript
import Testing

@Suite struct NotationExpansionTests {
    @Test func `the number of an id is the number of its turn`() throws {
        #expect(
            try frames("A<ack(c2) A<done(t2)") == [
                #"{"type":"ack","clientMessageId":"c2","sessionId":"s1","turnId":"t2","messageId":"u2"}"#,
                #"{"type":"done","text":"answer 2","sessionId":"s1","turnId":"t2","messageId":"a2"}"#,
            ])
    }

    @Test func `a chat carries a session only when written`() throws {
        #expect(
            try frames("A>chat(c1) A>chat(c1 s1 'hello')") == [
                #"{"type":"chat","messages":[{"role":"user","content":"question 1"}],"clientMessageId":"c1"}"#,
                #"{"type":"chat","messages":[{"role":"user","content":"hello"}],"sessionId":"s1","clientMessageId":"c1"}"#,
            ])
    }

    @Test func `what is missing is missing in sight`() throws {
        #expect(try frames("A<done(t1 -s -a)") == [#"{"type":"done","text":"answer 1","turnId":"t1"}"#])
        #expect(try frames("A>ping A<pong(n1)") == [#"{"type":"ping"}"#, #"{"type":"pong","nonce":"n1"}"#])
    }

    @Test func `the position has the name it has on the wire`() throws {
        let texts = try frames("A<connected(e1 #3) A>sync(e1 #2) A<toolUse(t1 #1) A<syncResult(#7 complete)", [.core])
        let names = ["lastSeq", "lastSeqSeen", "seq", "lastSeq"]
        for (text, (name, number)) in zip(texts, zip(names, [3, 2, 1, 7])) {
            #expect(try JSONParser.value(text)[name]?.intValue == number)
        }
    }

    @Test func `a handshake is open, opened, auth and connected`() throws {
        let history = try history("A+(e1 #0 p2 messagesPerMinute=2)", [.core])
        #expect(history.events.map(\.lane) == Array(repeating: .connection("A"), count: 4))
        #expect(history.events.first?.kind == .opening(.init(principal: "p2", path: "/ws")))
        #expect(history.events[1].kind == .opened)
        #expect(history.frames[2]?.type == "auth")
        #expect(history.frames[3]?["limits"]?["messagesPerMinute"]?.intValue == 2)
        #expect(history.frames[3]?["lastSeq"]?.intValue == 0)
        #expect(history.frames[3]?.epoch == "e1")
    }

    @Test func `profiles decide what is filled in, numbers apart`() throws {
        let core = try history("A+", [.core]).frames[3]
        #expect(core?["epoch"] == nil)
        let sync = try history("A+", [.core, .sync]).frames[3]
        #expect(sync?.epoch == "e1")
        #expect(sync?["lastSeq"] == nil)
        #expect(sync?["limits"]?["replayMessages"]?.intValue == 1000)
    }

    @Test func `events are 1 ms apart and a wait adds to that`() throws {
        let history = try history("A>ping +250ms A<pong +30s +5min A>ping")
        #expect(history.events.map(\.at) == [1_000, 251_000, 252_000, 30_252_000, 330_252_000, 330_253_000])
        #expect(history.events[1].kind == .wait(awaited: "time", met: true))
    }

    @Test func `a letter opened again is a new connection`() throws {
        let history = try history("A+ A!cut(rst) A+")
        #expect(history.frames[3]?.string("connectionId") == "connection-A")
        #expect(history.frames[8]?.string("connectionId") == "connection-A2")
        #expect(history.events[4].kind == .act("cut", ["how": "reset"]))
    }

    @Test func `a 200 lists what the body holds`() throws {
        let history = try history(
            "1>GET(s1) 1<200(u1 a1='other' t1=failed) 2>GET 2<200(s2 s1) 3>POST(c2) 3<200(t2 duplicate)")
        func body(_ index: Int) throws -> JSONValue? {
            guard case .response(let response) = history.events[index].kind else { return nil }
            return try JSONParser.value(response.body)
        }
        let session = try body(1)?["session"]
        #expect(session?["id"] == "s1")
        #expect(session?["messages"]?[1]?["content"] == "other")
        #expect(session?["messages"]?[0]?["clientMessageId"] == "c1")
        #expect(session?["turns"] == [["turnId": "t1", "status": "failed", "clientMessageId": "c1"]])
        #expect(try body(3)?["sessions"]?.arrayValue?.map { $0["id"] } == ["s2", "s1"])
        #expect(try body(5)?["duplicate"] == true)
        #expect(try body(5)?["text"] == "answer 2")
        guard case .request(let post) = history.events[4].kind else { throw Missing() }
        #expect(post.path == "/api/chat")
    }

    @Test func `an error names a session only when it ends a turn`() throws {
        #expect(
            try frames("A<error(busy c2) A<error(agent_failed t1 #3)") == [
                #"{"type":"error","error":"busy","code":"busy","clientMessageId":"c2"}"#,
                #"{"type":"error","error":"agent failed","code":"agent_failed","sessionId":"s1","turnId":"t1","seq":3}"#,
            ])
    }

    @Test func `verbatim text stands between backticks`() throws {
        #expect(try frames("A>`{` A<`a``b`\nA>``") == ["{", "a`b", ""])
    }

    @Test func `a mark cites the last event of its word`() throws {
        let expansion = try NotationExpansion("A+^ +2s^ A<eof('reset')^", header: header())
        #expect(expansion.citations == [3, 4, 5])
    }

    @Test func `replayed frames stand in brackets`() throws {
        let history = try history("A<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        let missed = history.frames[0]?["missed"]?.arrayValue ?? []
        #expect(missed.map { $0["type"] } == ["toolUse", "done"])
        #expect(missed.map { $0["seq"]?.intValue } == [1, 2])
    }

    @Test func `push and client lanes expand`() throws {
        let text = "client!launch client=connected(s1 u1 a1) push<alert(a1) push>410"
        let events = try NotationExpansion(text, header: header([.clientCore], role: .client)).history.events
        #expect(events.map(\.lane) == [.client, .client, .push, .push])
        guard case .state(let state) = events[1].kind else { throw Missing() }
        #expect(state["messages"]?.arrayValue?.count == 2)
    }

    @Test func `a screen is what a driver would tell`() throws {
        let text = "client=degraded(u1 c2='hi' thinking failed=c2 busy 'No' error.c2=rate_limited unread.s2=1)"
        let event = try NotationExpansion(text, header: header([.clientCore], role: .client)).history.events[0]
        let state: JSONValue = [
            "connection": "degraded", "sessionId": nil, "thinking": true,
            "messages": [
                ["id": "u1", "clientMessageId": "c1", "role": "user", "text": "question 1", "status": "sent"],
                ["clientMessageId": "c2", "role": "user", "text": "hi", "status": "failed"],
            ],
            "errors": [
                ["text": "busy", "code": "busy"], ["text": "No"],
                ["text": "rate limited", "code": "rate_limited", "clientMessageId": "c2"],
            ], "unread": ["s2": 1],
        ]
        #expect(event.kind == .state(state))
    }

    @Test func `a person types what send says`() throws {
        let text = "client!send(c1) client!send(c2='hi') client!send('yo')"
        let events = try NotationExpansion(text, header: header([.clientCore], role: .client)).history.events
        let details: [JSONObject] = [
            ["text": "question 1", "as": "c1"], ["text": "hi", "as": "c2"], ["text": "yo"],
        ]
        #expect(events.map(\.kind) == details.map { .act("send", $0) })
    }

    @Test func `a push has the headers it needs and names its answer`() throws {
        let text = "push<alert(p2 a3 t3 s2 'hi' apns-collapse-id='t3' badge=1) push>400(BadDeviceToken apns-id='7')"
        let events = try history(text).events
        guard case .request(let request) = events[0].kind, case .response(let response) = events[1].kind else {
            throw Missing()
        }
        #expect(request.method == "POST" && request.path == "/3/device/p2" && request.principal == "p2")
        #expect(request[header: "apns-topic"] == "app.example")
        #expect(request[header: "apns-push-type"] == "alert")
        #expect(request[header: "apns-collapse-id"] == "t3")
        let payload: JSONValue = [
            "aps": ["alert": ["title": "Agent", "body": "hi"], "thread-id": "s2", "badge": 1], "sessionId": "s2",
            "messageId": "a3", "turnId": "t3",
        ]
        #expect(try request.body.map { try JSONParser.value($0) } == payload)
        #expect(response.status == 400 && response.body == #"{"reason":"BadDeviceToken"}"#)
        #expect(response[header: "apns-id"] == "7")
    }

    @Test func `what a push does without is written`() throws {
        let text = "push<alert(-apns-topic -thread-id -title -s -text)"
        guard case .request(let request) = try history(text).events[0].kind else { throw Missing() }
        #expect(request.headers.map(\.name) == ["apns-push-type"])
        #expect(try request.body.map { try JSONParser.value($0) } == ["aps": ["alert": [:]], "messageId": "a1"])
    }

    @Test(arguments: [
        "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) B>sync(e1 #0) B<syncResult(e1 #2 evicted)",
        "A+ A>chat(c1) A<ack(c1) A<done(t1) server!kill server!start 1>GET(s1) 1<200(u1)^",
        "A>chat(c21) A<ack(c21) server!refuseWrites A<error(persist_failed t21) server!acceptWrites",
        "A+(messagesPerMinute=2) A>chat(c3) A<error(rate_limited c3 retryAfterMs=60000) +60s A>chat(c3) A<ack(c3)",
        "client!launch A+ client!background +30s client!foreground A>close(1001) B+ client=connected(s1 u1 a1) +2s^",
        "A>open(p2 path='/ws') A<open A!cut(silence) 1>PUT(path='/x' body='{') 1<200(header.date='now') A<toolUse(search t1 #2)",
        "1>GET(s1) 1<200(u1 a1='text' t1=failed) 2>GET 2<200(s2=4 s1) 3>GET(path='/x') 3<429(rate_limited retry-after=60)",
        "A<binary(00ff) A>pingFrame A<pongFrame A<close(4001 'bad credentials') A<refused(401) 1>GET(health) 1<failed('reset')",
    ])
    func `the lines of the manual expand`(_ line: String) throws {
        _ = try NotationExpansion(line, header: header())
    }
}

struct Missing: Error {}
