import Holdfast
import HoldfastTranscript
import TestSupport
import Testing

@Suite struct AUTHTests {
    /// Two people, each with a turn of their own.
    private let both = "A+ B+(p2) A>chat(c1) A<ack(c1) B>chat(c2) B<ack(c2 s2)"

    @Test func `AUTH-1 a valid auth is greeted`() throws {
        let clause = ClauseUnderTest("AUTH-1", rule: 1)
        try clause.conforms("A+")
        try clause.conforms("A>open A<open A>auth +9s A<connected")
        try clause.conforms("A>open A<open A>auth(-p) A<connected")  // without profile auth the token is ignored
        try clause.violates("A>open A<open A>auth +10s^")
        // The wait for it was over when it was sent.
        try clause.untested("A>open A<open +10s A>auth A<error(auth_timeout) A<close(4002)")
        try clause.violates("A>open A<open +9s A>auth A<error(auth_timeout) A<close(4002)^")
        // A timer goes by the wall clock; on a late machine it may end before the server reads.
        let late = ClauseUnderTest(
            "AUTH-1", rule: 1, lateness: [History.Lateness(from: 0, to: 20_000_000, slowness: 10)])
        let timedOut = "A>open A<open A>auth +10s A<error(auth_timeout) A<close(4002)"
        try late.untested(timedOut)
        try clause.violates("\(timedOut)^")
        try late.violates("A>open A<open A>auth +5s A<error(auth_timeout) A<close(4002)^")
        try clause.violates("A>open A<open A>auth +11s A<connected^")
        try clause.violates("A>open A<open A>auth A<error(internal) A<close(1011)^")
        try clause.violates("A>open A<open A>auth A<eof^")
        try clause.violates("A>open A<open A>auth A<error(bad_request) +10s^")
        try clause.untested("A>open A<open A>auth A<close(1012)")
        try clause.untested("A>open A<open A>auth A<close(1013)")
        try clause.untested("A>open A<open A>auth A<close(1001)")
        try clause.violates("A>open A<open A>auth A<close(1001)^ A!wentOn")  // the server did not stop
        let hostile = "A+ A>`{` A<error(parse_error)"
        try clause.conforms("\(hostile) C>open C<open C>auth C<eof", also: ["ENV-5"])
        try clause.violates("\(hostile) B+ C>open C<open C>auth C<eof^")  // the server greeted another since
        try clause.untested("A>open A<open A>auth +9s")
        try clause.untested("A>open A<open A>auth A!cut +10s")
        try clause.untested("A>open A<open A>auth server!kill A<eof +10s")
        try clause.untested("A>open A<open +10s")
        try clause.untested("A>open A<refused(503)")
        try clause.untested("A>open A<open A>auth(protocol=2) A<error(unsupported_version) A<close(4010)")
    }

    @Test func `AUTH-1 asks for a good token where tokens count`() throws {
        let clause = ClauseUnderTest("AUTH-1", rule: 1, profiles: [.core, .auth])
        try clause.conforms("A+(p2)")
        try clause.violates("A>open A<open A>auth A<error(auth_failed) A<close(4001)^", also: ["LIVE-9"])
        try clause.untested("A>open A<open A>auth(token='made up') A<error(auth_failed) A<close(4001)")
        try clause.untested("A>open A<open A>auth(-p) A<error(auth_failed) A<close(4001)")
    }

    @Test func `AUTH-1 a refused token is named, because a typing mistake is likelier than a broken server`() throws {
        let refused = "A>open A<open A>auth A<error(auth_failed) A<close(4001)"
        let given = try #require(ClauseUnderTest("AUTH-1", rule: 1, profiles: [.core, .auth]).findings(refused).first)
        #expect(given.what == "the server refuses the given token of p1")
        #expect(given.expected.hasSuffix("; correct the token of p1, or make the server accept it"))
        #expect(given.actual == "error auth_failed")
        let core = ClauseUnderTest("AUTH-1", rule: 1)
        let none = try core.findings("A>open A<open A>auth(-p) A<error(auth_failed) A<close(4001)")
        #expect(none.first?.what == "the server requires a token, and none was given")
        let foreign = try core.findings("A>open A<open A>auth(token='x') A<error(auth_failed) A<close(4001)")
        #expect(foreign.first?.what == "the server refuses a token, though it does not declare 'auth'")
        let other = try core.findings("A>open A<open A>auth A<error(internal) A<close(1011)")
        #expect(other.first?.what == "a valid auth was not answered")
    }

    @Test func `AUTH-2 nothing but errors comes before connected`() throws {
        let clause = ClauseUnderTest("AUTH-2")
        try clause.conforms("A+")
        try clause.conforms("A>open A<open A>chat(c1) A<error(not_authenticated c1) A>auth A<connected")
        try clause.conforms("A>open A<open A>auth(protocol=2) A<error(unsupported_version) A<close(4010)")
        try clause.violates("A>open A<open A<`{\"type\":\"welcome\"}`^ A>auth A<connected")
        try clause.violates("A>open A<open A>ping(n1) A<pong(n1)^ A>auth A<connected")
        try clause.violates("A+ A>chat(c1) A<ack(c1) B>open B<open B<message(u1 #1)^ B>auth B<connected")
        try clause.untested("A>open A<open A>auth +1s")
        try clause.untested("A>open A<refused(503)")
    }

    @Test func `AUTH-3 bad credentials are refused`() throws {
        let clause = ClauseUnderTest("AUTH-3")
        for auth in ["auth(-p)", "auth(token='made up')", "auth(token='')", "auth(token='‹token of p1›‹')"] {
            let asked = "A>open A<open A>\(auth)"
            try clause.conforms("\(asked) A<error(auth_failed) A<close(4001)")
            try clause.violates("\(asked) A<connected^")
            try clause.violates("\(asked) A<error(auth_failed) A<close(1008)^")
            try clause.violates("\(asked) A<close(4001)^")
            try clause.violates("\(asked) A<error(bad_request) A<close(4001)^")
            try clause.violates("\(asked) A<error(auth_failed) A<eof^")
            try clause.violates("\(asked) A<error(auth_failed) +15s^")
            try clause.violates("\(asked) +15s^")
            try clause.untested("\(asked) A<close(1013)")
            try clause.untested("\(asked) A!cut +15s")
            try clause.untested("\(asked) A>sync(e1 #0) A<eof('reset')")  // the reset may have taken the answer
        }
        try clause.conforms("A>open(p1='other') A<refused(401)")  // where the upgrade carries the token
        try clause.untested("A>open(p1='other') A<refused(503)")
        try clause.untested("A+")
        try clause.untested("A>open A<open A>auth(-p protocol=7) A<error(unsupported_version) A<close(4010)")
    }

    @Test func `AUTH-5 frames before auth do nothing`() throws {
        let clause = ClauseUnderTest("AUTH-5", profiles: [.core, .auth])
        let asked = "A>open A<open A>chat(c1)"
        try clause.conforms("\(asked) A<error(not_authenticated c1)")
        try clause.conforms("\(asked) A<error(auth_failed) A<close(4001)")
        try clause.conforms("\(asked) A<close(1008)")
        try clause.conforms("\(asked) A<error(not_authenticated c1) A>auth A<connected A>chat(c1) A<ack(c1)")
        try clause.conforms("A>open A<open A>auth(-p) A>sync(#0) A<error(auth_failed) A<close(4001)")
        try clause.violates("\(asked) A<ack(c1)^", also: ["AUTH-2"])
        try clause.violates("A>open A<open A>sync(#0) A<syncResult(e1 #0 complete)^", also: ["AUTH-2"])
        try clause.violates("\(asked) A<close(1008) B+ 1>GET(s1) 1<200(u1)^")
        try clause.violates("\(asked) A<error(not_authenticated c1) A>auth A<connected A<message(u1 c1 #1)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1)")
        try clause.untested(asked)
        // The handshake is the same where tokens are ignored.
        let open = ClauseUnderTest("AUTH-5", profiles: [.core])
        try open.conforms("\(asked) A<error(not_authenticated c1)")
        try open.violates("\(asked) A<ack(c1)^", also: ["AUTH-2"])
    }

    @Test func `AUTH-3 returning clients are checked`() throws {
        let clause = ClauseUnderTest("AUTH-3")
        let returned = "A+ A!cut A>open A<open A>auth(token='made up')"
        try clause.conforms("\(returned) A>sync(e1 #0) A<error(auth_failed) A<close(4001)")
        try clause.violates("\(returned) A<connected^")
        let named = "A>open A<open A>auth(clientId=phone) A<connected A!cut B>open B<open B>auth(-p clientId=phone)"
        try clause.conforms("\(named) B<error(auth_failed) B<close(4001)")
        try clause.violates("\(named) B<connected^")
    }

    @Test func `AUTH-6 turns stay with their principal`() throws {
        let clause = ClauseUnderTest("AUTH-6", rule: 1, profiles: [.core, .auth])
        try clause.conforms("\(both) A<toolUse(t1) A<done(t1) B<done(t2 s2)")
        try clause.conforms("\(both) A>chat(c3 s2) A<error(session_not_found c3 s2) B<done(t2 s2)")  // only repeats
        try clause.violates("\(both) A<done(t1) B<done(t1)^ B<done(t2 s2)")
        try clause.violates("\(both) B<toolUse(t1)^ A<toolUse(t1) A<done(t1)")
        try clause.violates("\(both) B<message(u1 c1 s7 #1)^")  // renamed, but it has the key of the other
        try clause.violates("\(both) B<error(agent_failed t1)^ A<error(agent_failed t1)")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<done(t1) A!cut B+(p2)")
        try clause.untested("A+ B+(p1) A>chat(c1) A<ack(c1) A<done(t1) B<done(t1)")
    }

    @Test func `AUTH-6 sessions of one name are not one session`() throws {
        let clause = ClauseUnderTest("AUTH-6", rule: 1, profiles: [.core, .auth])
        try clause.conforms(
            "A+ B+(p2) A>chat(c1) A<ack(c1) B>chat(c2) B<ack(c2) A<done(t1) B<done(t2)")
    }

    @Test func `AUTH-6 sessions are shown to their principal`() throws {
        let clause = ClauseUnderTest("AUTH-6", rule: 2, profiles: [.core, .auth])
        let ended = "\(both) A<done(t1) B<done(t2 s2)"
        try clause.conforms("\(ended) 1>GET(p2) 1<200(s2) 2>GET(s1 p2) 2<404(session_not_found)")
        try clause.untested("\(ended) 2>GET(s1 p2) 2<403(session_not_found)", also: ["ID-4"])
        try clause.violates("\(ended) 1>GET(p2) 1<200(s2 s1)^")
        try clause.violates("\(ended) 2>GET(s1 p2) 2<200(u1 a1)^")
        try clause.untested("1>GET(p2) 1<200(s1) \(ended) 2>GET(s1 p2) 2<200(u1 a1)")  // an older one of the same name
        try clause.untested("\(ended) 1>GET(s1) 1<200(u1 a1)")
        try clause.untested("1>GET(p2) 1<200(s2)")
    }

    @Test func `AUTH-7 foreign sessions take no questions`() throws {
        let clause = ClauseUnderTest("AUTH-7", rule: 1, profiles: [.core, .auth])
        let asked = "\(both) B<done(t2 s2) A>chat(c3 s2 'let me in')"
        let owner = "1>GET(s2 p2)"
        try clause.conforms("\(asked) A<error(session_not_found c3) \(owner) 1<200(u2 a2)")
        try clause.conforms("\(both) 1>POST(c3 s2 'let me in') 1<404(session_not_found)")
        try clause.violates("\(both) 1>POST(c3 s2 'let me in') 1<403(session_not_found)^")
        try clause.violates("\(asked) A<error(busy c3)^")
        try clause.violates("\(asked) +10s^", also: ["TURN-1"])
        try clause.violates("\(asked) A<ack(c3 s9)^")
        try clause.violates("\(both) 1>POST(c3 s2 'let me in') 1<400(bad_request)^")
        try clause.violates("\(both) 1>POST(c3 s2 'let me in') 1<200(s2 t3)^")
        try clause.violates("\(asked) A<error(session_not_found c3) \(owner) 1<200(u2 a2 u3='let me in')^")
        try clause.untested("\(asked) A<error(rate_limited c3)")
        try clause.untested("\(asked) A<toolUse(t2 s2)", also: ["AUTH-6"])  // shown to the wrong one, and no answer
        try clause.untested("\(both) A<done(t1) A>chat(c3 s1) A<ack(c3)")
    }

    @Test func `AUTH-8 requests without a token are refused`() throws {
        let clause = ClauseUnderTest("AUTH-8")
        for principal in ["-p", "p1='other'"] {
            try clause.conforms("1>GET(\(principal)) 1<401(not_authenticated)")
            try clause.conforms("1>GET(s1 \(principal)) 1<401(auth_failed)")
            try clause.conforms("1>POST(c1 \(principal)) 1<401(auth_failed)")
            try clause.violates("1>GET(\(principal)) 1<200(s1)^")
            try clause.violates("1>GET(s1 \(principal)) 1<404(session_not_found)^")
            try clause.violates("1>POST(c1 \(principal)) 1<403(auth_failed)^")
            try clause.violates("1>POST(c1 \(principal)) 1<401(body='no')^")
            try clause.violates("1>GET(\(principal)) +10s^")
        }
        try clause.untested("1>GET(health -p) 1<200")
        try clause.untested("1>GET 1<200(s1)")
        try clause.untested("1>GET(path='/' -p) 1<200")
        try clause.untested("1>PUT(path='/api/chat' -p) 1<405(body='no')")
    }

    @Test func `AUTH-9 tokens in URLs are not taken`() throws {
        let clause = ClauseUnderTest("AUTH-9")
        let asked = "1>GET(-p path='/api/sessions?token=‹token of p1›')"
        try clause.conforms("\(asked) 1<401(not_authenticated)")
        try clause.warns("\(asked) 1<200(body='{\"sessions\":[]}')^", also: ["AUTH-8"])
        let opened = "A>open(path='/ws?token=‹token of p1›')"
        try clause.conforms("\(opened) A<refused(401)")
        try clause.conforms("\(opened) A<open A>auth(-p) A<error(auth_failed) A<close(4001)")
        try clause.warns("\(opened) A<open A>auth(-p) A<connected^")
        try clause.untested("\(opened) A<open A>auth A<connected")  // the frame has it too
        try clause.untested("1>GET(-p) 1<401(not_authenticated)")
        try clause.untested("A+")
    }

    @Test func `AUTH-12 what a server keeps is stated`() throws {
        let clause = ClauseUnderTest("AUTH-12")
        let all: Set<Profile> = [.core, .sync, .rateLimit, .push, .auth]
        try clause.conforms("A+")
        try clause.conforms("A+(e1 #0)", profiles: all)
        try clause.violates("A+(e1 #0 sync)^", profiles: all)
        try clause.violates("A+(e1 #0) A!cut A+(e1 #0 core)^", profiles: [.core, .sync])  // each time
        // Kept, and not declared.
        try clause.conforms("A+(e1 #0 sync) A>chat(c1) A<ack(c1) A<done(t1)")
        try clause.violates("A+(sync)^")
        try clause.violates("A+(rate-limit)^")
        try clause.conforms("A+(rate-limit messagesPerMinute=5)")
        try clause.conforms("A+(push auth)")  // nobody can tell
        try clause.untested("1>GET 1<200(s1)")
    }
}
