import Holdfast
import HoldfastTranscript
import TestSupport
import Testing

/// What client and server sent at the same moment: neither knew of the other's, each beside the breach that is one edit away.
@Suite struct ClientCrossingTests {
    @Test func `CLIENT-23, CLIENT-26 what a driver tells late was so at some moment since it was asked`() throws {
        func slow(_ clause: String, from: Int, to: Int) -> ClauseUnderTest {
            ClauseUnderTest(clause, slowAnswers: [History.SlowAnswer(from: from, to: to)])
        }
        let lost = "client!launch A+ client=connected(s1) A!cut B>open B<open B>auth +1s client=connected(s1)"
        try ClauseUnderTest("CLIENT-23").violates("\(lost)^ B<connected")
        try slow("CLIENT-23", from: 0, to: 1_020_000).untested("\(lost) B<connected")
        try slow("CLIENT-23", from: 700_000, to: 1_020_000).violates("\(lost)^ B<connected")
        let told = "client!launch A+(e1 #0) client=connected(s1) A<message(s1 a2 #1) +6s"
        try ClauseUnderTest("CLIENT-26", rule: 3).violates("\(told)^", also: ["CLIENT-26"])
        try slow("CLIENT-26", from: 4_000_000, to: 6_020_000).untested(told)
        try slow("CLIENT-26", from: 5_500_000, to: 6_020_000).violates("\(told)^")
    }

    @Test func `CLIENT-40 a read that hangs shows nothing of what is stored meanwhile`() throws {
        let clause = ClauseUnderTest("CLIENT-40")
        let lost = "client!launch A+ client=connected(s1 u1 a1) A!cut"
        let stored = "server!elsewhere(s1 a2)"
        let late = "+37s client=degraded(s1 u1 a1)"
        try clause.untested("\(lost) 1>GET(s1) \(stored) 1<failed('timeout') \(late)", also: ["CLIENT-37"])
        try clause.warns("\(lost) 1>GET(s1) 1<failed('timeout') \(stored) \(late)^", also: ["CLIENT-37"])
    }

    @Test func `CLIENT-30 the refusal of a repeat may cross with a replay that has its message`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let asked = """
            client!launch A+(e1 #0) client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1)
            client=connected(s1 u1 a1 c2 thinking) A!cut B+(e1 #1) B>sync(e1 #0)
            """
        let refused = "B>chat(c2 s1) B<error(rate_limited c2)"
        let waits = "client=connected(s1 u1 a1 c2 thinking rate_limited) +17s"
        try clause.untested("\(asked) B<syncResult(e1 #1 complete)[message(s1 u2 c2 t2 #1)] \(refused) \(waits)")
        try clause.violates("\(asked) B<syncResult(e1 #1 complete) \(refused) \(waits)^")
    }

    @Test func `CLIENT-30 what is sent again may go into a connection that has died`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let refused = """
            client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1)
            client=connected(s1 u1 a1 c2 thinking) A<error(rate_limited c2 retryAfterMs=300)
            client=connected(s1 u1 a1 c2 rate_limited)
            """
        let again = "+1s client=connected(s1 u1 a1 c2 thinking rate_limited)"
        try clause.conforms("\(refused) A!cut(silence) \(again)")
        try clause.violates("\(refused) \(again)^")
    }

    @Test func `CLIENT-26, CLIENT-6 a resend may have left as the ending of its turn came`() throws {
        let sent = "client!launch A+(e1 #0) client=connected(s1) client!send(c2) A>chat(c2 s1) A<ack(c2)"
        let back = "A!cut B+(e1 #2) B>sync(e1 #0)"
        let told = "B<syncResult(e1 #2 complete)[message(u2 s1 c2 #1) error(agent_failed t2 c2 #2)]"
        let again = "client=connected(s1 u2 failed=c2) client!sendAgain(c2)"
        let (posted, sentOnB) = ("1>POST(c2 s1)", "B>chat(c2 s1)")
        try ClauseUnderTest("CLIENT-6", rule: 2).untested("\(sent) \(back) \(told) \(again) \(posted)")
        try ClauseUnderTest("CLIENT-6", rule: 2).violates("\(sent) \(back) \(told) \(again) \(sentOnB)^")
        // The ending may have been told before, as the app went away.
        let away = "client!background A<error(agent_failed t2 c2 #2) client!foreground"
        try ClauseUnderTest("CLIENT-6", rule: 2).untested("\(sent) \(away) \(back) \(told) \(again) \(posted)")
    }

    @Test func `CLIENT-9 what a sample shows between two events did not cross`() throws {
        let clause = ClauseUnderTest("CLIENT-9")
        let again = """
            client!launch A+ client=connected(s1) client!send(c2) A>chat(c2 s1) A!cut LATER B+ 1>GET(s1) B>chat(c2 s1)
            B<error(bad_request c2)
            """
        let failed = "client=connected(s1 c2 failed=c2)"
        let later = again.replacing("LATER", with: "+3s")
        try clause.violates("\(later) \(failed) 1>POST(c2 s1)^")
        try clause.untested("\(later) 1>POST(c2 s1)")
        // Its connection was lost just before: the request may have been under way.
        try clause.untested("\(again.replacing("LATER ", with: "")) \(failed) 1>POST(c2 s1)")
    }

    @Test func `CLIENT-40 a server may show what was there before`() throws {
        let clause = ClauseUnderTest("CLIENT-40")
        let lost = "client!launch A+ client=connected(s1 u1 a1) A!cut server!elsewhere(s1 a2) 1>GET(s1)"
        let late = "+37s client=degraded(s1 u1 a1)"
        try clause.untested("\(lost) 1<200(u1 a1) \(late)", also: ["CLIENT-37"])
        try clause.warns("\(lost) 1<200(u1 a1 a2) \(late)^", also: ["CLIENT-37", "CLIENT-25"])
    }

    @Test func `CLIENT-31 an answer that came after the app's end reaches nobody`() throws {
        let clause = ClauseUnderTest("CLIENT-31", rule: 1)
        let posted = "client!launch client=degraded(s1) client!send(c1) 1>POST(c1 s1)"
        let failed = "client=degraded(s1 c1 failed=c1) +17s"
        try clause.untested("\(posted) client!launch(fresh=false) 1<200(t1) \(failed)")
        try clause.violates("\(posted) 1<200(t1) \(failed)^")
    }

    @Test func `CLIENT-38 what is too long stays in the conversation where it was typed`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let typed = "client!launch client=connecting client!send(c1='12345678') client=connecting(c1) A>open A<open"
        let left = """
            A>auth A<connected(maxFrameBytes=4) client!selectSession(s2) 1>GET(s2) 1<200(u5 a5)
            client=connected(s2 u5 a5) +17s
            """
        try clause.untested("\(typed) \(left)")
        try clause.violates("\(typed) \(left.replacing("maxFrameBytes=4", with: "maxFrameBytes=400"))^")
    }

    @Test func `CLIENT-34 a notification has shown nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 2)
        let tapped = "client!launch client!networkDown client!openPush(s2 message=a5) +5s client=offline(s2)"
        let back = "client!networkUp A+ +2s client!selectSession(s1) A<done(t4 s2 a4) A<done(t5 s2 a5)"
        try clause.conforms("\(tapped) \(back) client=connected(s1 unread.s2=2)")
        let shown = tapped.replacing("client=offline(s2)", with: "client=offline(s2 a5)")
        try clause.warns("\(shown) \(back) client=connected(s1 unread.s2=2)^")
    }

    @Test func `CLIENT-28 a session may be left for the answer to an older read of it`() throws {
        let clause = ClauseUnderTest("CLIENT-28")
        let read = "client!launch A+ client!selectSession(s2) client=connected(s2) 1>GET(s2)"
        let away = "client!selectSession(s1) client!selectSession(s2) client=connected(s2) client=connected"
        try clause.untested("\(read) 1<404 \(away)")
        try clause.violates("\(read) 1<200(u4 a4) \(away)^")
        try clause.violates("\(read) 1<404 +3s \(away)^")
    }

    @Test func `CLIENT-21 an earlier message that was refused for a while may have begun the session`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        let first = "client!launch A+ client=connected client!send(c1) A>chat(c1) A!cut 1>POST(c1)"
        let later = "client!send(c2) client=connected(c1 c2 thinking) B+ B>chat(c2) B!cut C+ 2>GET(s1) 2<200(u1=c1)"
        let shown = "client=connected(s1 u1='c1' c2 thinking)"
        try clause.untested("\(first) 1<429(rate_limited c1) \(later) \(shown)")
        try clause.violates("\(first) 1<failed('reset') \(later) \(shown)^")
    }

    @Test func `CLIENT-3 who has given a connection up takes no leave of it`() throws {
        let clause = ClauseUnderTest("CLIENT-3")
        let asked = "client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) +15s"
        try clause.untested("\(asked) 1>POST(c1 s1) A<close(4001) +1s B>open")
        try clause.violates("\(asked) 1>POST(c1 s1) +1s A<close(4001) +1s B>open^")
    }

    @Test func `CLIENT-3 who has opened another connection minds no close of the one before`() throws {
        let clause = ClauseUnderTest("CLIENT-3")
        let back = "client!launch A+ client=connected(s1) client!background client!foreground"
        let again = "B<refused('503') +16s C>open"
        try clause.untested("\(back) B>open A<close(4001) \(again)")
        try clause.violates("\(back) B+ +20s B<close(4001) +16s C>open^", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-39 a request counts no time while its app is away`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let sent = "client!launch client!send(c1) client=degraded(c1 thinking) 1>POST(c1)"
        let back = "client!background +70s client!foreground A+(e1 #0) A>sync(e1 #0) A<syncResult(e1 #0 complete)"
        try clause.untested("\(sent) \(back) client=connected(c1 thinking) +66s client=connected(c1 thinking)")
        let late = "client=connected(c1 thinking) +80s client=connected(c1 thinking)"
        try clause.violates("\(sent) \(back) \(late) +80s^ client=connected(c1 thinking)")
    }

    @Test func `CLIENT-26 a session that was not there is left`() throws {
        let clause = ClauseUnderTest("CLIENT-26", rule: 3)
        let opened = "client!launch A+(e1 #0) client!selectSession(s1) client=connected(s1) 1>GET(s1)"
        let came = "A<message(s1 u1 t1 #1) +6s^ client=connected"
        try clause.untested("\(opened) 1<404(session_not_found) \(came.replacing("^", with: ""))")
        try clause.violates("\(opened) 1<200 \(came)(s1)")
        try clause.untested("\(opened) 1<200 client!selectSession \(came.replacing("^", with: ""))")
    }

    @Test func `CLIENT-12 a message that was refused as it was sent again may have begun the session`() throws {
        let clause = ClauseUnderTest("CLIENT-12")
        let first = "client!launch A+ client=connected client!send(c1) A>chat(c1) A!cut 1>POST(c1)"
        let next = """
            client!send(c2) client!send(c3) client=connected(c1 c2 c3 thinking) B+ B>chat(c2) B<ack(c2 s2)
            B<done(t2 s2) B>chat(c3 s1)
            """
        try clause.untested("\(first) 1<429(rate_limited c1) \(next)")
        try clause.violates("\(first.replacing("A>chat(c1) A!cut ", with: "")) 1<429(rate_limited c1) \(next)^")
    }

    @Test func `CLIENT-8 nobody reads the response to a request that was on its way when the network went`() throws {
        let clause = ClauseUnderTest("CLIENT-8")
        let asked = "client!launch A+ client=connected client!send(c1) A>chat(c1) A!cut"
        let refused = "1>POST(c1) 1<429(rate_limited c1 retryAfterMs=1000) 2>POST(c1)"
        try clause.untested("\(asked) client!networkDown client!networkUp \(refused)")
        try clause.violates("\(asked) \(refused)^")
    }
}
