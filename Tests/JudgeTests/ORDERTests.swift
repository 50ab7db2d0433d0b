import TestSupport
import Testing

@Suite struct ORDERTests {
    private let turn = "A+(e1 #0) A>chat(c1) A<ack(c1)"

    @Test func `ORDER-1 the question stands before the answer`() throws {
        let clause = ClauseUnderTest("ORDER-1", profiles: [.core])
        let done = "A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1)"
        try clause.conforms("\(done) 1<200(u1 a1)")
        try clause.conforms("\(done) 1<200(u9 a9 u1 a1)")
        try clause.violates("\(done) 1<200(a1 u1)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1) 1>GET(s1) 1<200(u1)")
    }

    @Test func `ORDER-1 questions keep the order of acceptance`() throws {
        let clause = ClauseUnderTest("ORDER-1", profiles: [.core])
        let sent = "A+ A>chat(c1 s1) A>chat(c2 s1) A<ack(c1) A<ack(c2) A<done(t1) A<done(t2) 1>GET(s1)"
        try clause.conforms("\(sent) 1<200(u1 a1 u2 a2)")
        try clause.conforms("\(sent) 1<200(u1 u2 a1 a2)")
        try clause.violates("\(sent) 1<200(u2 a2 u1 a1)^")
        let across = "A+ B+ A>chat(c1 s1) A<ack(c1) B<message(u1 #1) B>chat(c2 s1) B<ack(c2) A<message(u2 #2) 1>GET(s1)"
        try clause.conforms("\(across) 1<200(u1 u2)")
        try clause.violates("\(across) 1<200(u2 u1)^")
        let racing = "A+ B+ A>chat(c1 s1) B>chat(c2 s1) A<ack(c1) B<ack(c2) 1>GET(s1)"
        try clause.untested("\(racing) 1<200(u2 u1)")  // nothing says which was accepted first
        // A wire without marks of copies leaves open which ack is the first.
        let copied = "A+ B+ A>chat(c1 s1) A>chat(c2 s1) B>chat(c2 s1) B<ack(c2) A<ack(c1) A<ack(c2) 1>GET(s1)"
        try clause.untested("\(copied) 1<200(u2 u1)")
        // The first may have been refused where nobody saw it, and was then accepted when it came again.
        try clause.conforms(
            "A+ A>chat(c1 s1) A>chat(c2 s1) A!cut 1>POST(c1 s1) 1<200(t1) 2>GET(s1) 2<200(u2 a2 u1 a1)")
        // A request overtook the chats, and the second question was accepted by it.
        try clause.conforms(
            "A+ A>chat(c1 s1) A>chat(c2 s1) 1>POST(c2 s1) A<ack(c2 duplicate) A<ack(c1) 1<200(t2) A<done(t1) 2>GET(s1) 2<200(u2 a2 u1 a1)"
        )
        try clause.violates(
            "A+ A>chat(c1 s1) A>chat(c2 s1) A<ack(c1) A<ack(c2) A!cut 1>POST(c1 s1) 1<200(t1 duplicate) 2>GET(s1) 2<200(u2 a2 u1 a1)^"
        )
    }

    @Test func `ORDER-2 turns of a session are serial`() throws {
        let clause = ClauseUnderTest("ORDER-2", profiles: [.core])
        let two = "A+ A>chat(c1 s1) A>chat(c2 s1) A<ack(c1)"
        try clause.conforms("\(two) A<ack(c2) A<toolUse(t1) A<done(t1) A<toolUse(t2) A<done(t2)")
        try clause.conforms("\(two) A<error(busy c2) A<toolUse(t1) A<done(t1)")
        try clause.violates("\(two) A<ack(c2) A<toolUse(t1) A<toolUse(t2)^ A<done(t1) A<done(t2)")
        try clause.violates("\(two) A<ack(c2) A<toolUse(t1) A<done(t2)^ A<done(t1)")
        try clause.conforms(
            "A+ A>chat(c1 s1) A>chat(c2 s1) A>chat(c3 s2) A<ack(c1) A<ack(c2) A<ack(c3 s2) A<toolUse(t1) A<done(t3 s2) "
                + "A<done(t1) A<toolUse(t2) A<done(t2)")  // sessions are free of each other
        try clause.untested("A+ A>chat(c1 s1) A<ack(c1) A<toolUse(t1) A<done(t1) A>chat(c2 s1) A<ack(c2) A<done(t2)")
    }

    @Test func `ORDER-2 turns run in the order of their questions`() throws {
        let clause = ClauseUnderTest("ORDER-2", profiles: [.core])
        let three =
            "A+ A>chat(c1 s1) A>chat(c2 s1) A>chat(c3 s1) A<ack(c1) A<ack(c2) A<ack(c3) A<toolUse(t1) A<done(t1)"
        try clause.conforms("\(three) A<toolUse(t2) A<done(t2) A<done(t3)")
        try clause.violates("\(three) A<toolUse(t3)^ A<done(t3) A<done(t2)")
        let finding = try #require(try clause.findings("\(three) A<toolUse(t3) A<done(t3) A<done(t2)").first)
        #expect(finding.expected == "the question 'c2' first")
        #expect(finding.actual == "the question 'c3' before it")
        try clause.violates("\(three) A<error(agent_failed t3)^ A<done(t2)")
        try clause.conforms("A+ A>chat(c1 s1) A<ack(c1) A>chat(c2 s1) A<error(busy c2) A<done(t1)")
        // Those that a stop ends never ran.
        try clause.untested(
            "A+ A>chat(c1 s1) A>chat(c2 s1) A>chat(c3 s1) A<ack(c1) A<ack(c2) A<ack(c3) server!stop A<error(interrupted t3) "
                + "A<error(interrupted t2) A<error(interrupted t1) A<close(1001)")
        // Two devices: which question was accepted first is not known without an answer to one of them.
        try clause.untested("A+ B+ A>chat(c1 s1) B>chat(c2 s1) B<ack(c2) A<ack(c1) A<done(t2) A<done(t1)")
        try clause.untested("A+ A>chat(c1 s1) A<ack(c1) A<done(t1) A>chat(c2 s1) A<ack(c2) A<done(t2)")
    }

    @Test func `ORDER-3 seq increases strictly on each connection`() throws {
        let clause = ClauseUnderTest("ORDER-3")
        try clause.conforms("\(turn) A<toolUse(t1 #1) A<done(t1 #4)")  // holes are legal
        try clause.violates("\(turn) A<toolUse(t1 #2) A<done(t1 #1)^")
        try clause.violates("\(turn) A<toolUse(t1 #2) A<done(t1 #2)^")
        try clause.conforms("\(turn) A<done(t1 #5) A!cut A+(e2 #0) A>chat(c2 s1) A<ack(c2) A<done(t2 #1)")
    }

    @Test func `ORDER-1 an answer stands before what follows it`() throws {
        let clause = ClauseUnderTest("ORDER-1", profiles: [.core])
        let after = "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2 s1) A<ack(c2) A<done(t2) 1>GET(s1)"
        try clause.conforms("\(after) 1<200(u1 a1 u2 a2)")
        try clause.violates("\(after) 1<200(u1 u2 a1 a2)^")
        // A question that was sent before the ending may stand on either side.
        try clause.conforms(
            "A+ A>chat(c1) A<ack(c1) A>chat(c2 s1) A<ack(c2) A<done(t1) A<done(t2) 1>GET(s1) 1<200(u1 u2 a1 a2)")
        try clause.violates(
            "1>POST(c1) 1<200(t1) 2>POST(c2 s1) 2<200(t2) 3>GET(s1) 3<200(u1 u2 a1 a2)^")
    }

    @Test func `ORDER-4 every message is kept once`() throws {
        let clause = ClauseUnderTest("ORDER-4", profiles: [.core])
        let many =
            "A+ B+ A>chat(c1 s1) B>chat(c2 s1) A<ack(c1) B<ack(c2) A<message(u2 #2) B<message(u1 #1) A<done(t1) B<done(t1) "
            + "A<done(t2) B<done(t2) 1>GET(s1)"
        try clause.conforms("\(many) 1<200(u1 u2 a1 a2)")
        try clause.violates("\(many) 1<200(u1 a1 a2)^", also: ["PERSIST-2"])
        try clause.violates("\(many) 1<200(u1 a1 u2)^", also: ["PERSIST-2", "PERSIST-1", "TURN-7"])
        try clause.violates("\(many) 1<200(u1 u2 u2 a1 a2)^", also: ["ID-8"])
        // What came along as context is stored once more, without a key.
        let began = "A+ A>chat(c1 'hi') A<ack(c1) A<done(t1) A>chat(c2 s1 'more') A<ack(c2) A<done(t2) 1>GET(s1)"
        try clause.conforms("\(began) 1<200(u1='hi' a1 u2='more' a2)")
        try clause.violates("\(began) 1<200(u1='hi' a1 u9='hi' u2='more' a2)^")
        // Where something stood before it, others may have said the same.
        try clause.conforms("\(began) 1<200(u8='before' u9='hi' u1='hi' a1 u2='more' a2)")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<done(t1)")
    }

    @Test func `ORDER-5 a slow session blocks no other`() throws {
        let clause = ClauseUnderTest("ORDER-5", profiles: [.core])
        let slow = #"A>chat(c1 s1 '{"script":[{"wait":5000},{"reply":"late"}]}') A<ack(c1)"#
        let quick = #"A>chat(c2 s2 '{"script":[{"reply":"now"}]}') A<ack(c2 s2)"#
        try clause.conforms("A+ \(slow) \(quick) A<done(t2 s2 'now') +5s A<done(t1 'late')")
        try clause.warns("A+ \(slow) \(quick) +5s A<done(t1 'late') A<done(t2 s2 'now')^")
        try clause.untested("A+ \(slow) +4500ms \(quick) +500ms A<done(t1 'late') A<done(t2 s2 'now')")
        // One that waits for a turn of its own session waits for no other.
        let own = #"A>chat(c3 s2 '{"script":[{"wait":5500},{"reply":"own"}]}') A<ack(c3 s2)"#
        try clause.untested(
            "A+ \(slow) \(own) \(quick) +5s A<done(t1 'late') +1s A<done(t3 s2 'own') A<done(t2 s2 'now')")
        try clause.warns(
            #"A+ \#(slow) A>chat(c3 s2 '{"script":[{"reply":"own"}]}') A<ack(c3 s2) A<done(t3 s2 'own') "#
                + "\(quick) +5s A<done(t1 'late') A<done(t2 s2 'now')^")
    }

    @Test func `ID-3 ids stay with their turn`() throws {
        let clause = ClauseUnderTest("ID-3", rule: 2, profiles: [.core])
        let two =
            #"A+ A>chat(c1 s1 '{"script":[{"tool":"search"},{"reply":"one"}]}') A>chat(c2 s2 '{"script":[{"reply":"two"}]}')"#
            + " A<ack(c1) A<ack(c2 s2)"
        try clause.conforms("\(two) A<toolUse(search t1) A<done(t1 'one') A<done(t2 s2 'two')")
        try clause.violates("\(two) A<done(t2 s1 'two')^", also: ["ID-3"])
        try clause.violates("\(two) A<toolUse(search t2 s1)^", also: ["ID-3"])
        // A key that was refused in one session is free in another.
        let again =
            #"A+ A>chat(c1 s9 '{"script":[{"reply":"one"}]}') A<error(session_not_found c1) "#
            + #"1>POST(c1 '{"script":[{"reply":"one"}]}') A>chat(c2 s2 '{"script":[{"reply":"two"}]}') A<ack(c2 s2)"#
        try clause.conforms("\(again) A<done(c1 t1 'one') A<done(t2 s2 'two')")
        try clause.violates("\(again) A<done(c1 t1 'one') A<done(t2 s1 'two')^", also: ["ID-3"])
        try clause.untested("\(two)")
    }

    @Test func `ORDER-6 frames of the stream are numbered`() throws {
        let clause = ClauseUnderTest("ORDER-6")
        try clause.conforms("\(turn) A<toolUse(t1 #1) A<error(agent_failed t1 #2)")
        try clause.violates("\(turn) A<toolUse(t1)^")
        try clause.violates("\(turn) A<toolUse(t1 #1) A<error(agent_failed t1)^")
        try clause.untested("\(turn) A<error(busy c1)")
    }

    @Test func `ORDER-7 a number means one frame`() throws {
        let clause = ClauseUnderTest("ORDER-7")
        let both =
            "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1) B<message(u1 #1) A<toolUse(t1 #2) B<toolUse(t1 #2) A<done(t1 #3)"
        try clause.conforms("\(both) B<done(t1 #3)")
        try clause.violates("\(both) B<done(t1 #4)^")
        try clause.violates(
            "\(turn) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) B>sync(e1 #1) "
                + "B<syncResult(e1 #2 complete)[toolUse(t1 #2)]^")
        try clause.untested("\(turn) A<toolUse(t1 #1) A<done(t1 #2)")
    }

    @Test func `ORDER-3 numbers begin at 1`() throws {
        let clause = ClauseUnderTest("ORDER-3")
        try clause.conforms("\(turn) A<done(t1 #1)")
        try clause.violates("\(turn) A<done(t1 #0)^")
        try clause.untested(turn)
    }
}
