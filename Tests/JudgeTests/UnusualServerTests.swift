import TestSupport
import Testing

/// Servers that are odd and right: what they do looks like a breach only to a reader in a hurry.
@Suite struct UnusualServerTests {
    @Test func `ID-5 answers come in the order of reading`() throws {
        let clause = ClauseUnderTest("ID-5", profiles: [.core])
        let burst = "A+ A>chat(c1 s1='../x')"
        try clause.conforms("\(burst) A>chat(c2) A<error(bad_request) A<ack(c2) A<done(t2) +200s")
        try clause.conforms("\(burst) A>chat(c2 s1='a b') A<error(bad_request) A<error(session_not_found) +200s")
        try clause.conforms(
            "A+ A>`{` A>chat(c2 s1='a b') A<error(parse_error) A<error(bad_request) A>ping A<pong +200s")
        try clause.violates("\(burst) A>chat(c2) A<ack(c2) A<done(t2) +200s^")
    }

    @Test func `ENV-3 the failure of a turn answers no other frame`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        let failing = #"A+ A>chat(c1 s1 '{"script":[{"fail":"x"}]}') A>`{` A<ack(c1) A<error(agent_failed t1)"#
        try clause.conforms("\(failing) A<error(parse_error) A>ping A<pong")
        try clause.violates("\(failing) A>ping A<pong +10s^")
    }

    @Test func `ENV-5 a server may restart when it likes`() throws {
        let clause = ClauseUnderTest("ENV-5")
        let both = "A+ B+ A>`{` A<error(parse_error) A>ping A<pong"
        try clause.untested("\(both) +100s A<close(1012) B<close(1012)")
        try clause.violates("\(both) +50s B<pingFrame +50s B<close(1011)^")
    }

    @Test func `IDEM-2 and IDEM-5 the same is the same in any form`() throws {
        func chat(_ content: String) -> String {
            #"A>`{"type":"chat","clientMessageId":"c1","messages":[{"role":"user","content":\#(content)}]}`"#
        }
        let asked = "A+ \(chat(#""a b""#)) A<ack(c1) A<done(t1)"
        for form in [
            #""a b""#, #"[{"type":"text","text":"a b"}]"#, #"[{"type":"text","font":"bold","text":"a b"}]"#,
        ] {
            try ClauseUnderTest("IDEM-2", rule: 1).conforms(
                "\(asked) \(chat(form)) A<ack(c1 duplicate) A<done(t1 duplicate)")
            try ClauseUnderTest("IDEM-2", rule: 1).violates("\(asked) \(chat(form)) A<error(idempotency_mismatch c1)^")
        }
        for other in [
            #""a  b""#, #"[{"type":"text","text":"a "},{"type":"text","text":"b"}]"#,
            #"[{"type":"text","text":"a b"},{"type":"image","image":"data:image/png;base64,AAAA"}]"#,
            #"[{"type":"text","text":"a b"},{"type":"sound","sound":"x"}]"#,
        ] {
            try ClauseUnderTest("IDEM-5").conforms("\(asked) \(chat(other)) A<error(idempotency_mismatch c1)")
            try ClauseUnderTest("IDEM-5").violates("\(asked) \(chat(other)) A<error(busy c1)^")
        }
    }

    @Test func `IDEM-2 another image is another question`() throws {
        func chat(_ image: String) -> String {
            #"A>`{"type":"chat","clientMessageId":"c1","messages":[{"role":"user","content":["#
                + #"{"type":"text","text":"q"},{"type":"image","image":"data:image/png;base64,\#(image)"}]}]}`"#
        }
        let clause = ClauseUnderTest("IDEM-2", rule: 1)
        try clause.untested("A+ \(chat("AAAA")) A<ack(c1) A<done(t1) \(chat("BBBB")) A<error(idempotency_mismatch c1)")
        try clause.violates("A+ \(chat("AAAA")) A<ack(c1) A<done(t1) \(chat("AAAA")) A<error(idempotency_mismatch c1)^")
        try clause.untested(
            "A+ A>chat(c1 '\u{E9}') A<ack(c1) A<done(t1) A>chat(c1 'e\u{301}') A<error(idempotency_mismatch c1)")
    }

    @Test func `TURN-12 the words of a mismatch may come again under their own key`() throws {
        let clause = ClauseUnderTest("TURN-12")
        let asked = "A+ A>chat(c1 'a') A<ack(c1) A<done(t1) A>chat(c1 'b') A<error(idempotency_mismatch c1)"
        try clause.untested("\(asked) A>chat(c2 s1 'b') A<ack(c2) A<done(t2) 1>GET(s1) 1<200(u1='a' a1 u2='b' a2)")
        try clause.violates("\(asked) 1>GET(s1) 1<200(u1='a' a1 u2='b')^")
    }

    @Test func `IDEM-7 an internal error is no refusal`() throws {
        try ClauseUnderTest("IDEM-7").untested(
            "A+ A>chat(c1) A<error(internal) A>chat(c1) A<ack(c1 duplicate) A<done(t1)")
        try ClauseUnderTest("IDEM-7").untested("1>POST(c1) 1<500(persist_failed) 2>POST(c1) 2<200(t1 duplicate)")
    }

    @Test func `SYNC-8 an own question need not come back`() throws {
        let clause = ClauseUnderTest("SYNC-8", profiles: [.core, .sync])
        let two = "A+(e1 #0) B+(e1 #0) A>sync(e1 #0) A<syncResult(e1 #0 complete) A>chat(c1) A<ack(c1) B<message(t1 #1)"
        try clause.conforms("\(two) A<done(t1 #2) B<done(t1 #2)")
        try clause.violates("\(two) B<toolUse(t1 #2) A<done(t1 #3)^ B<done(t1 #3)", also: ["TURN-10"])
    }

    @Test func `SYNC-3 pages after an eviction begin anew`() throws {
        let turn = "A<toolUse(t1 #1) A<toolUse(t1 #2) A<toolUse(t1 #3) A<done(t1 #4)"
        let asked = "A+(e1 #0 replayMessages=2) A>chat(c1) A<ack(c1) \(turn) A>sync(e1 #0 limit=1)"
        let next = "A>sync(e1 #3 limit=1) A<syncResult(e1 #4 complete)"
        let evicted = "\(asked) A<syncResult(e1 #4 evicted more)[toolUse(t1 #3)] \(next)"
        try ClauseUnderTest("SYNC-3").conforms("\(evicted)[done(t1 #4)]")
        try ClauseUnderTest("SYNC-6").conforms("\(evicted)[done(t1 #4)]")
        try ClauseUnderTest("SYNC-3").violates("\(evicted)^", also: ["SYNC-7"])
        let silent = "\(asked) A<syncResult(e1 #4 too_many more)[toolUse(t1 #3)] \(next)"
        try ClauseUnderTest("SYNC-3").violates("\(silent)[done(t1 #4)]^", also: ["SYNC-6"])
    }

    @Test func `SYNC-7 any page may hold the done`() throws {
        let turns = "A>chat(c1) A<ack(c1) A<done(t1 #1) A>chat(c2 s1) A<ack(c2) A<done(t2 #2)"
        let pages = "A<syncResult(e1 #2 too_many more)[done(t1 #1)] A>sync(e1 #1 limit=1) A<syncResult(e1 #2 complete)"
        try ClauseUnderTest("SYNC-7", rule: 2).conforms(
            "A+(e1 #0) \(turns) A>sync(e1 #0 limit=1) \(pages)[done(t2 #2)]")
    }

    @Test func `SYNC-2 a position with a fraction may be refused`() throws {
        let clause = ClauseUnderTest("SYNC-2")
        try clause.untested(#"A+(e1 #0) A>`{"type":"sync","lastSeqSeen":1.0,"epoch":"e1"}` A<error(bad_request) +200s"#)
    }

    @Test func `SYNC-3 nothing shown is nothing tested`() throws {
        try ClauseUnderTest("SYNC-3").untested("A+(e1 #0) A>sync(e1 #0) A<syncResult(e1 #0 complete)")
    }

    @Test func `SYNC-10 a newer connection may end for what it did itself`() throws {
        let clause = ClauseUnderTest("SYNC-10")
        try clause.untested("A+(e1 #0) B+(e1 #0 maxFrameBytes=10) A!cut B>chat(c1) B<close(1009)")
        try clause.untested("A+(e1 #0) B+(e1 #0) A!cut +1s B<close(1012)")
        // Each at its age.
        try clause.untested(
            "A+(e1 #0) B+(e1 #0) A<close(1001) A!wentOn +1s B<close(1001) B!wentOn", also: ["LIVE-10"])
        try clause.untested("A+(e1 #0) B+(e1 #0 heartbeatSeconds=5) B!mute A!cut +10s B<eof")
        try clause.violates("A+(e1 #0) B+(e1 #0 heartbeatSeconds=5) B!mute A!cut +8s B<eof^", also: ["LIVE-10"])
    }

    @Test func `TURN-7 a turn that a kill interrupted runs no more`() throws {
        let clause = ClauseUnderTest("TURN-7", rule: 1, profiles: [.core])
        let script = #"'{"script":[{"wait":30000},{"reply":"x"}]}'"#
        try clause.conforms(
            "A+ A>chat(c1 \(script)) A<ack(c1) server!kill A<eof server!start 1>GET(s1) 1<200(u1=\(script) t1=failed)")
    }

    @Test func `TURN-5 an agent without a script may fail twice`() throws {
        let twice = "A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1) A>chat(c2 s1) A<ack(c2) A<error(agent_failed t2)"
        try ClauseUnderTest("TURN-5", hasScriptedAgent: false).untested(twice)
        try ClauseUnderTest("TURN-5").violates("\(twice)^")
    }

    @Test func `TURN-6 an agent without a script may fail while it is not watched`() throws {
        let away = "A+ B+ A>chat(c1) A<ack(c1) A!cut B<error(agent_failed t1) 1>GET(s1)"
        try ClauseUnderTest("TURN-6", hasScriptedAgent: false).untested("\(away) 1<200(u1 t1=failed)")
    }

    @Test func `SYNC-6 numbers at their ends are read without harm`() throws {
        let least = Int.min
        let most = Int.max
        let far = "A+(e1 #0 replayMessages=\(most) replaySeconds=\(most)) A>chat(c1) A<ack(c1) A<done(t1 #1)"
        try ClauseUnderTest("SYNC-3").conforms(
            "\(far) A>sync(e1 #0) A<syncResult(e1 #1 complete)[done(t1 #1)]", also: ["ENV-1"])
        try ClauseUnderTest("SYNC-6").conforms(
            "A+(e1 #0) A<message(t9 #\(most)) A>sync(e1 lastSeqSeen=\(least)) A<error(bad_request)"
                + " A>sync(e1 #5) A<syncResult(e1 #0 unknown_position)", also: ["ENV-1", "SYNC-7", "SYNC-9"])
    }
}
