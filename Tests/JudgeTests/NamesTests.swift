import TestSupport
import Testing

@Suite struct NamesTests {
    @Test func `AUTH-1 a connection is greeted once`() throws {
        let clause = ClauseUnderTest("AUTH-1", rule: 2)
        try clause.conforms("A+ A>ping(n1) A<pong(n1) A!cut A+")
        try clause.violates("A+ A<connected^")
        try clause.violates("A+ A>auth A<connected^")
        try clause.untested("A>open A<open A>auth(protocol=2) A<error(unsupported_version) A<close(4010)")
    }

    @Test func `ENV-14 a frame gets one error`() throws {
        let clause = ClauseUnderTest("ENV-14", rule: 1, profiles: [.core])
        try clause.conforms("A+ A>`{` A<error(parse_error) A>ping(n1) A<pong(n1)")
        try clause.conforms("A+ A>`{` A>`[]` A<error(parse_error) A<error(bad_request)")
        try clause.conforms("A+ A>chat(c1 s9) A<error(session_not_found c1)")
        try clause.violates("A+ A>`{` A<error(parse_error) A<error(parse_error)^")
        try clause.violates("A+ A>ping(n1) A<pong(n1) A>`{` A<error(parse_error) A<error(bad_request)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1) A>`{` A<error(parse_error) A<error(bad_request)^")
        try clause.violates("A+ A>chat(c1 s9) A<error(session_not_found c1) A<error(session_not_found c1)^")
        try clause.violates("A+ A<error(bad_request)^")
        try clause.conforms("A+ A>binary(00) A<error(bad_request) A>`{` A<error(parse_error)")
        // A refused `auth`, and then one that is taken.
        let opened = "A>open A<open A>auth(protocol=one) A<error(bad_request)"
        try clause.conforms("\(opened) A>auth A<connected")
        try clause.violates("\(opened) A<error(bad_request)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1)")
        try clause.untested("A+ A<error(internal)")
        try clause.untested("A>open A<open +10s A<error(auth_timeout) A<close(4002)")
        // A server that has one code for every refusal says it of silence too.
        let guarded = ClauseUnderTest("ENV-14", rule: 1, profiles: [.core, .auth])
        try guarded.untested("A>open A<open +10s A<error(auth_failed) A<close(4002)")
        try guarded.violates(
            "A>open A<open A>chat(c1) A<error(not_authenticated) A<error(auth_failed)^ A<close(4001)")
    }

    @Test func `ID-9 an ack names the stored message`() throws {
        let clause = ClauseUnderTest("ID-9", rule: 1)
        let asked = "A+ A>chat(c1)"
        try clause.conforms("\(asked) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1)")
        try clause.violates("\(asked) A<ack(c1 u7) A<done(t1) 1>GET(s1) 1<200(u1 a1)^")
        try clause.violates("\(asked) A<ack(c1 s7) A<done(t1) 1>GET(s1) 1<200(u1 a1)^")
        try clause.untested("\(asked) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(a1)", also: ["ORDER-4", "PERSIST-2"])
        try clause.untested("\(asked) A<ack(c1) A<done(t1)")
    }

    @Test func `ID-3 frames name their question`() throws {
        let clause = ClauseUnderTest("ID-3", rule: 1, profiles: [.core])
        let asked = "A+ A>chat(c1) A<ack(c1)"
        try clause.conforms("\(asked) A<done(t1 c1)")
        try clause.violates("\(asked) A<done(t1 c7)^")
        try clause.violates(
            "\(asked) A<done(t1 c1) A>chat(c2 s1) A<ack(c2) A<done(t2 c1)^", also: [])
        try clause.conforms("1>POST(c1) A+ 1<200(t1) A<done(t1 c1)")
    }

    @Test func `PERSIST-7 no read is refused for its rate`() throws {
        let clause = ClauseUnderTest("PERSIST-7", rule: 1, profiles: [.core])
        let running = "A+ A>chat(c1) A<ack(c1) 1>GET(s1)"
        try clause.conforms("\(running) 1<200(u1) A<done(t1)")
        try clause.violates("\(running) 1<429(rate_limited)^ A<done(t1)")
        try clause.violates("\(running) 1<401(not_authenticated)^ A<done(t1)")
    }
}
