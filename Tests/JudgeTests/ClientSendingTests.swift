import TestSupport
import Testing

/// What becomes of what a person sends.
@Suite struct ClientSendingTests {
    private let ready = "client!launch A+ client=connected(s1 u1 a1)"
    /// A question in s1, of which nothing was said when its connection ended.
    private let cut = "client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A!cut"

    @Test func `CLIENT-7 a lost question is sent again on either road`() throws {
        let clause = ClauseUnderTest("CLIENT-7")
        try clause.conforms("\(cut) 1>POST(c2 s1) 1<200(t2)")
        try clause.conforms("\(cut) B+ B>chat(c2 s1) B<ack(c2)")
        // Early is legal.
        try clause.conforms(
            "\(ready) client!send(c2) A>chat(c2 s1) +1s 1>POST(c2 s1) A!cut B+ +17s", also: ["CLIENT-18"])
        try clause.conforms("\(cut) B+ +10s B>chat(c2 s1)")  // before the bound
        try clause.violates("\(cut) B+ +17s^", also: ["CLIENT-18"])
        try clause.violates("\(cut) B+ +1s B!cut C+ +17s^", also: ["CLIENT-18"])
        try clause.violates("\(ready) client!send(c2) A>chat(c2 s1) A!cut(silence) +15s B+ +17s^", also: ["CLIENT-18"])
        try clause.untested("\(cut) B+ +16s", also: ["CLIENT-18"])
        try clause.conforms("\(ready) A!cut client!send(c2) 1>POST(c2 s1) 1<failed('reset') B+ B>chat(c2 s1)")
        try clause.violates(
            "\(ready) A!cut client!send(c2) 1>POST(c2 s1) 1<failed('reset') B+ +17s^", also: ["CLIENT-18"])
        // A 5xx that names neither the question nor its turn is no word of the server.
        let bare = "\(ready) A!cut client!send(c2) 1>POST(c2 s1) 1<503(body='') B+ 2>GET(s1)"
        try clause.conforms("\(bare) B>chat(c2 s1)")
        try clause.violates("\(bare) +17s^")
        let named = bare.replacing("body=''", with: "persist_failed")
        try clause.conforms("\(named) B>chat(c2 s1)")
        try clause.violates("\(named) +17s^")
        let refused = bare.replacing("body=''", with: "persist_failed c2")
        try clause.conforms("\(refused) client=connected(s1 u1 a1 c2 failed=c2) +17s")
        try clause.untested("\(cut) +29s")  // its next connection may be the road, and there was none
        try clause.untested("\(cut) client!background +30s client!foreground")
        try clause.untested("\(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) A!cut B+ 1>GET(s1) +17s")
        try clause.untested(
            "\(ready) client!send(c2) A>chat(c2 s1) A<error(busy c2) client=connected(s1 u1 a1 c2 failed=c2) A!cut B+ +17s",
            also: ["CLIENT-18"]
        )
    }

    @Test func `CLIENT-7 a question that arrived need not be sent again`() throws {
        let clause = ClauseUnderTest("CLIENT-7")
        try clause.untested("\(cut) B+ 1>GET(s1) 1<200(u1 a1 u2) client=connected(s1 u1 a1 u2) +17s")
        try clause.untested(
            """
            \(cut.replacing("A+", with: "A+(e1 #0)")) B+(e1 #2) B>sync(e1 #0)
            B<syncResult(e1 #2 complete)[message(u2 c2 t2 #1)] client=connected(s1 u1 a1 u2) +17s
            """)
        try clause.violates("\(cut) B+ 1>GET(s1) 1<200(u1 a1) +17s^")
    }

    @Test func `CLIENT-7 a question typed into a dead connection is sent`() throws {
        let clause = ClauseUnderTest("CLIENT-7")
        let dead = "\(ready) A!cut(rst) client!send(c2)"
        try clause.conforms("\(dead) 1>POST(c2 s1)")
        try clause.conforms("\(dead) B+ B>chat(c2 s1)")
        try clause.violates("\(dead) B+ +17s^", also: ["CLIENT-38", "CLIENT-18"])
        try clause.untested("\(dead) +29s")
        try clause.untested("\(ready) client!send(c2) +17s", also: ["CLIENT-38"])
    }

    @Test func `CLIENT-7 the end of the app is the end of its connection`() throws {
        let clause = ClauseUnderTest("CLIENT-7")
        let asked =
            "\(ready) client!send(c2) A>chat(c2 s1) client=connected(s1 u1 a1 c2 thinking) +1s client!quit A!cut"
        let launched = "\(asked) client!launch B+ client=connected(s1 u1 a1 c2 thinking)"
        try clause.conforms("\(launched) B>chat(c2 s1)")
        try clause.violates("\(launched) +17s^")
        // As one that failed it waits for the person, and one that is not there is CLIENT-35's.
        try clause.untested("\(launched) client=connected(s1 u1 a1 c2 failed=c2) +17s")
        try clause.untested("\(asked) client!launch(fresh=true) B+ client=connected +17s")
        try clause.untested("\(launched) +16s")
    }

    @Test func `CLIENT-7 equal texts are two questions`() throws {
        let clause = ClauseUnderTest("CLIENT-7")
        let twice = """
            \(ready) client!send(c2='yes') A>chat(c2 s1 'yes') A<ack(c2) A<done(t2) client!send(c3='yes')
            A>chat(c3 s1 'yes') A!cut B+
            """
        try clause.conforms("\(twice) B>chat(c3 s1 'yes')")
        try clause.violates("\(twice) +17s^", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-9 what was refused for good is not sent again`() throws {
        let clause = ClauseUnderTest("CLIENT-9")
        let asked = "\(ready) client!send(c2) A>chat(c2 s1)"
        func shown(_ code: String) -> String {
            "A<error(\(code) c2) client=connected(s1 u1 a1 c2 failed=c2 error.c2=\(code))"
        }
        for code in ["bad_request", "session_not_found", "too_large", "idempotency_mismatch"] {
            try clause.conforms("\(asked) \(shown(code)) +17s")
            try clause.conforms("\(asked) \(shown(code)) A!cut B+ +17s", also: ["CLIENT-18"])
            try clause.violates("\(asked) \(shown(code)) A>chat(c2 s1)^")
            try clause.violates("\(asked) \(shown(code)) A!cut B+ B>chat(c2 s1)^")
            try clause.violates("\(asked) \(shown(code)) A!cut 1>POST(c2 s1)^")
        }
        try clause.violates("\(asked) A!cut 1>POST(c2 s1) 1<400(bad_request) B+ +1s B>chat(c2 s1)^")
        try clause.untested("\(asked) \(shown("busy")) +1s A>chat(c2 s1)")
        try clause.untested("\(asked) \(shown("bad_request")) +1s")
        try clause.untested("\(asked) A<error(agent_failed t2 c2) A>chat(c2 s1)")
        // What names no message is no word about this one.
        try clause.untested(
            "\(asked) A<error(bad_request) client=connected(s1 u1 a1 c2 bad_request) A!cut 1>POST(c2 s1)")
    }

    @Test func `CLIENT-9 a refusal that came as the client left may never have been taken`() throws {
        let clause = ClauseUnderTest("CLIENT-9")
        let refused = "\(ready) client!send(c2) A>chat(c2 s1) A<error(bad_request c2)"
        let shown = "client=connected(s1 u1 a1 c2 failed=c2 error.c2=bad_request)"
        try clause.untested("\(refused) A!cut B+ B>chat(c2 s1)")
        try clause.violates("\(refused) +2s A!cut B+ B>chat(c2 s1)^")
        try clause.violates("\(refused) \(shown) A!cut B+ B>chat(c2 s1)^")
        try clause.violates("\(refused) A>chat(c2 s1)^")
        // By another transport both may have crossed.
        try clause.untested("\(refused) 1>POST(c2 s1)")
        try clause.violates("\(refused) +1s 1>POST(c2 s1)^")
        let left = "\(refused) client!background A>close(1001) client!foreground B+"
        try clause.untested("\(left) B>chat(c2 s1)")
        try clause.violates("\(left.replacing(" client!b", with: " +2s client!b")) B>chat(c2 s1)^")
        let again = "client!quit client!launch(fresh=false) 1>POST(c2 s1)"
        try clause.untested("\(refused) \(again)")
        try clause.violates("\(refused) \(shown) \(again)^")
        // That the message is shown as failed later says nothing of the refusal.
        try clause.untested("\(refused) A!cut B+ B>chat(c2 s1) \(shown)")
    }

    @Test func `CLIENT-6 the same is sent again`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 1)
        try clause.conforms("\(cut) 1>POST(c2 s1)")
        try clause.conforms("\(cut) 1>POST(c2 s1) B+ B>chat(c2 s1)")
        try clause.conforms("\(cut) 1>POST(c2 s1 messages=null) 1<400(bad_request) 2>POST(c2 s1)")
        try clause.violates("\(cut) 1>POST(c9 s1 'question 2')^")
        try clause.violates("\(cut) 1>POST(c2 s1 'question 2 again')^")
        try clause.violates("\(cut) 1>POST(-c s1 'question 2')^")
        try clause.violates("\(cut) 1>POST(c2 s1) B+ B>chat(c9 s1 'question 2')^")
        try clause.untested(cut)
        // After the turn failed, the same words are a new question.
        try clause.untested(
            "\(ready) client!send(c2) A>chat(c2 s1) A<error(agent_failed t2 c2) A>chat(c3 s1 'question 2')")
    }

    @Test func `CLIENT-5 each message has a key of its own`() throws {
        let clause = ClauseUnderTest("CLIENT-5")
        let first = "\(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) A<done(t2) client=connected(s1 u1 a1 u2 a2)"
        try clause.conforms("\(first) client!send(c3) A>chat(c3 s1)")
        try clause.violates("\(first) client!send(c3) A>chat(c2 s1 'question 3')^")
        try clause.violates("\(first) client!send(c3) A>chat(-c s1 'question 3')^", also: ["ENV-12"])
        try clause.violates("\(ready) client!send(c2) A>chat(-c s1 'question 2')^", also: ["ENV-12"])
        try clause.violates("\(first) client!quit client!launch B+ client!send(c3) B>chat(c2 s1 'question 3')^")
        try clause.untested(first)
        try clause.untested("\(cut) B+ B>chat(c2 s1)")  // one message, sent twice
    }

    @Test func `CLIENT-5 equal texts have keys of their own`() throws {
        let clause = ClauseUnderTest("CLIENT-5")
        let first = "\(ready) client!send(c2='yes') A>chat(c2 s1 'yes') A<ack(c2) A<done(t2) client!send(c3='yes')"
        try clause.conforms("\(first) A>chat(c3 s1 'yes')")
        try clause.conforms("\(first) A>chat(c2 s1 'yes') A>chat(c3 s1 'yes')")  // the first once more, then the second
        try clause.violates("\(first) A>chat(c2 s1 'yes')^ A<ack(c2 duplicate) A<done(t2 duplicate) +17s")
        try clause.untested(
            "\(ready) client!send(c2='yes') A>chat(c2 s1 'yes') client!send(c3='yes') A>chat(c2 s1 'yes') A<ack(c2) +17s"
        )
    }

    @Test func `CLIENT-7 another turn proves nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-7")
        let others = "\(ready) client!send(c2) A>chat(c2 s1) A<toolUse(s7 t7)"
        try clause.conforms("\(others) A!cut B+ B>chat(c2 s1)")
        try clause.conforms("\(others) A!cut 1>POST(c2 s1)")
        try clause.violates("\(others) A!cut B+ +17s^", also: ["CLIENT-18"])
        try clause.violates(
            "\(ready) client!send(c2) A>chat(c2 s1) A<done(s1 t1) A!cut B+ +17s^", also: ["CLIENT-18"])
        try clause.untested("\(others) A<ack(c2) A!cut B+ 1>GET(s1)")
    }

    @Test func `CLIENT-24 a launch proves nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-24")
        let unsent =
            "\(ready) client!networkDown A!cut client!send(c2) client=offline(s1 u1 a1 c2) client!quit client!launch"
        try clause.conforms("\(unsent) client=offline(s1 u1 a1 c2)")
        try clause.conforms("\(unsent) client=offline(s1 u1 a1 c2 failed=c2)")
        try clause.violates("\(unsent) client=offline(s1 u1 a1 u2)^")
        let lost =
            "\(ready) client!send(c2) A>chat(c2 s1) A!cut client=connecting(s1 u1 a1 c2) client!quit client!launch"
        try clause.violates("\(lost) client=connecting(s1 u1 a1 u2)^")
        try clause.conforms("\(lost) B+ 1>GET(s1) 1<200(u1 a1 u2) client=connected(s1 u1 a1 u2)")
        try clause.untested(
            "\(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) client!quit client!launch client=connecting(s1 u1 a1 u2)")
        try clause.violates(
            "\(unsent) client=offline(s1 u1 a1 u2)^ client!networkUp B+ 1>GET(s1) 1<200(u1 a1) B>chat(c2 s1) B<ack(c2)")
        let fresh = unsent.replacing("client!launch", with: "client!launch(fresh=true)")
        try clause.conforms("\(fresh) client=offline(s1 u1 a1 u2)")
    }

    @Test func `CLIENT-24 an older message of the same words is another one`() throws {
        let clause = ClauseUnderTest("CLIENT-24")
        let typed = "client!launch A+ client=connected 1>GET(s1) client!send(c2)"
        let message = #"{"id":"u1","role":"user","text":"question 2","status":"sent"}"#
        let shown = #"""
            client=state(json='{"connection":"connected","sessionId":"s1","thinking":false,"messages":[\#(message)],
            "errors":[],"unread":{}}')
            """#
        try clause.untested("\(typed) 1<200(u1='question 2' -c) A>chat(c2) \(shown)")
        try clause.untested("\(typed) A>chat(c2) 1<200(u1='question 2' -c) \(shown)")
        try clause.violates("\(typed) A>chat(c2) 1<200(a1) \(shown)^")
    }

    @Test func `CLIENT-24 a message is sending until it is proven`() throws {
        let clause = ClauseUnderTest("CLIENT-24")
        let sent = "\(ready) client!send(c2) A>chat(c2 s1)"
        try clause.conforms(
            "\(sent) client=connected(s1 u1 a1 c2 thinking) A<ack(c2) client=connected(s1 u1 a1 u2 thinking)")
        try clause.violates("\(sent) client=connected(s1 u1 a1 u2 thinking)^")
        try clause.violates("\(sent) A<toolUse(s7 t7) client=connected(s1 u1 a1 u2 thinking)^")
        try clause.untested("\(sent) A<ack(c2) client=connected(s1 u1 a1 u2 thinking)")
        // A refusal is no proof of delivery.
        for refusal in ["busy c2", "bad_request c2", "persist_failed c2"] {
            let refused = "\(sent) A<error(\(refusal))"
            try clause.conforms("\(refused) client=connected(s1 u1 a1 c2 failed=c2)")
            try clause.violates("\(refused) client=connected(s1 u1 a1 u2 error.c2=busy)^")
            try clause.violates(
                "\(refused) client=connected(s1 u1 a1 c2 failed=c2) client=connected(s1 u1 a1 u2 busy)^")
        }
        try clause.untested("\(sent) A<error(busy c2) A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2)")
        try clause.untested("\(sent) A<error(agent_failed t2 c2) client=connected(s1 u1 a1 u2 error.c2=agent_failed)")
        try clause.untested("\(sent) A<done(t2 c2) client=connected(s1 u1 a1 u2 a2)")
        try clause.untested("\(cut) 1>POST(c2 s1) 1<200(t2) client=connected(s1 u1 a1 u2 a2)")
    }

    @Test(arguments: [
        "bad_request", "session_not_found", "too_large", "busy", "rate_limited", "idempotency_mismatch",
        "not_authenticated",
        "parse_error", "unknown_type", "persist_failed", "internal",
    ])
    func `CLIENT-32 every refusal is shown`(_ code: String) throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let refused = "\(ready) client!send(c2) A>chat(c2 s1) A<error(\(code) c2)"
        try clause.conforms("\(refused) client=connected(s1 u1 a1 c2 failed=c2)")
        try clause.conforms("\(refused) client=connected(s1 u1 a1 c2 error.c2=\(code))")
        try clause.conforms("\(refused) client=connected(s1 u1 a1 'Something went wrong')")
        try clause.violates("\(refused) client=connected(s1 u1 a1 c2) +17s^")
        try clause.untested("\(refused) client=connected(s1 u1 a1 c2) +16s")
    }

    @Test func `CLIENT-32 every failure is shown`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let asked = "\(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2 thinking)"
        for error in [
            "agent_failed t2", "interrupted t2", "agent_failed t2 c2", "internal t2", "t2",
        ] {
            try clause.conforms("\(asked) A<error(\(error)) client=connected(s1 u1 a1 u2 failed=c2)")
            try clause.conforms("\(asked) A<error(\(error)) client=connected(s1 u1 a1 u2 'The agent stumbled')")
            try clause.violates("\(asked) A<error(\(error)) client=connected(s1 u1 a1 u2) +17s^")
        }
        let held = asked.replacing("A+", with: "A+(e1 #0)")
        let away = "\(held) A!cut B+(e1 #2) B>sync(e1 #0) B<syncResult(e1 #2 complete)[error(agent_failed t2 #1)]"
        try clause.conforms("\(away) client=connected(s1 u1 a1 u2 agent_failed)")
        try clause.violates("\(away) client=connected(s1 u1 a1 u2) +17s^")
        try clause.conforms("\(cut) 1>POST(c2 s1) 1<409(busy) client=connecting(s1 u1 a1 c2 failed=c2)")
        try clause.violates("\(cut) 1>POST(c2 s1) 1<409(busy) client=connecting(s1 u1 a1 c2) +17s^")
        try clause.untested("\(asked) A<error(agent_failed t9) client=connected(s1 u1 a1 u2) +17s")  // somebody else's
        try clause.untested("\(asked) A<error(unknown_type) client=connected(s1 u1 a1 u2 thinking) +17s")
        try clause.untested("\(asked) A<done(t2) client=connected(s1 u1 a1 u2 a2) +17s")
    }

    @Test func `CLIENT-32 what was sent again, or is out of sight, is not asked for`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let busy = "\(ready) client!send(c2) A>chat(c2 s1) A<error(busy c2)"
        try clause.untested("\(busy) +1s A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2 thinking) +17s")
        try clause.untested("\(busy) client!selectSession(s2) client=connected(s2) +17s", also: ["CLIENT-18"])
        try clause.violates("\(busy) client=connected(s1 u1 a1 c2) +17s^ A>chat(c2 s1) A<ack(c2)")
        let old =
            "client!launch A+ client=connected(s1 u1 a1 'No network') client!send(c2) A>chat(c2 s1) A<error(busy c2)"
        try clause.untested("\(old) +17s")  // the same words may be about the new one
        try clause.conforms("\(old) client=connected(s1 u1 a1 'No network' 'Busy')")
        try clause.violates("\(old) client=connected(s1 u1 a1 c2) +17s^")
    }

    @Test func `CLIENT-32 another message's error is not the one that is owed`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let two = """
            \(ready) client!send(c2) A>chat(c2 s1) client!send(c3) A>chat(c3 s1) A<error(busy c2) A<error(too_large c3)
            """
        try clause.conforms("\(two) client=connected(s1 u1 a1 c2 c3 failed=c2 failed=c3)")
        try clause.conforms("\(two) client=connected(s1 u1 a1 c2 c3 error.c2=busy error.c3=too_large)")
        try clause.conforms("\(two) client=connected(s1 u1 a1 c2 c3 busy too_large)")
        try clause.violates("\(two) client=connected(s1 u1 a1 c2 c3 error.c3=too_large) +17s^")
        try clause.violates("\(two) client=connected(s1 u1 a1 c2 c3 failed=c3 too_large) +17s^")
        let one = "\(ready) client!send(c2) A>chat(c2 s1) A<error(busy c2)"
        try clause.violates("\(one) client=connected(s1 u1 a1 c2 error.c9=busy) +17s^")
    }

    @Test func `CLIENT-8 a refusal that names no message binds nobody to wait`() throws {
        let clause = ClauseUnderTest("CLIENT-8")
        let unnamed = """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(rate_limited retryAfterMs=30000)
            client=connected(s1 u1 a1 c2 rate_limited) A!cut B+
            """
        try clause.untested("\(unnamed) B>chat(c2 s1)")
        try clause.violates("\(unnamed.replacing("rate_limited retry", with: "rate_limited c2 retry")) B>chat(c2 s1)^")
    }

    @Test func `CLIENT-8 a rate limit is waited for`() throws {
        let clause = ClauseUnderTest("CLIENT-8")
        let limited = """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(rate_limited c2 retryAfterMs=3000)
            client=connected(s1 u1 a1 c2 error.c2=rate_limited)
            """
        try clause.conforms("\(limited) +3s A>chat(c2 s1) A<ack(c2)")
        try clause.conforms("\(limited) +3s 1>POST(c2 s1)")
        try clause.conforms("\(limited) +3s")  // to be sent again by the person
        try clause.violates("\(limited) +2s A>chat(c2 s1)^")
        try clause.violates("\(limited) 1>POST(c2 s1)^")
        try clause.untested("\(limited) +2s")
        try clause.untested(
            "\(ready) client!send(c2) A>chat(c2 s1) A<error(busy c2) client=connected(s1 u1 a1 busy) A>chat(c2 s1)")
    }

    @Test func `CLIENT-8 a limit told as the client left may never have been taken`() throws {
        let clause = ClauseUnderTest("CLIENT-8")
        let limited = "\(ready) client!send(c2) A>chat(c2 s1) A<error(rate_limited c2 retryAfterMs=60000)"
        let away = "client!background A>close(1001) client!foreground B+ B>chat(c2 s1)"
        try clause.untested("\(limited) \(away)")
        try clause.violates("\(limited) +2s \(away)^")
        try clause.violates("\(limited) client=connected(s1 u1 a1 c2 error.c2=rate_limited) \(away)^")
        let answered = "\(cut) 1>POST(c2 s1) 1<429(rate_limited retry-after=60)"
        try clause.untested("\(answered) client!networkDown client!networkUp B+ B>chat(c2 s1)")
        try clause.violates("\(answered) +2s client!networkDown client!networkUp B+ B>chat(c2 s1)^")
    }

    @Test func `CLIENT-8 Retry-After is waited for`() throws {
        let clause = ClauseUnderTest("CLIENT-8")
        let limited = "\(cut) 1>POST(c2 s1) 1<429(rate_limited retry-after=3) client=connecting(s1 u1 a1 c2 failed=c2)"
        try clause.conforms("\(limited) +3s 2>POST(c2 s1)")
        try clause.violates("\(limited) +2s 2>POST(c2 s1)^")
        try clause.violates("\(limited) +2s B+ B>chat(c2 s1)^")
        try clause.untested(
            "\(cut) 1>POST(c2 s1) 1<429(rate_limited) client=connecting(s1 u1 a1 c2 failed=c2) 2>POST(c2 s1)")
    }
}
