import Holdfast
import HoldfastJSON
import HoldfastTranscript
import Testing

@Suite struct NotationPrinterTests {
    @Test(arguments: [
        "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) B>sync(e1 #0) "
            + "B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]",
        "A+(p2 e1 #0) A>chat(c2 s1 'it''s') A<ack(c2 duplicate) A<done(t2 duplicate) A<error(agent_failed t3 #4)",
        "1>GET(s1) 1<200(u1 a1='other' t1=failed) 2>GET 2<200(s2 s1) 3>POST(c1) 3<200(t1 duplicate) 4>GET(health) 4<200",
        "A>`{` A<`a``b` A<`null` A>binary(00ff) A<close(4001 'bad') A<eof('reset') B>open B<refused(401)",
        "A>open(path='/chat') A<open A>pingFrame A<pongFrame server!kill server!start A!cut(reset) +250ms +30s +5min",
        "A<message(u1 c1 #3) A<message(a1 #4) A<toolUse(search t1 #5 status='started') A<done(t1 #6 -s -a)",
        "A<connected(e1 #0 replayMessages=2) A<done(t1 c1 x=1.50 y='z' w=null) A<syncResult(e1 #5 too_many more)",
        "1>POST(c1) 1<429(rate_limited 'slow down' retryAfterMs=1000 retry-after='1') 2>GET(s1 -p) 2<401(not_authenticated)",
        "push!listen(p1) push<alert(a1 s1) push>200 push<alert(p2 a2 s2 't''is' title='x') push>410(Unregistered timestamp=17)",
        "push<alert(a1 s1 t1 apns-topic='b' -apns-push-type) push!hang(p1) push<alert(a1 s1 -title -thread-id) push!close(p1)",
        "push<alert(a1 s1 category='ANSWER' sound='default' type='answer') push>400(BadDeviceToken apns-id='7')",
        "client!launch(fresh=true) client!send(c1) client!send(c2='it''s') client!send('x') client!selectSession(s2)",
        "client=connected(s1 u1 a1) client=degraded(s1 u1 a1='other' c2 thinking) client=offline client=connecting(c3='hi')",
        "client=connected(s1 u1 c2 failed=c2 rate_limited error.c2=busy error.c3='No' unread.s2=3 unread.s3=1)",
        "server!elsewhere(s2 u4 a4) server!finish(s1 t1 a1) server!tool(s1 t2) server!restart(epoch='e2' lastSeq=0)",
        "client!openPush(s2 message='a5') client!selectSession(sessionId=null) client!background client=connected('gone')",
    ])
    func `what was written is printed`(_ line: String) throws {
        #expect(NotationPrinter(try history(line)).text == line)
    }

    @Test(arguments: [
        #"A<`{"type":"done","text":"x","text":"y","sessionId":"s1"}`"#,
        #"A<`{"type":"toolUse","tool":"t1","sessionId":"abc","input":{"a":[1]}}`"#,
        #"A<`{"type":"done","text":"it's","sessionId":"7f3a","turnId":"b1b2","seq":1.0}`"#,
        #"A<`{"type":"syncResult","epoch":"z9","lastSeq":3,"missed":[{"type":"pong"}],"complete":true}`"#,
        #"A<`{"type":"syncResult","epoch":"7c","lastSeq":3,"missed":[{"type":"done","text":"x","sessionId":"s","seq":3}],"complete":true}`"#,
        #"A>`{"type":"auth","protocol":2,"capabilities":["sync"]}` A>`[1]` A<`{"type":"done","seq":-1,"t1":2}`"#,
        #"1>GET(path='/api/sessions?x=1') 1<200(body='{"sessions":[{"id":"abc"}]}' -content-type header.date='now')"#,
        #"1>GET(s1='..%2f') 1<404(body='no' content-type='text/plain') 2>PUT(path='/x' body='[1') 2<failed('reset')"#,
        #"server!act(name='dance' how='wild') client=state(json='{"connection":"odd"}') A>`line`"#,
        #"push<alert(body='no JSON' header.x='y') push<alert(-p path='/3/device/x' -body) push>503(body='x') push>429(a='b')"#,
        #"push<alert(-s -a -text badge=3 x='y') push<alert(a7='uuid-1' s3='other' apns-id='x') push<alert(body='{"aps":{"alert":"x"}}')"#,
        #"A>open(p1='other') A<open A>auth A<connected(e7 #0) 1>POST(body='{')"#,
        #"client=state(json='{"connection":"connected","sessionId":"7f","thinking":false,"messages":[{"role":"user","text":"hi"}]}')"#,
        #"client=state(json='{"connection":"connected","errors":["gone"]}') client!send(details='{"text":1}') client=connected(-s)"#,
    ])
    func `reading a printed history gives the same events`(_ line: String) throws {
        let before = try history(line)
        let text = NotationPrinter(before).text
        let after = try history(text)
        #expect(before.events.map(\.lane) == after.events.map(\.lane))
        #expect(before.events.map { canonical($0.kind) } == after.events.map { canonical($0.kind) }, "\(text)")
    }

    @Test func `brief numbers ids and leaves out what is noise`() throws {
        let line = """
            A+(e1 #0) A>`{"type":"chat","messages":[{"role":"user","content":"hi"}],"clientMessageId":"6f3b-77"}`
            A<`{"type":"ack","clientMessageId":"6f3b-77","sessionId":"sess-1","turnId":"9c","messageId":"m-1"}`
            A<`{"type":"done","text":"hello","sessionId":"sess-1","turnId":"9c","messageId":"m-2","seq":1,"stats":{"model":"x"}}`
            """
        let printer = NotationPrinter(try history(line), style: .brief)
        #expect(printer.text == "A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #1)")
        #expect(printer.items.map(\.events) == [0..<4, 4..<5, 5..<6, 6..<7])
    }

    @Test func `brief says of a response what differs from the usual`() throws {
        let line = #"1>POST(c1='k') 1<200(t1='x' s1='y' a1='z' 'hi' duplicate) 2>GET(s1='y') 2<404(session_not_found)"#
        let text = NotationPrinter(try history(line), style: .brief).text
        #expect(text == "1>POST(c1) 1<200(t1 duplicate) 2>GET(s1) 2<404(session_not_found)")
    }

    @Test func `brief says of a push what it is about`() throws {
        let line =
            "push!listen(p1) push<alert(p2 a1='m-1' s1='x' t1='q' 'hello' apns-topic='b') push>410(Unregistered timestamp=17)"
        let text = NotationPrinter(try history(line), style: .brief).text
        #expect(text == "push!listen(p1) push<alert(p2 a1 s1 t1) push>410(Unregistered)")
    }

    @Test func `brief says of a screen what is on it`() throws {
        let line = #"""
            A>`{"type":"chat","messages":[{"role":"user","content":"hi"}],"clientMessageId":"6f3b"}` client=state(json='{
            "connection":"connecting","sessionId":"7f","thinking":true,"unread":{"8a":2},"errors":["gone"],"messages":[
            {"id":"m-1","role":"user","text":"yo","status":"sent"},{"id":"m-2","role":"assistant","text":"so","status":"sent"},
            {"clientMessageId":"6f3b","role":"user","text":"hi","status":"failed"}]}')
            """#
        let text = NotationPrinter(try history(line), style: .brief).text
        #expect(text == "A>chat(c1) client=connecting(s1 u1 a2 c1 thinking failed=c1 'gone' unread.s2=2)")
    }
}

/// Events as the notation keeps them: JSON by value.
private func canonical(_ kind: Event.Kind) -> String {
    func value(_ text: String) -> String { (try? JSONParser.value(text))?.text(sortedKeys: true) ?? text }
    switch kind {
    case .text(let direction, let text): return direction.rawValue + value(text)
    case .request(var request):
        request.body = request.body.map(value)
        return "\(request)"
    case .response(var response):
        response.body = value(response.body)
        return "\(response)"
    default: return "\(kind)"
    }
}
