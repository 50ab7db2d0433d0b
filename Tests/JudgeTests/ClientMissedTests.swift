import TestSupport
import Testing

/// What was sent to a client is not yet what it took: just before it left, or its connection ended, it may have missed it.
///
/// Each history that keeps the clause differs from the one that breaks it by the time there was, or by what was seen.
@Suite struct ClientMissedTests {
    private let ready = "client!launch A+ client=connected(s1 u1 a1)"

    @Test func `CLIENT-32 an error may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let failed = "\(ready) client!send(c2) A>chat(c2 s1) A<error(agent_failed t2 c2)"
        let away = "client!networkDown A!cut(silence) client=offline(s1 u1 a1 c2) +17s"
        try clause.untested("\(failed) \(away)")
        try clause.violates("\(failed) +2s \(away)^")
    }

    @Test func `CLIENT-32 an error of a new conversation that was left is out of sight`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let asked = "client!launch A+ client=connected client!send(c1) A>chat(c1) client=connected(c1 thinking)"
        let failed = "A<error(agent_failed t1 c1) client=connected +17s"
        try clause.untested("\(asked) client!selectSession(sessionId=null) client=connected \(failed)")
        try clause.violates("\(asked) \(failed)^")
    }

    @Test func `CLIENT-32 an error of another session is told where it belongs`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let away = """
            \(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2 thinking)
            client!selectSession(s2) client=connected(s2 u9 a9) A<error(agent_failed t2 c2 s1) +1s
            """
        let back = "\(away) client!selectSession(s1)"
        try clause.conforms("\(back) client=connected(s1 u1 a1 u2 failed=c2)")
        try clause.conforms("\(away) client=connected(s2 u9 a9 agent_failed) client!selectSession(s1) 1>GET(s1) +17s")
        try clause.violates("\(back) client=connected(s1 u1 a1 u2) 1>GET(s1) +17s^")
        try clause.untested("\(back) client=connected(s1 u1 a1 u2) 1>GET(s1) +14s")
        try clause.untested("\(away) 1>GET(s2) +17s")
    }

    @Test func `CLIENT-25 a read may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 1)
        let read = "client!launch A+ client=connected(s1 u1 a1) A!cut B+ 1>GET(s1) 1<200(u1 a1 u2 a2)"
        let away = "client!networkDown B!cut(silence) client=offline(s1 u1 a1) +17s"
        try clause.untested("\(read) \(away)")
        try clause.violates("\(read) +2s \(away)^")
    }

    @Test func `CLIENT-25 what was shown is put in the order of a read`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 1)
        let shown = "client=connected(s1 u2 a2 u1 a1)"
        let read = "client!launch A+ \(shown) A!cut B+ 1>GET(s1) 1<200(u1 a1 u2 a2)"
        try clause.conforms("\(read) client=connected(s1 u1 a1 u2 a2)")
        try clause.violates("\(read) +17s^")
        try clause.untested("\(read) \(shown)")
        try clause.untested(read.replacing("u2 a2 u1 a1", with: "u1 a1 u2 a2") + " +17s")
    }

    @Test func `CLIENT-30 a waiting that is over does not begin again`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let waits = "client=connected(s1 u1 a1 u2 thinking)"
        let ended =
            "\(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) \(waits) A<done(t2) client=connected(s1 u1 a1 u2 a2)"
        let again = "client=connected(s1 u1 a1 u2 a2 thinking)"
        try clause.conforms("\(ended) +2s client=connected(s1 u1 a1 u2 a2)")
        try clause.violates("\(ended) +2s \(again)^")
        try clause.conforms("\(ended) A<message(u7 s1) +2s \(again)")  // another device asks
        // A replay brings the client's own question again.
        try clause.violates("\(ended) A<message(u2 s1 c2) +2s \(again)^")
        try clause.conforms("\(ended) client!send(c3) \(again)")
    }

    @Test func `CLIENT-30 a refusal of another message may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let refused = "\(ready) client!send(c2) A>chat(c2 s1) A<error(busy c2)"
        let seen = "client=connected(s1 u1 a1 c2 failed=c2 error.c2=busy)"
        let next = """
            A!cut B+ client!send(c3) client=connected(s1 u1 a1 c2 c3 thinking) B>chat(c3 s1) B<ack(c3) B<done(t3)
            client=connected(s1 u1 a1 c2 u3 a3 thinking) +17s
            """
        try clause.untested("\(refused) \(next)", also: ["CLIENT-18"])
        try clause.violates("\(refused) \(seen) \(next)^", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-14 an ack may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-14")
        let taken = "client!launch A+ client=connected client!send(c1) A>chat(c1) A<ack(c1)"
        let back = "client!networkDown A!cut(silence) client!networkUp B+ +17s"
        try clause.untested("\(taken) \(back)")
        try clause.violates("\(taken) client=connected(s1 u1 thinking) \(back)^", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-29 what a read brought may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-29")
        let read = "client!launch A+ client=connected(s2) 1>GET(s1) 1<200(u1 a1)"
        let tap = """
            client!networkDown A!cut(silence) client!background client!openPush(s1 message='a1')
            client=offline(s1 'not read') +5s
            """
        try clause.untested("\(read) \(tap)")
        try clause.violates("\(read) +2s \(tap)^")
    }

    @Test func `CLIENT-15 a sync may be lost with its connection`() throws {
        let clause = ClauseUnderTest("CLIENT-15", rule: 1)
        let first = "client!launch A+(e1 #0) client=connected(s1) A!cut B+(e1 #0)"
        let told = "B<message(u1 s1 #1) client=connected(s1 u1)"
        try clause.conforms("\(first) \(told) B!cut C+(e1 #1) C>sync(e1 #0)")
        try clause.violates(
            "\(first) B>sync(e1 #0) B<syncResult(e1 #0 complete) \(told) +2s B!cut C+(e1 #1) C>sync(e1 #0)^")
    }

    @Test func `CLIENT-15 a first sync, for a question, may be lost with its connection`() throws {
        let clause = ClauseUnderTest("CLIENT-15", rule: 1)
        let asked = "client!launch client=connecting client!send(c1) A+(e1 #0) client=connected(c1)"
        let told = "A<message(u5 s1 #1) client=connected(s1 u5)"
        let back = "A!cut B+(e1 #1) B>sync(e1 #0)"
        try clause.conforms("\(asked) \(told) \(back)")
        try clause.violates("\(asked) \(told) +2s \(back)^")
        try clause.violates("\(asked.replacing("client!send(c1) ", with: "")) \(told) \(back)^")
    }

    @Test func `CLIENT-19 an app that is put away may drop a read that fills a gap`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 2)
        let told = """
            client!launch A+(e1 #0) client=connected(s1) A<message(u1 s1 #1) client=connected(s1 u1) A!cut B+(e2 #0)
            B>sync(e1 #1) B<syncResult(e2 #0 epoch_changed) 1>GET(s1) B<message(u5 #1) client=connected(s1 u1 u5)
            """
        let back = "+2s client!foreground B>close(1001) C+(e2 #1) C>sync(e1 #1)"
        try clause.conforms("\(told) client!background 1<200(u1) \(back)")
        try clause.violates("\(told) 1<200(u1) +2s client!background \(back)^")
    }

    @Test func `CLIENT-5 an ending may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-5")
        let ended = "\(ready) client!send(c2='yes') A>chat(c2 s1 'yes') A<ack(c2) A<done(t2)"
        let again = """
            client!networkDown A!cut(silence) client!networkUp client!send(c3='yes') 1>POST(c2 s1 'yes')
            """
        try clause.untested("\(ended) \(again)")
        try clause.violates("\(ended) +2s \(again)^")
    }

    @Test func `CLIENT-19 a read that fills a gap may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 2)
        let told = """
            client!launch A+(e1 #0) client=connected(s1) A<message(u1 s1 #1) client=connected(s1 u1) A!cut B+(e2 #0)
            B>sync(e1 #1) B<syncResult(e2 #0 epoch_changed) 1>GET(s1) B<message(u5 #1) client=connected(s1 u1 u5) 1<200(u1)
            """
        let away =
            "client!networkDown B!cut(silence) client=offline(s1 u1 u5) +2s client!networkUp C+(e2 #1) C>sync(e1 #1)"
        try clause.conforms("\(told) \(away)")
        try clause.violates("\(told) +2s \(away)^")
    }

    @Test func `CLIENT-38 a refusal of the message before may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let refused =
            "client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<error(bad_request c2)"
        let away = "client!background A>close(1001) +3s client!foreground client!send(c3) B+ +17s"
        try clause.conforms("\(refused) \(away)", also: ["CLIENT-7", "CLIENT-18"])
        try clause.violates("\(refused) +2s \(away)^", also: ["CLIENT-7", "CLIENT-18", "CLIENT-32"])
    }

    @Test func `CLIENT-38 only a final refusal, or a failure that is shown, releases later messages`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let refused = "client!launch A+ client=connected(s1) client!send(c2) A>chat(c2 s1) A<error(CODE c2)"
        let next = "\(refused) client!send(c3) +17s"
        try clause.conforms(next.replacing("CODE", with: "internal"), also: ["CLIENT-32"])
        try clause.violates("\(next.replacing("CODE", with: "bad_request"))^", also: ["CLIENT-32"])
        let failed =
            "client!launch A+ client=connected(s1) client!send(c2) A>chat(c2 s1) +12s client=connected(s1 c2 failed=c2)"
        try clause.violates("\(failed) client!send(c3) +17s^", also: ["CLIENT-4"])
        try clause.conforms("\(failed) client!sendAgain(c2) A>chat(c2 s1) client!send(c3) +17s", also: ["CLIENT-4"])
    }

    @Test func `CLIENT-19 a read may be under way when a sync is asked for`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 1)
        let read = "client!launch A+(e1 #0) client=connected(s1) A!cut B>open B<open 1>GET(s1) 1<200(u1 a1)"
        let asked =
            "B>auth B<connected(e2 #2) B>sync(e1 #0) B<syncResult(e2 #2 epoch_changed) B!cut C+(e2 #2) C>sync(e2 #2)"
        try clause.untested("\(read) \(asked)")
        try clause.violates("\(read) +2s \(asked)^")
    }

    @Test func `CLIENT-34 an answer on a connection that is being replaced may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 1)
        let back = "client!launch A+ client=connected(s1) client!background client!foreground"
        try clause.untested("\(back) A<done(t4 s2) B+ A>close(1001) client=connected(s1) +5s")
        try clause.warns("\(ready) A<done(t4 s2) +2s client=connected(s1) +5s^")
    }

    @Test func `ENV-13 an answer behind an unknown type may be missed`() throws {
        let clause = ClauseUnderTest("ENV-13")
        let told = "\(ready) A<`{\"type\":\"mood\"}` client!send(c2) A>chat(c2 s1) A<ack(c2) A<done(t2)"
        let away = "client!networkDown A!cut(silence) client=offline(s1 u1 a1 u2) +2s"
        try clause.untested("\(told) \(away)")
        try clause.violates("\(told) +2s^ \(away)")
    }

    @Test func `ENV-13 who waited for a sign, or was relaunched, has a reason to leave`() throws {
        let clause = ClauseUnderTest("ENV-13")
        let mood = "A<`{\"type\":\"mood\"}`"
        try clause.untested("\(ready) client!send(c2) A>chat(c2 s1) +14s \(mood) +1s A>close(1001)")
        try clause.violates("\(ready) client!send(c2) A>chat(c2 s1) \(mood) +1s A>close(1001)^")
        // A turn whose key is told later is nobody's until then.
        let nobody = "\(ready) client!send(c2) A>chat(c2 s1) A<toolUse(t2) +14s \(mood) +1s A>close(1001) 1>GET(s1)"
        try clause.untested("\(nobody) 1<200(u1 a1 u2=c2)")
        try clause.violates(
            "\(nobody.replacing("A<tool", with: "A<ack(c2) A<tool").replacing("close(1001)", with: "close(1001)^"))")
        try clause.untested("\(ready) client!quit client!launch(fresh=false) \(mood) A>close(1001)")
        // A greeting may come as it is given up, and a connection that has been silent for long is left.
        let late = "client!launch A>open A<open A>auth +15s A<connected(e1 #0) \(mood) A>close(1001)"
        try clause.untested(late)
        try clause.violates(late.replacing("+15s", with: "+3s") + "^")
    }

    @Test func `CLIENT-37 an attempt that comes to nothing is followed by another`() throws {
        let clause = ClauseUnderTest("CLIENT-37")
        let hung = "client!launch A>open"
        try clause.violates("\(hung) +65s^")
        try clause.violates("\(hung) A<open A>auth +65s^")  // nobody greets it
        try clause.untested("\(hung) +25s B>open +25s")
        try clause.untested("\(hung) +50s client!background +30s")
        try clause.untested("\(hung) +40s A<open A>auth A<connected +30s")
    }

    @Test func `CLIENT-18 a read without a response is asked again`() throws {
        let clause = ClauseUnderTest("CLIENT-18")
        let hung = "client!launch A+ client=connected(s1 u1 a1) A!cut(rst) B+ 1>GET(s1)"
        try clause.conforms("\(hung) +68s 2>GET(s1) 2<200(u1 a1 u2 a2) 1<failed('timeout')")
        try clause.violates("\(hung) +68s +33s^ 1<failed('timeout')")
        try clause.violates("\(hung) +68s +33s^ 1<200(u1 a1 u2 a2)")
        try clause.conforms("\(hung) +50s 1<200(u1 a1 u2 a2) client=connected(s1 u1 a1 u2 a2) +50s")
    }
}
