import TestSupport
import Testing

/// Breaches that lie one edit away from a conforming history.
@Suite struct SmallBreachTests {
    @Test func `IDEM-2 one copy for one repeat, behind its ack`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 2)
        let again = "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c1)"
        try clause.conforms("\(again) A<ack(c1 duplicate) A<done(t1 duplicate)")
        try clause.conforms(
            "\(again) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate) A<ack(c1 duplicate) A<done(t1 duplicate)")
        try clause.violates("\(again) A<ack(c1 duplicate) A<done(t1 duplicate) A<done(t1 duplicate)^")
        try clause.violates("\(again) A<done(t1 duplicate)^ A<ack(c1 duplicate)")
    }

    @Test func `TURN-1 an ack goes to nobody else`() throws {
        let clause = ClauseUnderTest("TURN-1", rule: 1)
        try clause.violates("A+ B+ A>chat(c1) A<ack(c1) B<ack(c1)^ A<done(t1) B<done(t1)")
    }

    @Test func `TURN-3 a repeat of a running turn is owed the ending`() throws {
        let clause = ClauseUnderTest("TURN-3", profiles: [.core])
        let again = "A+ A>chat(c1) A<ack(c1) A!cut B+ B>chat(c1) B<ack(c1 duplicate)"
        try clause.conforms("\(again) B<done(t1) +300s")
        try clause.untested("\(again) B<done(t1 duplicate) +300s")  // it had ended before
        try clause.untested("\(again) B!cut +300s")
        try clause.violates("\(again) +300s^")
    }

    @Test func `TURN-10 connections are shown the same frames`() throws {
        let clause = ClauseUnderTest("TURN-10")
        let asked = "A+ B+ A>chat(c1 s1) A<ack(c1)"
        try clause.conforms("\(asked) A<toolUse(one t1) B<toolUse(one t1) A<done(t1) B<done(t1)")
        try clause.violates("\(asked) A<done(t1 'x') B<done(t1 'y')^")
        try clause.violates("\(asked) A<toolUse(one t1) B<toolUse(two t1)^ A<done(t1) B<done(t1)")
        try clause.violates("\(asked) A<done(t1) B<error(agent_failed t1)^")
    }

    @Test func `TURN-11 a question is shown in its session`() throws {
        let clause = ClauseUnderTest("TURN-11", profiles: [.core, .sync])
        let asked = "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1)"
        try clause.violates("\(asked) B<message(t1 s2 #1)^ A<done(t1 #2) B<done(t1 #2)", also: ["ID-3"])
    }

    @Test func `TURN-3 a refusal for the form is for the question that has a flaw`() throws {
        let clause = ClauseUnderTest("TURN-3", profiles: [.core])
        let twice =
            #"A>`{"type":"chat","messages":[{"role":"user","content":"a","content":"b"}],"clientMessageId":"c9"}`"#
        try clause.conforms("A+ \(twice) A>chat(c1) A<error(bad_request) A<ack(c1) A<done(t1) +30s")
        try clause.violates("A+ \(twice) A>chat(c1) A<error(bad_request) A<ack(c1) +30s^")
    }

    @Test func `TURN-6 a stored question is an accepted one`() throws {
        let clause = ClauseUnderTest("TURN-6")
        let asked = "A+ A>chat(c1 s1 'q') A!cut +100s 1>GET(s1)"
        try clause.violates("\(asked) 1<200(u1='q')^")
        try clause.conforms("\(asked) 1<200(u1='q' a1='x')")
        try clause.untested("\(asked) 1<404(session_not_found)")
    }

    @Test func `TURN-1 a repeat elsewhere has one ack too`() throws {
        let again = "A+ A>chat(c1) A<ack(c1) B+ B>chat(c1) B<ack(c1 duplicate)"
        try ClauseUnderTest("TURN-1", rule: 1).conforms(again)
        try ClauseUnderTest("TURN-1", rule: 1).violates("\(again) B<ack(c1 duplicate)^")
    }

    @Test func `ENV-6 a question comes back to its asker as it was`() throws {
        let clause = ClauseUnderTest("ENV-6", profiles: [.core, .sync])
        let asked = "A+(e1 #0) A>chat(c1 'as it was') A<ack(c1)"
        try clause.conforms("\(asked) A<message(t1 'as it was' #1)")
        try clause.violates("\(asked) A<message(t1 'as it is' #1)^")
    }

    @Test func `TURN-11 a question is shown in its turn`() throws {
        let clause = ClauseUnderTest("TURN-11", profiles: [.core, .sync])
        let asked = "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1)"
        try clause.violates(
            "\(asked) B<message(c1 u1 t9 'question 1' #1)^ A<done(t1 #2) B<done(t1 #2)", also: ["ID-3"])
    }

    @Test func `TURN-7 an ended turn is shown as it ended`() throws {
        let clause = ClauseUnderTest("TURN-7", rule: 1, profiles: [.core])
        let asked = "A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1)"
        try clause.conforms("\(asked) 1<200(u1 a1 t1=done)")
        try clause.violates("\(asked) 1<200(u1 a1 t1=failed)^")
    }

    @Test func `TURN-12 a status refuses as well as a code`() throws {
        let clause = ClauseUnderTest("TURN-12", profiles: [.core])
        let asked = "A+ 1>POST(c1 s1) 1<400(body='{\"error\":\"no\"}')"
        try clause.violates("\(asked) A<done(t1 c1)^")
    }

    @Test func `REST-1 a question without an answer hides no read`() throws {
        let clause = ClauseUnderTest("PERSIST-7")
        let asked = "A+ A>chat(c1 s1 'q') A<ack(c1) A<done(t1 'x') A>chat(c2 s1 'r') A!cut 1>GET(s1)"
        try clause.conforms("\(asked) 1<200(u1='q' a1='x')")
        try clause.violates("\(asked) 1<400(bad_request)^")
    }

    @Test func `REST-1 a completed question is answered with success`() throws {
        let clause = ClauseUnderTest("REST-1", profiles: [.core])
        try clause.violates("A+ 1>POST(c1) A<done(t1 c1) 1<500(internal)^")
        try clause.untested("A+ 1>POST(c1) A<error(internal t1 c1) 1<500(internal)")
    }
}
