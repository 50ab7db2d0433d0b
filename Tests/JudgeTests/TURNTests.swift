import TestSupport
import Testing

@Suite struct TURNTests {
    private let fails = #"'{"script":[{"fail":"model exploded"}]}'"#
    private let waits = #"'{"script":[{"wait":5000},{"reply":"late"}]}'"#

    @Test func `TURN-1 accepted chats are acked once and first`() throws {
        let clause = ClauseUnderTest("TURN-1", rule: 1)
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1)")
        try clause.conforms("A+ A>chat(c1) +9s A<ack(c1) A<done(t1)")
        try clause.violates("A+ A>chat(c1) +11s A<ack(c1)^ A<done(t1)")
        try clause.violates("A+ A>chat(c1) +11s A<error(busy c1)^")
        try clause.violates("A+ A>chat(c1) +10s^")
        try clause.violates("A+ A>chat(c1) A<error(internal) +10s^", also: ["ENV-7"])
        try clause.untested("A+ A>chat(c1) +9s")
        // Of many at once each has its time from the answer before it.
        let two = "A+ A>chat(c1) A>chat(c2)"
        try clause.conforms("\(two) +9s A<ack(c1) +9s A<ack(c2)")
        try clause.violates("\(two) +9s A<ack(c1) +11s A<ack(c2)^")
        try clause.violates("\(two) +9s A<ack(c2) +9s A<ack(c1)^")
        // Asked again after the bound: that comes too late for the first.
        try clause.violates("A+ A>chat(c1) +11s A>chat(c1) A<ack(c1)^ A<done(t1)")
        try clause.untested("A+ A>chat(c1) A!cut +10s")
        try clause.untested("A+ A>`{` +10s", also: ["ENV-3"])
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A>chat(c1) A<ack(c1 duplicate) A<done(t1)")
        try clause.violates("A+ A>chat(c1) A<toolUse(t1)^ A<ack(c1) A<done(t1)")
        try clause.violates("A+ A>chat(c1) A<done(t1 c1)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<ack(c1)^ A<done(t1)")
        // Sent first, and yet a repeat: the request on another transport arrived before it.
        try clause.untested(
            "A+ B+ A>chat(c1) B>chat(c1) B<ack(c1) B<toolUse(t1) A<toolUse(t1) A<ack(c1 duplicate) A<done(t1) B<done(t1)"
        )
        try clause.untested("A+ A>chat(c1) A<error(busy c1)")
        try clause.untested("A+ 1>POST(c1) A<done(t1) 1<200(t1)")
    }

    @Test func `TURN-1 acks repeat the key`() throws {
        let clause = ClauseUnderTest("TURN-1", rule: 2)
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<done(t1)")
        try clause.violates("A+ A>chat(c1) A<ack(c1 -c)^ A<done(t1)")
        try clause.violates("A+ A>chat(c1) A<ack(c1='c9')^ A<done(t1)")
        try clause.untested("A+ A>chat(c1)")
    }

    @Test func `PERSIST-2 acked questions are shown`() throws {
        let clause = ClauseUnderTest("PERSIST-2")
        let acked = "A+ A>chat(c1) A<ack(c1) 1>GET(s1)"
        try clause.conforms("\(acked) 1<200(u1) A<done(t1)")
        try clause.violates("\(acked) 1<200^ A<done(t1)", also: ["TURN-7"])
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1)")
        try clause.untested("A+ A>chat(c1) 1>GET(s1) A<ack(c1) 1<200 A<done(t1)")  // begun before
    }

    @Test func `PERSIST-2 questions are stored before the turn shows`() throws {
        let clause = ClauseUnderTest("PERSIST-2")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) 1>GET(s1) 1<200(u1) A<done(t1)")
        try clause.violates(
            "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) 1>GET(s1) 1<200^ A<done(t1)", also: ["TURN-7"])
        try clause.violates(
            "A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1) 1>GET(s1) 1<200^", also: ["ORDER-4", "TURN-7"])
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1)")
        try clause.untested("A+ A>chat(c1) 1>GET(s1) A<ack(c1) A<toolUse(t1) 1<200 A<done(t1)")  // begun before
    }

    @Test func `TURN-3 every turn ends once`() throws {
        let clause = ClauseUnderTest("TURN-3")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1)")
        try clause.conforms("A+ B+ A>chat(c1) A<ack(c1) A<done(t1) B<done(t1)")  // once on each connection
        try clause.conforms("A+ A>chat(c1 \(waits)) A<ack(c1) +34s A<done(t1)")  // the script's own wait is added
        // Serial.
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A>chat(c2 s1) A<ack(c2) +25s A<done(t1) +25s A<done(t2)")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<done(t1) A<done(t9 s9)")  // somebody else's turn
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1) A<done(t1)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1) A<error(internal t1)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) +30s^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) +30s^")  // neither refused nor ended
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) +29s")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A!cut +60s")
        try clause.untested("A+ A>chat(c1) A<error(busy c1) +60s")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A!stopReading +60s")
    }

    @Test func `TURN-3 an ending that went to another asker is told`() throws {
        let clause = ClauseUnderTest("TURN-3", profiles: [.core])
        let again = "A+ B+ A>chat(c1) A<ack(c1) B>chat(c1) B<ack(c1 duplicate)"
        try clause.conforms("\(again) A<done(t1) B<done(t1) +31s")
        try clause.violates("\(again) B<done(t1) +31s^", also: ["TURN-10"])
        let finding = try #require(try clause.findings("\(again) B<done(t1) +31s").first)
        #expect(finding.what == "an accepted turn did not end on A, which asked")
        #expect(finding.actual == "none; B had done at +13 ms")
        let other = ClauseUnderTest("TURN-10", profiles: [.core])
        try other.untested("\(again) A<done(t1) B<done(t1) +31s")
        try other.violates("\(again) B<done(t1) +31s^", also: ["TURN-3"])
    }

    @Test func `TURN-3 a turn that ends nowhere is told by whoever is there`() throws {
        let clause = ClauseUnderTest("TURN-3", profiles: [.core, .sync])
        let running = "A+(e1 #0) 1>POST(c1 s1) A<message(u1 t1 c1 #1) A<toolUse(t1 #2)"
        try clause.conforms("\(running) A<done(t1 #3) 1<200(t1) +31s")
        try clause.violates("\(running) +31s^")
        let core = ClauseUnderTest("TURN-3")
        try core.violates("A+ B+ A>chat(c1) A<ack(c1) A<toolUse(t1) B<toolUse(t1) A!cut +31s^")
        try core.untested("A+ B+ A>chat(c1) A!cut +31s")  // nothing shows that it was accepted
    }

    @Test func `TURN-3 copies end nothing`() throws {
        let clause = ClauseUnderTest("TURN-3", profiles: [.core])
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1 duplicate) +31s^")  // nobody asked again
        let turn = "A+ A>chat(c1) A<ack(c1) A<done(t1)"
        try clause.conforms("\(turn) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate)")
        try clause.violates("\(turn) A>chat(c1) A<ack(c1 duplicate) A<done(t1)^")
    }

    @Test func `TURN-3 nothing follows the ending`() throws {
        let clause = ClauseUnderTest("TURN-3")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1)")
        try clause.conforms("A+ B+ A>chat(c1) A<ack(c1) A<done(t1) B<toolUse(t1) B<done(t1)", also: ["TURN-10"])
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2 s1) A<ack(c2) A<toolUse(t2) A<done(t2)")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1) A<toolUse(t1)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1) A<toolUse(t1)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<toolUse(t1)")
        // One key that ran as two turns, each with an ending of its own.
        let twice = "A+ A>chat(c1) A<ack(c1) A<done(t1 c1) A>chat(c1) A<ack(c1 s2 t2 u2) A<done(t2 s2 c1)"
        try clause.conforms(twice, also: ["IDEM-1", "IDEM-2"])
        try clause.violates("\(twice) A<toolUse(t2 s2)^", also: ["IDEM-1", "IDEM-2"])
        let nameless = twice.replacing("A<done(t2 s2 c1)", with: "A<done(s2 c1 -t)")
        try clause.conforms(nameless, also: ["IDEM-1", "IDEM-2", "ID-3"])
    }

    @Test func `TURN-10 what comes too late is owed to nobody`() throws {
        try ClauseUnderTest("TURN-10").conforms(
            "A+ B+ A>chat(c1) A<ack(c1) A<toolUse(t1) B<toolUse(t1) A<done(t1) B<done(t1) A<toolUse(t1)",
            also: ["TURN-3"])
    }

    @Test func `TURN-3 turns whose question nobody saw end once as well`() throws {
        let ends = ClauseUnderTest("TURN-3", profiles: [.core])
        try ends.violates("A+ A<done(t9 s9) A<done(t9 s9)^")
        try ends.untested("A+ A<done(t9 s9) A<done(t9 s9 duplicate)")
        try ends.untested("A+ B+ A<done(t9 s9) B<done(t9 s9)")
        let late = ClauseUnderTest("TURN-3", profiles: [.core])
        try late.violates("A+ A<done(t9 s9) A<toolUse(t9 s9)^")
        try late.untested("A+ A<toolUse(t9 s9) A<done(t9 s9)")
    }

    @Test func `ENV-6 done says what is stored`() throws {
        let clause = ClauseUnderTest("ENV-6")
        let turn = "A+ A>chat(c1) A<ack(c1) A<done(t1 'e\u{301}') 1>GET(s1)"
        try clause.conforms("\(turn) 1<200(u1 a1='e\u{301}')")
        try clause.violates("\(turn) 1<200(u1 a1='\u{e9}')^")
        try clause.untested("\(turn) 1<404(session_not_found)", also: ["PERSIST-2", "PERSIST-7", "PERSIST-1"])
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<done(t1)")
    }

    @Test func `TURN-4 agent failures are named`() throws {
        let clause = ClauseUnderTest("TURN-4")
        try clause.conforms("A+ A>chat(c1 \(fails)) A<ack(c1) A<error(agent_failed t1)")
        try clause.violates("A+ A>chat(c1 \(fails)) A<ack(c1) A<error(internal t1)^")
        try clause.violates("A+ A>chat(c1 \(fails)) A<ack(c1) A<done(t1)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<error(internal t1)")
        try ClauseUnderTest("TURN-4", hasScriptedAgent: false).untested("A+ A>chat(c1 \(fails)) A<ack(c1) A<done(t1)")
    }

    @Test func `TURN-7 failed turns are shown failed`() throws {
        let clause = ClauseUnderTest("TURN-7", rule: 1)
        let failed = "A+ A>chat(c1 \(fails)) A<ack(c1) A<error(agent_failed t1) 1>GET(s1)"
        let question = "u1='{\"script\":[{\"fail\":\"model exploded\"}]}'"
        try clause.conforms("\(failed) 1<200(\(question) t1=failed)")
        try clause.violates("\(failed) 1<200(\(question) t1=done)^", also: ["TURN-7"])
        try clause.violates("\(failed) 1<200(\(question) t1=running)^", also: ["TURN-7"])
    }

    @Test func `TURN-7 a turn that ended stays so`() throws {
        let clause = ClauseUnderTest("TURN-7", rule: 2)
        let shown = "A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1) 1>GET(s1) 1<200(u1 t1=failed)"
        let again = "server!kill A<eof server!start 2>GET(s1)"
        try clause.conforms("\(shown) \(again) 2<200(u1 t1=failed)")
        try clause.violates("\(shown) \(again) 2<200(u1 t1=running)^")
        try clause.violates("\(shown) 2>GET(s1) 2<200(u1 a1 t1=done)^", also: ["TURN-7"])
        // What was never stored cannot last.
        try clause.untested(
            "server!refuseWrites \(shown.replacing("agent_", with: "persist_")) \(again) 2<200(u1 t1=running)")
    }

    @Test func `TURN-5 turns run after a failure`() throws {
        let clause = ClauseUnderTest("TURN-5")
        let failed = "A+ A>chat(c1 \(fails)) A<ack(c1) A<error(agent_failed t1)"
        try clause.conforms("\(failed) A>chat(c2 s1) A<ack(c2) A<done(t2)")
        try clause.conforms("\(failed) A>chat(c2) A<ack(c2 s2) A<done(t2 s2)")
        try clause.violates("\(failed) A>chat(c2 s1) A<ack(c2) A<error(internal t2)^")
        try clause.violates("\(failed) A>chat(c2 s1) A<error(busy c2)^")
        try clause.violates("\(failed) A>chat(c2 s1) A<ack(c2) +30s^", also: ["TURN-3"])
        try clause.untested(failed)
        try clause.untested("\(failed) A>chat(c2 \(fails)) A<ack(c2 s2) A<error(agent_failed t2 s2)")
    }

    @Test func `TURN-6 turns outlive their connection`() throws {
        let clause = ClauseUnderTest("TURN-6")
        let gone = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A!cut"
        try clause.conforms("\(gone) +1s 1>GET(s1) 1<200(u1 a1)")
        try clause.conforms("\(gone) 1>GET(s1) 1<200(u1) +1s 2>GET(s1) 2<200(u1 a1)")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A>close(1001) +1s 1>GET(s1) 1<200(u1 a1)")
        try clause.violates("\(gone) +30s 1>GET(s1) 1<200(u1)^")
        try clause.violates("\(gone) +1s 1>GET(s1) 1<200(u1 t1=failed)^")
        try clause.untested("\(gone) +1s 1>GET(s1) 1<200(u1)")  // it may still run
        let left = "1>POST(c1) 2>GET(s1) 2<200(u1) 1!cut"
        try clause.conforms("\(left) +1s 3>GET(s1) 3<200(u1 a1)")
        try clause.violates("\(left) +30s 3>GET(s1) 3<200(u1)^")
        try clause.violates("\(left) +1s 3>GET(s1) 3<200(u1 t1=failed)^")
        try clause.untested("\(left) +1s 3>GET(s1) 3<200(u1)")
        // Who asked again and left cancels nothing.
        let joined = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) 1>POST(c1 s1) 1!cut"
        try clause.conforms("\(joined) A<done(t1) 2>GET(s1) 2<200(u1 a1)")
        try clause.violates("\(joined) A<error(interrupted t1) 2>GET(s1) 2<200(u1 t1=failed)^")
        try clause.untested("1>POST(c1) 1<200(t1) +1s 2>GET(s1) 2<200(u1 a1)")
        // A question that nothing shows may never have come.
        try clause.untested("A+ A>chat(c9) A<ack(c9) A<done(t9) 1>POST(c1 s1) 1!cut +30s 2>GET(s1) 2<200(u9 a9)")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1) A!cut 1>GET(s1) 1<200(u1 a1)")
    }

    @Test func `TURN-7 sessions list their turns`() throws {
        let clause = ClauseUnderTest("TURN-7", rule: 1)
        let running = "A+ A>chat(c1 \(waits)) A<ack(c1) A<toolUse(t1) 1>GET(s1)"
        let question = #"u1='{"script":[{"wait":5000},{"reply":"late"}]}'"#
        try clause.conforms("\(running) 1<200(\(question) t1=running) A<done(t1)")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1 t1=done)")
        // The turn may have ended just before the read was answered.
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) 1>GET(s1) 1<200(u1 a1 t1=done) A<done(t1)")
        try clause.violates("\(running) 1<200(\(question) t9=running)^ A<done(t1)")
        try clause.violates("\(running) 1<200(\(question) t1=done)^ A<done(t1)", also: ["TURN-7"])
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1 t1=running)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1 t9)^", also: ["TURN-7"])
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<done(t1)")
        // Under the key of another question.
        func body(_ key: String) -> String {
            #"200(body='{"session":{"id":"s1","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","#
                + #""messages":[{"id":"u1","role":"user","content":"question 1","clientMessageId":"c1","turnId":"t1","#
                + #""timestamp":"2026-01-01T00:00:00Z"},{"id":"u2","role":"user","content":"question 2","#
                + #""clientMessageId":"c2","turnId":"t2","timestamp":"2026-01-01T00:00:00Z"}],"#
                + #""turns":[{"turnId":"t1","status":"running","clientMessageId":"c1"},"#
                + #"{"turnId":"t2","status":"running","clientMessageId":"\#(key)"}]}}')"#
        }
        let two = "A+ A>chat(c1 s1) A<ack(c1) A>chat(c2 s1) A<ack(c2) 1>GET(s1)"
        try clause.conforms("\(two) 1<\(body("c2"))")
        try clause.violates("\(two) 1<\(body("c1"))^")
        // Nor can one have ended that waits for another.
        let queued = ClauseUnderTest("TURN-7", rule: 1, profiles: [.core])
        let line = "A+ A>chat(c1 \(waits)) A<ack(c1) A>chat(c2 s1) A<ack(c2) 1>GET(s1)"
        try queued.conforms("\(line) 1<200(\(question) u2 t1=running t2=running) A<done(t1)")
        try queued.violates("\(line) 1<200(\(question) u2 t1=running t2=done)^ A<done(t1)", also: ["TURN-7"])
    }

    @Test func `TURN-10 every connection sees the turn`() throws {
        let clause = ClauseUnderTest("TURN-10")
        let turn = "A+ B+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1)"
        try clause.conforms("\(turn) B<toolUse(t1) B<done(t1)")
        try clause.conforms("A+ 1>POST(c1) A<toolUse(t1) A<done(t1) 1<200(t1)")
        try clause.violates("\(turn) +31s^")
        try clause.violates("\(turn) B<done(t1)^")
        try clause.violates("A+ 1>POST(c1) 1<200(t1) +31s^")
        try clause.untested("\(turn) +1s B!cut")
        // A later turn of the session that waited for it has ended there, or a greater number of the stream has come.
        let next = "\(turn) A>chat(c2 s1) A<ack(c2) A<done(t2)"
        try clause.violates("\(next) B<done(t2)^")
        try clause.untested(next)
        try clause.conforms("\(turn) A>chat(c2 s2) A<ack(c2 s2) A<done(t2 s2) B<done(t2 s2)")
        let numbered = "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1) B<message(u1 #1) A<done(t1 #2)"
        try clause.violates("\(numbered) B<message(u9 t9 s9 #3)^", profiles: [.core, .sync])
        try clause.untested(
            "\(numbered) B<message(u9 t9 s9 #1)", also: ["ORDER-3"], profiles: [.core, .sync])
        try clause.untested("\(numbered) B<message(u9 t9 s9 #3)")
        try clause.untested("A+ B+(p2) A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1) +60s")  // another person
        try clause.untested("A+ A>chat(c1) A<ack(c1) B+ A<done(t1) +60s")  // connected later
    }

    @Test func `TURN-10 a number that is passed over was not sent`() throws {
        let clause = ClauseUnderTest("TURN-10", profiles: [.core, .sync])
        let asked = "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #2)"
        // Who came while the turn ran is owed the rest of it.
        try clause.untested("\(asked) B+(e1 #3) A<toolUse(t1 #3) A<done(t1 #4) B<done(t1 #4)")
        try clause.violates("\(asked) B+(e1 #2) A<toolUse(t1 #3) A<done(t1 #4) B<done(t1 #4)^")
        try clause.untested("\(asked) B+(e1 #2) B<toolUse(t1 #3) A<toolUse(t1 #3) A<done(t1 #4) B<done(t1 #4)")
        // What came in the first replay was sent.
        let result = "B<syncResult(e1 #3 complete)[toolUse(t1 #3)]"
        try clause.untested(
            "\(asked) B+(e1 #2) B>sync(e1 #2) A<toolUse(t1 #3) A<done(t1 #4) B<done(t1 #4) \(result)", also: ["SYNC-8"])
        let whole = "B<syncResult(e1 #3 complete)[message(u1 t1 #1) toolUse(t1 #2) done(t1 #3)]"
        let early = "A+(e1 #0) B+(e1 #0) B>sync(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #2) A<done(t1 #3)"
        try clause.untested("\(early) \(whole) +31s")
        try clause.violates("\(early.replacing(" B>sync(e1 #0)", with: "")) +31s^", also: ["TURN-11"])
        // What only a replay shows was not sent to who was there all the time.
        let replayed =
            "B+(e1 #4) B>sync(e1 #0) B<syncResult(e1 #4 complete)[toolUse(t1 #2) toolUse(t1 #3) done(t1 #4)]"
        try clause.violates("\(asked) A<done(t1 #4)^ \(replayed)")
        try clause.untested("\(asked) A<toolUse(t1 #3) A<done(t1 #4) \(replayed)")
    }

    @Test func `TURN-11 other connections see the question`() throws {
        let clause = ClauseUnderTest("TURN-11")
        let asked = "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1)"
        try clause.conforms("\(asked) B<message(u1 #1) A<done(t1 #2) B<done(t1 #2)")
        try clause.conforms("\(asked) A<message(u1 #1) B<message(u1 #1) A<done(t1 #2) B<done(t1 #2)")
        try clause.conforms("A+(e1 #0) 1>POST(c1) A<message(u1 #1) A<done(t1 #2) 1<200(t1)")
        try clause.violates("\(asked) A<done(t1 #2) B<done(t1 #2)^")
        try clause.violates(
            "\(asked) B<message(u1 #1) B<message(u1 #2)^ A<done(t1 #3) B<done(t1 #3)", also: ["ORDER-7"])
        try clause.untested("A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #2)")
        // A greater number, or the ending of a turn that waited for this one, tells at once.
        try clause.violates(
            "\(asked) A<done(t1 #2) B<message(u9 t9 s9 #3)^", also: ["TURN-10"], profiles: [.core, .sync])
        try clause.untested("\(asked) A<done(t1 #2)")
        // A number that is passed over was not sent; the own question need not be.
        let later = "A+(e1 #0) A>chat(c1) A<ack(c1) C+(e1 #0) D+(e1 #0) C<message(u1 #1)"
        try clause.untested("\(later) D<message(u1 #1) A<done(t1 #2) C<done(t1 #2) D<done(t1 #2)")
        try clause.violates("\(later) A<done(t1 #2) C<done(t1 #2) D<done(t1 #2)^")
    }

    @Test func `TURN-11 a replay holds the question, also one that nobody else saw`() throws {
        let clause = ClauseUnderTest("TURN-11")
        let seen = "A+(e1 #2) C+(e1 #2) A>chat(c9) A<ack(c9) C<message(u9 t9 #3) A<done(t9 #4) C<done(t9 #4) C!cut"
        let asked = "\(seen) A>chat(c1 s9) A<ack(c1 s9) A<done(t1 s9 #6) A!cut B+(e1 #6) B>sync(e1 #4)"
        try clause.conforms("\(asked) B<syncResult(e1 #6 complete)[message(u1 t1 s9 #5) done(t1 s9 #6)]")
        try clause.violates("\(asked) B<syncResult(e1 #6 complete)[done(t1 s9 #6)]^")
        // Asked before that position.
        try clause.conforms(
            "\(asked.replacing("sync(e1 #4)", with: "sync(e1 #5)")) B<syncResult(e1 #6 complete)[done(t1 s9 #6)]")
    }

    @Test func `TURN-11 names the question as the ack does`() throws {
        let clause = ClauseUnderTest("TURN-11", profiles: [.core, .sync])
        let asked = "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1)"
        try clause.conforms("\(asked) B<message(u1 #1) A<done(t1 #2) B<done(t1 #2)")
        try clause.violates("\(asked) B<message(u1='m7' t1 #1)^ A<done(t1 #2) B<done(t1 #2)")
    }

    @Test func `ENV-6 other connections get the text of the question`() throws {
        let clause = ClauseUnderTest("ENV-6", profiles: [.core, .sync])
        let asked = "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1)"
        try clause.conforms("\(asked) B<message(u1 #1) A<done(t1 #2) B<done(t1 #2)")
        try clause.violates("\(asked) B<message(u1 'other' #1)^ A<done(t1 #2) B<done(t1 #2)")
        let again = "A+(e1 #0) B+(e1 #0) A>chat(c1 s1 'one') A<error(busy c1) A>chat(c1 s1 'two') A<ack(c1)"
        try clause.conforms("\(again) B<message(u1 'two' #1) A<done(t1 #2) B<done(t1 #2)")
        try clause.violates("\(again) B<message(u1 'one' #1)^ A<done(t1 #2) B<done(t1 #2)")
        // The text of a question in parts is that of its text parts, with nothing between.
        let image = #"{"type":"image","image":"x","text":"no"}"#
        let parts = #"[{"type":"text","text":"is it "},\#(image),{"type":"text","text":"raining"}]"#
        let asks = #"A>`{"type":"chat","clientMessageId":"c1","messages":[{"role":"user","content":\#(parts)}]}`"#
        let inParts = "A+(e1 #0) B+(e1 #0) \(asks) A<ack(c1)"
        try clause.conforms("\(inParts) B<message(u1 'is it raining' #1) A<done(t1 #2) B<done(t1 #2)")
        try clause.violates("\(inParts) B<message(u1 'is it no raining' #1)^ A<done(t1 #2) B<done(t1 #2)")
    }

    @Test func `TURN-12 refused questions leave no trace`() throws {
        let clause = ClauseUnderTest("TURN-12")
        let busy = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A>chat(c2 s1) A<error(busy c2) A<done(t1) 1>GET(s1)"
        try clause.conforms("\(busy) 1<200(u1 a1)")
        try clause.violates("\(busy) 1<200(u1 a1 u2)^")
        try clause.violates("A+ A>chat(c2 s1) A<error(busy c2) A<done(t2 c2)^")
        let unknown = "A+ A>chat(c1 s9) A<error(session_not_found c1) 1>GET(s9)"
        try clause.conforms("\(unknown) 1<404(session_not_found)")
        try clause.violates("\(unknown) 1<200(u1)^")
        let listed = "A+ 1>GET 1<200(s1) A>chat(c2 s9) A<error(session_not_found c2) 2>GET"
        try clause.conforms("\(listed) 2<200(s1)")
        try clause.violates("\(listed) 2<200(s9 s1)^")
        // What was refused under a key may be asked again under it.
        try clause.untested(
            "A+ 1>GET 1<200(s1) A>chat(c2 s9) A<error(session_not_found c2) A>chat(c2) A<ack(c2 s2) A<done(t2 s2) "
                + "2>GET 2<200(s2 s1)")
        // A second turn of an accepted question made the session.
        let twice =
            "A+ A>chat(c1) A<ack(c1 s1) A<done(t1 s1) 1>GET 1<200(s1) A>chat(c2 s9) A<error(session_not_found c2)"
        try clause.conforms(
            "\(twice) A>chat(c1) A<ack(c1 s2 t2 u2) A<done(t2 s2) 2>GET 2<200(s2 s1)", also: ["IDEM-1", "IDEM-2"])
        try clause.conforms("1>GET 1<200(s1) 2>POST(c2 body='null') 2<400(bad_request) 3>GET 3<200(s1)")
        try clause.violates("1>GET 1<200(s1) 2>POST(c2 body='null') 2<400(bad_request) 3>GET 3<200(s2 s1)^")
        try clause.untested("A+ A>chat(c1) A<error(busy c1)")
        try clause.violates("\(busy) 1<200(u1 a1) 2>GET(s1) 2<200(u1 a1 u2)^")
    }

    @Test func `TURN-12 what could not be stored is not stored later`() throws {
        let clause = ClauseUnderTest("TURN-12", profiles: [.core])
        let control = "A+ A>chat(c1) A<ack(c1) A<done(t1) server!refuseWrites"
        let refused = "\(control) A>chat(c2 s1) A<error(persist_failed c2) server!acceptWrites +5s 1>GET(s1)"
        try clause.conforms("\(refused) 1<200(u1 a1)")
        try clause.violates("\(refused) 1<200(u1 a1 u2)^")
        // Of a turn that ran only the answer was not stored.
        let ended = refused.replacing("A<error(persist_failed c2)", with: "A<ack(c2) A<error(persist_failed t2)")
        try clause.untested("\(ended) 1<200(u1 a1 t1 u2 t2=failed)")
    }

    @Test func `TURN-13 ending errors say whether to retry`() throws {
        let clause = ClauseUnderTest("TURN-13")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1 retryable=false)")
        try clause.warns("A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1)^")
        try clause.untested("A+ A>chat(c1) A<error(busy c1)")
    }

    @Test func `TURN-14 refusals name their question`() throws {
        let clause = ClauseUnderTest("TURN-14", profiles: [.core])
        for code in ["session_not_found", "busy", "idempotency_mismatch"] {
            try clause.conforms("A+ A>chat(c1 s9) A<error(\(code) c1)")
            try clause.violates("A+ A>chat(c1 s9) A<error(\(code))^")
            try clause.violates("A+ A>chat(c1 s9) A<error(\(code) c7)^")
        }
        try clause.untested("A+ A>chat(c1) A<ack(c1) A>chat(c2 s1) A<error(persist_failed s1) A<ack(c2)")  // of which?
        // Before the greeting nobody has to read what comes.
        try clause.untested("A>open A<open A>chat(c1) A<error(not_authenticated c1)")
        try clause.untested("A>open A<open A>chat(c1) A<error(not_authenticated)")
        // Two on their way, and one of them was taken.
        try clause.conforms(
            "A+ A>chat(c1 s9) A>chat(c2 s9) A<error(session_not_found c1) A<error(session_not_found c2)")
        try clause.violates(
            "A+ A>chat(c1 s9) A>chat(c2 s9) A<error(session_not_found c1) A<error(session_not_found c1)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A>chat(c2 s9) A<error(session_not_found c1)^ A<done(t1)")
        // Not valid, unread, or another's matter.
        try clause.untested("A+ A>chat(c1 s1='a b') A<error(bad_request)")
        try clause.untested("A+ A>chat(c1 s1='a b') A<error(session_not_found)")
        try clause.untested("A+ A>chat(c1) A<error(too_large)", also: ["ENV-7"])
        try clause.violates("A+ A>`{` A>chat(c1 s9) A<error(parse_error) A<error(session_not_found)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A>chat(c2 s1) A<error(internal)", also: ["ENV-7"])
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<done(t1)")
    }
}
