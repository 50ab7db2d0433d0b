import TestSupport
import Testing

/// What a person sees, and in which session.
@Suite struct ClientScreenTests {
    /// A turn that was asked, answered live and shown.
    private let turn = """
        client!launch A+(e1 #0) client=connected client!send(c1) A>chat(c1) A<ack(c1)
        client=connected(s1 u1 thinking) A<done(t1 #2) client=connected(s1 u1 a1)
        """

    @Test func `CLIENT-26 what comes twice is shown once`() throws {
        let clause = ClauseUnderTest("CLIENT-26", rule: 1)
        let again = "\(turn) A!cut B+(e1 #2) B>sync(e1 #2) B<syncResult(e1 #2 complete)[done(t1 #2)]"
        try clause.conforms("\(again) +100ms")
        try clause.violates("\(again) client=connected(s1 u1 a1 a1)^")
        try clause.conforms("\(turn) 1>GET(s1) 1<200(u1 a1) client!receivePush(s1 message=a1) +100ms")
        try clause.violates("\(turn) 1>GET(s1) 1<200(u1 a1) client=connected(s1 u1 u1 a1)^")
        try clause.violates("\(turn) client!receivePush(s1 message=a1) client=connected(s1 u1 a1 a1)^")
        try clause.untested("\(turn.replacing(" A<done(t1 #2) client=connected(s1 u1 a1)", with: ""))")
    }

    @Test func `CLIENT-26 an entry without id is counted by its words`() throws {
        let clause = ClauseUnderTest("CLIENT-26", rule: 1)
        func state(_ messages: String...) -> String {
            "client=state(json='{\"sessionId\":\"s1\",\"messages\":[\(messages.joined(separator: ","))]}')"
        }
        let question = "{\"role\":\"user\",\"text\":\"question 1\",\"status\":\"sent\"}"
        let answer = "{\"role\":\"assistant\",\"text\":\"answer 1\"}"
        let read = "\(turn) 1>GET(s1) 1<200(u1 a1)"
        try clause.conforms("\(read) \(state(question, answer))")
        try clause.violates("\(read) \(state(question, answer, answer))^")
        try clause.violates("\(read) \(state(question, question, answer))^")
        // The copy that waited for its id, and the one with the id.
        try clause.violates("\(read) client=connected(s1 u1 a1 c1)^")
    }

    @Test func `CLIENT-26 equal texts in different messages are different`() throws {
        let clause = ClauseUnderTest("CLIENT-26", rule: 1)
        let second = """
            client!send(c2='question 1') A>chat(s1 c2 'question 1') A<ack(c2) A<done(t2 'answer 1' #3)
            """
        try clause.conforms("\(turn) \(second) client=connected(s1 u1 a1 u2='question 1' a2='answer 1')")
        try clause.violates("\(turn) \(second) client=connected(s1 u1 a1 u2='question 1') +5s^", also: ["CLIENT-26"])
        try clause.violates(
            "\(turn) \(second) client=connected(s1 u1 a1 u2='question 1' a2='answer 1' a2='answer 1')^")
        let read = "\(turn) 1>GET(s1) 1<200(u1 a1 u2='question 1' a2='answer 1')"
        try clause.conforms("\(read) client=connected(s1 u1 a1 u2='question 1' a2='answer 1')")
        try clause.violates(
            "\(read) client=connected(s1 u1 a1 a2='answer 1') +5s^")
        // What a cut may have swallowed is no message that was had.
        try clause.untested(
            """
            client!launch A+(e1 #0) client=connected(s1 u1) A<message(u5 #1) A<done(t1 'answer 2' #2) A!cut B+(e1 #3)
            B<done(t2 #3) client=connected(s1 u1 a2) +5s
            """)
    }

    @Test func `CLIENT-27 late answers stay in their session`() throws {
        let clause = ClauseUnderTest("CLIENT-27")
        let switched = """
            client!launch A+(e1 #0) client=connected client!selectSession(s1) 1>GET(s1) client=connected(s1)
            client!selectSession(s2) 2>GET(s2) client=connected(s2) client!selectSession(s3) 3>GET(s3)
            client=connected(s3) 3<200(u3 a3) client=connected(s3 u3 a3) 1<200(u1 a1)
            """
        try clause.conforms("\(switched) 2<200(u2 a2) +100ms")
        try clause.violates("\(switched) client=connected(s3 u1 a1)^")
        try clause.violates("\(switched) 2<200(u2 a2) client=connected(s3 u3 a3 a2)^")
        try clause.violates("\(switched) client=connected(s2 u1 a1)^", also: ["CLIENT-28"])
        try clause.untested(
            "client!launch A+(e1 #0) client=connected client!selectSession(s1) 1>GET(s1) client=connected(s1) 1<200(u1 a1)"
        )
    }

    @Test func `CLIENT-27 two messages of the same words are told apart by when they were typed`() throws {
        let clause = ClauseUnderTest("CLIENT-27")
        let twice = """
            client!launch client=connecting(s1) client!send(c1='same') client=connecting(s1 c1='same')
            client!selectSession(s2) client=connecting(s2) client!send(c2='same') client=connecting(s2 c2='same') A+
            """
        try clause.untested("\(twice) A>chat(c2 s2 'same') client=connected(s2 c2='same')")
        try clause.violates(
            "\(twice) A>chat(c1 s1 'same') client=connected(s2 c1='same' c2='same')^", also: ["CLIENT-26"])
    }

    @Test func `CLIENT-27 frames of other sessions stay away`() throws {
        let clause = ClauseUnderTest("CLIENT-27")
        let elsewhere = "\(turn) A<done(t4 s2 #5)"
        try clause.conforms("\(elsewhere) +100ms")
        try clause.conforms("\(elsewhere) client=connected(s1 u1 a1 unread.s2=1)")
        try clause.violates("\(elsewhere) client=connected(s1 u1 a1 a4)^")
        // By the words, where the client shows no id.
        let shown = "{\"role\":\"assistant\",\"text\":\"answer 4\"}"
        try clause.violates("\(elsewhere) client=state(json='{\"sessionId\":\"s1\",\"messages\":[\(shown)]}')^")
        // The same words belong to both.
        let same = "\(turn) A<done(t4 s2 'answer 1' #5)"
        try clause.conforms("\(same) client=connected(s1 u1 a1 unread.s2=1)")
        // A new conversation is blank.
        let new = "\(turn) client!selectSession(sessionId=null) client=connected"
        try clause.conforms("\(new) A<done(t1 duplicate) +100ms")
        try clause.violates("\(new) client=connected(u1 a1)^")
    }

    @Test func `CLIENT-28 the screen shows the session that the person chose`() throws {
        let clause = ClauseUnderTest("CLIENT-28", rule: 1)
        let left = "\(turn) client!selectSession(s2) client=connected(s2)"
        try clause.conforms("\(left) A<done(t4 s1 #5) client=connected(s2 unread.s1=1)")
        try clause.violates("\(left) A<done(t4 s1 #5) client=connected(s1 u1 a1 a4)^")
        try clause.violates("\(left) client!receivePush(s1 message=a4) client=connected(s1 u1 a1)^")
        // By a tap, by the person, in another life, and before the chosen one was there.
        try clause.untested("\(left) client!openPush(s1 message=a1) client=connected(s1 u1 a1)")
        try clause.untested("\(left) client!selectSession(s1) client=connected(s1 u1 a1)")
        try clause.untested("\(left) client!quit client!launch client=connecting(s1 u1 a1)")
        try clause.untested("\(turn) client!selectSession(s2) client=connected(s1 u1 a1)")
        try clause.untested("\(turn) A<done(t4 s2 #5) client=connected(s2 a4)")  // nobody chose the first one
        // What cannot be read may be left.
        try clause.untested("\(left) 1>GET(s2) 1<404 client=connected(s1 u1 a1)")
        try clause.violates("\(left) 1>GET(s2) 1<200(u4 a4) client=connected(s1 u1 a1)^")
        // What is typed may begin a session, which is none of those that were there before.
        let typed = "\(left) client!send(c2) client=connected(s2 c2)"
        try clause.untested("\(typed) client=connected(s3 c2)")
        try clause.violates("\(typed) A<done(t4 s1 #5) client=connected(s1 u1 a1 a4)^")
        let new = "\(turn) client!selectSession(sessionId=null) client=connected"
        try clause.conforms("\(new) A<done(t4 s1 #5) client=connected(unread.s1=1)")
        try clause.violates("\(new) A<done(t4 s1 #5) client=connected(s1 u1 a1 a4)^")
        try clause.untested("\(new) client!send(c2) client=connected(c2) client=connected(s3 c2)")
        // Nobody asked for a new conversation; one that the server sent away may show nothing.
        try clause.violates("\(left) client=connected^")
        try clause.untested("\(left) client=offline")
        try clause.untested("\(left) 1>GET(s2) 1<404 client=connected")
    }

    @Test func `CLIENT-28 what the person chose comes to the screen`() throws {
        let clause = ClauseUnderTest("CLIENT-28", rule: 2)
        let chosen = "\(turn) client!selectSession(s2)"
        let read = "1>GET(s2) 1<200(u4 a4)"
        try clause.conforms("\(chosen) \(read) client=connected(s2 u4 a4)")
        try clause.conforms("\(chosen) +12s \(read) +12s client=connected(s2 u4 a4)")
        try clause.violates("\(chosen) \(read) client=connected(s1 u1 a1) +17s^")
        try clause.violates("\(chosen) +17s^")
        try clause.untested("\(chosen) \(read) client=connected(s1 u1 a1) +16s")
        // What is not read yet, or cannot be.
        try clause.untested("\(chosen) 1>GET(s2) +20s")
        try clause.untested("\(chosen) 1>GET(s2) 1<404 +20s")
        try clause.untested("\(chosen) 1>GET(s2) 1<failed('reset') +20s")
        try clause.untested("\(turn) A!cut \(chosen.dropFirst(turn.count)) +20s")
        try clause.untested("\(chosen) \(read) client!selectSession(s1) +20s")
        let new = "client!launch A+ client=connected(s1 u1 a1) client!selectSession(sessionId=null)"
        try clause.conforms("\(new) client=connected")
        try clause.violates("\(new) +17s^")
        try clause.untested("\(new) client!send(c2) +17s", also: ["CLIENT-38"])
        try clause.untested("\(turn) client!selectSession(sessionId=null) +17s")  // it may have become that one
    }

    @Test func `CLIENT-26 a message is shown with its whole text`() throws {
        let clause = ClauseUnderTest("CLIENT-26", rule: 2)
        let read = "client!launch A+ client!selectSession(s1) 1>GET(s1) 1<200(u1 a1='one two')"
        try clause.conforms("\(read) client=connected(s1 u1 a1='one two')")
        try clause.conforms("\(read) client=connected(s1 u1 a1=' one two ')")
        try clause.violates("\(read) client=connected(s1 u1 a1='one')^")
        try clause.violates("\(turn) A<done(t2 s1 'two' #3) client=connected(s1 u1 a1 a2='tw')^")
        let whole = "\(read) client=connected(s1 u1 a1='one two')"
        try clause.conforms("\(whole) client!quit client!launch client=connecting(s1 u1 a1='one two')")
        try clause.violates("\(whole) client!quit client!launch client=connecting(s1 u1 a1='one')^")
        // Another source gave it in other words, a notification may be shown until its message comes, and without id nobody
        // knows which message it is.
        try clause.conforms("\(read) A<done(t1 'one' #2) client=connected(s1 u1 a1='one')")
        let push = "client!launch A+ client!receivePush(s1 message=a1) client=connected(s1 a1='one…')"
        try clause.untested("\(push) 1>GET(s1) 1<200(u1 a1='one two') client=connected(s1 a1='one…')")
        let late = "client=connected(s1 u1 a1='one…') +17s client=connected(s1 u1 a1='one…')^"
        try clause.violates("\(push) 1>GET(s1) 1<200(u1 a1='one two') \(late)")
        let nameless = "{\"role\":\"assistant\",\"text\":\"one\"}"
        try clause.untested("\(read) client=state(json='{\"sessionId\":\"s1\",\"messages\":[\(nameless)]}')")
    }

    @Test func `CLIENT-34 answers elsewhere are unread`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 1)
        let elsewhere = "\(turn) A<done(t4 s2 #5)"
        try clause.conforms("\(elsewhere) client=connected(s1 u1 a1 unread.s2=1)")
        try clause.conforms("\(elsewhere) +4s client=connected(s1 u1 a1 unread.s2=1)")
        try clause.conforms("\(elsewhere) A<done(t5 s2 #6) client=connected(s1 u1 a1 unread.s2=2)")
        try clause.warns("\(elsewhere) +5s^")
        try clause.warns("\(elsewhere) client=connected(s1 u1 a1 unread.s3=1) +5s^")
        try clause.warns(
            "\(elsewhere) client=connected(s1 u1 a1 unread.s2=1) A<done(t5 s2 #6) +5s^")  // one of two
        try clause.untested("\(elsewhere) 1>GET(s2) 1<200(u4 a4) +5s")  // the read may have brought it first
        try clause.untested("\(elsewhere) +4s")
        // It came to the screen by itself, and what was read there is read.
        let read = "\(elsewhere) client=connected(s2 u4 a4) +4s client!selectSession(s3)"
        try clause.untested("\(read) client=connected(s3) +5s")
        try clause.warns("\(read.replacing("s2 u4 a4", with: "s1 u1 a1")) client=connected(s3)  +5s^")
        try clause.untested("\(elsewhere) client!selectSession(s2) client=connected(s2 a4) +5s")
        try clause.untested("\(elsewhere) A!cut +5s")
        try clause.untested("\(turn) +5s")
        try clause.untested("\(turn) client!background A<done(t4 s2 #5) +5s")
    }

    @Test func `CLIENT-34 a session that was chosen may be shown before the next sample`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 1)
        let next = "client!selectSession(s3) client=connected(s3) +5s"
        let chosen = "\(turn) client!selectSession(s2) A<done(t4 s2 #5) \(next)"
        try clause.untested(chosen)
        try clause.warns("\(chosen.replacing("done(t4 s2", with: "done(t4 s4"))^")
        let crossed = "\(turn) A<done(t4 s2 #5) client!selectSession(s2) \(next)"
        try clause.untested(crossed)
        try clause.warns("\(crossed.replacing("client!selectSession(s2)", with: "+2s client!selectSession(s2)"))^")
        // A new conversation that became it.
        let begun = """
            \(turn) client!selectSession(sessionId=null) client!send(c2) A>chat(c2 -s) A<ack(c2 s2 t2) A<done(t2 s2 #5)
            \(next)
            """
        try clause.untested(begun)
        try clause.warns("\(begun.replacing("A<done(t2", with: "+2s client=connected(s1 u1 a1) A<done(t2"))^")
        try clause.warns("\(turn) A<done(t4 s2 #5) client!selectSession(sessionId=null) client=connected +5s^")
    }

    @Test func `CLIENT-34 counts stay until the session is shown`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 4)
        let told = "client!launch A+ client=connected(s1 u1 a1) A<done(t4 s2) client=connected(s1 u1 a1 unread.s2=1)"
        try clause.conforms("\(told) A!cut B+ client=connected(s1 u1 a1 unread.s2=1)")
        try clause.warns("\(told) A!cut B+ client=connected(s1 u1 a1)^")
        // It was chosen or shown, or told by something else than an answer; a launch forgets.
        try clause.untested("\(told) client!selectSession(s2) client=connected(s1 u1 a1) client=connected(s2 a4)")
        try clause.untested("\(told) client!selectSession(s2) client=connected(s2 a4) client=connected(s2 a4)")
        try clause.untested("\(told) client!quit client!launch B+ client=connected(s1 u1 a1)")
        let more = told.replacing("unread.s2=1", with: "unread.s2=2")
        try clause.conforms("\(more) client=connected(s1 u1 a1 unread.s2=1)", also: ["CLIENT-34"])
    }

    @Test func `CLIENT-34 nothing is counted twice`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 2)
        let told = "client!launch A+ client=connected(s1 u1 a1) A<done(t4 s2) client=connected(s1 u1 a1 unread.s2=1)"
        try clause.conforms("\(told) A<done(t5 s2) client=connected(s1 u1 a1 unread.s2=2)")
        try clause.warns("\(told) A<message(u5 s2) client=connected(s1 u1 a1 unread.s2=2)^")
        let visited = "\(told) +2s client!selectSession(s2) client=connected(s2 a4) +2s client!selectSession(s1)"
        try clause.conforms("\(visited) client=connected(s1 u1 a1)")
        try clause.warns("\(visited) client=connected(s1 u1 a1 unread.s2=1)^")
        let gone = "client=connected(s1 u1 a1) 1>GET(s2) 1<404"
        try clause.conforms("\(visited) \(gone) client=connected(s1 u1 a1 unread.s2=1)")
        // What was seen before a launch may be forgotten.
        let launched = "\(visited) client=connected(s1 u1 a1) client!quit client!launch"
        try clause.conforms("\(launched) client=connecting(s1 u1 a1 unread.s2=1)")
        try clause.warns("\(launched) client=connecting(s1 u1 a1 unread.s2=2)^")
        try clause.untested("\(told.replacing(" unread.s2=1", with: ""))")
    }

    @Test func `CLIENT-41 a session comes back with what it had`() throws {
        let clause = ClauseUnderTest("CLIENT-41")
        let back = "\(turn) client!selectSession(s2) client=connected(s2) client!selectSession(s1) 1>GET(s1)"
        try clause.conforms("\(back) client=connected(s1 u1 a1)")
        try clause.conforms("\(back) client=connected(s1) +4s client=connected(s1 u1 a1)")
        try clause.warns("\(back) client=connected(s1) +5s^")
        try clause.warns("\(back) client=connected(s1 u1) +5s^")
        try clause.warns("\(back) +5s^")  // the old session stays
        try clause.untested("\(back) client=connected(s1) 1<200(u1 a1) client=connected(s1 u1 a1) +5s")
        try clause.untested("\(turn) client!selectSession(s2) client=connected(s2) +5s")
    }
}
