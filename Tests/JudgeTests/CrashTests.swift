import Holdfast
import TestSupport
import Testing

/// Clauses about the end of the server's process that are not about storing.
@Suite struct CrashTests {
    /// A turn at work when the server is killed.
    private let killed = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) server!kill A<eof server!start"
    /// A turn at work when the server is told to stop.
    private let stopping = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) server!stop"
    @Test func `TURN-2 an ack means durable`() throws {
        let clause = ClauseUnderTest("TURN-2")
        let killed = "A+ A>chat(c1) server!kill(on=A bytes='\"ack\"') A<ack(c1) A<eof server!start 1>GET(s1)"
        func rounds(_ count: Int) -> String {
            (1...count).map { turn in
                "A+ A>chat(c\(turn)) server!kill(on=A bytes='\"ack\"') A<ack(c\(turn) s\(turn)) A<eof server!start "
                    + "1>GET(s\(turn)) 1<200(u\(turn))"
            }.joined(separator: " ")
        }
        try clause.conforms(rounds(20))
        try clause.inconclusive(rounds(19))
        try clause.inconclusive("\(killed) 1<200(u1)")
        try clause.violates("\(killed) 1<200(u2)^")
        try clause.violates("\(killed) 1<404(session_not_found)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) server!kill A<eof server!start 1>GET(s1) 1<200(u2)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1) server!kill A<eof server!start 1>GET(s1) 1<200(u1)")
        try clause.untested(
            "A+ A>chat(c1) server!kill(on=A bytes='\"ack\"') A<eof server!start 1>GET(s1) 1<404(session_not_found)")
        try clause.untested("\(killed) 1<500(internal)")
        #expect(try clause.remarks("\(killed) 1<200(u1)") == ["1 kill on the bytes of `ack`, none lost"])
    }

    @Test func `TURN-8 interrupted turns end`() throws {
        let clause = ClauseUnderTest("TURN-8", rule: 1)
        try clause.conforms("\(killed) 1>GET(s1) 1<200(u1 t1=failed)")
        try clause.conforms("\(killed) 1>GET(s1) 1<200(u1 t1=running) +5s 2>GET(s1) 2<200(u1 a1 t1=done)")
        try clause.violates("\(killed) +30s 1>GET(s1) 1<200(u1 t1=running)^")
        try clause.violates("\(killed) 1>GET(s1) 1<200(u1 t1=running) +31s 2>GET(s1) 2<200(u1 t1=running)^")
        try clause.untested("\(killed) 1>GET(s1) 1<200(u1 t1=running)")  // it has time
        // The next in line is not forgotten.
        let two = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A>chat(c2 s1) A<ack(c2) server!kill A<eof server!start +61s"
        try clause.conforms("\(two) 1>GET(s1) 1<200(u1 u2 t1=failed t2=failed)")
        try clause.violates("\(two) 1>GET(s1) 1<200(u1 u2 t1=failed)^", also: ["TURN-7"])
        // What nobody asked again was taken on before the kill, although no ack came through.
        let unheard = "A+ A>chat(c1 s1) server!kill A<eof server!start 1>GET(s1) 1<200(u1 t1=running) +31s"
        try clause.conforms("\(unheard) 2>GET(s1) 2<200(u1 t1=failed)")
        try clause.violates("\(unheard) 2>GET(s1) 2<200(u1 t1=running)^")
        try clause.untested(
            "A+ A>chat(c1 s1) server!kill A<eof server!start B+ B>chat(c1 s1) 1>GET(s1) 1<200(u1 t1=running) +31s 2>GET(s1) 2<200(u1 t1=running)"
        )
        try clause.untested(
            "A+ A>chat(c1) A<ack(c1) A<done(t1) server!kill server!start +31s 1>GET(s1) 1<200(u1 a1 t1=done)")
        try clause.untested("A+ A>chat(c1) A<ack(c1) server!kill A<eof server!start +31s 1>GET 1<200")
    }

    @Test func `TURN-9 stopped turns are interrupted`() throws {
        let clause = ClauseUnderTest("TURN-9")
        try clause.conforms("\(stopping) A<error(interrupted t1) A<close(1001)")
        try clause.conforms("\(stopping) A<close(1012) server!exit(code=0)")  // free to say nothing
        try clause.conforms("\(stopping) A<done(t1) A<close(1001)")  // or to finish
        try clause.conforms("\(killed) B+ B>chat(c1) B<ack(c1 duplicate) B<error(interrupted t1 duplicate=true)")
        try clause.violates("\(stopping) A<error(internal t1)^ A<close(1001)")
        try clause.violates("\(stopping) A<error(agent_failed t1)^ A<close(1001)")
        try clause.violates(
            "\(killed) B+ B>chat(c1) B<ack(c1 duplicate) B<error(internal t1 duplicate=true)^")
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<error(internal t1) server!stop A<close(1001)")
        try clause.untested(killed)
        try clause.untested("A+ server!stop A<close(1001)")
        let fails = #"A+ A>chat(c1 '{"script":[{"wait":9},{"fail":"no"}]}') A<ack(c1) server!stop"#
        try clause.untested("\(fails) A<error(agent_failed t1) A<close(1001)")
    }

    @Test func `SYNC-5 a restart keeps the stream or names a new one`() throws {
        let clause = ClauseUnderTest("SYNC-5")
        let restarted =
            "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) server!kill A<eof server!start"
        try clause.conforms("\(restarted) A+(e2 #0)")
        try clause.conforms(
            "\(restarted) A+(e1 #2) A>sync(e1 #0) A<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        // The first page of two, whose second one nobody asked for.
        try clause.conforms(
            "\(restarted) A+(e1 #2) A>sync(e1 #0 limit=1) A<syncResult(e1 #2 too_many more)[toolUse(t1 #1)]")
        try clause.violates(
            "\(restarted) A+(e1 #2) A>sync(e1 #0 limit=1) A<syncResult(e1 #2 too_many more)[done(t1 #2)]^",
            also: ["SYNC-7"])
        try clause.violates("\(restarted) A+(e1 #0)^", also: ["SYNC-1"])
        try clause.violates("\(restarted) A+(e1 #2) A>sync(e1 #0) A<syncResult(e1 #2 evicted)^", also: ["SYNC-7"])
        try clause.violates(
            "\(restarted) A+(e1 #2) A>chat(c2 s1) A<ack(c2) A<done(t2 #2)^", also: ["ORDER-7"])
        try clause.inconclusive("\(restarted) A+(e1 #2)")
        try clause.untested("A+(e1 #0) server!kill A<eof server!start A+(e1 #0)")  // nothing was shown
        try clause.untested("A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #1) A!cut A+(e1 #1)")
        try clause.untested("\(restarted) B+(p2 e1 #0)")  // somebody else's stream
    }

    @Test func `IDEM-1 repeats are recognized after a crash`() throws {
        let clause = ClauseUnderTest("IDEM-1")
        let again = "\(killed) A+ A>chat(c1)"
        try clause.conforms("\(again) A<ack(c1 duplicate)")
        try clause.conforms("\(again) A<ack(c1 duplicate) 1>GET(s1) 1<200(u1)")
        try clause.conforms("\(killed) 1>POST(c1) 1<200(t1 duplicate)")
        try clause.conforms("\(killed) 1>POST(c1) 1<503(interrupted t1)")
        try clause.violates("\(again) A<ack(c1 t2 u2)^", also: ["IDEM-2"])
        try clause.violates("\(killed) 1>POST(c1) 1<200(t2)^", also: ["IDEM-4"])
        let answers = ClauseUnderTest("IDEM-2")
        try answers.violates("\(again) A<ack(c1)^")
        try answers.violates("\(again) A<error(idempotency_mismatch c1)^")
        try clause.violates("\(again) A<ack(c1 duplicate) 1>GET(s1) 1<200(u1 u1='question 1')^", also: ["ID-8"])
        // Nothing had told the client that its question was safe.
        try clause.untested("A+ A>chat(c1) server!kill A<eof server!start A+ A>chat(c1) A<ack(c1 t2 u2)")
        try clause.untested("\(again) A<error(rate_limited c1)", also: ["IDEM-2"])
        try clause.untested(killed)
    }

    @Test func `LIVE-5 stopping closes connections`() throws {
        let clause = ClauseUnderTest("LIVE-5")
        try clause.conforms("A+ server!stop A<close(1001) server!exit(code=0)")
        try clause.conforms("A+ B+ server!stop A<close(1012) B<close(1001) server!exit(code=0)")
        try clause.conforms("A>open A<open server!stop A<close(1001)")
        try clause.conforms("A+ server!stop +29s A<close(1001)")
        try clause.violates("A+ server!stop +31s A<close(1001)^")
        try clause.violates("A+ server!stop A<close(1000)^")
        try clause.violates("A+ server!stop A<close(1011)^")
        try clause.violates("A+ server!stop A<eof^")
        try clause.violates("A+ server!stop +15s server!exit(signal=SIGKILL) A<eof^")
        try clause.violates("A+ B+ server!stop A<close(1001) B<eof^")
        try clause.untested("A+ server!kill A<eof")
        try clause.untested("A+ A!cut server!stop")
        try clause.untested("A+ server!stop A>close(1000)")
        try clause.untested("A+ A!stopReading server!stop A<eof")
    }

    @Test func `TURN-8 stopped turns are shown ended`() throws {
        let clause = ClauseUnderTest("TURN-8", rule: 1)
        let stopped = "\(stopping) A<close(1001) server!exit(code=0) server!start 1>GET(s1)"
        try clause.conforms("\(stopped) 1<200(u1 t1=failed)")
        try clause.conforms("\(stopped) 1<200(u1 a1)")
        try clause.conforms("\(stopped) 1<200(u1 t1=running) 2>GET(s1) 2<200(u1 a1 t1=done)")
        try clause.conforms(
            "\(stopping) A<error(interrupted t1) A<close(1001) server!exit(code=0) server!start 1>GET(s1) 1<200(u1 t1=failed)"
        )
        try clause.violates("\(stopped) 1<200(u1 t1=running) +31s 2>GET(s1) 2<200(u1 t1=running)^")
        try clause.violates("\(stopped) 1<200(u1) +31s 2>GET(s1) 2<200(u1)^")
        // An entry of another turn.
        try clause.violates(
            "\(stopped) 1<200(u1 t9=done) +31s 2>GET(s1) 2<200(u1 t9=done)^", also: ["TURN-7"])
        try clause.untested("\(stopped) 1<200(u1 t1=running)")
        try clause.conforms("\(killed) 1>GET(s1) 1<200(u1 t1=failed)")
        try clause.untested(
            "A+ A>chat(c1) A<ack(c1) A<done(t1) server!stop A<close(1001) server!start 1>GET(s1) 1<200(u1 a1)")
    }
}
