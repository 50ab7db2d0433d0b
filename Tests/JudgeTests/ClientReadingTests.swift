import TestSupport
import Testing

/// What a client reads although nothing says that it lost anything.
@Suite struct ClientReadingTests {
    private let clause = ClauseUnderTest("CLIENT-18")

    @Test func `CLIENT-18 a connection without a sync is followed by a read`() throws {
        let back = "client!launch A+ client=connected(s1 u1 a1) A!cut B+"
        try clause.conforms("\(back) 1>GET(s1) 1<200(u1 a1)")
        try clause.conforms("\(back) +11s 1>GET(s1)")
        try clause.violates("\(back) +12s^")
        try clause.violates("\(back) 1>GET(s2) 2>GET +12s^")
        // A read that fails is made again, with the backoff.
        try clause.conforms("\(back) 1>GET(s1) 1<503 +20s 2>GET(s1) 2<503 +29s 3>GET(s1) 3<200(u1 a1)")
        try clause.violates("\(back) 1>GET(s1) 1<503 +20s 2>GET(s1) 2<503 +33s^")
        try clause.untested("\(back) 1>GET(s1) 1<503 +20s B!cut +33s", also: ["CLIENT-37"])
        // What came between the read and the greeting would be missed.
        let early = "client!launch A+ client=connected(s1 u1 a1) A!cut 1>GET(s1)"
        try clause.violates("\(early) 1<200(u1 a1) B+ +12s^")
        try clause.conforms("\(early) 1<200(u1 a1) B+ 2>GET(s1) 2<200(u1 a1)")
        try clause.untested("\(early) B+ 1<200(u1 a1) +12s")  // one read may serve all
        try clause.conforms("\(early) B+ 1<503 +20s 2>GET(s1) 2<200(u1 a1)")
        try clause.violates("\(early) B+ 1<503 +33s^")  // and one that fails serves nobody
        try clause.violates("\(early) B+ 1<failed('reset') +33s^")
        try clause.violates("\(early) B+ +67s +33s^")
        try clause.untested("\(back) +11s")
        // Whoever awaits a turn reads for that.
        let turn = "client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2) A!cut"
        try clause.untested("\(turn) B+ 1>GET(s1) 1<200(u1 a1 u2)")
        try clause.untested("\(back) client!background +12s")
        try clause.untested("\(back) +1s B!cut +11s")
        try clause.untested("client!launch A+ client=connected A!cut B+ +12s")  // nothing is on the screen
        try clause.untested(
            "client!launch A+ client=connected(s1 u1) 1>GET(s1) 1<404(session_not_found) A!cut B+ +12s")
    }

    @Test func `CLIENT-18 a read of another cause keeps nothing`() throws {
        let back = "client!launch A+ client=connected(s1 u1 a1) A!cut B+"
        for act in ["receivePush(s1)", "selectSession(s1)", "openPush(s1)"] {
            try clause.untested("\(back) client!\(act) 1>GET(s1) 1<200(u1 a1)")
        }
        try clause.untested("\(back) client!background client!foreground 1>GET(s1) 1<200(u1 a1)")
        let opened = "client!launch A+ client=connected(s1 u1 a1) client!selectSession(s2) client=connected(s2)"
        try clause.untested("\(opened) client!receivePush(s2) 1>GET(s2) 1<200(u2 a2)")
        try clause.conforms("\(opened) 1>GET(s2) client!receivePush(s2) 2>GET(s2) 2<200(u2 a2)")
    }

    @Test func `CLIENT-18 a position that connected told is no replay`() throws {
        let read = """
            client!launch client=connecting A>open A>auth client!selectSession(s1) 1>GET(s1) 1<200(u1 a1)
            client=connecting(s1 u1 a1) A<connected(e1 #9)
            """
        try clause.conforms("\(read) 2>GET(s1) 2<200(u1 a1 u2 a2)")
        try clause.violates("\(read) +12s^")
        // A replay from 0 of a stream that is new brings nothing that is older.
        let asked = "\(read) A>sync(e1 #0) A<syncResult(e1 #9 complete)"
        try clause.violates("\(asked) +12s^")
        try clause.conforms("\(asked) 2>GET(s1) 2<200(u1 a1 u2 a2)")
    }

    @Test func `CLIENT-18 a session that is opened is read`() throws {
        let opened = "client!launch A+ client=connected(s1 u1 a1) client!selectSession(s2)"
        try clause.conforms("\(opened) 1>GET(s2) 1<200(u2 a2) client=connected(s2 u2 a2)")
        let failed = "\(opened) client=connected(s2) 1>GET(s2) 1<503(internal)"
        try clause.untested("\(failed) +29s")
        try clause.conforms("\(failed) +29s 2>GET(s2) 2<200(u2 a2)")
        try clause.conforms("\(failed) +29s 2>GET(s2) 2<404(session_not_found)")
        try clause.violates("\(failed) +33s^")
        try clause.violates("\(failed) +5s 2>GET(s2) 2<failed('reset') +33s^")
        try clause.conforms("\(failed) +5s 2>GET(s2) 2<401(not_authenticated) +33s")
        try clause.violates("\(failed) +5s 2>GET(s2) 2<404(body='no such page') +33s^")
        // Whoever is told to stay away asks for nothing more.
        let unread = """
            client!launch client=connecting A>open A<open client!selectSession(s1) client=connecting(s1) 1>GET(s1)
            1<failed('reset')
            """
        try clause.untested("\(unread) A<close(4001) +33s")
        try clause.violates("\(unread) A<close(1011) +33s^", also: ["CLIENT-37"])
        try clause.violates("\(opened) client=connected(s2) +12s^")
        try clause.violates("1>GET(s2) 1<200(u2 a2) \(opened) client=connected(s2 u2 a2) +12s^")
        try clause.untested("\(opened) client=connected(s2) +11s")
        try clause.untested("\(opened) client=connected(s2) +5s client!selectSession client=connected +12s")
        try clause.untested(opened.replacing("(s2)", with: "(s1)") + " +12s")  // it is there
        let before = opened.replacing("client!sel", with: "1>GET(s2) client!sel")
        try clause.untested("\(before) 1<200(u2 a2) client=connected(s2 u2 a2) +12s")  // under way
    }

    @Test func `CLIENT-18 a session that is opened without a socket is read`() throws {
        let refused = "client!launch client=connecting A>open A<refused(503) client!selectSession(s1)"
        try clause.conforms("\(refused) 1>GET(s1) 1<200(u1 a1) client=connecting(s1 u1 a1)")
        try clause.violates("\(refused) client=connecting(s1) +12s^")
        try clause.violates("\(refused) client=connecting(s1) +6s B>open B<refused(503) +6s^")
        try clause.untested("\(refused) client=connecting(s1) +11s")
        let away = refused.replacing("A<refused(503)", with: "A<open A>auth A<close(4001)")
        try clause.untested("\(away) client=offline(s1) +12s")  // nobody would answer
        // Who is greeted meanwhile reads after that.
        try clause.conforms("\(refused) client=connecting(s1) +6s B+ +6s 1>GET(s1)")
        try clause.untested(
            "client!launch client=connecting A>open A<refused(503) client!networkDown client!selectSession(s1) client=offline(s1) +12s"
        )
    }

    @Test func `CLIENT-18 a session that is opened without a network is read afterwards`() throws {
        let opened = """
            client!launch A+(e1 #4) 1>GET(s1) 1<200(u1 a1) client=connected(s1 u1 a1) client!networkDown
            client!selectSession(s2) client=offline(s2)
            """
        let back = "client!networkUp B+(e1 #4) B>sync(e1 #4) B<syncResult(e1 #4 complete) client=connected(s2)"
        try clause.violates("\(opened) \(back) +33s^")
        try clause.violates("\(opened) 2>GET(s2) 2<failed('reset') \(back) +33s^")
        try clause.conforms("\(opened) \(back) 2>GET(s2) 2<200(u2 a2)")
        try clause.conforms("\(opened) \(back) +29s 2>GET(s2) 2<404(session_not_found)")
        try clause.untested("\(opened) \(back) +29s")
        try clause.untested("\(opened) \(back) +5s client!selectSession(s1) client=connected(s1 u1 a1) +33s")
        try clause.untested("\(opened) client!networkUp client=connecting(s2) +33s", also: ["CLIENT-37"])
        let tapped = opened.replacing("selectSession(s2)", with: "openPush(s2 message='a2')")
        try clause.violates("\(tapped) \(back) +33s^", also: ["CLIENT-32"])
        try clause.conforms("\(tapped) \(back) 2>GET(s2) 2<200(u2 a2)")
        // It may have been read before the greeting, and the replay may have brought all of it.
        let read = "client!networkUp 2>GET(s2) 2<200(u2 a2) client=connecting(s2 u2 a2)"
        try clause.untested("\(opened) \(read) \(back.dropFirst(17).replacing("(s2)", with: "(s2 u2 a2)")) +33s")
        let whole = back.replacing("complete)", with: "complete)[done(s2 t2 #4)]").replacing("(s2)", with: "(s2 a2)")
        try clause.untested("\(opened) \(whole) +33s")
    }

    @Test func `CLIENT-18 what the stream has brought need not be read`() throws {
        let both = """
            client!launch A+(e1 #0) client=connected client!selectSession(s2) 1>GET(s2) 1<200(u2 a2)
            client=connected(s2 u2 a2) client!selectSession(s1) 2>GET(s1) 2<200(u1 a1) client=connected(s1 u1 a1)
            """
        let again = "client!selectSession(s2) client=connected(s2 u2 a2)"
        try clause.conforms("\(both) \(again) +12s")
        try clause.conforms("\(both) A!cut B+(e1 #0) B>sync(e1 #0) B<syncResult(e1 #0 complete) \(again) +12s")
        // A gap was told, and that session was not read since.
        let gap = "A!cut B+(e1 #9) B>sync(e1 #0) B<syncResult(e1 #9 evicted) 3>GET(s1) 3<200(u1 a1)"
        try clause.violates("\(both) \(gap) \(again) +12s^")
        try clause.conforms("\(both) \(gap) 4>GET(s2) 4<200(u2 a2) \(again) +12s")
        // A client that does not ask for a replay has missed what it has missed.
        try clause.violates("\(both) A!cut B+(e1 #0) 3>GET(s1) 3<200(u1 a1) \(again) +12s^")
        // A connection that ended at its greeting is made up for by the next one, from where the client was.
        func cut(_ last: Int) -> String {
            "A!cut B+(e1 #\(last)) B!cut C+(e1 #\(last)) C>sync(e1 #\(last)) C<syncResult(e1 #\(last) complete)"
        }
        try clause.conforms("\(both) A<done(s1 t7 a7 #1) +3s \(cut(1)) \(again) +12s")
        try clause.violates("\(both) A<done(s1 t7 a7 #1) +3s \(cut(2)) \(again) +12s^")
        // Nothing was ever told of it.
        let never = "client!launch A+(e1 #0) client=connected client!selectSession(s2) client=connected(s2)"
        try clause.violates("\(never) +12s^")
        try clause.untested(never.replacing("client!sel", with: "A<done(s2 t7 #1) client!sel") + " +12s")
    }
}
