import Holdfast
import TestSupport
import Testing

/// Traces that more than one cause can leave, and breaches that only look like the end of a scenario.
@Suite struct OtherCausesTests {
    private let synced: Set<Profile> = [.core, .sync]

    @Test func `PERSIST-3 who leaves behind another error has told it`() throws {
        let clause = ClauseUnderTest("PERSIST-3")
        let control = "A+ A>chat(c1) A<ack(c1) A<done(t1)"
        let asked = "\(control) A>chat(c2 s1) A<ack(c2) server!refuseWrites"
        try clause.conforms("\(asked) A<error(internal t2) A<close(1011) server!acceptWrites")
        try clause.conforms("\(asked) A<error(internal t2) server!exit(code=1)")
        try clause.untested("\(asked) A<error(internal t2) server!acceptWrites A<close(1011)")
        try clause.violates("\(asked) A<error(internal t2)^ server!acceptWrites")
        // Accepted under the fault, and ended in another way.
        let unasked = "\(control) server!refuseWrites A>chat(c2 s1)"
        try clause.violates("\(unasked) A<ack(c2) A<error(internal t2)^ server!acceptWrites")
        try clause.conforms("\(unasked) A<ack(c2) A<error(persist_failed t2) server!acceptWrites")
        // Nothing is wrong with the question.
        try clause.violates("\(unasked) A<error(bad_request c2)^ server!acceptWrites", also: ["ENV-7"])
        try clause.violates("\(unasked) A<error(too_large c2)^ server!acceptWrites", also: ["ENV-7"])
        try clause.untested("\(unasked) A<error(rate_limited c2) server!acceptWrites")
        try clause.untested(
            "\(control) server!refuseWrites A>chat(c2 s1='a b') A<error(bad_request c2) server!acceptWrites")
    }

    @Test func `AUTH-6 a session alone does not say whose a notice is`() throws {
        let clause = ClauseUnderTest("AUTH-6", rule: 4, profiles: [.core, .push, .auth])
        let asked = "push!listen(p1) push!listen(p2) A+ B+(p2) A>chat(c1) A<ack(c1) A<done(t1)"
        try clause.untested("\(asked) push<alert(p2 a9 s1) push>200")  // one of its own with that name
        try clause.violates("\(asked) push<alert(p2 s1 -a)^ push>200", also: ["PUSH-2"])
        try clause.violates("\(asked) push<alert(p2 a1 s9)^ push>200")
        try clause.conforms(
            "\(asked) B>chat(c2) B<ack(c2 s1) B<error(internal t2 s1) push<alert(p2 a9 s1) push>200")
    }

    @Test func `AUTH-5 what everybody is shown answers nobody`() throws {
        let clause = ClauseUnderTest("AUTH-5")
        let early = "B+ A>open A<open A>chat(c1)"
        let told = "A<error(not_authenticated c1)"
        try clause.conforms(
            "\(early) B>chat(c2) B<ack(c2) A<message(u2 t2 c2 #1) A<done(t2 #2) \(told)", also: ["AUTH-2"])
        try clause.violates("\(early) A<ack(c1)^", also: ["AUTH-2"])
        try clause.violates("A>open A<open A>chat(c1) A<ack(c1)^", also: ["AUTH-2"])
    }

    @Test func `AUTH-5 only a refusal refuses`() throws {
        let clause = ClauseUnderTest("AUTH-5")
        let early = "B+ A>open A<open A>chat(c1)"
        try clause.untested("\(early) B>chat(c2) B<ack(c2) A<message(u2 t2 c2 #1) B<done(t2 #2)", also: ["AUTH-2"])
        try clause.conforms("\(early) A<error(not_authenticated)")
        try clause.conforms("\(early) A<close(4001)")
        // What ends later, or by the stage, refuses nothing.
        try clause.untested("\(early) server!kill A<eof B<eof")
        try clause.untested("A>open A<open A>chat(c1) A>auth A<connected A<close(1012)")
    }

    @Test func `ENV-6, TURN-12, ID-2 and TURN-11 of two questions under one key one was taken`() throws {
        let both: Set<Profile> = [.core, .sync]
        // The one over REST was sent later and taken first.
        let words = "A+(e1 #0) B+(e1 #0) A>chat(c1 'one') 1>POST(c1 'two') 1<200(t1) A<error(idempotency_mismatch c1)"
        let told = "\(words) B<message('two' u1 t1 c1 #1)"
        let names = ClauseUnderTest("TURN-12", profiles: both)
        try ClauseUnderTest("ENV-6", profiles: both).conforms("\(words) 2>GET(s1) 2<200(u1='two' a1)")
        try ClauseUnderTest("ENV-6", profiles: both).violates("\(words) 2>GET(s1) 2<200(u1='tw' a1)^")
        try ClauseUnderTest("TURN-11", profiles: both).conforms("\(told) A<done(t1 #2) B<done(t1 #2)")
        let again = "A>chat(c1 'two') A<ack(c1 duplicate)"
        try names.untested("\(words) \(again) 2>GET(s1) 2<200(u1='two' a1)")
        try names.violates(
            "\(words) A>chat(c1 'three') A<error(idempotency_mismatch c1) 2>GET(s1) 2<200(u1='two' a1 u2='three' -c)^",
            also: ["ID-9"])
        let known = """
            A+(e1 #0) A>chat(c8) A<ack(c8 s1) A<done(t8 s1 #1) A>chat(c9) A<ack(c9 s2) A<done(t9 s2 #2)
            """
        let places = "\(known) A>chat(c1 s2) 1>POST(c1 s1) 1<200(t1) A<error(idempotency_mismatch c1)"
        try ClauseUnderTest("ID-2", rule: 2, profiles: both).conforms("\(places) A<done(t1 #3)")
        try ClauseUnderTest("ID-2", rule: 2, profiles: both).violates(
            "\(known) A>chat(c1 s2) 1>POST(c1 s1) 1<200(t1 s2)^ A<error(idempotency_mismatch c1)")
        // The answer to the other one was lost.
        let lost = "A+(e1 #0) A>chat(c1 'one') 1>POST(c1 'two') A!cut 1<200(t1) 2>GET(s1)"
        try ClauseUnderTest("ENV-6", profiles: both).conforms("\(lost) 2<200(u1='two' a1)")
        // Nothing tells which was taken.
        let open = "A+(e1 #0) A>chat(c1 'one') 1>POST(c1 'two') A!cut 1<failed 2>GET(s1)"
        for text in ["one", "two"] {
            try ClauseUnderTest("ENV-6", profiles: both).untested("\(open) 2<200(u1='\(text)' a1)")
        }
    }

    @Test func `TURN-14 a question of before the greeting may be refused after it`() throws {
        let clause = ClauseUnderTest("TURN-14", profiles: synced)
        let early = "A>open A<open A>auth A>chat(c1 s9) A<connected(e1 #0)"
        try clause.untested("\(early) A<error(session_not_found c1)")
        try clause.untested("\(early) A>chat(c2 s9) A<error(session_not_found c1)")
        try clause.untested("\(early) A>chat(c2 s9) A<error(session_not_found)")  // of which?
        try clause.violates("\(early) A<error(session_not_found c1) A>chat(c2 s9) A<error(session_not_found)^")
        try clause.untested("\(early) A>chat(c2 s9) A<error(session_not_found c7) A<error(session_not_found c1)")
    }

    @Test func `SYNC-8 and SYNC-7 frames of unknown types take places`() throws {
        let strange = #"A<`{"type":"notice","seq":1,"sessionId":"s1"}`"#
        let asked = "A+(e1 #0 replayMessages=2) A>sync(e1 #0) A<syncResult(e1 #0 complete)"
        let missed =
            #"B<`{"type":"syncResult","epoch":"e1","lastSeq":1,"complete":true,"missed":[{"type":"notice","seq":1}]}`"#
        let clause = ClauseUnderTest("SYNC-8", profiles: synced)
        try clause.conforms("\(asked) \(strange) B+(e1 #1) B>sync(e1 #0) \(missed) +200s")
        try clause.violates("\(asked) B+(e1 #1) B>sync(e1 #0) \(missed) +200s^")
        // Two of them pushed the answer out.
        let turn = "A+(e1 #0 replayMessages=2) A>chat(c1) A<ack(c1) A<done(t1 #1)"
        let two = #"A<`{"type":"notice","seq":2}` A<`{"type":"notice","seq":3}`"#
        let gone =
            #"A>sync(e1 #0) A<`{"type":"syncResult","epoch":"e1","complete":false,"reason":"evicted","missed":[]}`"#
        try ClauseUnderTest("SYNC-7", rule: 1, profiles: synced).untested("\(turn) \(two) \(gone)", also: ["ENV-2"])
        try ClauseUnderTest("SYNC-7", rule: 1, profiles: synced).violates("\(turn) \(gone)^", also: ["ENV-2"])
    }

    @Test func `ENV-4 a close for size says nothing of members`() throws {
        let clause = ClauseUnderTest("ENV-4")
        let asked = #"A+ A>`{"type":"ping","nonce":"n1","colour":"red"}`"#
        try clause.violates("\(asked) A<close(1008)^", also: ["LIVE-10"])
        try clause.untested("\(asked) A<close(1009)", also: ["LIVE-10"])
        try clause.untested("\(asked) A<close(1012)")
    }

    @Test func `TURN-3 the bound begins when the turn is accepted`() throws {
        let clause = ClauseUnderTest("TURN-3")
        try clause.conforms("A+ A>chat(c1) +9s A<ack(c1) +29s A<done(t1)")
        try clause.untested("A+ A>chat(c1) +9s A<ack(c1) +29s")
        try clause.violates("A+ A>chat(c1) +9s A<ack(c1) +30s^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) +30s^")
    }

    @Test func `SYNC-2 the end of the connection is no answer`() throws {
        let clause = ClauseUnderTest("SYNC-2", profiles: synced)
        let asked = "A+(e1 #0) A>sync(e1 #0)"
        for end in ["A<close(1009)", "A<close(1011)", "A<close(1000)", "A<eof"] {
            try clause.violates("\(asked) \(end)^", also: ["LIVE-10"])
        }
        for end in ["A<close(1012)", "A<close(1001)", "server!kill A<eof", "A!cut", "A>close(1000) A<close(1000)"] {
            try clause.untested("\(asked) \(end)")
        }
        try clause.untested("\(asked) A>ping(n1) A<close(1011)", also: ["LIVE-1", "LIVE-10"])  // what did it end for?
        try clause.untested("A+(e1 #0) A>`{` A>sync(e1 #0) A<close(1011)", also: ["ENV-3"])
        // What somebody else did to the process meanwhile, and a disk that took nothing.
        let two = "A+(e1 #0) B+(e1 #0) A>sync(e1 #0)"
        try clause.untested("\(two) B>`{` A<eof B<eof server!exit(code=1)", also: ["ENV-3", "ENV-5"])
        try clause.untested("\(two) 1>GET(health) A<eof B<eof 1<failed server!exit(code=1)")
        let full = "A+(e1 #0) server!refuseWrites server!acceptWrites B+(e1 #0) B>sync(e1 #0)"
        try clause.untested("\(full) B<eof +500ms server!exit(signal=SIGXFSZ)")
        try clause.violates("\(two) A<eof^ B<eof server!exit(code=1)")
        try ClauseUnderTest("LIVE-1").violates("A+ A>ping(n1) A<close(1011)^", also: ["LIVE-10"])
        try ClauseUnderTest("IDEM-2", rule: 1).violates(
            "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c1) A<close(1011)^", also: ["LIVE-10"])
        try ClauseUnderTest("IDEM-5").violates(
            "A+ A>chat(c1 'a') A<ack(c1) A<done(t1) A>chat(c1 'b') A<close(1011)^", also: ["LIVE-10"])
        try ClauseUnderTest("ID-4", rule: 1).violates(
            "A+ 1>GET(s9) 1<404(session_not_found) A>chat(c1 s9) A<close(1011)^", also: ["LIVE-10"])
    }

    @Test func `RATE-5 and IDEM-7 what is refused again is refused whatever the words`() throws {
        let limited = "A+(messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2 s1)"
        let again = "\(limited) A<error(rate_limited c2 retryAfterMs=60000 limit=1 windowMs=60000) +61s A>chat(c2 s1)"
        let rate = ClauseUnderTest("RATE-5", profiles: [.core, .rateLimit])
        try rate.conforms("\(again) A<ack(c2) A<done(t2)")
        try rate.violates("\(again) A<error(bad_request c2)^", also: ["IDEM-7", "ENV-7"])
        try rate.untested("\(again) A<error(busy c2)")
        let key = ClauseUnderTest("IDEM-7")
        let busy = "A+ A>chat(c1) A<ack(c1) A>chat(c2 s1) A<error(busy c2) A<done(t1) A>chat(c2 s1)"
        try key.conforms("\(busy) A<ack(c2) A<done(t2)")
        try key.violates("\(busy) A<error(bad_request c2)^", also: ["ENV-7"])
        try key.untested("\(busy) A<error(session_not_found c2)")
    }

    @Test func `PUSH-7 an error delivers no answer`() throws {
        let clause = ClauseUnderTest("PUSH-7", profiles: [.core, .push])
        let worked = "push!listen(p1) A+ A>chat(c1) A<ack(c1) A<done(t1) push<alert(a1 s1) push>503"
        let next = "\(worked) A>chat(c2 s1) A<ack(c2)"
        try clause.conforms("\(next) A<done(t2)")
        try clause.violates("\(next) A<error(internal t2)^")
        try clause.conforms(
            "\(worked) A>chat(c2 s1 '{\"script\":[{\"fail\":\"no\"}]}') A<ack(c2) A<error(agent_failed t2) A>chat(c3 s1) A<ack(c3) A<done(t3)"
        )
    }

    @Test func `ID-5 an id that the server gave is the matter of ID-7`() throws {
        let asked = "A+ A>chat(c1) A<ack(c1 s1='team:x') A<done(t1 s1='team:x') A>chat(c2 s1='team:x')"
        try ClauseUnderTest("ID-5").untested(
            "\(asked) A<ack(c2 s1='team:x') A<done(t2 s1='team:x')", also: ["ID-7"])
        try ClauseUnderTest("ID-5").violates(
            "A+ A>chat(c1 s1='team:x') A<ack(c1 s1='team:x')^", also: ["ID-7"])
    }
}
