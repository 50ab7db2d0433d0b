import TestSupport
import Testing

@Suite struct IDTests {
    @Test func `ID-1 connections have their own ids`() throws {
        let clause = ClauseUnderTest("ID-1")
        try clause.conforms("A+ B+")
        try clause.conforms("A+ A!cut A+ B+(p2)")
        try clause.violates("A+(connectionId='k') A!cut A+(connectionId='k')^")
        try clause.violates("A+(connectionId='k') B+(p2 connectionId='k')^")
        try clause.untested("A+")
    }

    @Test func `ID-2 each question without a session creates one`() throws {
        let clause = ClauseUnderTest("ID-2", rule: 1)
        let before = "A+ 1>GET 1<200 A>chat(c1) A<ack(c1) A<done(t1) 2>GET"
        try clause.conforms("\(before) 2<200(s1)")
        try clause.violates("\(before) 2<200(s1 s2)^")
        let second = "A+ 1>GET 1<200(s1) A>chat(c2)"
        try clause.violates("\(second) A<ack(c2)^ A<done(t2)")  // an existing session is not created
        try clause.conforms("\(second) A<ack(c2 s2) A<done(t2 s2) 2>GET 2<200(s2 s1)")
        try clause.conforms("1>GET 1<200 2>POST(c1) 2<200(t1) 3>GET 3<200(s1)")
        try clause.violates("1>GET 1<200 2>POST(c1) 2<200(t1) 3>GET 3<200(s1 s2)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<done(t1)")
        // The list and the turn overlap.
        try clause.untested("A+ 1>GET 1<200 A>chat(c1) 2>GET A<ack(c1) 2<200(s1) A<done(t1)")
    }

    @Test func `ID-2 keys that only look alike are of two questions`() throws {
        let clause = ClauseUnderTest("ID-2", rule: 1)
        // One letter as one code point, and as two.
        let asked = "A+ 1>GET 1<200 A>chat(c1='\u{e9}') A<ack(c1='\u{e9}') A<done(t1) A>chat(c2='e\u{301}')"
        try clause.conforms("\(asked) A<ack(c2='e\u{301}' s2) A<done(t2 s2) 2>GET 2<200(s2 s1)")
        try clause.violates("\(asked) A<ack(c2='e\u{301}')^ A<done(t2)")
    }

    @Test func `ID-2 questions run in the session they name`() throws {
        let clause = ClauseUnderTest("ID-2", rule: 2)
        let known = "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2 s1)"
        try clause.conforms("\(known) A<ack(c2) A<done(t2)")
        try clause.violates("\(known) A<error(session_not_found c2)^")
        try clause.violates("\(known) A<ack(c2 s2)^ A<done(t2 s2)")
        try clause.untested("\(known) A<error(busy c2)")
        // What was refused was not asked, and its key is free for another question.
        try clause.untested("\(known) A<error(busy c2) A>chat(c2 'x') A<ack(c2 s2) A<done(t2 s2)")
        try clause.untested("A+ A>chat(c1 s9) A<ack(c1 s9) A<done(t1 s9)")  // nothing shows that it existed
    }

    @Test func `ID-3 turn frames name the session`() throws {
        let clause = ClauseUnderTest("ID-3", rule: 1)
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1)")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1)")
        // Ends no turn.
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A>chat(c2 s1) A<error(busy c2) A<done(t1)")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<toolUse(t1 -s)^ A<done(t1)")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1 -s)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1 -s)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1 s2)^")
        try clause.untested("A+ A>chat(c1)")
    }

    @Test func `ID-3 holds for replayed frames`() throws {
        let clause = ClauseUnderTest("ID-3", rule: 1, profiles: [.core, .sync])
        let seen = "A+(e1 #0) A>chat(c1) A!cut B+(e1 #1) B>sync(e1 #0)"
        try clause.conforms("\(seen) B<syncResult(e1 #1 complete)[done(t1 #1)]")
        try clause.violates("\(seen) B<syncResult(e1 #1 complete)[done(t1 #1 -s)]^")
    }

    @Test func `ID-4 unknown sessions are refused`() throws {
        let clause = ClauseUnderTest("ID-4", rule: 1)
        let asked = "A+ 1>GET(s9) 1<404(session_not_found) A>chat(c1 s9)"
        try clause.conforms("\(asked) A<error(session_not_found c1)")
        try clause.conforms("A+ 1>GET 1<200(s1) A>chat(c1 s9) A<error(session_not_found c1)")
        try clause.violates("\(asked) A<error(bad_request c1)^")
        try clause.violates("\(asked) A<ack(c1 s9)^")
        // Without an ack, and without the key of its question.
        try clause.violates("\(asked) A<done(t9 s9)^")
        try clause.violates("\(asked) +10s^", also: ["TURN-1"])
        try clause.untested("A+ A>chat(c1 s9) A<error(session_not_found c1)")  // nothing shows that it is unknown
        try clause.untested("\(asked) A<error(rate_limited c1)")
        // Without its storage a server may not know the session.
        let failing = asked.replacing("A>chat", with: "server!refuseWrites A>chat")
        try clause.untested("\(failing) A<error(persist_failed c1)")
        try clause.violates("\(asked) A<error(persist_failed c1)^")
        let stopping = "A+ 1>GET(s9) 1<404(session_not_found) server!stop 2>POST(c1 s9) 2<503(persist_failed c1)"
        try clause.untested(stopping)
        try clause.violates(stopping.replacing("server!stop ", with: "") + "^")
        // The same key came over another transport, for another session, and was quicker.
        try clause.untested(
            "\(asked) 2>POST(c1) A<error(idempotency_mismatch c1) 2<200(t1)", profiles: [.core])
        try clause.violates("\(asked) A<error(idempotency_mismatch c1)^")
        // Over REST, and never answered: no other clause owes that answer.
        try clause.conforms("1>GET(s9) 1<404(session_not_found) 2>POST(c1 s9) 2<404(session_not_found)")
        try clause.violates("1>GET(s9) 1<404(session_not_found) 2>POST(c1 s9) +41s^ 2<failed('late')")
        // Who is told to stop takes nothing more.
        try clause.untested("\(asked) server!stop A<error(persist_failed c1) A<close(1001)")
        try clause.violates("\(asked) A<error(persist_failed c1)^ +1s server!stop A<close(1001)")
    }

    @Test func `PERSIST-2 done names a session that is stored`() throws {
        let clause = ClauseUnderTest("PERSIST-2")
        let turn = "A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1)"
        try clause.conforms("\(turn) 1<200(u1 a1)")
        try clause.violates("\(turn) 1<404(session_not_found)^", also: ["PERSIST-7", "PERSIST-1"])
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<done(t1)")
    }

    @Test func `ID-5 ill-formed ids are refused`() throws {
        let clause = ClauseUnderTest("ID-5")
        let asked = "A+ A>chat(c1 s1='../x')"
        try clause.conforms("\(asked) A<error(bad_request)")
        try clause.conforms("\(asked) A<error(session_not_found c1)")
        try clause.violates("\(asked) A<error(internal)^")
        try clause.violates("\(asked) A<ack(c1)^")
        try clause.violates("\(asked) A<eof^", also: ["LIVE-10"])
        try clause.violates("\(asked) +5s^")
        for path in ["/api/sessions/%2e%2e", "/api/sessions/../x", "/api/sessions/a%00b", "/api/sessions/a.b"] {
            try clause.conforms("1>GET(path='\(path)') 1<404(session_not_found)")
            try clause.conforms("1>GET(path='\(path)') 1<400(bad_request)")
            try clause.violates("1>GET(path='\(path)') 1<500(internal)^")
        }
        try clause.conforms("1>POST(c1 s1='../x') 1<404(session_not_found)")
        try clause.violates("1>POST(c1 s1='../x') 1<500(internal)^")
        try clause.untested("A+ A>chat(c1 s9) A<error(session_not_found c1)")
    }

    @Test func `ID-6 ill-formed ids leave no trace`() throws {
        let clause = ClauseUnderTest("ID-6")
        let asked = "A+ 1>GET 1<200(s1) A>chat(c1 s1='../x') A<error(bad_request) 2>GET"
        try clause.conforms("\(asked) 2<200(s1)")
        try clause.violates("\(asked) 2<200(s2 s1)^")
        try clause.conforms("1>GET(path='/api/sessions/%2e%2e') 1<404(session_not_found)")
        try clause.violates("1>GET(path='/api/sessions/%2e%2e') 1<404(session_not_found session='secret')^")
        try clause.untested("A+ A>chat(c1 s1='../x') A<error(bad_request)")
        // The questions around it begin sessions of their own.
        let core =
            "A+ 1>GET 1<200 A>chat(c1) A>chat(c2 s1='../x') A>chat(c3) A<ack(c1 s2) A<error(bad_request c2) A<ack(c3 s3)"
        let done = "A<done(t1 s2) A<done(t3 s3) 2>GET"
        try clause.conforms("\(core) \(done) 2<200(s3 s2)")
        try clause.violates("\(core) \(done) 2<200(s4 s3 s2)^")
    }

    @Test func `ID-7 session ids are well formed`() throws {
        let clause = ClauseUnderTest("ID-7")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<done(t1)")
        try clause.conforms("1>GET 1<200(s1)")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1 s1='a/b')^", also: ["ID-3"])
        try clause.violates(
            "1>GET 1<200(body='{\"sessions\":[{\"id\":\"a b\",\"updatedAt\":\"2026-03-01T08:30:00Z\",\"messageCount\":0}]}')^"
        )
        try clause.violates("1>POST(c1) 1<200(t1 s1='é')^")
        try clause.untested("A+ A>chat(c1 s1='../x') A<error(bad_request s1='../x')")  // the client's own
        // What a member means in a frame of an unknown type is not known.
        let odd = #"{"type":"presence","sessionId":"no one's","seq":1}"#
        func replayed(_ frame: String) -> String {
            "A+(e1 #0) A>sync(e1 #0) A<`{\"type\":\"syncResult\",\"epoch\":\"e1\",\"lastSeq\":1,\"missed\":[\(frame)],\"complete\":true}`"
        }
        try clause.untested("A+(e1 #0) A<`\(odd)`", profiles: [.core, .sync])
        try clause.conforms(replayed(odd) + " A>chat(c1) A<done(t1 #2)", profiles: [.core, .sync])
        try clause.violates(
            replayed(odd.replacing("presence", with: "toolUse").replacing("{", with: #"{"tool":"t","#)) + "^",
            also: ["ID-3"], profiles: [.core, .sync])
    }

    @Test func `ID-3 turn frames name the turn`() throws {
        let clause = ClauseUnderTest("ID-3", rule: 1)
        let asked = "A+ A>chat(c1) A<ack(c1)"
        try clause.conforms("\(asked) A<toolUse(t1) A<done(t1)")
        try clause.conforms("\(asked) A<error(agent_failed t1)")
        try clause.violates("A+ A>chat(c1) A<ack(c1 -t)^")
        try clause.violates("\(asked) A<toolUse(-t)^ A<done(t1)")
        try clause.violates("\(asked) A<toolUse(t1) A<done(c1 -t)^")
        try clause.violates("\(asked) A<error(agent_failed c1 s1)^")
        try clause.violates("A+ B+(p1) A>chat(c1) A<ack(c1) B<message(u1 c1 -t #1)^")
        try clause.violates("A+ B+(p1) A>chat(c1) A<ack(c1) B<message(u1 c1 t9 #1)^")
        let copy = #"{"type":"error","error":"no","code":"internal","clientMessageId":"c1","duplicate":true}"#
        try clause.violates(
            "\(asked) A<error(internal t1) A>chat(c1) A<ack(c1 duplicate) A<`\(copy)`^", also: ["IDEM-2"])
        // Whose the tool is does not matter.
        let two = "\(asked) A>chat(c2 s1) A<ack(c2 t2)"
        try clause.violates("\(two) A<toolUse(-t)^ A<done(t1) A<done(t2)")
        try clause.violates("\(two) A<toolUse(t1) A<done(-t)^ A<done(t2)")
        try clause.untested("A+ A>chat(c1)")
    }

    @Test func `ID-8 ids name one thing`() throws {
        let clause = ClauseUnderTest("ID-8", rule: 1)
        let first = "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2 s1)"
        try clause.conforms("\(first) A<ack(c2) A<done(t2)")
        try clause.conforms("\(first) A<ack(c2) A<done(t2) 1>GET(s1) 1<200(u1 a1 u2 a2)")
        try clause.violates("\(first) A<ack(c2 u1)^ A<done(t2)")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1 a1='u1')^")
        try clause.violates("A+ B+(p1) A>chat(c1) A<ack(c1) B>chat(c2 s1) B<ack(c2 t1)^ A<done(t1) B<done(t1)")
        try clause.violates(
            "\(first) A<ack(c2) A<done(t2) 1>GET(s1) 1<200(u1 a1 u2 a2) 2>GET(s2) 2<200(u1)^")
        try clause.untested("A+ A>chat(c1)")
    }
}
