import TestSupport
import Testing

/// What a client does for another reason than the one that a clause asks about, or cannot know: random schedules found each.
///
/// Each history that accuses nobody differs by one edit from one that does.
@Suite struct ClientOtherReasonsTests {
    private let ready = "client!launch A+ client=connected(s1 u1 a1)"

    @Test func `CLIENT-36 a network that came back ends a connection`() throws {
        let clause = ClauseUnderTest("CLIENT-36", rule: 3)
        let launched = "A>open A<open client!foreground A>close(1001) B+ +4s"
        try clause.untested("client!launch client!networkDown client!networkUp \(launched)")
        try clause.violates("client!launch A>open A<open client!foreground A>close(1001)^ B+ +4s")
    }

    @Test func `CLIENT-3 a return just before the close makes a client connect`() throws {
        let clause = ClauseUnderTest("CLIENT-3")
        let away = "client!launch A+ client=connected client!background +1s"
        let closed = "A<close(4001) B>open"
        try clause.untested("\(away) client!foreground \(closed) +3s")
        try clause.violates("\(away) client!foreground +3s \(closed)^ +3s", also: ["CLIENT-36"])
        try clause.violates("client!launch A+ client=connected +1s \(closed)^ +3s")
    }

    @Test func `CLIENT-4 what waits for an earlier message is not sent into a dead socket`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 1)
        let first = "client!launch A+ client=connected client!send(c1) A>chat(c1)"
        let dead = "A!cut(silence) client!send(c2) client=connected(c1 c2) +17s"
        try clause.untested("\(first) A<error(rate_limited c1 retryAfterMs=60000) client=connected(c1) \(dead)")
        try clause.violates("\(first) A<ack(c1) A<done(t1) client=connected(s1 u1 a1) \(dead)^")
    }

    @Test func `CLIENT-4 what fails for its size is not sent into a dead socket`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 1)
        let typed = "client!launch A+ client=connected(s1) A!cut(silence) client!send(c1)"
        try clause.untested("\(typed) client=connected(s1 c1 failed=c1) +17s")
        try clause.violates("\(typed) client=connected(s1 c1) +17s^")
    }

    @Test func `CLIENT-24 a history may have the words of a message that was refused`() throws {
        let clause = ClauseUnderTest("CLIENT-24")
        let refused = """
            client!launch A+ client=connected client!send(c1='same') A>chat(c1 'same') A<error(internal c1)
            client!openPush(s2 message='a4') client=connected(s2) 1>GET(s2)
            """
        func shown(_ id: String) -> String {
            let message = #"{"id":"\#(id)","role":"user","text":"same","status":"sent"}"#
            return #"""
                client=state(json='{"connection":"connected","sessionId":"s2","thinking":false,
                "messages":[\#(message)],"errors":[],"unread":{}}')
                """#
        }
        let read = "1<200(u3 a3 u4='same' a4)"
        try clause.untested("\(refused) \(read) \(shown("u4"))")
        try clause.violates("\(refused) \(read) \(shown("u5"))^")
    }

    @Test func `CLIENT-7 a request that ends with the app was not lost before`() throws {
        let clause = ClauseUnderTest("CLIENT-7")
        let asked = "\(ready) A!cut client!send(c2) 1>POST(c2 s1)"
        try clause.untested("\(asked) B+ +17s client!quit 1<failed('gone')", also: ["CLIENT-18"])
        try clause.violates("\(asked) 1<failed('reset') B+ +17s^ client!quit", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-25 a question may go to a conversation of its own`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 2)
        let failed = """
            client!launch A+ client=connected client!send(c1) A>chat(c1) A<error(persist_failed c1)
            client=connected(c1 failed=c1) client!send(c2) A>chat(c2) A<ack(c2 s2) A<done(t2 s2)
            client=connected(s2 c1 u2 a2 failed=c1)
            """
        let read = "1>GET(s2) 1<200(u2 a2) client=connected(s2 u2 a2)"
        try clause.conforms("\(failed) A<done(t1 s1 c1) \(read)")
        try clause.violates("\(failed) \(read)^")
    }

    @Test func `CLIENT-39 another answer may still be awaited`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let polls = (2...14).map { "+5s C>open C<refused(503) \($0)>GET(s1) \($0)<200(u1)" }.joined(separator: " ")
        let reading = """
            client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) A<ack(c1)
            client=connected(s1 u1 thinking) A!cut 1>GET(s1) 1<200(u1) client=degraded(s1 u1 thinking) \(polls)
            """
        try clause.violates("\(reading) client=degraded(s1 u1 failed=c1 thinking) +12s^", also: ["CLIENT-20"])
    }

    @Test func `CLIENT-26 what was typed and never sent is not what a read holds`() throws {
        let clause = ClauseUnderTest("CLIENT-26", rule: 1)
        func state(_ messages: String...) -> String {
            "client=state(json='{\"sessionId\":\"s1\",\"messages\":[\(messages.joined(separator: ","))]}')"
        }
        func own(_ key: String) -> String {
            "{\"role\":\"user\",\"text\":\"same\",\"status\":\"sending\",\"clientMessageId\":\"\(key)\"}"
        }
        let twice = "client!launch client=connecting(s1) client!send(c1='same') client!send(c2='same')"
        let read = "A+ 1>GET(s1) 1<200"
        try clause.untested("\(twice) \(read) A>chat(c2 s1 'same') \(state(own("key-1"), own("key-2")))")
        try clause.violates(
            "\(twice.replacing(" client!send(c2='same')", with: "")) \(read) \(state(own("key-1"), own("key-2")))^")
    }

    @Test func `CLIENT-26 what is to be sent again under a new key is another message`() throws {
        let clause = ClauseUnderTest("CLIENT-26", rule: 1)
        let failed = """
            client!launch A+ client=connected(s1) client!send(c1) A>chat(c1 s1) A<ack(c1) A<error(agent_failed t1)
            client=connected(s1 u1 failed=c1)
            """
        func twice(_ key: String) -> String {
            let first = #"{"id":"u1","clientMessageId":"c1","role":"user","text":"question 1","status":"sent"}"#
            let second = #"{"clientMessageId":"\#(key)","role":"user","text":"question 1","status":"sending"}"#
            return #"""
                client=state(json='{"connection":"connected","sessionId":"s1","thinking":true,
                "messages":[\#(first),\#(second)],"errors":[],"unread":{}}')
                """#
        }
        try clause.untested("\(failed) client!sendAgain(c1) \(twice("new"))")
        try clause.violates("\(failed) \(twice("new"))^")
    }

    @Test func `CLIENT-27 a home that was told to nobody is none`() throws {
        let clause = ClauseUnderTest("CLIENT-27")
        let acked = "client!launch A+ client=connected client!send(c1) A>chat(c1) A<ack(c1)"
        let back = "client!background A>close(1001) client!foreground B+ client=connected(c1)"
        let joined = "client=connected(s2 c1 u2 a2)"
        try clause.conforms("\(acked) \(back) B>chat(c2) B<ack(c2 s2) B<done(t2 s2) \(joined)")
        try clause.violates(
            "\(acked) +2s \(back) B>chat(c2) B<ack(c2 s2) B<done(t2 s2) \(joined)^")
    }

    @Test func `CLIENT-27 a read that names a home may not have been taken yet`() throws {
        let clause = ClauseUnderTest("CLIENT-27")
        let lost = "client!launch A+ client=connected client!send(c1) A>chat(c1) A!cut B+"
        let next = "client!send(c2) B>chat(c2) B<ack(c2 s2) B<done(t2 s2) client=connected(s2 c1 u2 a2)"
        let read = "1>GET(s1) 1<200(u1 a1)"
        let other = ["CLIENT-21"]
        try clause.conforms("\(lost) \(next) \(read) client=connected(s2 c1 u2 a2)", also: other)
        try clause.violates("\(lost) \(next) \(read) +2s client=connected(s2 c1 u2 a2)^", also: other)
    }

    @Test func `CLIENT-8 of equal words the screen shows which were sent again`() throws {
        let clause = ClauseUnderTest("CLIENT-8")
        func state(_ keys: String...) -> String {
            let entries = keys.map {
                "{\"role\":\"user\",\"text\":\"yes\",\"status\":\"sending\",\"clientMessageId\":\"key-\($0)\"}"
            }
            return "client=state(json='{\"sessionId\":\"s1\",\"messages\":[\(entries.joined(separator: ","))]}')"
        }
        let refused = """
            \(ready) client!send(c2='yes') \(state("2")) A>chat(c2 s1 'yes') A<error(persist_failed c2)
            client!sendAgain(clientMessageId='key-2') \(state("4")) client!send(c3='yes') \(state("4", "3"))
            A>chat(c4 s1 'yes') A<error(rate_limited c4 retryAfterMs=3000)
            """
        try clause.untested("\(refused) A>chat(c3 s1 'yes')")
        try clause.violates("\(refused) A>chat(c4 s1 'yes')^")
    }

    @Test func `CLIENT-32 an error of before may say it again`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 2)
        let tap = "client!openPush(s9 message='a9') client=connected(s9) 1>GET(s9) 1<404(session_not_found)"
        try clause.untested(
            "client!launch A+ client=connected(s1 session_not_found) \(tap) client=connected(session_not_found) +5s")
        try clause.violates("client!launch A+ client=connected(s1 busy) \(tap) client=connected(busy) +5s^")
        func failed(_ error: String) -> String {
            "client!launch A+ client=connected(s1 \(error)) client!openPush(s2 message='a5') 1>GET(s2) 1<503(internal) "
                + "client=connected(s2 \(error)) +17s"
        }
        try clause.untested(failed("'Not loaded'"))
        try clause.violates("\(failed("error.c9=busy"))^")
    }

    @Test func `CLIENT-32 what was sent again under another key is not told once more`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let failed = "\(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) 1>GET(s1) 1<200(u1 a1 u2='question 2' t2=failed)"
        let again = "client!sendAgain(c2) A>chat(c3 s1 'question 2') A<ack(c3)"
        let late = "A<error(agent_failed t2 c2) client=connected(s1 u1 a1 u2 u3 thinking) +17s"
        try clause.untested("\(failed) client=connected(s1 u1 a1 u2 failed=u2) \(again) \(late)")
        try clause.violates("\(failed) client=connected(s1 u1 a1 u2 failed=u2) \(late)^", also: ["CLIENT-30"])
    }

    @Test func `CLIENT-21 what was refused, or left, is not looked for`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        let lost =
            "client!launch A+ client=connected client!send(c1) client=connected(c1) A>chat(c1) A!cut B+ B>chat(c1)"
        let other = "client!send(c2) B>chat(c2) B<ack(c2 s2) client=connected(s2 c1 u2)"
        try clause.untested("\(lost) B<error(busy c1) \(other)")
        try clause.violates("\(lost) \(other)^", also: ["CLIENT-12"])
    }

    @Test func `CLIENT-21 what a server could not answer is not looked for`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        let lost = "client!launch A+ client=connected client!send(c1) A>chat(c1) client=connected(c1 thinking) A!cut"
        let other =
            "client=connected(failed=c1 c1) client!send(c2) B+ B>chat(c2) B<ack(c2 s2) client=connected(s2 c1 u2)"
        try clause.untested("\(lost) 1>POST(c1) 1<503(internal c1) \(other)")
        let soon = lost.replacing("A!cut", with: "1>POST(c1) 1<503(internal c1) A!cut")
        try clause.untested("\(soon) \(other.replacing("failed=c1 c1", with: "c1"))")
        let waiting = other.replacing("failed=c1 c1", with: "c1 thinking")
        try clause.violates("\(lost) 1>POST(c1) 1<failed('reset') \(waiting)^")
    }

    @Test func `CLIENT-32 a repeat that was refused beside the answer has not failed`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let asked = "\(ready) client!send(c2) A>chat(c2 s1) client=connected(s1 u1 a1 c2 thinking) A!cut B+"
        let refused = "B>chat(c2 s1) B<error(busy c2) client=connected(s1 u1 a1 u2 a2) +17s"
        let answer = "B<message(u2 s1 c2) B<done(t2 c2)"
        try clause.untested("\(asked) \(answer) \(refused)", also: ["CLIENT-18"])
        try clause.violates("\(asked) \(refused.replacing("u2 a2", with: "c2"))^", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-21 what was typed behind a failed message may begin its session`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        let lost =
            "client!launch A+ client=connected client!send(c1) A>chat(c1) client=connected(c1 thinking) A!cut B+ 1>POST(c1)"
        let other = "client!send(c2) B>chat(c2) B<ack(c2 s2) client=connected(s2 c1 u2)"
        try clause.untested("\(lost) client=connected(c1 failed=c1) \(other)")
        try clause.violates("\(lost) client=connected(c1 thinking) \(other)^", also: ["CLIENT-12"])
    }

    @Test func `CLIENT-21 when a message failed nobody knows between two samples`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        let lost = """
            client!launch client=connecting client!send(c1) 1>POST(c1) 1<failed('reset') A+ client!send(c2)
            client=connected(c1 c2 thinking) +6s
            """
        let next = "A>chat(c2) A<ack(c2) A<done(t2) client=connected(s1 c1 u2 a2 failed=c1)"
        try clause.untested("\(lost) \(next)")
        try clause.violates("\(lost) \(next.replacing("A<done", with: "client=connected(c1 c2 thinking) A<done"))^")
    }

    @Test func `CLIENT-20 one read serves two answers of a session`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        func asked(_ questions: ClosedRange<Int>) -> String {
            questions.map { "client!send(c\($0)) A>chat(c\($0) s1) A<ack(c\($0))" }.joined(separator: " ")
        }
        func reads(_ count: Int) -> String {
            (1...count).map { "+5s \($0)>GET(s1) \($0)<200(u1 a1 u2)" }.joined(separator: " ")
        }
        let thinking = "client=connected(s1 u1 a1 u2 thinking)"
        try clause.violates("\(ready) \(asked(2...2)) \(thinking) \(reads(13)) +5s 30>GET(s1)^ +1s")
        try clause.conforms("\(ready) \(asked(2...3)) \(thinking) \(reads(25)) +1s", also: ["CLIENT-4"])
        try clause.violates(
            "\(ready) \(asked(2...3)) \(thinking) \(reads(25)) +5s 30>GET(s1)^ +1s", also: ["CLIENT-4"])
    }

    @Test func `CLIENT-20 a read that failed is asked again before the polling begins`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        let lost = "\(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2 thinking) A!cut B+"
        let reads = (2...14).map { "+5s \($0)>GET(s1)\($0 < 14 ? " \($0)<200(u1 a1 u2)" : "")" }.joined(separator: " ")
        try clause.untested("\(lost) 1>GET(s1) 1<503(internal) \(reads) +1s")
        try clause.violates("\(lost) 1>GET(s1) 1<200(u1 a1 u2) \(reads)^ +1s")
    }

    @Test func `CLIENT-20 without a socket a list is read for what is new`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        let asked = "client!launch A+ client=connected client!send(c1) A>chat(c1) client=connected(c1 thinking)"
        let reads = (1...13).map { "+5s \($0)>GET \($0)<200" }.joined(separator: " ")
        let still = "+1s 30>GET 30<200 client=connected(c1 thinking)"
        try clause.untested("\(asked) A!cut \(reads) \(still)", also: ["CLIENT-37"])
        try clause.violates("\(asked) \(reads) +1s 30>GET^ 30<200 client=connected(c1 thinking)")
        // One that died in silence is no socket any more for who asks for another.
        try clause.untested("\(asked) A!cut(silence) B>open B<refused(503) \(reads) \(still)", also: ["CLIENT-37"])
        try clause.violates("\(asked) A!cut(silence) \(reads) +1s 30>GET^ 30<200 client=connected(c1 thinking)")
    }

    @Test func `CLIENT-20 what was refused and sent again is waited for, too`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        let asked = """
            client!launch A+ client=connected client!send(c1) A>chat(c1) A<error(rate_limited c1 retryAfterMs=50000)
            client!send(c2) A>chat(c2) client=connected(c1 c2 thinking error.c1=rate_limited)
            """
        func reads(_ numbers: ClosedRange<Int>) -> String {
            numbers.map { "+4s \($0)>GET \($0)<200" }.joined(separator: " ")
        }
        let still = "client=connected(c1 c2 thinking error.c1=rate_limited)"
        try clause.untested("\(asked) \(reads(1...13)) A>chat(c1) \(reads(14...16)) \(still)", also: ["CLIENT-4"])
        try clause.violates(
            "\(asked) \(reads(1...13)) \(reads(14...16).replacing("14>GET", with: "14>GET^")) \(still)")
    }

    @Test func `CLIENT-39 another conversation may have the words of a question`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let asked = """
            client!launch A+ client=connected client!send(c1) A>chat(c1) client=connected(c1 thinking)
            client!selectSession(s2) 1>GET(s2) 1<200(u3 u4='question 1' -c) client=connected(s2)
            """
        let polls = (2...14).map { "+5s \($0)>GET \($0)<200(s2)" }.joined(separator: " ")
        let message = #"{"id":"u4","role":"user","text":"question 1","status":"sent"}"#
        let shown = #"""
            client=state(json='{"connection":"connected","sessionId":"s2","thinking":false,"messages":[\#(message)],
            "errors":[],"unread":{}}') +40s
            """#
        try clause.untested("\(asked) \(polls) \(shown)")
    }

    @Test func `CLIENT-20 a tool begins the wait anew`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        let asked = "\(ready) client!send(c2) A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2 thinking)"
        func reads(_ numbers: ClosedRange<Int>) -> String {
            numbers.map { "+5s \($0)>GET(s1) \($0)<200(u1 a1 u2)" }.joined(separator: " ")
        }
        try clause.conforms(
            "\(asked) \(reads(1...9)) A<toolUse(t2 s1) \(reads(10...18)) +50s", also: ["CLIENT-39", "CLIENT-4"])
        try clause.violates("\(asked) \(reads(1...13)) +5s 30>GET(s1)^ +1s")
    }

    @Test func `CLIENT-19 a conversation that does not exist is not read again`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 1)
        let told = """
            client!launch A+(e1 #0) client=connected A!cut client!openPush(s9 message='a9') client=connecting(s9) 1>GET(s9)
            1<404(session_not_found) +2s B+(e2 #1) B>sync(e1 #0) B<syncResult(e2 #1 epoch_changed)
            """
        let again = "B!cut C+(e2 #1) C>sync(e2 #1)"
        try clause.untested("\(told) client=connected \(again)")
        try clause.violates("\(told) client=connected(s9) \(again)^")
    }

    @Test func `CLIENT-35 a conversation may have come to the screen since it was looked at`() throws {
        let clause = ClauseUnderTest("CLIENT-35")
        let typed = "client!launch client=connecting client!send(c1)"
        let next = "client!quit client!launch client=connecting A+ client=connected +17s"
        try clause.untested("\(typed) client=connecting(s2 u2 a2 c1) \(next)")
        try clause.violates("\(typed) client=connecting(c1) \(next)^")
    }

    @Test func `CLIENT-11 a limit holds for the life that it was told in`() throws {
        let clause = ClauseUnderTest("CLIENT-11")
        let told = "client!launch A+(maxFrameBytes=60) client=connected(s1)"
        let sent = "client=connecting(s1) client!send(c1) 1>POST(c1 s1)"
        try clause.untested("\(told) client!quit client!launch \(sent)")
        try clause.violates("\(told) +3s \(sent)^")
    }

    @Test func `CLIENT-35 a new conversation that was left is not found again`() throws {
        let clause = ClauseUnderTest("CLIENT-35")
        let typed = "client!launch A+ client=connected client!send(c1) client=connected(c1)"
        let end = "client!quit client!launch(fresh=false) client=connecting B+ client=connected +17s"
        try clause.untested("\(typed) client!selectSession(sessionId=null) client=connected \(end)")
        try clause.violates("\(typed) \(end)^")
    }

    @Test func `CLIENT-33 an answer that was on its way shows that REST works`() throws {
        let clause = ClauseUnderTest("CLIENT-33")
        let lost = "client!launch A+ client=connected(s1) 1>GET(s9) +1s A!cut B>open B<refused(503) 2>GET 2<503"
        let tries = "+3s C>open client=degraded(s1)"
        try clause.conforms("\(lost) 1<404(session_not_found) \(tries)")
        // As an attempt ends, the screen may show what follows it, and the client may have given it up before the stage sees that.
        try clause.conforms("\(lost) +3s C>open C<refused(503) client=degraded(s1)")
        try clause.conforms("\(lost) \(tries) C<refused(503)")
    }

    @Test func `CLIENT-12 a question that failed does not name the conversation`() throws {
        let clause = ClauseUnderTest("CLIENT-12")
        func second(_ session: String) -> String {
            """
            client!launch A+ client=connected client!send(c1) A>chat(c1) A<ack(c1 s1) A!cut client=connecting(c1)
            client!send(c2) client!send(c3) 1>POST(c1) 1<502(agent_failed t1 c1) B+ B>chat(c2) B<ack(c2 s2) B<done(t2 s2)
            +3s B>chat(c3 \(session))
            """
        }
        try clause.conforms(second("s2"))
        try clause.violates(second("s1") + "^")
    }

    @Test func `CLIENT-34 a replaced connection brings nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 1)
        let back = "client!launch A+ client=connected(s1) client!background client!foreground B+ client=connected(s1)"
        try clause.untested("\(back) A<done(t4 s2) +5s")
        try clause.warns("\(back) B<done(t4 s2) +5s^")
    }

    @Test func `CLIENT-34 a conversation without a name may have got one`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 1)
        let asked =
            "client!launch A+ client=connected client!send(c1) client=connected(c1 thinking) A>chat(c1) A<ack(c1)"
        let left = "client!selectSession(sessionId=null) client=connected +5s"
        try clause.untested("\(asked) A<done(t1) \(left)")
        try clause.warns("\(asked) \(left.replacing(" +5s", with: " +2s")) A<done(t1) +5s^")
    }

    @Test func `CLIENT-30 a read tells of the turn whose repeat was refused`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let asked = "\(ready) client!send(c2) A>chat(c2 s1) client=connected(s1 u1 a1 c2 thinking) A!cut B+"
        let refused = "\(asked) 1>POST(c2 s1) 1<429(rate_limited c2) 2>GET(s1)"
        let waits = "client=connected(s1 u1 a1 c2 thinking rate_limited) +17s"
        try clause.untested("\(refused) 2<200(u1 a1 u2=c2) \(waits)")
        try clause.violates("\(refused) 2<200(u1 a1) \(waits)^")
    }

    @Test func `CLIENT-19 a read that was asked for just before its connection fills the gap`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 1)
        let known = "client!launch A+(e1 #0) client=connected(s1 u1 a1)"
        let kept = "\(known) client!quit client!launch client=connecting(s1 u1 a1)"
        let told = "B+(e1 #5) B>sync(e1 #0) B<syncResult(e1 #5 evicted) client=connected(s1 u1 a1) B!cut C+(e1 #5)"
        try clause.untested("\(kept) 1>GET(s1) 1<200(u1 a1) \(told) C>sync(e1 #5)")
        try clause.violates("\(kept) 1>GET(s1) 1<200(u1 a1) +3s \(told) C>sync(e1 #5)^")
    }

    @Test func `CLIENT-4 a history may cross with a message`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 1)
        let asked = "\(ready) client!send(c2) A>chat(c2 s1) A!cut B+ 1>GET(s1) 1<200(u1 a1 u2='question 2' a2)"
        let silent = "B>chat(c2 s1) client=connected(s1 u1 a1 u2 a2) +17s"
        try clause.untested("\(asked) \(silent)")
        try clause.violates("\(asked) +3s \(silent)^")
    }

    @Test func `CLIENT-4 a replay may cross with a message`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 1)
        let back =
            "client!launch A+(e1 #0) client=connected(s1) client!send(c1) A>chat(c1 s1) A!cut B+(e1 #1) B>sync(e1 #0)"
        let replay = "B<syncResult(e1 #1 complete)[message(u1 s1 c1 #1)]"
        let silent = "B>chat(c1 s1) client=connected(s1 u1) +17s"
        try clause.untested("\(back) \(replay) \(silent)")
        try clause.violates("\(back) \(replay) +3s \(silent)^")
    }

    @Test func `CLIENT-20 two reads at once for a session just opened are no polling`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
        let asked = """
            client!launch A+ client=connected client!selectSession(s1) client=connected(s1 u1 a1) client!send(c2)
            A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2 thinking) +1s 1>GET(s1) 1<200(u1 a1 u2)
            """
        let again = "2>GET(s1) 2<200(u1 a1 u2) +60s"
        let polls = (3...12).map { "\($0)>GET(s1) \($0)<200(u1 a1 u2) +5s" }.joined(separator: " ")
        try clause.conforms("\(asked) \(again) \(polls) +20s", also: ["CLIENT-39", "CLIENT-4"])
        let late = polls.replacing("5>GET(s1)", with: "5>GET(s1)^")
        try clause.violates("\(asked) +1s \(again) \(late) +16s", also: ["CLIENT-39", "CLIENT-4"])
    }

    @Test func `CLIENT-30 an ending may be missed`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let waits = "client=connected(s1 u1 a1 c2 thinking)"
        let asked = "\(ready) client!send(c2) A>chat(c2 s1) \(waits) A<done(t2 c2)"
        let back = "A!cut B+ \(waits) +17s"
        try clause.untested("\(asked) \(back)", also: ["CLIENT-18"])
        // What the screen shows was not missed, however soon the connection went.
        try clause.conforms("\(asked) client=connected(s1 u1 a1 u2 a2) A!cut")
        try clause.violates("\(asked) +2s \(back)^", also: ["CLIENT-18"])
    }

    @Test func `CLIENT-10 a request may fail while the next message goes out`() throws {
        let clause = ClauseUnderTest("CLIENT-10")
        let posted = "\(ready) A!cut client!send(c2) 1>POST(c2 s1) client!send(c3) B+ 1<failed('reset')"
        let sent = "B>chat(c3 s1) B<ack(c3) B>chat(c2 s1)"
        try clause.untested("\(posted) \(sent)")
        try clause.violates("\(posted) +1s \(sent)^")
    }

    @Test func `CLIENT-5 who is offline sends no second message`() throws {
        let clause = ClauseUnderTest("CLIENT-5")
        let first = "\(ready) client!send(c2 'twice') A>chat(c2 s1 'twice') A<ack(c2) A!cut client!send(c3 'twice')"
        try clause.untested("\(first) 1>POST(c2 s1 'twice') 1<200(t2) client!networkDown +17s")
        try clause.violates("\(first) 1>POST(c2 s1 'twice')^ 1<200(t2) +17s")
    }

    @Test func `CLIENT-30 a message that was refused and sent again is awaited`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let both = """
            \(ready) client!send(c2) A>chat(c2 s1) A<error(rate_limited c2 retryAfterMs=1000) +2s AGAIN client!send(c3)
            A>chat(c3 s1) A<ack(c3) client=connected(s1 u1 a1 u2 u3 thinking) A<done(t3)
            client=connected(s1 u1 a1 u2 u3 a3 thinking) +17s
            """
        try clause.untested(both.replacing("AGAIN", with: "A>chat(c2 s1) A<ack(c2)"))
        let refused = both.replacing("AGAIN ", with: "").replacing("+17s", with: "+17s^")
        try clause.violates(refused, also: ["CLIENT-24", "CLIENT-32"])
    }

    @Test func `CLIENT-9 a request may have gone out before a refusal that is shown when it arrives`() throws {
        let clause = ClauseUnderTest("CLIENT-9")
        let refused = "\(ready) client!send(c2) A>chat(c2 s1) A!cut B+ B>chat(c2 s1) B<error(bad_request c2)"
        let again = "client=connected(s1 u1 a1 c2 failed=c2) 1>POST(c2 s1)"
        try clause.untested("\(refused) \(again)")
        try clause.violates("\(refused) \(again.replacing(" 1>", with: " +600ms 1>"))^")
        try clause.violates("\(refused.replacing("A!cut B+ B>chat(c2 s1) B<", with: "A<")) \(again)^")
        // The same holds of a limit, and of what is asked once more over REST though nothing became of the last time.
        let limit = ClauseUnderTest("CLIENT-8")
        let limited = "B<error(rate_limited c2 retryAfterMs=60000)"
        let told = refused.replacing("B<error(bad_request c2)", with: limited)
        try limit.untested("\(told) \(again)")
        try limit.violates("\(told) \(again.replacing(" 1>", with: " +600ms 1>"))^")
        let pending = "\(refused.replacing("B+", with: "2>POST(c2 s1) LOST B+")) \(again)"
        try clause.untested(pending.replacing("LOST", with: "2<failed('reset')"))
        try clause.violates(pending.replacing("LOST ", with: "") + "^")
    }

    @Test func `CLIENT-9 an error may be that of a read`() throws {
        let clause = ClauseUnderTest("CLIENT-9")
        let gone = "client!launch A+ client=connected(s9) 1>GET(s9) 1<404(session_not_found)"
        let lost = "\(gone) client!send(c2) client=connected(s9 c2)"
        let refused = "A>chat(c2 s9) A<error(session_not_found c2) client!networkDown A!cut"
        let again = "client=offline(s9 c2 session_not_found) client!networkUp 2>POST(c2 s9)"
        try clause.untested("\(lost) \(refused) \(again)")
        try clause.violates("\(lost) +3s \(refused) \(again)^")
    }

    @Test func `CLIENT-30 what is sent again is awaited before it goes out`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let failed = "\(ready) client!send(c2) A>chat(c2 s1) A<error(agent_failed t2 c2)"
        let seen = "client=connected(s1 u1 a1 u2 failed=c2)"
        let other = """
            client!send(c3) client=connected(s1 u1 a1 u2 c3 thinking) A>chat(c3 s1) A<ack(c3) A<done(t3 c3) +1s
            client=connected(s1 u1 a1 u2 u3 a3 thinking) +17s
            """
        try clause.untested("\(failed) \(seen) client!sendAgain(c2) \(other)")
        try clause.violates("\(failed) \(seen) \(other)^")
    }

    @Test func `CLIENT-30 a turn runs whose resend was refused`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let refused = "\(ready) client!send(c2) A>chat(c2 s1) A!cut 1>POST(c2 s1) 1<429(rate_limited c2) B+"
        let other = """
            client!send(c3) B>chat(c3 s1) B<ack(c3) client=connected(s1 u1 a1 c2 u3 thinking) B<done(t3 c3) +1s
            client=connected(s1 u1 a1 c2 u3 a3 thinking) +17s
            """
        try clause.untested("\(refused) B<message(u2 s1 c2) \(other)", also: ["CLIENT-18"])
        try clause.violates("\(refused) \(other)^", also: ["CLIENT-32", "CLIENT-18"])
    }

    @Test func `CLIENT-6 an error that was shown may be that of a later request`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        let ended = "\(ready) client!send(c2) A>chat(c2 s1) A<error(internal t2 c2) A!cut"
        let again = "client=degraded(s1 u1 a1 c2 failed=c2) client!sendAgain(c2) 2>POST(c2 s1)"
        try clause.untested("\(ended) 1>POST(c2 s1) 1<502(internal) \(again)")
        try clause.violates("\(ended) \(again)^")
    }

    @Test func `CLIENT-6 a request may fail just before the ending of its turn is taken`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        let ended = "\(ready) client!send(c2) 1>POST(c2 s1) A<message(u2 s1 c2) A<error(internal t2 c2)"
        let again = "client=connected(s1 u1 a1 c2 failed=c2) client!sendAgain(c2) A>chat(c2 s1)"
        try clause.untested("\(ended) 1<502(internal c2) \(again)")
        try clause.violates("\(ended) \(again)^")
    }

    @Test func `CLIENT-6 a gateway neither ends nor refuses`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        func again(_ answer: String, _ request: String) -> String {
            """
            \(ready) A!cut client=connecting(s1 u1 a1) client!send(c2) 1>POST(c2 s1) 1<\(answer)
            client=degraded(s1 u1 a1 c2 failed=c2) +3s client!sendAgain(c2) 2>POST(\(request))
            """
        }
        try clause.conforms(again("504(body='<html>')", "c2 s1"))
        try clause.violates(again("504(body='<html>')", "c22 s1 'question 2'") + "^")
        try clause.conforms(again("500(persist_failed)", "c2 s1"))
        try clause.violates(again("500(persist_failed)", "c22 s1 'question 2'") + "^")
        try clause.untested(again("500(persist_failed c2)", "c22 s1 'question 2'"))
        try clause.violates(again("500(internal t2)", "c2 s1") + "^")
    }

    @Test func `CLIENT-19 a page that tells of a gap moves nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 1)
        let page = """
            client!launch A+(e1 #2) client=connected(s1 u1 a1) A!cut B+(e1 #50) B>sync(e1 #2)
            B<syncResult(e1 #50 REASON more)[toolUse(s9 t9 #40)] B>sync(e1 #40) B!cut C+(e1 #50)
            """
        try clause.violates(page.replacing("REASON", with: "evicted") + " C>sync(e1 #40)^")
        try clause.conforms(page.replacing("REASON", with: "evicted") + " C>sync(e1 #2)")
        try clause.conforms(page.replacing("REASON", with: "too_many") + " C>sync(e1 #40)")
    }

    @Test func `CLIENT-1 one position is not asked for again and again`() throws {
        let clause = ClauseUnderTest("CLIENT-1")
        let asked = (1...21).map { _ in "A>sync(e1 #0) A<syncResult(e1 #9 too_many) +1s" }.joined(separator: " ")
        try clause.violates("client!launch A+(e1 #9) client=connected \(asked) A>sync(e1 #0)^")
    }

    @Test func `CLIENT-18 a read without a response is lost`() throws {
        let clause = ClauseUnderTest("CLIENT-18")
        let pending = "\(ready) A!cut B+ 1>GET(s1)"
        try clause.conforms("\(pending) +60s")
        try clause.violates("\(pending) +67s +33s^")
        try clause.conforms("\(pending) +67s 2>GET(s1) 2<200(u1 a1)", also: ["CLIENT-20"])
    }
}
