import Holdfast
import HoldfastTranscript
import Testing

@Suite struct NotationPrinterTests {
    @Test(arguments: [
        "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) B>sync(e1 #0) "
            + "B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]",
        "A+(p2 e1 #0) A<ack(c2 duplicate) A<done(t2 duplicate) A<error(agent_failed t3 #4)",
        "3>POST(c1) 3<200(t1 duplicate) 4>GET(health) 4<200 2>GET(s1 -p) 2<401(not_authenticated)",
        "A>`{` A<`a``b` A>binary(00ff) A<close(4001) A<eof B>open B<refused(401)",
        "A>pingFrame A<pongFrame server!kill server!start A!cut(reset) +250ms +30s +5min",
        "push!listen(p1) push<alert(a1 s1) push>200 push>410(Unregistered)",
        "client!launch(fresh=true) client!send(c1) client!selectSession(s2) client=connecting(s1 u1 a1 thinking)",
        "client=connected(s1 u1 c2 failed=c2 rate_limited error.c2=busy error.c3='No' unread.s2=3 unread.s3=1)",
        "server!elsewhere(s2 u4 a4) server!finish(s1 t1 a1) server!tool(s1 t2) server!restart(epoch='e2' lastSeq=0)",
    ])
    func `what was written is printed`(_ line: String) throws {
        #expect(NotationPrinter(try history(line)).text == line)
    }

    @Test func `it numbers ids and leaves out what is noise`() throws {
        let line = """
            A+(e1 #0) A>`{"type":"chat","messages":[{"role":"user","content":"hi"}],"clientMessageId":"6f3b-77"}`
            A<`{"type":"ack","clientMessageId":"6f3b-77","sessionId":"sess-1","turnId":"9c","messageId":"m-1"}`
            A<`{"type":"done","text":"hello","sessionId":"sess-1","turnId":"9c","messageId":"m-2","seq":1,"stats":{"model":"x"}}`
            """
        let printer = NotationPrinter(try history(line))
        #expect(printer.text == "A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #1)")
        #expect(printer.items.map(\.events) == [0..<4, 4..<5, 5..<6, 6..<7])
    }

    @Test func `it says of a response what differs from the usual`() throws {
        let line = #"1>POST(c1='k') 1<200(t1='x' s1='y' a1='z' 'hi' duplicate) 2>GET(s1='y') 2<404(session_not_found)"#
        let text = NotationPrinter(try history(line)).text
        #expect(text == "1>POST(c1) 1<200(t1 duplicate) 2>GET(s1) 2<404(session_not_found)")
    }

    @Test func `the number of an answer is that of its question, whichever response comes first`() throws {
        let line = #"""
            1>POST(c1='k') 2>POST(c2='l' s1='y') 3>GET(s1='y') 3<200(body='{"session":{"id":"y","messages":[
            {"id":"m-1","role":"user","clientMessageId":"k","turnId":"v"},
            {"id":"m-2","role":"user","clientMessageId":"l","turnId":"w"},{"id":"m-3","role":"assistant","turnId":"v"}],
            "turns":[{"turnId":"v","clientMessageId":"k","status":"done"},
            {"turnId":"w","clientMessageId":"l","status":"running"}]}}')
            2<200(t2='w' s1='y' a2='m-4') 1<200(t1='v' s1='y' a1='m-3')
            """#
        let text = NotationPrinter(try history(line)).text
        #expect(
            text == "1>POST(c1) 2>POST(c2 s1) 3>GET(s1) 3<200(u1 u2 a1) 2<200(t2) 1<200(t1)", "in mid-turn, and later")
        let late = #"1>POST(c1='k') 2>POST(c2='l') 2<200(t2='w' a2='m-4') 1<200(t1='v' a1='m-3')"#
        #expect(NotationPrinter(try history(late)).text == "1>POST(c1) 2>POST(c2) 2<200(t2) 1<200(t1)")
    }

    @Test func `it says of a push what it is about`() throws {
        let line =
            "push!listen(p1) push<alert(p2 a1='m-1' s1='x' t1='q' 'hello' apns-topic='b') push>410(Unregistered timestamp=17)"
        let text = NotationPrinter(try history(line)).text
        #expect(text == "push!listen(p1) push<alert(p2 a1 s1 t1) push>410(Unregistered)")
    }

    @Test func `it says of a screen what is on it`() throws {
        let line = #"""
            A>`{"type":"chat","messages":[{"role":"user","content":"hi"}],"clientMessageId":"6f3b"}` client=state(json='{
            "connection":"connecting","sessionId":"7f","thinking":true,"unread":{"8a":2},"errors":["gone"],"messages":[
            {"id":"m-1","role":"user","text":"yo","status":"sent"},{"id":"m-2","role":"assistant","text":"so","status":"sent"},
            {"clientMessageId":"6f3b","role":"user","text":"hi","status":"failed"}]}')
            """#
        let text = NotationPrinter(try history(line)).text
        #expect(text == "A>chat(c1) client=connecting(s1 u1 a2 c1 thinking failed=c1 'gone' unread.s2=2)")
    }
}
