import TestSupport
import Testing

/// How a client waits for an answer, and finds what it lost sight of.
@Suite struct ClientPollingTests {
    /// A turn that runs, a connection that is gone, and the first read.
    private let reading = """
        client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) A<ack(c1) client=connected(s1 u1 thinking)
        A!cut 1>GET(s1) 1<200(u1) client=degraded(s1 u1 thinking)
        """

    /// Reads 5 s apart, each after an attempt to connect unless there is a connection.
    private func polls(_ count: Int, isConnected: Bool = false) -> String {
        let attempt = isConnected ? "" : "C>open C<refused(503) "
        return (2..<2 + count).map { "+5s \(attempt)\($0)>GET(s1) \($0)<200(u1)" }.joined(separator: " ")
    }

    @Test func `CLIENT-20 polling is bounded`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        let failed = "client=degraded(s1 u1 failed=c1)"
        try clause.conforms("\(reading) \(polls(12)) \(failed) +12s")
        try clause.conforms(
            // fewer are legal
            "\(reading) \(polls(2)) \(failed) +29s B>open B<refused(503) +29s B>open B<refused(503) +4s")
        // Degraded is not waiting.
        try clause.conforms("\(reading) \(polls(12)) \(failed) +29s 20>GET(s1) 20<200(u1)")
        try clause.violates("\(reading) \(polls(12)) +1s 20>GET(s1)^ +1s")
        // What is seen when it changes was so until shortly before.
        try clause.violates("\(reading) \(polls(12)) 20>GET(s1)^ 20<200(u1) +1s \(failed)")
        try clause.conforms("\(reading) \(polls(12)) 20>GET(s1) 20<200(u1) \(failed) +12s")
        try clause.violates(
            "\(reading) \(polls(3)) +29s B>open B<refused(503) +29s 20>GET(s1)^ +1s", also: ["CLIENT-39"])
        // A socket would tell the rest: what is read then without a reason is polling, whatever the screen says.
        try clause.violates(
            "\(reading) B+ 30>GET(s1) 30<200(u1) \(polls(12, isConnected: true)) client=connected(s1 u1 failed=c1) +1s 20>GET(s1)^ +1s"
        )
        // What failed is read again, also once nobody waits.
        let polled = "\(reading) B+ 30>GET(s1) 30<200(u1) \(polls(12, isConnected: true))"
        let again = "client=connected(s1 u1 failed=c1) +1s 20>GET(s1)"
        try clause.violates("\(polled) \(again)^ 20<503 +1s 21>GET(s1) +1s")
        try clause.untested(
            "\(polled.replacing("13<200(u1)", with: "13<503")) \(again) 20<503 +1s 21>GET(s1) +1s")
        try clause.untested("\(reading) \(polls(11))")
        // What is read for the next message is no poll for this one.
        let waiting = "client=degraded(s1 u1 failed=c1 thinking)"
        let next = "client!send(c3) \(waiting)"
        try clause.untested("\(reading) \(polls(12)) \(failed) \(next) 20>GET(s1) +1s \(waiting)")
        try clause.untested(
            "\(reading) +29s B>open B<refused(503) +29s B>open B<refused(503) +12s", also: ["CLIENT-39"])
        try clause.untested(
            "\(reading) \(polls(2)) 20>GET(s1) 20<200(u1 a1) client=degraded(s1 u1 a1) +29s B>open B<refused(503) +29s B>open B<refused(503) +12s"
        )
    }

    @Test func `CLIENT-20 answers of unknown sessions are looked for in one list`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        func lists(_ numbers: ClosedRange<Int>) -> String {
            numbers.map { "+2s \($0)>GET \($0)<200" }.joined(separator: " ")
        }
        let one = "client!launch A+ client=connected client!send(c1) A>chat(c1) client=connected(c1 thinking)"
        let two = "client!send(c2) A>chat(c2) client=connected(c1 c2 thinking)"
        try clause.violates("\(one) \(lists(1...13)) +1s 14>GET^ +1s")
        // A list that goes beside another read is a part of that.
        let beside = lists(1...13).replacing(" 13>GET", with: " 30>GET 30<200 13>GET")
        try clause.untested("\(one) \(beside) +1s")
        try clause.violates("\(one) \(beside.replacing(" 13>GET", with: " +1s 13>GET^")) +1s")
        try clause.untested("\(one) \(two) \(lists(1...24))", also: ["CLIENT-12"])
        try clause.violates("\(one) \(two) \(lists(1...25)) +1s 26>GET^ +1s", also: ["CLIENT-12"])
    }

    @Test func `CLIENT-20 what is read after the waiting ended is no poll`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        // Nobody looked between the last sight of waiting and the next one.
        let given = "20>GET(s1) 20<200(u1) 21>GET(s1) 21<200(u1) client=degraded(s1 u1 failed=c1)"
        try clause.conforms("\(reading) \(polls(12)) \(given) +12s")
        try clause.violates(
            "\(reading) \(polls(12)) 20>GET(s1)^ 20<200(u1) +100ms client=degraded(s1 u1 failed=c1) +12s")
    }

    @Test func `CLIENT-39 polling ends in the open`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        try clause.conforms("\(reading) \(polls(12)) client=degraded(s1 u1 failed=c1)")
        try clause.conforms("\(reading) \(polls(12)) client=degraded(s1 u1 'No answer yet')")
        try clause.violates("\(reading) \(polls(12)) +12s^")
        try clause.violates("\(reading) \(polls(12)) client=degraded(s1 u1) +12s^")
        try clause.violates("\(reading) \(polls(12)) client=degraded(s1 u1 thinking 'No answer') +12s^")
        try clause.untested("\(reading) \(polls(12)) +5s")
        // Reads of one session serve every answer that is awaited there, one after another.
        let two = reading.replacing("A!cut", with: "client!send(c2) A>chat(c2 s1) A<ack(c2) A!cut")
        let both = "\(two) \(polls(12)) client=degraded(s1 u1 u2 thinking)"
        try clause.untested("\(both) +12s")
        try clause.violates("\(both) +29s C>open C<refused(503) +29s C>open C<refused(503) +16s^")
        // An error that was there before tells nothing new, and nothing of another message.
        let (old, still) = ("client=degraded(s1 u1 thinking 'No network')", "client=degraded(s1 u1 'No network')")
        try clause.untested("\(reading) \(old) \(polls(12)) \(still) +12s")
        try clause.conforms("\(reading) \(old) \(polls(12)) client=degraded(s1 u1 'No network' 'No answer') +12s")
        let others = "client=degraded(s1 u1 thinking error.c9=busy) \(polls(12)) client=degraded(s1 u1 error.c9=busy)"
        try clause.violates("\(reading) \(others) +12s^")
        try clause.untested(
            "\(reading) \(polls(3)) 20>GET(s1) 20<200(u1 a1) client=degraded(s1 u1 a1) +29s B>open B<refused(503) +29s B>open B<refused(503) +12s"
        )
        try clause.untested("\(reading) \(polls(3)) client!background +70s")
    }

    @Test func `CLIENT-30 an ending ends the waiting, by any road`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let asked =
            "client!launch A+(e1 #0) client=connected(s1) client!send(c1) A>chat(c1 s1) A<ack(c1) client=connected(s1 u1 thinking)"
        let endings = [
            "A<done(t1)", "A<error(agent_failed t1)", "A<error(interrupted t1 c1)",
            "A!cut B+(e1 #2) B>sync(e1 #0) B<syncResult(e1 #2 complete)[done(t1 #2)]",
            "A!cut B+(e1 #2) B>sync(e1 #0) B<syncResult(e1 #2 complete)[error(agent_failed t1 #2)]",
            "A!cut 1>GET(s1) 1<200(u1 a1)", "A!cut 1>GET(s1) 1<200(u1 t1=failed)",
            "A!cut client!receivePush(s1 message='a1') 1>GET(s1) 1<200(u1 a1)",
            "client!openPush(s1 message='a1') 1>GET(s1) 1<200(u1 a1)",
        ]
        for ending in endings {
            try clause.conforms("\(asked) \(ending) client=connected(s1 u1 a1 agent_failed)")
            try clause.violates("\(asked) \(ending) client=connected(s1 u1 a1 agent_failed thinking) +17s^")
            try clause.untested("\(asked) \(ending) client=connected(s1 u1 a1 agent_failed thinking) +1s")
        }
        let rest =
            "client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) client=connected(s1 c1 thinking) A!cut 1>POST(c1 s1)"
        try clause.conforms("\(rest) 1<200(t1) client=connecting(s1 u1 a1)")
        try clause.violates("\(rest) 1<200(t1) client=connecting(s1 u1 a1 thinking) +17s^")
    }

    @Test func `CLIENT-30 late is late although nobody looked in between`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let asked = """
            client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) A<ack(c1) client=connected(s1 u1 thinking)
            """
        try clause.violates("\(asked) A<done(t1) +60s^ client=connected(s1 u1 a1)")
        try clause.conforms("\(asked) A<done(t1) +10s client=connected(s1 u1 a1)")
    }

    @Test func `CLIENT-30 another turn that runs is a reason to wait`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let asked =
            "client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) A<ack(c1) client=connected(s1 u1 thinking)"
        // Nobody was there to take it in.
        try clause.untested(
            "\(asked) client!background A<done(t1) +17s client!foreground client=connected(s1 u1 thinking)")
        try clause.untested(
            "\(asked) A<done(t1) client!send(c2) A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2 thinking) +17s")
        try clause.untested(
            "\(asked) client!send(c2) A>chat(c2 s1) A<ack(c2) A<done(t1) client=connected(s1 u1 a1 u2 thinking) +17s")
        try clause.untested("\(asked) A<done(t9) +17s")
        try clause.untested(
            "client!launch A+ client!send(c1) A>chat(c1 s1) A<ack(c1) A<done(t1) client=connected(s1 u1 a1) +17s")
    }

    @Test func `CLIENT-21 a turn of an unknown session is found by its key`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        let lost = """
            client!launch A+ client=connected client!send(c1) A>chat(c1) client=connected(c1 thinking) A!cut B+
            """
        try clause.conforms("\(lost) B>chat(c1) B<ack(c1) B<done(t1) client=connected(s1 u1 a1)")
        try clause.conforms("\(lost) 1>POST(c1) 1<200(t1) client=connected(s1 u1 a1)")
        try clause.conforms(
            "\(lost) 1>GET 1<200(s2 s1) 2>GET(s2) 2<200(u5 a5) 3>GET(s1) 3<200(u1 a1) client=connected(s1 u1 a1)")
        try clause.violates(
            "\(lost) 1>GET 1<200(s2 s1) 2>GET(s2) 2<200(u5 a5) client=connected(s2 u5 a5)^ +16s")
        try clause.violates("\(lost) 1>GET 1<200(s2 s1) B>chat(c1 s2)^")
        try clause.violates("\(lost) 1>GET 1<200(s2 s1) 2>POST(c1 s2)^")
        // A launch names no session either; what its usual start shows may be any other.
        let launched = "\(lost) client!quit client!launch C+ 1>GET 1<200(s2 s1)"
        try clause.violates("\(launched) C>chat(c1 s2)^")
        try clause.violates("\(launched) 2>GET(s2) 2<200(u5 a5) client=connected(s2 u5 a5 c1)^")
        try clause.untested("\(launched) 2>GET(s2) 2<200(u5 a5) client=connected(s2 u5 a5)")
        try clause.violates("\(lost) +67s^", also: ["CLIENT-7", "CLIENT-39"])
        try clause.violates("\(lost) 1>GET 1<200(s2 s1) 2>GET(s1) 2<200(u1 a1) client=connected(c1) +67s^")
        try clause.untested("\(lost) +16s")
        try clause.untested("\(lost) 1>POST(c1) +60s")  // not answered, not to be found
        try clause.untested("\(lost) client!selectSession(s2) client=connected(s2 u5 a5) +16s", also: ["CLIENT-18"])
        // What was told just before the network went may never have come.
        try clause.violates("\(lost) B>chat(c1) B<ack(c1) client=connected(c1) +67s^")
        try clause.untested("\(lost) B>chat(c1) B<ack(c1) client!networkDown client=offline(c1) +67s")
        try clause.untested("client!launch A+ client=connected client!send(c1) A>chat(c1) A<ack(c1) A!cut B+ 1>GET(s1)")
        try clause.untested(
            "client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) A!cut B+ B>chat(c1 s1)")
    }

    @Test func `CLIENT-39 waiting ends where nothing can bring the answer`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let cut = """
            client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)
            client=connected(s1 u1 a1 u2 thinking) A!cut client=connecting(s1 u1 a1 u2 thinking) B>open B<refused(503)
            """
        let refused = "+22s B>open B<refused(503) +22s B>open B<refused(503)"
        try clause.conforms("\(cut) \(refused) client=connecting(s1 u1 a1 u2 'No answer came') +24s")
        try clause.violates("\(cut) \(refused) +24s^")
        try clause.violates("\(cut) \(refused) client=connecting(s1 u1 a1 u2) +24s^")
        try clause.untested("\(cut) \(refused) +21s")
        // Who asks still waits for something, and so does who has a connection that brings the ending.
        try clause.untested(
            "\(cut) +22s 1>GET(s1) 1<200(u1 a1 u2) B>open B<refused(503) +22s B>open B<refused(503) +24s")
        try clause.untested("\(cut) +22s B+ 1>GET(s1) 1<200(u1 a1 u2 t2=running) +67s")
        try clause.untested("\(cut) +22s B+ 1>GET(s1) 1<200(u1 a1 u2) B<toolUse(t2) +67s")
        try clause.untested("\(cut) +22s B+ 1>GET(s1) 1<200(u1 a1 u2) B>chat(c2 s1) B<ack(c2) +67s")
        try clause.untested("\(cut) 1>POST(c2 s1) \(refused) +20s")
        // What is pending for longer than polling may last brings nothing.
        try clause.violates("\(cut) 1>POST(c2 s1) \(refused) \(refused) \(refused) +24s^")
        try clause.untested("\(cut) client!background +67s")
        // No more does a network that is gone.
        let gone =
            cut.replacing("A!cut client=connecting(s1 u1 a1 u2 thinking) B>open B<refused(503)", with: "")
            + " client!networkDown A!cut(silence)"
        try clause.violates("\(gone) client=offline(s1 u1 a1 u2 thinking) +67s^")
        try clause.conforms("\(gone) client=offline(s1 u1 a1 u2) +67s")
        try clause.conforms("\(gone) client=offline(s1 u1 a1 u2 failed=c2) +67s")
        try clause.untested("\(gone) client=offline(s1 u1 a1 u2 thinking) +60s")
    }

    /// A turn that runs in s1, and a person who has gone to s2.
    private let elsewhere = """
        client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)
        client=connected(s1 u1 a1 u2 thinking) client!selectSession(s2) 1>GET(s2) 1<200(u5 a5) client=connected(s2 u5 a5)
        """

    @Test func `CLIENT-39 waiting ends also while the person is elsewhere`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let refused = "+22s B>open B<refused(503) +22s B>open B<refused(503) +24s"
        let back = "client!selectSession(s1) 2>GET(s1) client=degraded(s1 u1 a1 u2"
        try clause.violates("\(elsewhere) A!cut \(refused) \(back) thinking)^")
        try clause.conforms("\(elsewhere) A!cut \(refused) \(back) failed=c2)")
        // Who has read it meanwhile knows that it runs.
        let read = refused.replacing("+24s", with: "9>GET(s1) 9<200(u1 a1 u2 t2=running) +24s")
        try clause.untested("\(elsewhere) A!cut \(read) \(back) thinking)")
    }

    @Test func `CLIENT-4 a silence is noticed also while the person is elsewhere`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 2)
        let back = "client=connected(s1 u1 a1 u2"
        try clause.violates("\(elsewhere) +97s^ client!selectSession(s1) \(back) thinking)")
        try clause.untested("\(elsewhere) +97s client!selectSession(s1) \(back) failed=c2)")
        try clause.untested("\(elsewhere) +50s client!selectSession(s1) \(back) thinking)")
    }

    @Test func `CLIENT-39 a connection that cannot bring the answer is no reason to wait`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let cut = """
            client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)
            client=connected(s1 u1 a1 u2 thinking) A!cut
            """
        let read = "\(cut) B+ 1>GET(s1) 1<503(internal)"
        try clause.violates("\(read) client=connected(s1 u1 a1 u2 thinking) +67s^", also: ["CLIENT-18"])
        try clause.conforms("\(read) client=connected(s1 u1 a1 u2 failed=c2) +67s", also: ["CLIENT-18"])
        try clause.untested("\(read) client=connected(s1 u1 a1 u2 thinking) +60s", also: ["CLIENT-18"])
        // A complete replay without the ending says that the turn runs.
        let numbered = cut.replacing("A+", with: "A+(e1 #2)")
        let replayed = "\(numbered) B+(e1 #2) B>sync(e1 #2) B<syncResult(e1 #2 complete)[]"
        try clause.untested("\(replayed) client=connected(s1 u1 a1 u2 thinking) +67s")
        let waiting = "client=connected(s1 u1 a1 u2 thinking)"
        try clause.violates("\(numbered) B+(e2 #0) B>sync(e1 #2) \(waiting) +68s \(waiting) +68s^", also: ["CLIENT-4"])
    }

    @Test func `CLIENT-30 a turn of another session is no reason to wait`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let two = """
            client!launch A+ client=connected(s2 u1 a1) client!send(c2) A>chat(c2 s2) A<ack(c2 s2)
            client=connected(s2 u1 a1 u2 thinking) client!selectSession(s1) 1>GET(s1) 1<200(u5 a5)
            client=connected(s1 u5 a5) client!send(c3) A>chat(c3 s1) A<ack(c3) client=connected(s1 u5 a5 u3 thinking)
            """
        try clause.conforms("\(two) A<done(t3) client=connected(s1 u5 a5 u3 a3)")
        try clause.violates("\(two) A<done(t3) client=connected(s1 u5 a5 u3 a3 thinking) +17s^")
        try clause.untested("\(two) A<done(s2 t2) +17s")
    }

    @Test func `CLIENT-30 what ended elsewhere is over when the person comes back`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let away = """
            client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)
            client=connected(s1 u1 a1 u2 thinking) client!selectSession(s2) 1>GET(s2) 1<200(u5 a5) client=connected(s2 u5 a5)
            """
        let back = "client!selectSession(s1) 2>GET(s1) client=connected(s1 u1 a1 u2"
        try clause.conforms("\(away) A<done(t2) +3s \(back) a2)")
        try clause.violates("\(away) A<done(t2) +3s \(back) a2 thinking) +17s^")
        let failed = "\(away) A<error(agent_failed t2 c2) client=connected(s2 u5 a5 agent_failed) +3s"
        try clause.violates("\(failed) \(back) thinking agent_failed) +17s^")
        try clause.untested("\(away) +3s \(back) thinking) +17s")
        try clause.untested("\(away) A<done(t2) A!cut +3s \(back) thinking) +17s")
        // Another device asks there, and so does the person.
        try clause.untested("\(away) A<done(t2) A<message(u3 s1 t3) +3s \(back) a2 u3 thinking) +17s")
        let asked = "client!send(c4) A>chat(c4 s1) +17s"
        try clause.untested("\(away) A<done(t2) +3s \(back) a2 thinking) \(asked)", also: ["CLIENT-4"])
    }

    @Test func `CLIENT-30 a failure that a launch is told of ends the waiting`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let launched = """
            client!launch A+(e1 #0) client=connected(s1) client!send(c1) A>chat(c1 s1) A<ack(c1) client=connected(s1 u1 thinking)
            client!quit client!launch client=connecting(s1 u1 thinking) B+(e1 #1) B>sync(e1 #0)
            """
        let told = "\(launched) B<syncResult(e1 #1 complete)[error(agent_failed t1 c1 #1)]"
        try clause.conforms("\(told) client=connected(s1 u1 failed=c1)")
        try clause.violates("\(told) client=connected(s1 u1 thinking) +17s^", also: ["CLIENT-32"])
    }

    @Test func `CLIENT-30 a message that was refused may turn out to stand there`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let asked = """
            client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) A<error(rate_limited c1)
            client=connected(s1 c1 rate_limited) client!send(c2) A>chat(c2 s1) A<ack(c2 t2 u2)
            client=connected(s1 c1 u2 thinking rate_limited) A<done(t2 c2) +200ms 1>GET(s1)
            """
        let waits = "client=connected(s1 u2 a2 c1 thinking rate_limited) +17s"
        try clause.untested("\(asked) 1<200(u2 a2 u1=c1) \(waits)")
        try clause.violates("\(asked) 1<200(u2 a2) \(waits)^")
    }

    @Test func `CLIENT-30 a refusal ends the waiting`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let asked =
            "client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) client=connected(s1 c1 thinking)"
        let refused = "\(asked) A<error(bad_request c1)"
        try clause.conforms("\(refused) client=connected(s1 c1 failed=c1)")
        try clause.conforms("\(asked) A<error(rate_limited c1) client=connected(s1 c1 rate_limited)")
        try clause.violates("\(refused) client=connected(s1 c1 failed=c1 thinking) +18s^")
        try clause.untested("\(refused) client=connected(s1 c1 failed=c1 thinking) +1s")
        // Sent again, it is awaited again, and shown so a moment before the request is there.
        let over = "\(asked) A<error(busy c1) client=connected(s1 c1 busy)"
        try clause.conforms("\(over) +2s client=connected(s1 c1 thinking busy) +100ms A>chat(c1 s1) A<ack(c1)")
        try clause.violates("\(over) client=connected(s1 c1 thinking busy)^ +5s A>chat(c1 s1) A<ack(c1)")
        let again = "\(asked) A<error(busy c1) +1s A>chat(c1 s1) A<ack(c1)"
        try clause.untested("\(again) client=connected(s1 c1 thinking) +18s")
        try clause.conforms("\(asked) A<ack(c1) A<error(agent_failed t1) client=connected(s1 u1 failed=u1)")
        // What names no message refuses none.
        try clause.untested("\(asked) A<error(bad_request) client=connected(s1 c1 thinking bad_request) +14s")
        // What came as the network went may never have been taken.
        let back = "client!networkDown A!cut client=offline(s1 c1) client!networkUp client=connecting(s1 c1 thinking)"
        try clause.conforms("\(asked) A<error(internal c1) \(back)")
        try clause.violates("\(asked) A<error(internal c1) +3s client=connected(s1 c1) \(back)^")
    }
}
