import TestSupport
import Testing

/// What a client does when it comes back.
@Suite struct ClientRecoveringTests {
    private let running = """
        client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)
        client=connected(s1 u1 a1 u2 thinking)
        """

    @Test func `CLIENT-14 a reconnect is followed by a recovery`() throws {
        let clause = ClauseUnderTest("CLIENT-14")
        let back = "\(running) A!cut B+"
        try clause.conforms("\(back) 1>GET(s1)")
        let held = running.replacing("A+", with: "A+(e1 #0)")
        try clause.conforms("\(held) A!cut B+(e1 #2) B>sync(e1 #0)")
        // A stream that nothing told of before replays nothing of an older turn.
        try clause.violates("\(running) A!cut B+(e1 #2) B>sync(e1 #0) +17s^", also: ["CLIENT-18"])
        try clause.conforms("\(running) A!cut 1>GET(s1) B+ 1<200(u1 a1 u2) +17s")  // before the socket is back
        try clause.conforms("\(running) 1>GET(s1) A!cut B+ 1<200(u1 a1 u2) +17s")  // one read serves both
        try clause.conforms("\(running) client!background +30s client!foreground A>close(1001) B+ 1>GET(s1)")
        try clause.violates("\(back) +17s^", also: ["CLIENT-18"])
        try clause.violates(
            "\(running) client!background +30s client!foreground A>close(1001) B+ +17s^", also: ["CLIENT-18"])
        // What is asked on the next connection is the recovery of that one.
        try clause.violates("\(back) +17s^ B!cut C+ 1>GET(s1)", also: ["CLIENT-18"])
        // Without an epoch there is no replay.
        try clause.violates("\(back) B>sync(#0) B<error(unknown_type) +17s^", also: ["CLIENT-15"])
        try clause.violates("\(back) 1>GET 1<200(s1) +17s^", also: ["CLIENT-18"])  // the list holds no messages
        try clause.violates("\(back) 1>GET(s7) 1<404(session_not_found) +17s^", also: ["CLIENT-18"])
        try clause.untested("\(back) +16s", also: ["CLIENT-18"])
        try clause.untested("\(back) +1s B!cut +29s")
        // The answer came by itself.
        try clause.untested("\(back) B<done(t2) client=connected(s1 u1 a1 u2 a2) +17s", also: ["CLIENT-18"])
        try clause.untested("\(running) A<done(t2) client=connected(s1 u1 a1 u2 a2) A!cut B+ +17s", also: ["CLIENT-18"])
        try clause.untested("\(running) client!quit client!launch B+ client=connected +17s")
        try clause.untested("client!launch A+ client!send(c2) A>chat(c2 s1) A!cut B+ B>chat(c2 s1)")  // of no turn yet
    }

    @Test func `CLIENT-25 all that was missed is shown, in order`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 1)
        let read = "client!launch A+ client=connected(s1 u1 a1) A!cut B+ 1>GET(s1) 1<200(u1 a1 u2 a2 u3 a3)"
        try clause.conforms("\(read) client=connected(s1 u1 a1 u2 a2 u3 a3) +17s")
        try clause.conforms("\(read) client=connected(s1 u1 a1) +10s client=connected(s1 u1 a1 u2 a2 u3 a3)")
        try clause.conforms("\(read) client=connected(s1 u1 a1 u2 a2 u3 a3 c4)")  // more than the history is legal
        try clause.violates("\(read) client=connected(s1 u1 a1 a3) +17s^")
        try clause.violates("\(read) +17s^")
        try clause.violates("\(read) client=connected(s1 u1 a1 u2 a2 a3 u3) +17s^")
        try clause.violates("\(read) client=connected(s1 u2 a2 u3 a3 u1 a1) +17s^")
        try clause.untested("\(read) client=connected(s1 u1 a1 a3) +10s")
        try clause.untested("\(read) client!selectSession(s2) client=connected(s2) +17s", also: ["CLIENT-18"])
        try clause.untested("client!launch A+ client=connected(s1 u1 a1) 1>GET(s1) 1<200(u1 a1) +17s")
        try clause.untested("client!launch A+ client=connected(s2) 1>GET(s1) 1<200(u1 a1) +17s")
    }

    @Test func `CLIENT-25 what was missed in the middle is put there`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 1)
        let read = "client!launch A+ client=connected(s1 u1 a1 u3 a3) 1>GET(s1) 1<200(u1 a1 u2 a2 u3 a3)"
        try clause.conforms("\(read) client=connected(s1 u1 a1 u2 a2 u3 a3)")
        try clause.violates("\(read) client=connected(s1 u1 a1 u3 a3 u2 a2) +17s^")
        try clause.violates("\(read) client=connected(s1 u1 a1 u3 a3) +17s^")
        // Equal texts are different messages.
        let same = "client!launch A+ client=connected(s1 u1='yes' a1='ok' u3='yes' a3='ok') 1>GET(s1)"
        let stored = "1<200(u1='yes' a1='ok' u2='yes' a2='ok' u3='yes' a3='ok')"
        try clause.conforms("\(same) \(stored) client=connected(s1 u1='yes' a1='ok' u2='yes' a2='ok' u3='yes' a3='ok')")
        try clause.violates("\(same) \(stored) +17s^", also: ["CLIENT-26"])
    }

    @Test func `CLIENT-25 a replay is shown whole`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 1)
        let replay = """
            client!launch A+(e1 #0) client=connected(s1 u1 a1) A!cut B+(e1 #3) B>sync(e1 #0)
            B<syncResult(e1 #3 complete)[message(u2 #1) done(t2 #2) done(t3 #3)]
            """
        try clause.conforms("\(replay) client=connected(s1 u1 a1 u2 a2 a3)")
        try clause.violates("\(replay) client=connected(s1 u1 a1 u2 a3) +17s^")
        try clause.violates("\(replay) client=connected(s1 u1 a1 a3 a2 u2) +17s^")
        // The same word under another key is not what was missed, and stands where it stands.
        let again = """
            client!launch A+(e1 #0) client=connected(s1 u1 a1) A!cut B+(e1 #2) B>sync(e1 #0) client!send(c3='yes')
            B<syncResult(e1 #2 complete)[message(u2 c2 'yes' #1) done(t2 #2)] client=connected(s1 u1 a1 a2 c3='yes')
            """
        try clause.conforms("\(again) client=connected(s1 u1 a1 u2='yes' a2 c3='yes')")
        try clause.violates("\(again) +17s^", also: ["CLIENT-38"])
    }

    @Test func `CLIENT-25 asks for no message that the history lacks`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 1)
        let replay = """
            client!launch A+(e1 #0) client=connected(s1 u1 a1) A!cut B+(e1 #3) B>sync(e1 #0)
            B<syncResult(e1 #3 complete)[message(u2 #1) done(t2 #2)]
            """
        let shown = "client=connected(s1 u1 a1 a2)"
        try clause.violates("\(replay) 1>GET(s1) 1<200(u1 a1 u2 a2) \(shown) +17s^")
        try clause.conforms("\(replay) 1>GET(s1) 1<200(u1 a1 a2) \(shown) +17s")
    }

    @Test func `CLIENT-25 samples while a sync is unanswered`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 1)
        let read = """
            client!launch A+(e1 #0) client=connected(s1 u1 a1) A!cut B+(e1 #9) B>sync(e1 #0) 1>GET(s1)
            1<200(u1 a1 u2 a2)
            """
        try clause.conforms("\(read) client=connected(s1 u1 a1 u2 a2)")
        try clause.violates("\(read) client=connected(s1 u1 a1 a2) +17s^")
        try clause.violates("\(read) client=connected(s1 u1 a1 a2 u2) +17s^")
        try clause.untested("\(read) client=connected(s1 u1 a1 a2 u2) +16s")  // the replay may put it in order
    }

    @Test func `CLIENT-25 a recovery never shows less`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 2)
        let read = "client!launch A+ client=connected(s1 u1 a1 u2 a2) A!cut B+ 1>GET(s1)"
        try clause.conforms("\(read) +3s 1<200(u1 a1 u2 a2)")
        try clause.conforms("\(read) +1s 1<500(internal) +1s")
        try clause.conforms("\(read) +1s 1<200(u1 a1) +1s")
        try clause.conforms("\(read) 1<200(u1 a1 u2 a2 u3 a3) client=connected(s1 u1 a1 u2 a2 u3 a3)")
        try clause.conforms("\(read) client=connecting(s1 u1 a1 u2 a2)")
        try clause.violates("\(read) client=connected(s1)^")
        try clause.violates("\(read) 1<500(internal) client=connected(s1)^")
        try clause.violates("\(read) 1<200(u1 a1) client=connected(s1 u1 a1)^")
        try clause.violates("client!launch A+ client=connected(s1 u1 a1) A!cut B+ client=connected(s1)^")
        // The stage has answered before the client has heard it.
        let answered = "\(read) 1<200(u1 a1) client=connected(s1 u1 a1 u2 a2 c3)"
        try clause.violates("\(answered) client=connected(s1 u1 a1)^")
        try clause.conforms("\(answered) client=connected(s1 u1 a1 u2 a2)")
        try clause.conforms("\(answered) client!selectSession(s2) client!selectSession(s1) client=connected(s1 u1)")
        try clause.conforms("\(answered) +18s client=connected(s1 u1 a1)")
        try clause.untested(read)
        try clause.untested(
            "client!launch A+ client=connected(s1 u1 a1) client!selectSession(s2) 1>GET(s2) client=connected(s2)")
    }

    @Test func `CLIENT-25 what came live stays when an older read is longer`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 2)
        let reading = "client!launch A+ client=connected(s1 u1 a1) A!cut B+ 1>GET(s1)"
        let live = "\(reading) B<done(t4 a4) client=connected(s1 u1 a1 a4) 1<200(u1 a1 u2 a2)"
        try clause.conforms("\(live) client=connected(s1 u1 a1 u2 a2 a4)")
        try clause.violates("\(live) client=connected(s1 u1 a1 u2 a2)^")
        // The server itself has it no more.
        try clause.conforms("\(live) 2>GET(s1) 2<200(u1 a1 u2 a2) client=connected(s1 u1 a1 u2 a2)")
        try clause.conforms("\(live) client!selectSession(s2) client=connected(s2)")
    }

    @Test func `CLIENT-25 what a read lacks that was begun since it came may go`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 2)
        let live = """
            client!launch A+ client=connected(s1 u1 a1) A!cut B+ 1>GET(s1) B<done(t4 a4) client=connected(s1 u1 a1 a4)
            1<200(u1 a1 a4)
            """
        try clause.conforms("\(live) 2>GET(s1) 2<200(u1 a1) client=connected(s1 u1 a1)")
        try clause.violates("\(live) 2>GET(s1) 2<200(u1 a1) client=connected(s1 u1)^")
        try clause.violates("\(live) 2>GET(s1) 2<200(u1 a1) client=connected(s1 a1 a4)^")
        try clause.violates("\(live) client=connected(s1 u1 a1)^")
    }

    @Test func `CLIENT-25 two entries of one message may become one`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 2)
        try clause.conforms(
            "client!launch A+ client=connected(s1 u1 c1) 1>GET(s1) 1<200(u1 a1) client=connected(s1 u1) client=connected(s1 u1 a1)"
        )
        try clause.conforms(
            "client!launch A+ client=connected(s1 u1 a1) 1>GET(s1) 1<404(session_not_found) client=connected(s1)")
    }

    @Test func `CLIENT-20 one read serves all`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 1)
        let reading = "\(running) client!background +5s client!foreground B+ 1>GET(s1)"
        try clause.conforms("\(reading) client!receivePush(s1 message='a2') +1s 1<200(u1 a1 u2 a2)")
        try clause.conforms(
            "\(reading) client!receivePush(s1 message='a2') 1<200(u1 a1 u2 a2) 2>GET(s1) 2<200(u1 a1 u2 a2)")
        try clause.conforms("\(reading) B!cut C+ 1<200(u1 a1 u2 a2)")
        try clause.conforms(
            "\(reading) client!receivePush(s1 message='a2') 2>GET(s1) 1<failed('given up') 2<200(u1 a1 u2 a2)")
        try clause.violates("\(reading) client!receivePush(s1 message='a2') 2>GET(s1)^")
        try clause.violates(
            "\(running) client!background +5s client!foreground 1>GET(s1) B+ 2>GET(s1)^ 1<200(u1) 2<200(u1)")
        try clause.untested("\(reading) 1<200(u1 a1 u2 a2) client=connected(s1 u1 a1 u2 a2)")
        try clause.untested("\(reading) client!selectSession(s2) client!selectSession(s1) 2>GET(s1)")
        try clause.untested("\(reading) +15s 2>GET(s1) 1<200(u1 a1 u2 a2)")  // given up as it was answered
        try clause.violates("\(reading) +5s 2>GET(s1)^ 1<200(u1 a1 u2 a2)")
        try clause.untested("\(reading) 2>GET(s2) 3>GET")
        // The person's read and one for a push.
        try clause.untested(
            "\(running) client!selectSession(s2) client!selectSession(s1) 1>GET(s1) client!receivePush(s1 message='a2') 2>GET(s1)"
        )
    }
}
