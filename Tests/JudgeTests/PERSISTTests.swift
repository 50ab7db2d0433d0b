import TestSupport
import Testing

@Suite struct PERSISTTests {
    @Test func `PERSIST-2 a read after done has the answer`() throws {
        let clause = ClauseUnderTest("PERSIST-2", profiles: [.core])
        let done = "A+ A>chat(c1) A<ack(c1) A<done(t1)"
        try clause.conforms("\(done) 1>GET(s1) 1<200(u1 a1)")
        try clause.violates("\(done) 1>GET(s1) 1<200(u1)^", also: ["ORDER-4", "PERSIST-1", "TURN-7"])
        try clause.conforms("A+ A>chat(c1) A<ack(c1) 1>GET(s1) A<done(t1) 1<200(u1)")  // the read began before
        try clause.untested(done)
    }

    @Test func `PERSIST-2 a read after the response has the answer`() throws {
        let clause = ClauseUnderTest("PERSIST-2", profiles: [.core])
        try clause.conforms("1>POST(c1) 1<200(t1) 2>GET(s1) 2<200(u1 a1)")
        try clause.violates("1>POST(c1) 1<200(t1) 2>GET(s1) 2<200(u1)^", also: ["TURN-7"])
        try clause.untested("1>POST(c1) 2>GET(s1) 2<200(u1) 1<200(t1)")
    }

    @Test func `PERSIST-7 reads are never torn`() throws {
        let clause = ClauseUnderTest("PERSIST-7", profiles: [.core])
        let running = "A+ A>chat(c1) A<ack(c1) 1>GET(s1)"
        try clause.conforms("\(running) 1<200(u1) A<done(t1)")
        try clause.violates("\(running) 1<500(internal)^ A<done(t1)")
        try clause.violates("\(running) 1<404(session_not_found)^ A<done(t1)", also: ["PERSIST-2"])
        try clause.violates("\(running) 1<200(body='{\"session\":{\"id\":\"s1\",\"mess')^ A<done(t1)", also: ["REST-1"])
        try clause.untested("\(running)")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1)")  // nothing ran
        try clause.untested("A+ A>chat(c1) A<ack(c1) 1>GET(s7) 1<404(session_not_found)")
    }

    @Test func `PERSIST-7 a read after a crash is answered too`() throws {
        let clause = ClauseUnderTest("PERSIST-7", profiles: [.core])
        let again = "A+ A>chat(c1) A<ack(c1) server!kill A<eof server!start 1>GET(s1)"
        try clause.violates("\(again) +11s^ 1<failed('late')")
        try clause.untested("\(again) 1<404(session_not_found)", also: ["TURN-2"])
    }

    @Test func `PERSIST-7 a member that no read shows was not torn off`() throws {
        let clause = ClauseUnderTest("PERSIST-7", profiles: [.core])
        func body(_ message: String) -> String {
            #"200(body='{"session":{"id":"s1","title":"t","createdAt":"2026-01-01T00:00:00Z","#
                + #""updatedAt":"2026-01-01T00:00:00Z","messages":[\#(message)],"turns":[]}}')"#
        }
        let nameless = body(#"{"role":"user","content":"question 1","timestamp":"2026-01-01T00:00:00Z"}"#)
        let running = "A+ A>chat(c1) A<ack(c1) 1>GET(s1)"
        let others = ["TURN-7", "PERSIST-2", "REST-1"]
        try clause.conforms("\(running) 1<\(nameless) A<done(t1)", also: others)
        try clause.violates(
            "\(running) 1<\(nameless)^ A<done(t1) 2>GET(s1) 2<200(u1 a1)", also: others + ["PERSIST-5"])
    }

    @Test func `PERSIST-5 a session that is gone keeps no message`() throws {
        let clause = ClauseUnderTest("PERSIST-5", profiles: [.core])
        let shown = "1>GET(s1) 1<200(u1 a1) 2>GET(s1)"
        try clause.violates("\(shown) 2<404(session_not_found)^", also: ["PERSIST-7"])
        try clause.untested("\(shown) 2<500(internal)", also: ["PERSIST-7"])
        try clause.untested("1>GET(s1) 1<404(session_not_found)")
        try clause.violates("1>GET(s1) 1<200(u1 a1) server!kill server!start 2>GET(s1) 2<404(session_not_found)^")
    }

    @Test func `PERSIST-5 reads never go backwards`() throws {
        let clause = ClauseUnderTest("PERSIST-5", profiles: [.core])
        let first = "1>GET(s1) 1<200(u1 a1) 2>GET(s1)"
        try clause.conforms("\(first) 2<200(u1 a1 u2)")
        try clause.violates("\(first) 2<200(u1)^", also: ["TURN-7"])
        try clause.violates("\(first) 2<200(u1 a1='other')^")
        try clause.violates("\(first) 2<200(a1 u1)^")
        try clause.untested("1>GET(s1) 2>GET(s1) 1<200(u1 a1) 2<200(u1)")  // they overlapped
        try clause.untested("1>GET(s1) 1<200(u1)")
    }
}
