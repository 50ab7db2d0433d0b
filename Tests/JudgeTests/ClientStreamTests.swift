import TestSupport
import Testing

/// What a client does with its position in the numbered stream.
@Suite struct ClientStreamTests {
    /// One turn with two numbered frames, shown, and then a cut.
    private let away = """
        client!launch A+(e1 #0) client=connected client!send(c1) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2)
        client=connected(s1 u1 a1) A!cut
        """

    @Test func `CLIENT-15 every new connection is synced from the place held`() throws {
        let clause = ClauseUnderTest("CLIENT-15", rule: 1)
        try clause.conforms("\(away) B+(e1 #2) B>sync(e1 #2) B<syncResult(e1 #2 complete)")
        try clause.conforms("\(away) B+(e1 #9) B>sync(e1 #2)")
        try clause.conforms("\(away) B+(e1 #1) B>sync(e1 #2) B<syncResult(e1 #1 unknown_position)")
        try clause.conforms("\(away) B+(e2 #0) B>sync(e1 #2) B<syncResult(e2 #0 epoch_changed)")
        try clause.violates("\(away) B+(e1 #2) +12s^", also: ["CLIENT-18"])
        try clause.violates("\(away) B+(e1 #9) B>sync(e1 #9)^")  // the place of the server
        try clause.violates("\(away) B+(e1 #9) B>sync(e1 #0)^")  // not the place held
        try clause.violates("\(away) B+(e1 #9) B>sync(#2)^")  // a number without its epoch
        try clause.violates("\(away) B+(e1 #9) B>sync(#0)^")
        try clause.violates("\(away) B+(e2 #5) B>sync(e2 #0)^")  // the old place is not asked about
        // The input of a tool is any JSON value.
        let tool = "A<`{\"type\":\"toolUse\",\"tool\":\"f\",\"sessionId\":\"s1\",\"seq\":3,\"input\":{\"a\":[1]}}`"
        let used = "\(away.replacing(" A!cut", with: "")) \(tool) +2s A!cut B+(e1 #3)"
        try clause.conforms("\(used) B>sync(e1 #3)")
        try clause.violates("\(used) B>sync(e1 #2)^")
        // What a sync brought may have been lost in the cut.
        let gap = "\(away) B+(e1 #6) B>sync(e1 #2) B<done(s1 t4 #7) client=connected(s1 u1 a1 a4)"
        let answer = "B<syncResult(e1 #6 complete)[done(t2 #4) done(t3 #6)]"
        try clause.conforms("\(gap) \(answer) B!cut C+(e1 #7) C>sync(e1 #2)")
        try clause.violates("\(gap) \(answer) +2s B!cut C+(e1 #7) C>sync(e1 #2)^")
        // A read that was under way when a gap was told may be dropped, and the position waits for another one.
        let late = "1<200(u1 a1) B<done(s1 t9 #10) client=connected(s1 u1 a1 a9) +3s B!cut C+(e1 #10) C>sync(e1 #2)"
        try clause.conforms("\(away) 1>GET(s1) B+(e1 #9) B>sync(e1 #2) B<syncResult(e1 #9 evicted) \(late)")
        try clause.violates("\(away) B+(e1 #9) B>sync(e1 #2) B<syncResult(e1 #9 evicted) 1>GET(s1) \(late)^")
        try clause.untested("\(away) B+(e1 #2) +11s")
        try clause.untested("\(away) B+(e1 #2) B!cut +30s")
        try clause.untested("\(away) B+ +12s", also: ["CLIENT-18"])
        try clause.untested("\(away) B+(e1 #2) client!background +12s")
        try clause.untested("client!launch A+(e1 #5) client=connected +12s")  // nothing held before
        // A place need not be stored.
        let relaunched = "\(away) client!quit client!launch"
        try clause.untested("\(relaunched) B+(e1 #2) client=connected +12s")
        try clause.untested("\(relaunched) B+(e2 #60) B>sync(e2 #60)")
        // One that was belongs to its epoch.
        try clause.conforms("\(relaunched) B+(e2 #60) B>sync(e1 #2) B<syncResult(e2 #60 epoch_changed)")
        try clause.violates("\(relaunched) B+(e2 #60) B>sync(e2 #2)^")
    }

    @Test func `CLIENT-15 a turn awaited is a reason without a position`() throws {
        let clause = ClauseUnderTest("CLIENT-15", rule: 1)
        let asked = """
            client!launch A+(e1 #0) client=connected client!send(c1) A>chat(c1) A<ack(c1)
            client=connected(s1 u1 thinking) A!cut
            """
        try clause.conforms("\(asked) B+(e1 #1) B>sync(e1 #0) B<syncResult(e1 #1 complete)[done(t1 #1)]")
        try clause.conforms("\(asked) B+(e1 #1) B>sync(#0) B<syncResult(e1 #1 complete)[done(t1 #1)]")
        try clause.violates("\(asked) B+(e1 #1) B>sync(e1 #1)^")
        try clause.violates("\(asked) B+(e1 #1) +12s^", also: ["CLIENT-18"])
        // The answer came by another transport.
        try clause.untested("\(asked) 1>GET(s1) 1<200(u1 a1) B+(e1 #1) +12s", also: ["CLIENT-18"])
        try clause.untested("\(asked) 1>POST(c1 s1) 1<200(t1) B+(e1 #1) +12s", also: ["CLIENT-18"])
        try clause.untested("\(asked) 1>POST(c1 s1) B+(e1 #1) 1<200(t1) +12s", also: ["CLIENT-18"])
        try clause.violates("\(asked) 1>POST(c1 s1) B+(e1 #1) +1s 1<200(t1) +12s^", also: ["CLIENT-18"])
        try clause.untested("client!launch A+(e1 #3) client=connected A!cut B+(e1 #3) +12s")
    }

    @Test(arguments: ["e1 #9 evicted", "e1 #9 unknown_position", "e1 #9 too_many", "e2 #0 epoch_changed"])
    func `CLIENT-17 a gap that is told is read`(_ gap: String) throws {
        let clause = ClauseUnderTest("CLIENT-17")
        let told = "\(away) B+(\(gap.prefix(5))) B>sync(e1 #2) B<syncResult(\(gap))"
        try clause.conforms("\(told) 1>GET(s1) 1<200(u1 a1)")
        try clause.conforms("\(told) +11s 1>GET(s1) 1<200(u1 a1)")
        try clause.violates("\(told) +12s^")
        try clause.violates("\(told) 1>GET(s2) 1<200(u8 a8) 2>GET 2<200(s2 s1) +12s^")  // another conversation
        try clause.untested("\(told) +11s")
        try clause.untested("\(told) client!background +12s")
        try clause.untested("\(told) B!cut +12s")  // the next sync will tell again
    }

    @Test func `CLIENT-17 further pages bring nothing of what is missing before the first`() throws {
        let clause = ClauseUnderTest("CLIENT-17")
        let page = "B<syncResult(e1 #9 evicted more)[done(t2 #7)]"
        let last = "B>sync(e1 #7) B<syncResult(e1 #9 complete)[done(t3 #9)]"
        let asked = "\(away) B+(e1 #9) B>sync(e1 #2)"
        try clause.conforms("\(asked) \(page) \(last) 1>GET(s1) 1<200(u1 a1)")
        try clause.conforms("\(asked) \(page) 1>GET(s1) 1<200(u1 a1) \(last) +12s")
        try clause.violates("\(asked) \(page) \(last) +12s^")
        try clause.untested("\(asked) \(page.replacing("evicted", with: "too_many")) \(last) +12s")
        try clause.untested("\(asked) \(page) \(last) +11s")
        // A client that waits with its position until the read asks from the old one.
        let places = ClauseUnderTest("CLIENT-15", rule: 1)
        try places.conforms("\(asked) \(page) \(last) 1>GET(s1) B!cut C+(e1 #9) C>sync(e1 #2)")
    }

    @Test func `CLIENT-17 a read that fails is no read`() throws {
        let clause = ClauseUnderTest("CLIENT-17")
        let asked = "\(away) B+(e1 #9) B>sync(e1 #2) B<syncResult(e1 #9 evicted) 1>GET(s1)"
        try clause.conforms("\(asked) 1<404(session_not_found)")
        try clause.conforms("\(asked) 1<503(internal) +5s 2>GET(s1) 2<503(internal) +25s 3>GET(s1) 3<200(u1 a1)")
        try clause.violates("\(asked) 1<503(internal) +32s^")
        try clause.violates("\(asked) 1<failed('reset') +32s^")
        try clause.violates("\(asked) 1<503(internal) +5s 2>GET(s1) 2<503(internal) +32s^")
        try clause.untested("\(asked) 1<503(internal) +31s")
        try clause.conforms("\(asked) 2>GET(s1) 1<503(internal) 2<200(u1 a1) +33s", also: ["CLIENT-20"])
        try clause.untested("\(asked) 1<503(internal) B!cut +29s")  // the next sync will tell again
        try clause.conforms("\(asked) 1<401(not_authenticated) +32s")
        // A gateway has no error body.
        try clause.violates("\(asked) 1<404(body='no such page') +32s^")
        try clause.conforms("\(asked) 1<404(body='no such page') +5s 2>GET(s1) 2<404(session_not_found) +32s")
        try clause.untested("\(asked) +32s")
        try clause.untested("\(asked) 1<503(internal) client!selectSession(s2) client=connected(s2) +11s")
    }

    @Test func `CLIENT-17 a read of another cause keeps nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-17")
        let told = "\(away) B+(e1 #9) B>sync(e1 #2) B<syncResult(e1 #9 evicted)"
        for act in ["receivePush(s1)", "selectSession(s1)"] {
            try clause.untested("\(told) client!\(act) 1>GET(s1) 1<200(u1 a1)")
        }
        try clause.conforms("\(told) 1>GET(s1) client!receivePush(s1) 1<200(u1 a1)")
    }

    @Test func `CLIENT-17 a session that is gone from the screen need not be read`() throws {
        let clause = ClauseUnderTest("CLIENT-17")
        let told = "\(away) B+(e1 #9) B>sync(e1 #2) B<syncResult(e1 #9 evicted)"
        try clause.untested("\(told) client=connected +12s")
        try clause.violates("\(told) client=connected(s1 u1 a1) +12s^")
    }

    @Test func `CLIENT-17 wants a gap, and a session`() throws {
        let clause = ClauseUnderTest("CLIENT-17")
        try clause.untested("\(away) B+(e1 #2) B>sync(e1 #2) B<syncResult(e1 #2 complete) +12s")
        try clause.untested(
            "\(away) B+(e1 #9) B>sync(e1 #2) B<syncResult(e1 #9 too_many more)[done(t2 #3)] B>sync(e1 #3) +12s")
        try clause.untested(
            "client!launch A+(e1 #0) client=connected A!cut B+(e1 #0) B>sync(e1 #0) B<syncResult(e1 #0 evicted) +12s")
        // A read under way when the gap is told may be the one that serves; one that ends later decides nothing.
        try clause.untested(
            "\(away) B+(e1 #9) 1>GET(s1) B>sync(e1 #2) B<syncResult(e1 #9 evicted) 1<200(u1 a1 u2 a2) +12s")
        let underWay = "\(away) B+(e1 #9) 1>GET(s1) B>sync(e1 #2) B<syncResult(e1 #9 evicted)"
        try clause.conforms("\(underWay) +3s 1<503(internal) +20s 2>GET(s1) 2<200(u1 a1 u2 a2)")
        try clause.violates("\(underWay) +3s 1<503(internal) +32s^")
        try clause.violates("\(underWay) 1<failed('reset') +32s^")
        try clause.untested("\(underWay) 1<failed('reset') +31s")
        try clause.conforms("\(underWay) 2>GET(s1) 1<failed('given up') 2<200(u1 a1 u2 a2) +33s", also: ["CLIENT-25"])
        try clause.violates(
            "\(away) B+(e1 #9) 1>GET(s1) 1<200(u1 a1) B>sync(e1 #2) B<syncResult(e1 #9 evicted) +12s^")
    }

    @Test func `CLIENT-16 pages are followed`() throws {
        let clause = ClauseUnderTest("CLIENT-16")
        let page = "\(away) B+(e1 #9) B>sync(e1 #2) B<syncResult(e1 #9 too_many more)[done(t2 #3) done(t3 #4)]"
        let second = "B>sync(e1 #4) B<syncResult(e1 #9 too_many more)[done(t4 #6)]"
        try clause.conforms("\(page) B>sync(e1 #4) B<syncResult(e1 #9 complete)[done(t4 #6)]")
        try clause.conforms("\(page) \(second) B>sync(e1 #6) B<syncResult(e1 #9 complete)[done(t5 #9)]")
        try clause.conforms("\(page) B<done(t6 #10) B>sync(e1 #4)")  // live frames are no part of the page
        try clause.violates("\(page) +12s^")
        try clause.violates("\(page) \(second) +12s^")
        try clause.violates("\(page) B>sync(e1 #9)^")
        try clause.violates("\(page) B>sync(e1 #2)^")
        try clause.violates("\(page) B<done(t6 #10) B>sync(e1 #10)^")
        try clause.violates("\(page) B>sync(#4)^")
        try clause.untested("\(page) +11s")
        try clause.untested("\(page) B!cut +12s")
        try clause.untested("\(away) B+(e1 #2) B>sync(e1 #2) B<syncResult(e1 #2 complete)")
    }

    @Test func `CLIENT-19 a live frame does not cover the gap before it`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 1)
        let asked = "\(away) B+(e1 #6) B>sync(e1 #2)"
        let live = "B<done(s1 t4 #7) client=connected(s1 u1 a1 a4)"
        try clause.conforms("\(asked) \(live) B!cut C+(e1 #7) C>sync(e1 #2)")
        try clause.violates("\(asked) \(live) B!cut C+(e1 #7) C>sync(e1 #7)^")
        try clause.violates("\(asked) B!cut C+(e1 #6) C>sync(e1 #6)^")  // nor does what connected tells
        let early = "\(away) B+(e1 #6) \(live) B>sync(e1 #2)"  // it may overtake the sync
        try clause.conforms("\(early) B!cut C+(e1 #7) C>sync(e1 #2)")
        try clause.violates("\(early) B!cut C+(e1 #7) C>sync(e1 #7)^")
        let page = "B<syncResult(e1 #6 too_many more)[done(t2 #4)] B>sync(e1 #4)"
        try clause.conforms("\(asked) \(page) \(live) B!cut C+(e1 #7) C>sync(e1 #4)")
        try clause.violates("\(asked) \(page) \(live) B!cut C+(e1 #7) C>sync(e1 #7)^")
        let answer = "B<syncResult(e1 #6 complete)[done(t2 #4) done(t3 #6)]"
        try clause.untested("\(asked) \(answer) \(live) B!cut C+(e1 #7) C>sync(e1 #7)")
        let whole = "\(away) B+(e1 #2) B>sync(e1 #2) B<done(s1 t4 #3) client=connected(s1 u1 a1 a4)"
        try clause.untested("\(whole) B!cut C+(e1 #3) C>sync(e1 #3)")  // nothing is owed
        try clause.untested("\(asked) \(live) B!cut C+(e1 #7)")
        // Between the cuts it read the conversation, and no longer waits for what the sync would have brought.
        let read = "1>GET(s1) 1<200(u1 a1 u2 a2 u3 a3 u4 a4)"
        try clause.untested("\(asked) \(live) B!cut \(read) C+(e1 #7) C>sync(e1 #7)")
        let other = "1>GET(s2) 1<200(u8 a8)"
        try clause.conforms("\(asked) \(live) B!cut \(other) C+(e1 #7) C>sync(e1 #2)")
        try clause.violates("\(asked) \(live) B!cut \(other) C+(e1 #7) C>sync(e1 #7)^")
        // One that was asked for before the connection ended holds nothing of what came since.
        let answered = "1<200(u1 a1) \(live) C!cut D+(e1 #7) D>sync(e1 #7)".replacing("B<", with: "C<")
        try clause.untested("\(away) B+(e1 #2) B!cut 1>GET(s1) C+(e1 #6) C>sync(e1 #2) \(answered)")
        try clause.violates("\(away) B+(e1 #2) 1>GET(s1) B!cut C+(e1 #6) C>sync(e1 #2) \(answered)^")
    }

    @Test func `CLIENT-19 an incomplete answer is no answer before the read`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 1)
        let told = "\(away) B+(e1 #6) B>sync(e1 #2) B<syncResult(e1 #6 evicted) 1>GET(s1)"
        let again = "B!cut C+(e1 #6)"
        try clause.conforms("\(told) \(again) C>sync(e1 #2)")
        try clause.untested("\(told) 1<200(u1 a1 u2 a2) \(again) C>sync(e1 #6)")  // it may
        try clause.untested("\(told) 1<200(u1 a1 u2 a2) \(again) C>sync(e1 #2)")  // and need not
        try clause.violates("\(told) \(again) C>sync(e1 #6)^")
        try clause.violates("\(told) 1<503(internal) \(again) C>sync(e1 #6)^")
        try clause.violates("\(told) 1<failed('reset') \(again) C>sync(e1 #6)^")
        try clause.untested("\(told) 1<404(session_not_found) \(again) C>sync(e1 #6)")
        // Another session is no answer; one that the person has left is read when it is opened again.
        try clause.violates("\(told) 2>GET(s2) 2<200(u8 a8) \(again) C>sync(e1 #6)^")
        try clause.untested(
            "\(told) client!selectSession(s2) 2>GET(s2) 2<200(u8 a8) client=connected(s2 u8 a8) \(again) C>sync(e1 #6)")
        let restart = "\(away) B+(e2 #5) B>sync(e1 #2) B<syncResult(e2 #5 epoch_changed) 1>GET(s1)"
        try clause.conforms("\(restart) B!cut C+(e2 #5) C>sync(e1 #2)")
        try clause.conforms("\(restart) B!cut C+(e2 #5) C>sync(e2 #0)")
        try clause.untested("\(restart) 1<200(u1 a1) B!cut C+(e2 #5) C>sync(e2 #5)")
        try clause.violates("\(restart) B!cut C+(e2 #5) C>sync(e2 #5)^")
    }

    @Test func `CLIENT-19 epoch and number change together`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 2)
        let told = "\(away) B+(e2 #0) B>sync(e1 #2) B<syncResult(e2 #0 epoch_changed) 1>GET(s1)"
        let after = "1<200(u1 a1) B<message(u5 #1) client=connected(s1 u1 a1 u5) B!cut C+(e2 #1)"
        try clause.conforms("\(told) \(after) C>sync(e2 #1)")
        try clause.violates("\(told) \(after) C>sync(e2 #2)^")
        let later = after.replacing("B!cut", with: "+2s B!cut")
        try clause.violates("\(told) \(later) C>sync(e1 #1)^")
        try clause.violates("\(told) \(later) C>sync(e1 #2)^")
        try clause.conforms("\(told) \(after) C>sync(e1 #2)")  // the read may not have been taken yet
        try clause.conforms("\(told) B!cut C+(e2 #0) C>sync(e1 #2)")  // cut before the read is answered
        let cut = "B<message(u5 #1) client=connected(s1 u1 a1 u5) B!cut 1<200(u1 a1) +2s C+(e2 #1)"
        try clause.conforms("\(told) \(cut) C>sync(e1 #2)")
        try clause.conforms("\(told) B!cut C+(e2 #0) C>sync(e2 #0)")
        try clause.violates("\(told) B!cut C+(e2 #0) C>sync(e2 #2)^")
        try clause.violates("\(away) B+(e2 #0) B>sync(e2 #2)^")
        try clause.untested("\(away) B+(e1 #2) B>sync(e1 #2) B<syncResult(e1 #2 complete)")
        try clause.untested("\(away) B+(e2 #0) 1>GET(s1) 1<200(u1 a1)")
    }

    @Test func `CLIENT-19 unknown types move the position`() throws {
        let clause = ClauseUnderTest("CLIENT-19", rule: 3)
        let mood = "A<`{\"type\":\"mood\",\"sessionId\":\"s1\",\"seq\":5}`"
        let shown = "client!launch A+(e1 #0) client=connected \(mood) client!send(c1) A>chat(c1) A<ack(c1)"
        let cut = "\(shown) client=connected(s1 u1 thinking) A!cut B+(e1 #5)"
        try clause.conforms("\(cut) B>sync(e1 #5)")
        try clause.violates("\(cut) B>sync(e1 #0)^")
        try clause.violates("\(away.replacing(" A!cut", with: "")) \(mood) +2s A!cut B+(e1 #5) B>sync(e1 #2)^")
        try clause.untested("\(shown) A!cut B+(e1 #5) B>sync(e1 #0)")  // it may have been lost in the cut
        let known = "A<done(t1 #6) client=connected(s1 u1 a1) A!cut B+(e1 #6)"
        try clause.untested("\(shown) \(known) B>sync(e1 #6)")  // a known frame moved it
    }

    @Test func `CLIENT-26 frames with sparse numbers are shown at once`() throws {
        let clause = ClauseUnderTest("CLIENT-26", rule: 3)
        let start = "\(away) B+(e1 #2) B>sync(e1 #2) B<syncResult(e1 #2 complete)"
        try clause.conforms("\(start) B<done(t4 #7) client=connected(s1 u1 a1 a4)")
        try clause.conforms("\(start) B<done(t4 #7) +4s client=connected(s1 u1 a1 a4)")
        try clause.violates("\(start) B<done(t4 #7) +5s^")
        try clause.violates("\(start) B<done(t4 #7) +1s B<done(t5 #8) +4s^ client=connected(s1 u1 a1 a4 a5)")
        try clause.conforms("\(start) B<done(t4 #3) client=connected(s1 u1 a1 a4)")  // the next number
        try clause.violates("\(start) B<done(t4 #3) +5s^")
        // A new stream begins below the old one.
        let low =
            "\(away) B+(e2 #0) B>sync(e1 #2) B<syncResult(e2 #0 epoch_changed) 1>GET(s1) 1<200(u1 a1) +1s B<done(t4 #1)"
        try clause.conforms("\(low) client=connected(s1 u1 a1 a4)")
        try clause.violates("\(low) +5s^")
        // Who polls for the answer meanwhile has not taken it.
        let sent = "client!launch A+(e1 #0) client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)"
        let waits = "client=connected(s1 u1 a1 u2 thinking)"
        let poll = "1>GET(s1) 1<200(u1 a1 u2 a2) client=connected(s1 u1 a1 u2 a2)"
        try clause.violates("\(sent) \(waits) A<done(t2 #2) +600ms \(waits)^ \(poll)")
        try clause.conforms("\(sent) \(waits) A<done(t2 #2) +100ms \(waits) \(poll)")
        // Once the connection has ended, a read is no poll.
        try clause.untested("\(sent) \(waits) A<done(t2 #2) +600ms \(waits) A!cut \(poll)")
        try clause.conforms("\(sent) \(waits) A<done(t2 #2) +600ms client=connected(s1 u1 a1 u2) \(poll)")
        // While a sync is unanswered, what it asks for is missing.
        let asked = "\(away) B+(e1 #6) B>sync(e1 #2)"
        try clause.conforms("\(asked) B<done(t4 #7) client=connected(s1 u1 a1 a4)")
        try clause.violates("\(asked) B<done(t4 #7) +5s^")
        try clause.violates("\(asked) B<done(t4 #7) +6s^ client=connected(s1 u1 a1 a4)")
        try clause.violates("\(away) B+(e1 #2) B>sync(e1 #2) B<done(t4 #3) +5s^")  // nothing is missing
        try clause.untested("\(start) B<done(t4 #7) +4s")
        try clause.untested("\(start) B<done(t4 s2 #7) +5s")  // of another session
        try clause.untested("\(start) B<done(t4 #7) client!selectSession(s2) client=connected(s2) +5s")
    }
}
