import Holdfast
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

/// Histories in which the process ends and starts again break no clause by that alone.
@Suite struct RestartTests {
    private static let all: Set<Profile> = [.core, .sync, .auth]

    @Test(arguments: [
        // A question nobody acknowledged is lost by a kill.
        "A+(e1 #0) A>chat(c1) server!kill A<eof server!start A+(e2 #0) 1>GET 1<200 A>chat(c1) A<ack(c1) A<done(t1 #1)",
        // What was read from the connection after the kill was sent before it.
        "A+(e1 #0) A>chat(c1) A<ack(c1) server!kill(on=A bytes='\"done\"') A<toolUse(t1 #1) A<done(t1 #2) A<eof server!start"
            + " 1>GET(s1) 1<200(u1 a1)",
        // Pings, syncs, questions and reads in the air when the server dies.
        "A+(e1 #0) A>ping(n1) A>sync(e1 #0) 1>GET 2>POST(c2) server!kill A<eof 1<failed 2<failed +40s server!start A+(e2 #0)",
        // Connections asked for while nobody listens.
        "A+(e1 #0) server!kill A<eof B>open B<refused('connection refused') 1>GET 1<failed('refused') server!start B+(e2 #0)",
        // A frame that nobody may send, then a kill: the end of the connection is the stage's.
        "A+(e1 #0) A>`{` A>binary(00ff) server!kill A<eof +20s server!start B+(e2 #0) B>ping(n1) B<pong(n1)",
        // The end of a socket is seen a moment before the act is on record.
        "A+(e1 #0) B+(e1 #0) A>`{` A<eof B<eof server!kill server!start",
        // An interrupted turn, and later turns of its session.
        "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) server!kill A<eof server!start A+(e2 #0) 1>GET(s1) 1<200(u1 t1=failed)"
            + " A>chat(c2 s1) A<ack(c2) A<done(t2 #1) A>sync(e2 #0) A<syncResult(e2 #1 complete)[done(t2 #1)]"
            + " 2>GET(s1) 2<200(u1 u2 a2 t1=failed t2=done) 3>GET 3<200(s1=3)",
        // A later turn of an interrupted turn's session ends while the position 0 is asked for: the first owes no done.
        "A+(e1 #0) A>chat(c1) A<ack(c1) server!kill A<eof server!start A+(e2 #0) A>sync(e2 #0) A<syncResult(e2 #0 complete)"
            + " A>chat(c2 s1) A<ack(c2) A<done(t2 #1)",
        // An orderly stop: frames, closes, and a new stream.
        "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1) B<message(u1 #1) server!stop A<error(interrupted t1 #2) B<error(interrupted t1 #2)"
            + " A<close(1001) B<close(1001) server!exit(code=0) server!start A+(e2 #0) 1>GET(s1) 1<200(u1 t1=failed)",
        // A repeat after the crash: the copy of an interrupted turn.
        "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) server!kill A<eof server!start A+(e2 #0) A>chat(c1) A<ack(c1 duplicate)"
            + " A<error(interrupted t1 duplicate=true)",
        // The disk takes no writes: the turn fails, its question stays; after a restart its failure has another name.
        "A+(e1 #0) A>chat(c1) A<ack(c1) server!refuseWrites A<error(persist_failed t1 #1) server!kill A<eof server!start A+(e2 #0)"
            + " A>chat(c1) A<ack(c1 duplicate) A<error(interrupted t1 duplicate=true) 1>GET(s1) 1<200(u1 t1=failed)",
        // The disk takes no writes: questions are refused, and leave nothing.
        "A+(e1 #0) 1>GET 1<200 server!refuseWrites A>chat(c1) A<error(persist_failed c1) 2>POST(c2) 2<500(persist_failed)"
            + " server!acceptWrites 3>GET 3<200 A>chat(c1) A<ack(c1) A<done(t1 #1)",
        // The process dies of the fault, in mid-turn, with other connections open.
        "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1) B<message(u1 #1) server!refuseWrites A<eof B<eof server!exit(signal=SIGXFSZ)"
            + " server!start A+(e2 #0) 1>GET(s1) 1<200(u1 t1=failed)",
        // The server closes instead of ending the turn, after an agent that failed before.
        #"A+(e1 #0) A>chat(c1 '{"script":[{"fail":"no"}]}') A<ack(c1) A<error(agent_failed t1 #1) A>chat(c2 s1) A<ack(c2) "#
            + "server!refuseWrites A<error(persist_failed t2 #2) server!acceptWrites A>chat(c3 s1) A<ack(c3) A<done(t3 #3)",
        // A list before the crash, a read after it: an interrupted turn may have left a message or none.
        "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) 1>GET 1<200(s1=1) server!kill A<eof server!start 2>GET(s1)"
            + " 2<200(u1 a1='interrupted' t1=failed)",
        // A slow turn and a quick one, both ended by the stop, in any order.
        #"A+(e1 #0) A>chat(c1 '{"script":[{"wait":9000}]}') A<ack(c1) A>chat(c2 '{"script":[{"wait":500}]}') A<ack(c2 s2) server!stop "#
            + "A<error(interrupted t1 #1) A<error(interrupted t2 s2 #2) A<close(1001)",
        // An older connection ends with the server, and so does a newer one.
        "A+(e1 #0) B+(e1 #0) A>chat(c1) A<ack(c1) B<message(u1 #1) server!stop A<close(1001) B<close(1001) server!exit(code=0)",
    ])
    func `a restart alone breaks nothing`(_ notation: String) throws {
        let subject = History.Subject(name: "golden", role: .server, profiles: Self.all)
        let history = try NotationExpansion(notation, header: History.Header(subject: subject)).history
        for verdict in judge(history, under: try SourceTree.specification()) where verdict.outcome == .violation {
            Issue.record("\(verdict.clause): \(verdict.findings.map(\.what)) \(verdict.findings.map(\.actual))")
        }
    }

    @Test func `a crash excuses only what it explains`() throws {
        let life = "server!kill A<eof server!start"
        // Breaches within the second life are breaches.
        try ClauseUnderTest("TURN-3", profiles: [.core]).violates("A+ \(life) A+ A>chat(c1) A<ack(c1) +31s^")
        try ClauseUnderTest("ENV-3", rule: 1).violates("A+ \(life) A+ A>`{` A<eof^")
        try ClauseUnderTest("PERSIST-2", profiles: [.core]).violates(
            "A+ \(life) A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1)^",
            also: ["PERSIST-1", "ORDER-4", "TURN-7"])
        try ClauseUnderTest("PERSIST-7", rule: 1, profiles: [.core]).violates(
            "A+ \(life) A+ A>chat(c1) A<ack(c1) 1>GET(s1) 1<500(internal)^ A<done(t1)")
        try ClauseUnderTest("PERSIST-5", profiles: [.core]).violates(
            "1>GET(s1) 1<200(u1 a1) server!stop server!exit(code=0) server!start 2>GET(s1) 2<200(u1)^",
            also: ["TURN-7"])
        // A crash of its own making excuses nothing.
        try ClauseUnderTest("ENV-3", rule: 1).violates("A+ A>`{` A<eof^ server!exit(signal=SIGSEGV) server!start")
        // An interrupted turn of before does not keep a later one from being judged.
        try ClauseUnderTest("TURN-3", profiles: [.core]).violates(
            "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) \(life) A+ A>chat(c2 s1) A<ack(c2) +31s^")
    }
}
