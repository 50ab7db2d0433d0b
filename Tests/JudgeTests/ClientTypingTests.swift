import HoldfastTranscript
import TestSupport
import Testing

/// What a client does with what a person types, and types again.
@Suite struct ClientTypingTests {
    private let ready = "client!launch A+ client=connected(s1 u1 a1)"
    private let taken = """
        client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)
        client=connected(s1 u1 a1 u2 thinking)
        """

    @Test func `CLIENT-4 a connection that fell silent is left`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 2)
        let silent = "\(taken) A!cut(silence)"
        try clause.conforms("\(silent) +60s B+ 1>GET(s1)")
        try clause.conforms("\(silent) +20s B+ 1>GET(s1)")  // it may ask more often
        try clause.conforms("\(silent) +85s B+ 1>GET(s1)")  // it ended it, and then waited for its next attempt
        try clause.violates("\(silent) +93s^")
        try clause.violates("\(silent) +93s^ B+")
        try clause.violates("\(taken) A>pingFrame A<pongFrame A!cut(silence) A>ping(n1) +93s^")
        try clause.violates("\(taken) +93s^")  // nobody asked, and nothing came
        try clause.untested("\(silent) +61s")
        // Polling ends in between, and the waiting with it.
        let polls = (1...12).map { "+5s \($0)>GET(s1) \($0)<200(u1 a1 u2)" }.joined(separator: " ")
        let waits = "client=connected(s1 u1 a1 u2 thinking)"
        let given = "client=connected(s1 u1 a1 u2 failed=c2)"
        try clause.violates("\(silent) \(polls) +3s \(waits) \(given) +30s^")
        try clause.untested("\(silent) \(polls.replacing("+5s", with: "+4s")) \(given) +45s")
        let second = "B+(e1 #0) B>sync(e1 #0) B<syncResult(e1 #0 complete)"
        try clause.violates("\(silent) +60s \(second) B<toolUse(t2) B!cut(silence) +93s^")
    }

    @Test func `CLIENT-4 a connection that says anything lives`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 2)
        try clause.untested("\(taken) +50s A>ping(n1) A<pong(n1) +50s A>ping(n1) A<pong(n1) +50s")
        try clause.untested("\(taken) +50s A>pingFrame A<pongFrame +50s")
        try clause.untested("\(taken) +50s A<pingFrame +50s")
        try clause.untested("\(taken) +30s A<toolUse(t2) +70s")
    }

    @Test func `CLIENT-4 asks nothing of who awaits nothing, is away, or has another reason`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 2)
        try clause.untested("\(ready) +200s")
        try clause.untested("\(taken) A<done(t2) client=connected(s1 u1 a1 u2 a2) +200s")
        try clause.untested("\(taken) A!cut(silence) client!background +200s")
        try clause.untested("\(taken) A!cut(silence) client!networkDown +200s", also: ["CLIENT-39"])
        // Given up, and too soon.
        try clause.untested("\(taken) +40s client=connected(s1 u1 a1 u2 failed=c2) +100s", also: ["CLIENT-31"])
        try clause.untested("\(taken) A!cut(rst) B+ 1>GET(s1)")
        try clause.untested("\(taken) A<close(1012) B+ 1>GET(s1)")
        try clause.untested(
            "\(taken) A!cut(silence) 1>GET(s1) 1<200(u1 a1 u2 a2) client=connected(s1 u1 a1 u2 a2) +93s")
        try clause.untested(
            "client!launch A+ client=connected(s1 u1 a1) client!send(c2) 1>POST(c2 s1) A<message(u2 c2 t2) "
                + "client=connected(s1 u1 a1 u2 thinking) +93s")  // its response is the road
    }

    private let given = """
        client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2) A!cut
        client=connecting(s1 u1 a1 c2 failed=c2) client!sendAgain(c2)
        """
    private let failed = """
        client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2) A<error(agent_failed t2)
        client=connected(s1 u1 a1 c2 failed=c2) client!sendAgain(c2)
        """

    @Test func `CLIENT-6 what may have arrived keeps its key`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        try clause.conforms("\(given) 1>POST(c2 s1)")
        try clause.conforms("\(given) B+ 1>GET(s1) B>chat(c2 s1)")
        try clause.violates("\(given) 1>POST(c9 s1 'question 2')^")
        try clause.violates("\(given) B+ 1>GET(s1) B>chat(c9 s1 'question 2')^")
        try clause.violates("\(given) 1>POST(-c s1 'question 2')^", also: ["CLIENT-5"])
        try clause.untested(given)
    }

    @Test func `CLIENT-6 what is over takes a new key`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        try clause.conforms("\(failed) A>chat(c9 s1 'question 2') A<ack(c9 t9 u9)")
        try clause.conforms("\(failed) 1>POST(c9 s1 'question 2')")
        try clause.violates("\(failed) A>chat(c2 s1)^")
        let mismatch = """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(idempotency_mismatch c2)
            client=connected(s1 u1 a1 c2 failed=c2) client!sendAgain(c2)
            """
        try clause.conforms("\(mismatch) A>chat(c9 s1 'question 2')")
        try clause.violates("\(mismatch) A>chat(c2 s1)^")
    }

    @Test func `CLIENT-6 counts what came up to the request`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        // The turn had failed meanwhile, and the client learns it before it asks again.
        let learnt = "\(given) B+ 1>GET(s1) 1<200(u1 a1 u2 t2=failed) client=connected(s1 u1 a1 u2 failed=c2)"
        try clause.conforms("\(learnt) +3s B>chat(c9 s1 'question 2')")
        try clause.violates("\(learnt) +3s B>chat(c2 s1)^")
        // It may have been on its way when the answer came.
        try clause.untested("\(learnt) B>chat(c9 s1 'question 2')")
        try clause.untested("\(learnt) B>chat(c2 s1)")
        // An error of before the person asked for it, and not yet on the screen.
        let quick = failed.replacing("client=connected(s1 u1 a1 c2 failed=c2) ", with: "")
        try clause.untested("\(quick) A>chat(c2 s1)")
        // Refused in between, either key will do.
        let refused = "\(given) B+ 1>GET(s1) 1<200(u1 a1) B<error(busy c2) +3s"
        try clause.untested("\(refused) B>chat(c9 s1 'question 2')")
        try clause.untested("\(refused) B>chat(c2 s1)")
    }

    @Test func `CLIENT-6 the refusal of a resend says nothing of the send before it`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        for code in ["busy", "too_large"] {
            let refused = """
                \(ready) client!send(c2) A>chat(c2 s1) A!cut B+ 1>GET(s1) B>chat(c2 s1) B<error(\(code) c2)
                client=connected(s1 u1 a1 c2 failed=c2) client!sendAgain(c2)
                """
            try clause.conforms("\(refused) B>chat(c2 s1)")
            try clause.violates("\(refused) B>chat(c9 s1 'question 2')^")
        }
        // Both were refused: the key is free.
        let both = """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(busy c2) +1s A>chat(c2 s1) A<error(busy c2)
            client=connected(s1 u1 a1 c2 failed=c2) client!sendAgain(c2)
            """
        try clause.untested("\(both) A>chat(c2 s1)")
        try clause.untested("\(both) A>chat(c9 s1 'question 2')")
    }

    @Test func `CLIENT-11 a message that is too large is not sent`() throws {
        let clause = ClauseUnderTest("CLIENT-11")
        let long = String(repeating: "long ", count: 20)
        let typed = "client!launch A+(maxFrameBytes=80) client=connected(s1 u1 a1) client!send(c2='\(long)')"
        try clause.conforms("\(typed) client=connected(s1 u1 a1 c2='\(long)' failed=c2)")
        // Without a connection it may have failed for that.
        let offline = typed.replacing(" client!send", with: " A<eof client=connecting(s1 u1 a1) client!send")
        try clause.untested("\(offline) client=connecting(s1 u1 a1 c2='\(long)' failed=c2)")
        try clause.violates("\(typed) A>chat(c2 s1 '\(long)')^")
        try clause.violates("\(typed) +3s 1>POST(c2 s1 '\(long)')^")
        let lost = "client!launch A+(maxFrameBytes=80) A!cut +5s client!send(c2='\(long)') 1>POST(c2 '\(long)')"
        try clause.untested(lost)
        try clause.violates("\(lost.replacing("A!cut +5s", with: "+5s A!cut"))^")
        // A greeting that was cut off at once may have told a larger limit.
        let greeted = "client!launch A+(maxFrameBytes=80) +5s A!cut B+(maxFrameBytes=800) B!cut"
        let posted = "client!send(c2='\(long)') 1>POST(c2 '\(long)')"
        try clause.untested("\(greeted) \(posted)")
        try clause.violates("\(greeted.replacing("=800", with: "=90")) \(posted)^")
        try clause.untested("client!launch A+(maxFrameBytes=800) client!send(c2='\(long)') A>chat(c2 s1 '\(long)')")
        try clause.untested("client!launch client!send(c2='\(long)') 1>POST(c2 '\(long)') A+(maxFrameBytes=80)")
    }

    @Test func `CLIENT-6 leaves the key free where nobody can be asked twice`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        for code in ["busy", "bad_request", "persist_failed", "internal"] {
            let refused = """
                \(ready) client!send(c2) A>chat(c2 s1) A<error(\(code) c2) client=connected(s1 u1 a1 c2 failed=c2)
                client!sendAgain(c2)
                """
            try clause.untested("\(refused) A>chat(c2 s1)")
            try clause.untested("\(refused) A>chat(c9 s1 'question 2')")
        }
    }

    @Test func `what a person sends again is not sent again by itself`() throws {
        try ClauseUnderTest("CLIENT-9").untested(
            """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(bad_request c2) client=connected(s1 u1 a1 c2 failed=c2)
            client!sendAgain(c2) A>chat(c2 s1)
            """)
    }

    private let offline =
        "client!launch A+ client=connected(s1 u1 a1) client!networkDown A!cut client=offline(s1 u1 a1)"

    @Test func `CLIENT-38 what is typed without a connection is sent, or said not to be`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let typed = "\(offline) client!send(c2)"
        let shown = "client=offline(s1 u1 a1 c2) client!networkUp"
        try clause.conforms("\(typed) \(shown) B+ B>chat(c2 s1)")
        try clause.conforms("\(typed) \(shown) 1>POST(c2 s1) B+")
        try clause.conforms(
            "\(typed) client=offline(s1 u1 a1 c2 failed=c2) client!networkUp B+ +17s", also: ["CLIENT-18"])
        // Told too late, or of something else.
        try clause.violates(
            "\(typed) \(shown) B+ +17s^ client=connected(s1 u1 a1 c2 failed=c2)", also: ["CLIENT-18"])
        try clause.violates(
            "\(typed) client=offline(s1 u1 a1 'You are offline') client!networkUp B+ +17s^", also: ["CLIENT-18"])
        try clause.violates("\(typed) \(shown) B+ +17s^", also: ["CLIENT-18"])
        try clause.violates("\(typed) \(shown) B+ +17s^ B>chat(c2 s1)", also: ["CLIENT-18"])  // too late
        try clause.violates("\(typed) client=offline(s1 u1 a1) client!networkUp B+ +17s^", also: ["CLIENT-18"])
        try clause.violates("client!launch A>open client!send(c2) A<open A>auth A<connected +17s^")
        try clause.violates("\(typed) \(shown) B+ +5s B!cut C+ +17s^", also: ["CLIENT-18"])
        try clause.untested("\(typed) \(shown) B+ +16s", also: ["CLIENT-18"])
        try clause.untested("\(typed) \(shown) B>open B<refused(503) +17s")
        try clause.untested("\(typed) \(shown) B+ client!background +17s client!foreground")
        try clause.untested(
            "\(typed) \(shown) B+ client!selectSession(s2) client=connected(s2) +17s", also: ["CLIENT-18"])
        // It had a connection.
        try clause.conforms("\(ready) client!send(c2) A>chat(c2 s1)")
        try clause.violates("\(ready) client!send(c2) client=connected(s1 u1 a1 c2 thinking) +18s^")
        try clause.untested("\(ready) client!send(c2) client=connected(s1 u1 a1 c2 thinking) +16s")
        try clause.conforms("\(ready) client!send(c2) client=connected(s1 u1 a1 c2 failed=c2) +18s")
        try clause.untested("\(ready) client!send(c2) client!background +18s")
        // A replay may come first.
        let synced = """
            client!launch A+(e1 #0) client=connected(s1 u1 a1) A!cut B+(e1 #2) B>sync(e1 #0) client!send(c2)
            client=connected(s1 u1 a1 c2 thinking)
            """
        try clause.untested("\(synced) +18s")
        try clause.untested("\(synced) +10s B<syncResult(e1 #2 complete) +10s")
        try clause.violates("\(synced) +10s B<syncResult(e1 #2 complete) +18s^")
    }

    @Test func `CLIENT-38 a text that failed does not wait beside its equal`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let first = "\(offline) client!send(c2='again') client=offline(s1 u1 a1 c2='again'"
        let second = " failed=c2) client!networkUp B+ client!send(c3='again')"
        try clause.conforms("\(first)\(second) B>chat(c3 s1 'again') B<ack(c3) +17s", also: ["CLIENT-18"])
        try clause.violates("\(first)\(second) +17s^", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-38 the form of a text makes no other message`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        func sent(_ typed: String, _ sent: String, _ shown: String) -> String {
            """
            \(offline) client!send(c2='\(typed)') client=offline(s1 u1 a1 c2='\(shown)') client!networkUp B+
            B>chat(c2 s1 '\(sent)') B<ack(c2) +17s
            """
        }
        try clause.conforms(sent(" Tea? ", "Tea?", " Tea? "), also: ["CLIENT-18"])
        try clause.conforms(sent("cafe\u{301}", "caf\u{e9}", "cafe\u{301}"), also: ["CLIENT-18"])
        try clause.conforms(sent("Tea?", "**Tea?**", "Tea?"), also: ["CLIENT-18"])  // the key says which it is
        // Who sends words that nobody typed may mean these.
        try clause.untested(
            """
            \(offline) client!send(c2=' Tea? ') client=offline(s1 u1 a1 c2=' Tea? ') client!networkUp B+
            B>chat(c3 s1 'Coffee?') B<ack(c3) +17s
            """, also: ["CLIENT-18"])
        // A resend in another form is another text all the same.
        try ClauseUnderTest("CLIENT-6", rule: 1).violates(
            "\(ready) client!send(c2='Tea? ') A>chat(c2 s1 'Tea? ') A!cut 1>POST(c2 s1 'Tea?')^")
    }

    @Test func `CLIENT-38 an earlier message may hold a later one up`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        try clause.conforms(
            "\(offline) client!send(c2) client!send(c3) client!networkUp B+ B>chat(c2 s1) B<ack(c2) +17s",
            also: ["CLIENT-18"])
        try clause.violates(
            """
            \(offline) client!send(c2) client!send(c3) client!networkUp B+ B>chat(c2 s1) B<ack(c2) B<done(t2)
            client=connected(s1 u1 a1 u2 a2) +17s^
            """, also: ["CLIENT-18"])
        // Also one that was typed before the app was ended and launched again.
        let before = "\(ready) client!send(c2) A>chat(c2 s1) A!cut client!quit"
        let after = "B+ B>chat(c2 s1) B<ack(c2) client=connected(s1 u1 a1 u2 thinking) client!send(c3)"
        try clause.conforms("\(before) client!launch(fresh=false) \(after) +18s")
        try clause.violates(
            "\(before) client!launch(fresh=false) \(after) B<done(t2) client=connected(s1 u1 a1 u2 a2 c3) +18s^")
        try clause.violates(
            "\(before) client!launch(fresh=true) B+ client=connected(s1 u1 a1) client!send(c3) client=connected(s1 u1 a1 c3) +18s^"
        )
    }

    @Test func `CLIENT-38 a message that was refused, resent and accepted is awaited again`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let refused = """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(persist_failed c2) client!send(c3)
            client=connected(s1 u1 a1 c2 c3 thinking error.c2=persist_failed)
            """
        let sample = "client=connected(s1 u1 a1 u2 c3 thinking error.c2=persist_failed)"
        let resent = "\(refused) A>chat(c2 s1) A<ack(c2) \(sample)"
        try clause.conforms("\(resent) +18s")
        try clause.violates("\(resent) A<done(t2) client=connected(s1 u1 a1 u2 a2 c3) +18s^")
        // It may go first until it is shown as failed.
        try clause.conforms("\(refused) +18s")
        try clause.violates("\(refused.replacing("thinking", with: "failed=c2")) +18s^")
    }

    @Test func `CLIENT-35 nothing typed is forgotten with the app`() throws {
        let clause = ClauseUnderTest("CLIENT-35")
        let ended = "\(offline) client!send(c2) client=offline(s1 u1 a1 c2) client!quit client!networkUp"
        let again = "\(ended) client!launch(fresh=false) B+"
        try clause.conforms("\(again) B>chat(c2 s1)")
        try clause.conforms("\(again) client=connected(s1 u1 a1 c2)")
        try clause.conforms("\(again) client=connected(s1 u1 a1 c2 failed=c2)")
        try clause.violates("\(again) client=connected(s1 u1 a1) +17s^")
        try clause.violates(
            "\(again) client=connected(s2) +17s client!selectSession(s1) client=connected(s1 u1 a1) +17s^",
            also: ["CLIENT-18"])
        // Who knows what stands in the other.
        try clause.untested("\(again) client=connected(s2) +17s")
        try clause.untested("\(again) client=connected(s1 u1 a1) +16s")
        try clause.untested(
            "\(ended) client!launch(fresh=true) B+ client=connected(s1 u1 a1) +17s")
        try clause.untested(
            "\(ended) client!launch(fresh=false) client=connecting(s1 u1 a1) +60s", also: ["CLIENT-37"])
        let sent = "\(ready) client!send(c2) A>chat(c2 s1)"
        let next = "client!quit client!launch(fresh=false) B+ client=connected(s1 u1 a1)"
        try clause.violates("\(sent) \(next) +17s^")
        try clause.untested("\(sent) A<ack(c2) \(next) 1>GET(s1) +17s")
        // What was refused or failed is still what the person typed.
        let refused = "\(sent) A<error(busy c2) client=connected(s1 u1 a1 c2 failed=c2)"
        try clause.violates("\(refused) \(next) +17s^")
        try clause.conforms("\(refused) \(next.replacing("u1 a1", with: "u1 a1 c2 failed=c2"))")
        try clause.untested("\(refused) \(next) 1>GET(s1) 1<404(session_not_found) +17s")
        let failed = "\(offline) client!send(c2) client=offline(s1 u1 a1 c2 failed=c2) client!quit client!networkUp"
        try clause.violates("\(failed) client!launch(fresh=false) B+ client=connected(s1 u1 a1) +17s^")
    }

    @Test func `CLIENT-35 holds in a new conversation and after a crash`() throws {
        let clause = ClauseUnderTest("CLIENT-35")
        let new = """
            client!launch A+ client=connected client!networkDown A!cut client=offline client!send(c1)
            client=offline(c1) +1s
            """
        for end in ["client!quit", "client!exit(code=1)", "client!crash"] {
            let again = "\(new) \(end) client!networkUp client!launch(fresh=false) B+"
            try clause.conforms("\(again) B>chat(c1)")
            try clause.conforms("\(again) client=connected(c1)")
            try clause.conforms("\(again) client=connected(c1 failed=c1)")
            try clause.violates("\(again) client=connected +17s^")
            // It may wait where nobody looked.
            try clause.untested("\(again) client=connected(s9 u9 a9) +17s")
        }
        // What was typed in the moment of a crash may not have been taken in.
        for end in ["client!exit(code=1)", "client!crash"] {
            let crashed = """
                client!launch A+ client=connected(s1 u1 a1) client!networkDown A!cut client=offline(s1 u1 a1)
                client!send(c2) \(end) client!networkUp client!launch(fresh=false) B+ client=connected(s1 u1 a1)
                """
            try clause.untested("\(crashed) +17s")
        }
    }

    @Test func `CLIENT-31 an answer ends the failure`() throws {
        let clause = ClauseUnderTest("CLIENT-31", rule: 1)
        let taken = taken.replacing("A+", with: "A+(e1 #0)")
        let late = "\(taken) A!cut client=connecting(s1 u1 a1 u2 failed=c2) B+(e1 #0) B>sync(e1 #0)"
        let replay = "B<syncResult(e1 #1 complete)[done(t2 #1)]"
        let read = "B<syncResult(e1 #1 complete) 1>GET(s1) 1<200(u1 a1 u2 a2)"
        let live = "B<syncResult(e1 #0 complete) B<done(t2 #1)"
        for road in [replay, read, live] {
            try clause.conforms("\(late) \(road) client=connected(s1 u1 a1 u2 a2)")
            try clause.conforms(
                "\(late) \(road) client=connected(s1 u1 a1 u2 a2 failed=c2) +1s client=connected(s1 u1 a1 u2 a2)")
            try clause.violates("\(late) \(road) client=connected(s1 u1 a1 u2 a2 failed=c2) +18s^")
            try clause.untested("\(late) \(road) client=connected(s1 u1 a1 u2 a2 failed=c2) +16s")
        }
        try clause.untested("\(taken) A<done(t2) client=connected(s1 u1 a1 u2 a2)")
        try clause.untested("\(late) client=connected(s1 u1 a1 u2 failed=c2) +18s")
        let told = "\(taken) A!cut client=connecting(s1 u1 a1 u2 'No answer yet') B+(e1 #0) B>sync(e1 #0)"
        // An error that does not name the question may be about anything.
        try clause.untested("\(told) \(live) client=connected(s1 u1 a1 u2 a2 'No answer yet')")
        try clause.untested(
            "\(taken) A<error(agent_failed t2) client=connected(s1 u1 a1 u2 failed=c2) 1>GET(s1) 1<200(u1 a1 u2 t2=failed) +18s"
        )
    }

    @Test func `CLIENT-31 a failure that comes with or after the answer is one`() throws {
        let clause = ClauseUnderTest("CLIENT-31", rule: 1)
        let answered = "\(taken) A<done(t2) client=connected(s1 u1 a1 u2 a2)"
        try clause.violates("\(answered) +16s client=connected(s1 u1 a1 u2 a2 failed=c2) +1s^")
        try clause.violates("\(taken) A<done(t2) client=connected(s1 u1 a1 u2 a2 failed=c2) +18s^")
        try clause.untested("\(taken) A<done(t2) client=connected(s1 u1 a1 u2 a2 failed=c2) +1s")  // it had no time
        try clause.untested("\(answered) client!sendAgain(c2) +17s client=connected(s1 u1 a1 u2 a2 failed=c2) +1s")
        let late = """
            \(taken.replacing("A+", with: "A+(e1 #0)")) A!cut client=connecting(s1 u1 a1 u2 failed=c2)
            B+(e1 #0) B>sync(e1 #0)
            B<syncResult(e1 #1 complete)[done(t2 #1)]
            """
        try clause.violates(
            "\(late) client=connected(s1 u1 a1 u2 a2) +17s client=connected(s1 u1 a1 u2 a2 failed=c2)^")
    }

    @Test func `CLIENT-31 an answer may be lost with the network`() throws {
        let clause = ClauseUnderTest("CLIENT-31", rule: 1)
        func lost(_ delay: String) -> String {
            "\(taken) A<done(t2)\(delay) client!networkDown A!cut(silence) client!networkUp B+ "
                + "client=connected(s1 u1 a1 u2 failed=c2) +18s"
        }
        try clause.untested(lost(""), also: ["CLIENT-18"])
        try clause.violates("\(lost(" +3s"))^", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-31 equal words are told apart by what the server calls them`() throws {
        let clause = ClauseUnderTest("CLIENT-31", rule: 1)
        func shown(_ first: String, _ second: String) -> String {
            func entry(_ id: String, _ status: String) -> String {
                "{\"id\":\"\(id)\",\"role\":\"user\",\"text\":\"yes\",\"status\":\"\(status)\"}"
            }
            let messages = [entry("u1", first), entry("u2", second)].joined(separator: ",")
            return "client=state(json='{\"connection\":\"connected\",\"sessionId\":\"s1\",\"messages\":[\(messages)]}')"
        }
        let both = """
            client!launch A+ client=connected(s1) client!send(c1='yes') A>chat(c1 s1 'yes') A<ack(c1)
            client!send(c2='yes') A>chat(c2 s1 'yes') A<ack(c2) \(shown("failed", "failed"))
            """
        try clause.conforms("\(both) A<done(t1) \(shown("sent", "failed")) +18s")
        try clause.violates("\(both) A<done(t1) \(shown("failed", "sent")) +18s^")
    }

    @Test func `CLIENT-10 one that was lost and one that was typed are in order`() throws {
        let clause = ClauseUnderTest("CLIENT-10")
        let lost = "\(ready) client!send(c2) A>chat(c2 s1) A!cut client!send(c3) B+"
        try clause.conforms("\(lost) B>chat(c2 s1) B>chat(c3 s1)")
        try clause.violates("\(lost) B>chat(c3 s1) B>chat(c2 s1)^")
        try clause.untested("\(lost) 1>POST(c3 s1) B>chat(c2 s1)")
        // The request may have been under way when the later one was sent.
        try clause.untested("\(lost) B>chat(c3 s1) 1>POST(c2 s1) 1<failed('reset') B>chat(c2 s1)")
        try clause.untested("\(ready) client!send(c2) A>chat(c2 s1) client!send(c3) A>chat(c3 s1) A<ack(c2) A<ack(c3)")
        // It was known to have arrived.
        try clause.untested(
            "\(lost) B>chat(c3 s1) B<ack(c3) 1>GET(s1) 1<200(u1 a1 u2 u3) client=connected(s1 u1 a1 u2 u3)")
    }

    @Test func `CLIENT-10 holds in a new conversation`() throws {
        let clause = ClauseUnderTest("CLIENT-10")
        let typed = """
            client!launch A+ client=connected client!networkDown A!cut client=offline client!send(c1) client!send(c2)
            client=offline(c1 c2) client!networkUp B+
            """
        try clause.conforms("\(typed) B>chat(c1) B<ack(c1) B>chat(c2 s1)")
        try clause.violates("\(typed) B>chat(c2) B<ack(c2) B>chat(c1 s1)^")
        try clause.violates("\(typed) B>chat(c2) B>chat(c1)^")
        // Two conversations wait for nothing from each other.
        let two = typed.replacing("client!send(c2)", with: "client!selectSession(s2) client!send(c2)")
        try clause.untested("\(two) B>chat(c2 s2) B>chat(c1)")
    }

    @Test func `CLIENT-10 a new conversation may turn out to be the one on the screen`() throws {
        let clause = ClauseUnderTest("CLIENT-10")
        func typed(_ session: String) -> String {
            """
            client!launch A+ client=connected\(session) client!send(c1) A>chat(c1) client!networkDown A!cut client!send(c2)
            client=offline\(session) client!selectSession(s1) client=offline(s1) client!send(c3) client!networkUp B+ 1>GET(s1)
            1<200(u1) client=connected(s1 u1 c3) B>chat(c3 s1) B>chat(c2 s1)
            """
        }
        try clause.untested(typed(""))
        try clause.violates("\(typed("(s1)"))^", also: ["CLIENT-12"])
    }

    @Test func `CLIENT-31 what runs is not shown as failed`() throws {
        let clause = ClauseUnderTest("CLIENT-31", rule: 2)
        let other = "\(taken) A<error(agent_failed t7 s1) +1s"
        let failed = "client=connected(s1 u1 a1 u2 failed=c2)"
        try clause.conforms("\(other) client=connected(s1 u1 a1 u2 thinking)")
        try clause.violates("\(other) \(failed)^")
        try clause.conforms("\(taken) A<error(agent_failed t2 c2) +1s \(failed)")
        try clause.conforms("\(other) A!cut \(failed)")
        try clause.conforms("\(other) +30s +30s +10s \(failed)")
        // On a late machine, the client's own timers still run on time.
        let late = ClauseUnderTest(
            "CLIENT-31", rule: 2, lateness: [History.Lateness(from: 0, to: 80_000_000, slowness: 10)])
        try late.conforms("\(other) +30s +30s +10s \(failed)")
        try late.violates("\(other) \(failed)^")
        // Whatever one read says; who reads again may have polled.
        let early = taken.replacing("client!send", with: "1>GET(s1) client!send")
        try clause.violates("\(early) 1<200(u1 a1) \(failed)^")
        let holding = "\(taken) 1>GET(s1) 1<200(u1 a1 u2) client=connected(s1 u1 a1 u2 thinking)"
        try clause.violates("\(holding) \(failed)^")
        try clause.violates("\(taken) 1>GET(s1) 1<503 client=connected(s1 u1 a1 u2 thinking) \(failed)^")
        try clause.conforms("\(holding) +8s 2>GET(s1) 2<200(u1 a1 u2) \(failed)")
        try clause.untested("\(ready) client!send(c2) A>chat(c2 s1) +1s client=connected(s1 u1 a1 c2 failed=c2)")
    }

    @Test func `CLIENT-38 what was typed in a session that was left goes out`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let left = """
            \(offline) client!send(c2) client=offline(s1 u1 a1 c2) client!networkUp B+ client!selectSession(s2)
            1>GET(s2) 1<200(u5 a5) client=connected(s2 u5 a5)
            """
        let back = "client!selectSession(s1) 2>GET(s1) 2<200(u1 a1)"
        try clause.conforms("\(left) B>chat(c2 s1) B<ack(c2) +17s")
        try clause.violates("\(left) +17s \(back) client=connected(s1 u1 a1 c2)^")
        try clause.conforms("\(left) +17s \(back) client=connected(s1 u1 a1 c2 failed=c2)")
        try clause.untested("\(left) +17s client=connected(s2 u5 a5)")
        try clause.violates("\(left) +17s client=connected(s2 u5 a5 'not sent') \(back) client=connected(s1 u1 a1 c2)^")
    }

    @Test func `CLIENT-38 what was typed in a new conversation that was left goes out`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let left = """
            client!launch A+ client=connected() A!cut client!networkDown client=offline() client!send(c2) client=offline(c2)
            client!selectSession(s1) client=offline(s1) client!networkUp B+ 1>GET(s1) 1<200(u1 a1) client=connected(s1 u1 a1)
            """
        try clause.conforms("\(left) B>chat(c2) B<ack(c2 s2) +17s")
        try clause.violates("\(left) +17s^")
        try clause.violates("\(left) client=connected(s1 u1 a1 'not sent') +17s^")
    }

    @Test func `CLIENT-38 the error of another message tells nothing of this one`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let refused = """
            \(offline) client!send(c2) client!send(c3) client=offline(s1 u1 a1 c2 c3) client!networkUp B+ B>chat(c2 s1)
            B<error(bad_request c2) 1>GET(s1) 1<200(u1 a1)
            client=connected(s1 u1 a1 c2 c3 failed=c2 error.c2=bad_request)
            """
        try clause.conforms("\(refused) B>chat(c3 s1) B<ack(c3) +17s")
        try clause.violates("\(refused) +17s^")
        // One that comes again may go first.
        let limited = refused.replacing("bad_request", with: "rate_limited")
        try clause.conforms("\(limited) +17s")
        let told = "client=connected(s1 u1 a1 c2 c3 failed=c2 error.c2=bad_request"
        try clause.violates("\(refused) \(told) 'not sent') +17s^")
        try clause.conforms("\(refused) \(told) error.c3=too_large) +17s")
    }

    @Test func `CLIENT-31 an answer ends the failure of an earlier launch`() throws {
        let clause = ClauseUnderTest("CLIENT-31", rule: 1)
        let failed = "\(taken) A!cut client=connecting(s1 u1 a1 u2 failed=c2) client!quit client!launch B+ 1>GET(s1)"
        let answered = "\(failed) 1<200(u1 a1 u2 a2)"
        try clause.conforms("\(answered) client=connected(s1 u1 a1 u2 a2)")
        try clause.violates("\(answered) client=connected(s1 u1 a1 u2 a2 failed=c2) +17s^")
    }

    @Test func `CLIENT-38 what is sent again goes out`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let refused = """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(bad_request c2) client=connected(s1 u1 a1 c2 failed=c2)
            client!networkDown A!cut client=offline(s1 u1 a1 c2 failed=c2) client!sendAgain(c2) client=offline(s1 u1 a1 c2)
            client!networkUp B+ 1>GET(s1) 1<200(u1 a1)
            """
        try clause.conforms("\(refused) B>chat(c2 s1)")
        try clause.violates("\(refused) +17s^")
        try clause.untested("\(refused) +1s client=connected(s1 u1 a1 c2 failed=c2) +17s")
    }

    @Test func `CLIENT-12 one message begins a conversation`() throws {
        let clause = ClauseUnderTest("CLIENT-12")
        let typed = """
            client!launch A+ client=connected client!networkDown A!cut client!send(c2) client!send(c3)
            client=offline(c2 c3) client!networkUp B+ B>chat(c2 -s)
            """
        try clause.conforms("\(typed) B<ack(c2 s1) +1s B>chat(c3 s1)")
        try clause.violates("\(typed) B>chat(c3 -s)^")
        try clause.untested("\(typed) B<error(busy c2) client=connected(c2 c3 failed=c2) B>chat(c3 -s)")
        try clause.untested("\(typed) B!cut C+ C>chat(c3 -s)")
    }

    @Test func `CLIENT-12 what failed unsent is not what was typed later`() throws {
        let clause = ClauseUnderTest("CLIENT-12")
        let typed = """
            \(ready) client!send(c2='yes') client=connected(s1 u1 a1 c2='yes' failed=c2) client!selectSession(s2)
            client=connected(s2 u5 a5) client!send(c3='yes')
            """
        try clause.conforms("\(typed) A>chat(c3 s2 'yes')")
        try clause.violates("\(typed) A>chat(c3 s1 'yes')^")
        // Under the key that was shown it is the first one.
        try clause.violates("\(typed) A>chat(c2 s2 'yes')^")
    }

    @Test func `CLIENT-12 what is sent again goes where it went`() throws {
        let clause = ClauseUnderTest("CLIENT-12")
        let failed = "\(ready) A!cut client!send(c2) 1>POST(c2 s1) 1<503"
        try clause.conforms("\(failed) 2>POST(c2 s1)")
        try clause.violates("\(failed) 2>POST(c2 -s)^")
        try clause.violates("\(failed) B+ B>chat(c2 s2)^")
    }

    @Test func `CLIENT-38 all that was typed is sent`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let typed = "\(ready) client!send(c2=' rain or 👩‍👩‍👧 ') client=connected(s1 u1 a1 c2=' rain or 👩‍👩‍👧 ')"
        try clause.conforms("\(typed) A>chat(c2 s1 'rain or 👩‍👩‍👧')")
        try clause.violates("\(typed) A>chat(c2 s1 'rain or')^")
    }

    @Test func `CLIENT-10 what is shown as failed stands aside`() throws {
        let clause = ClauseUnderTest("CLIENT-10")
        let typed = """
            \(offline) client!send(c2) client!send(c3) client=offline(s1 u1 a1 c2 c3) client!networkUp B+ B>chat(c3 s1)
            """
        let failed = "client=connected(s1 u1 a1 c2 c3 failed=c2)"
        try clause.untested("\(typed) \(failed) client!sendAgain(c2) B>chat(c2 s1)")  // the screen was late
        try clause.untested("\(typed) client!sendAgain(c2) B>chat(c2 s1)")  // nobody sends again what waits
        try clause.violates("\(typed) +3s \(failed) client!sendAgain(c2) B>chat(c2 s1)^")
        try clause.violates("\(typed) B>chat(c2 s1)^")
    }

    @Test func `CLIENT-10 what waited goes out in the order of typing`() throws {
        let clause = ClauseUnderTest("CLIENT-10")
        let typed = """
            \(offline) client!send(c2) client!send(c3) client=offline(s1 u1 a1 c2 c3) client!networkUp B+
            """
        try clause.conforms("\(typed) B>chat(c2 s1) B>chat(c3 s1)")
        try clause.conforms("\(typed) B>chat(c2 s1) B<ack(c2) B<done(t2) B>chat(c3 s1)")
        try clause.conforms("\(typed) 1>POST(c2 s1) B>chat(c3 s1)")
        try clause.violates("\(typed) B>chat(c3 s1) B>chat(c2 s1)^")
        try clause.untested("\(typed) B>chat(c3 s1) 1>POST(c2 s1)")  // the request may have been under way
        try clause.untested("\(typed) 1>POST(c3 s1) 2>POST(c2 s1)")
        try clause.conforms("\(typed) 1>POST(c2 s1) +1s 2>POST(c3 s1)")
        try clause.violates("\(typed) 1>POST(c3 s1) +1s 2>POST(c2 s1)^")
        try clause.untested("\(typed) B>chat(c3 s2) B>chat(c2 s1)", also: ["CLIENT-12"])
        try clause.untested("\(ready) client!send(c2) A>chat(c2 s1) client!send(c3) A>chat(c3 s1)")
        try clause.untested(
            """
            \(offline) client!send(c2) client=offline(s1 u1 a1 c2 failed=c2) client!send(c3) client!networkUp B+
            B>chat(c3 s1) B>chat(c2 s1)
            """)
    }

    @Test func `CLIENT-10 what was lost comes again in the order of typing`() throws {
        let clause = ClauseUnderTest("CLIENT-10")
        let lost = "\(ready) client!send(c2) A>chat(c2 s1) client!send(c3) A>chat(c3 s1) A!cut B+"
        try clause.conforms("\(lost) B>chat(c2 s1) B>chat(c3 s1)")
        try clause.violates("\(lost) B>chat(c3 s1) B>chat(c2 s1)^")
        try clause.untested("\(lost) 1>POST(c3 s1) 2>POST(c2 s1)")
        let limited = """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(rate_limited c2 retryAfterMs=1000)
            client=connected(s1 u1 a1 c2 rate_limited) client!send(c3) A>chat(c3 s1) A<ack(c3) A<done(t3) +1s A>chat(c2 s1)
            """
        try clause.untested(limited)
    }

    @Test func `CLIENT-12 a message goes where it was typed`() throws {
        let clause = ClauseUnderTest("CLIENT-12")
        let typed = "\(ready) client!networkDown A!cut client!send(c2) client=offline(s1 u1 a1 c2)"
        let left = "\(typed) client!selectSession(s2) client=offline(s2 u9 a9) client!networkUp B+"
        try clause.conforms("\(left) B>chat(c2 s1)")
        try clause.violates("\(left) B>chat(c2 s2)^")
        try clause.violates("\(left) B>chat(c2 -s)^")
        try clause.violates("\(typed) client!networkUp 1>POST(c2 s2)^")
        try clause.untested(left)
        // It left the screen by itself, or is gone.
        try clause.untested("\(ready) client!send(c2) client=connected(s9) A>chat(c2 s9)")
        try clause.untested("\(ready) 1>GET(s1) 1<404 client!send(c2) A>chat(c2 -s)")
        // Sent again by the person.
        let failed = "\(ready) client!send(c2) client=connected(s1 u1 a1 c2 failed=c2)"
        try clause.untested("\(failed) client!sendAgain(c2) A>chat(c2 s2)")
    }

    @Test func `CLIENT-12 a new conversation is one`() throws {
        let clause = ClauseUnderTest("CLIENT-12")
        let first = "client!launch A+ client=connected client!send(c1) A>chat(c1 -s) A<ack(c1) client!send(c2)"
        try clause.conforms("\(first) A>chat(c2 s1)")
        try clause.violates("\(first) A>chat(c2 s2)^")
        try clause.violates("\(first) +3s A>chat(c2 -s)^")
        try clause.untested("\(first) A>chat(c2 -s)")
        try clause.violates(
            "client!launch A+ client=connected client!send(c1) client!send(c2) A>chat(c1 -s) A>chat(c2 -s)^")
        let another = "client!selectSession client=connected client!send(c2)"
        try clause.conforms("\(first.replacing("client!send(c2)", with: another)) +3s A>chat(c2 -s)")
        // What begins a conversation goes to no session, whatever else waits.
        try clause.violates("\(first.replacing("client!send(c2)", with: another)) +3s A>chat(c2 s1)^")
        let kept = "client!selectSession client=connected(c1) client!send(c2)"  // no empty one
        try clause.untested("\(first.replacing("client!send(c2)", with: kept)) +3s A>chat(c2 s1)")
    }
}
