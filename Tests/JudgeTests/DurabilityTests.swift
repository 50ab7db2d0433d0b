import Holdfast
import TestSupport
import Testing

/// Clauses proved by kills and by a disk that takes no writes.
@Suite struct DurabilityTests {
    /// A turn without any fault, and a read that shows its answer.
    private let control = "A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1)"
    /// A turn accepted before the disk takes no more writes, and ended as it has to be.
    private let fault =
        "A>chat(c90 s1) A<ack(c90) server!refuseWrites A<error(persist_failed t90) server!acceptWrites"
    /// What is stored after both.
    private let faulted = "u1 a1 t1 u90 t90=failed"

    /// Rounds of a turn, a kill on the bytes of its `done`, a start, and a read that holds everything.
    private func kills(_ count: Int, from first: Int = 2, after before: String = "u1 a1 t1", losing lost: Int? = nil)
        -> String
    {
        var stored = [before]
        return (first..<first + count).map { turn in
            stored += ["u\(turn)", turn == lost ? "t\(turn)=running" : "a\(turn) t\(turn)"]
            return "A+ A>chat(c\(turn) s1) A<ack(c\(turn)) server!kill(on=A bytes='\"done\"') A<done(t\(turn)) A<eof "
                + "server!start 1>GET(s1) 1<200(\(stored.joined(separator: " ")))" + (turn == lost ? "^" : "")
        }.joined(separator: " ")
    }

    @Test func `PERSIST-1 done means durable`() throws {
        let clause = ClauseUnderTest("PERSIST-1", rule: 1)
        try clause.conforms("\(control) \(fault) A<eof \(kills(20, after: faulted))")
        try clause.conforms("\(control) \(kills(20)) A+ \(fault)")
        try clause.conforms(
            "\(control) A>chat(c90 s1) A<ack(c90) server!refuseWrites A<eof server!exit(signal=SIGXFSZ) server!start "
                + kills(20, after: faulted))  // to die of it is legal
        try clause.violates("\(control) \(fault) A<eof \(kills(20, after: faulted, losing: 9))", also: ["TURN-7"])
        try clause.violates(
            "A+ A>chat(c1) A<ack(c1) A<done(t1) server!kill server!start 1>GET(s1) 1<200(u1)^", also: ["TURN-7"])
        try clause.violates(
            "A+ A>chat(c1) A<ack(c1) A<done(t1) server!kill server!start 1>GET(s1) 1<404(session_not_found)^",
            also: ["TURN-2"])
        try clause.violates(
            "\(control) A>chat(c2 s1) A<ack(c2) server!refuseWrites A<done(t2) server!kill server!start "
                + "2>GET(s1) 2<200(u1 a1 u2)^", also: ["PERSIST-1", "TURN-7"])
        try clause.violates(
            "\(control) A>chat(c2 s1) A<ack(c2) server!refuseWrites A<done(t2) server!acceptWrites "
                + "2>GET(s1) 2<200(u1 a1 u2)^", also: ["PERSIST-1", "PERSIST-2", "ORDER-4", "TURN-7"])
        try clause.violates(
            "A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1)^", also: ["PERSIST-2", "ORDER-4", "TURN-7"])
        try clause.untested("A+ A>chat(c1) A<ack(c1) A<done(t1)")
        try clause.untested(
            "A+ A>chat(c1) A<ack(c1) server!kill(on=A bytes='\"done\"') A<eof server!start 1>GET(s1) 1<200(u1)")
    }

    @Test func `PERSIST-1 and PERSIST-2 what a read had shown a refused write may take`() throws {
        let durable = ClauseUnderTest("PERSIST-1", rule: 1)
        let named = ClauseUnderTest("PERSIST-2")
        let shown = "A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1)"
        let refused = "server!refuseWrites A>chat(c2 s1) A<error(persist_failed c2) server!acceptWrites 2>GET(s1)"
        try durable.inconclusive(
            "\(shown) \(refused) 2<200(u1)", also: ["PERSIST-2", "PERSIST-5", "ORDER-4", "TURN-7"])
        try durable.violates(
            "\(shown) \(refused.replacing("server!refuseWrites ", with: "")) 2<200(u1)^",
            also: ["PERSIST-2", "PERSIST-5", "ORDER-4", "TURN-7"])
        let unseen = shown.replacing(" 1>GET(s1) 1<200(u1 a1)", with: "")
        let gone = "2<404(session_not_found)"
        try named.conforms("\(shown) \(refused) \(gone)", also: ["PERSIST-7", "PERSIST-5"])
        try named.violates("\(unseen) \(refused) \(gone)^", also: ["PERSIST-7", "PERSIST-1"])
    }

    @Test func `PERSIST-1 less than the whole proof decides nothing`() throws {
        let clause = ClauseUnderTest("PERSIST-1", rule: 1)
        try clause.inconclusive(control)  // a read alone
        try clause.inconclusive("\(control) \(fault) A<eof \(kills(19, after: faulted))")
        try clause.inconclusive("\(control) \(kills(20))")  // no failed write
        try clause.inconclusive("\(control) \(fault)")  // no kills
        // No control before the fault.
        try clause.inconclusive("A+ \(fault) A<eof \(kills(20, from: 3, after: "u90 t90=failed"))")
        // The fault met the question, so nobody knows what it would have done to the answer.
        try clause.inconclusive(
            "\(control) server!refuseWrites A>chat(c90 s1) A<error(persist_failed c90) server!acceptWrites \(kills(20))"
        )
        // The budget was used up: nothing came to the disk.
        try clause.inconclusive(
            "\(control) A>chat(c90 s1) server!refuseWrites A<error(rate_limited c90) server!acceptWrites \(kills(20))")
        // Nothing was watched while writes were refused.
        try clause.inconclusive(
            "\(control) A>chat(c90 s1) A<ack(c90) server!refuseWrites server!acceptWrites A<eof \(kills(20, after: faulted))"
        )
        // Kills some time after `done` prove little.
        let late = kills(20, after: faulted).replacing("(on=A bytes='\"done\"')", with: "")
        try clause.inconclusive("\(control) \(fault) A<eof \(late)")
        // Kills with the bytes of `done` before the whole frame had arrived.
        let torn = (2...21).map { turn in
            "A+ A>chat(c\(turn) s1) A<ack(c\(turn)) server!kill(on=A bytes='\"done\"') A<eof server!start 1>GET(s1) 1<200(\(faulted) \((2...turn).map { "u\($0) t\($0)=running" }.joined(separator: " ")))"
        }.joined(separator: " ")
        try clause.inconclusive("\(control) \(fault) A<eof \(torn)")
        // The store is somewhere else: neither a proof nor a breach.
        let unseen = "A>chat(c90 s1) A<ack(c90) server!refuseWrites A<done(t90) server!kill server!start"
        let again = fault.replacing("90", with: "91")
        try clause.inconclusive("\(control) \(unseen) 1>GET(s1) 1<200(u1 a1 u90 a90)")
        try clause.inconclusive(
            "\(control) \(unseen) 1>GET(s1) 1<200(u1 a1 u90 a90) A+ \(again) A<eof \(kills(20, from: 100, after: "u1 a1 t1 u90 a90 t90 u91 t91=failed"))"
        )
        try clause.inconclusive(
            "\(control) A>chat(c90 s1) A<ack(c90) server!refuseWrites A<done(t90) server!acceptWrites "
                + "1>GET(s1) 1<200(u1 a1 u90 a90)")
    }

    @Test func `PERSIST-1 states its strength`() throws {
        let remarks = try ClauseUnderTest("PERSIST-1", rule: 1).remarks(
            "\(control) \(fault) A<eof \(kills(20, after: faulted))")
        #expect(
            remarks == [
                "20 kills on the bytes of `done`, none lost: at most 15 % of answers lost, with 95 % confidence; "
                    + "writes failed once: no `done`"
            ])
        #expect(
            try ClauseUnderTest("PERSIST-1", rule: 1).remarks("\(control) \(kills(4, losing: 3))")
                == ["4 kills on the bytes of `done`, 1 of them lost the answer"])
        #expect(try ClauseUnderTest("PERSIST-1", rule: 1).remarks(control) == [])
    }

    @Test func `PERSIST-1 says all that the proof lacks, and what asks for it`() throws {
        let clause = ClauseUnderTest("PERSIST-1", rule: 1)
        func actual(_ notation: String) throws -> String? { try clause.findings(notation).first?.actual }
        #expect(try actual(control) == "no failed write; no kill of 20 on the bytes of `done`")
        #expect(
            try actual("\(control) \(fault) A<eof \(kills(1, after: faulted))")
                == "writes failed once without `done`; 1 of 20 kills on the bytes of `done` (--kills 20 asks for as many)"
        )
        #expect(try actual("\(control) \(kills(20))") == "no failed write; 20 kills on the bytes of `done`")
        let torn = kills(20).replacing("A<done(t5)", with: "")
        #expect(
            try actual("\(control) \(torn)")?.hasSuffix("of 20 (--kills 40 asks for more)") == true,
            "what told nothing is made up for")
        let unseen = "A>chat(c90 s1) A<ack(c90) server!refuseWrites A<done(t90) server!kill server!start"
        #expect(
            try actual("\(control) \(unseen) 1>GET(s1) 1<200(u1 a1 u90 a90)")
                == "a store that the fault does not reach; no kill of 20 on the bytes of `done`")
    }

    @Test func `PERSIST-1 a response means durable`() throws {
        let clause = ClauseUnderTest("PERSIST-1", rule: 2)
        let killed = "1>POST(c1) server!kill(exchange=next bytes='HTTP/1.1 200') 1<200(t1) server!start 2>GET(s1)"
        func rounds(_ count: Int) -> String {
            (1...count).map { turn in
                "1>POST(c\(turn)) server!kill(exchange=next bytes='HTTP/1.1 200') 1<200(t\(turn) s\(turn)) server!start "
                    + "2>GET(s\(turn)) 2<200(u\(turn) a\(turn))"
            }.joined(separator: " ")
        }
        try clause.conforms(rounds(20))
        try clause.inconclusive(rounds(19))
        try clause.inconclusive("\(killed) 2<200(u1 a1)")
        try clause.violates("\(killed) 2<200(u1)^", also: ["TURN-7"])
        try clause.violates("\(killed) 2<404(session_not_found)^")
        try clause.violates(
            "1>POST(c1) 1<200(t1) server!kill server!start 2>GET(s1) 2<200(u1)^", also: ["TURN-7"])
        try clause.violates(
            "server!refuseWrites 1>POST(c1) 1<200(t1) server!kill server!start 2>GET(s1) 2<404(session_not_found)^")
        try clause.untested("1>POST(c1) 1<200(t1) server!kill server!start 2>GET(s1) 2<200(u1 a1)")  // long after it
        try clause.untested(
            "1>POST(c1) server!kill(exchange=next bytes='HTTP/1.1 200') 1<failed server!start 2>GET(s1) 2<200(u1)")
        try clause.untested("1>POST(c1) 1<200(t1) 2>GET(s1) 2<200(u1 a1)")
    }

    @Test func `PERSIST-3 failed storing is told`() throws {
        let clause = ClauseUnderTest("PERSIST-3")
        let asked = "\(control) A>chat(c2 s1) A<ack(c2) server!refuseWrites"
        try clause.conforms("\(asked) A<error(persist_failed t2) server!acceptWrites")
        try clause.conforms(
            "\(control) server!refuseWrites A>chat(c2 s1) A<error(persist_failed c2) server!acceptWrites")
        try clause.conforms("\(asked) A<close(1011)")
        try clause.conforms("\(asked) A<eof server!exit(signal=SIGXFSZ) server!start")
        try clause.violates("\(asked) A<error(internal t2)^ server!acceptWrites")
        try clause.violates("\(asked) A<error(agent_failed t2)^ server!acceptWrites")
        try clause.violates("\(asked) +31s^ server!acceptWrites", also: ["TURN-3"])
        try clause.untested("\(asked) server!acceptWrites A<error(internal t2)")
        try clause.untested("\(asked) +29s server!acceptWrites")
        try clause.untested("\(asked) server!kill A<eof server!start")
        // What is killed right after an error may have been about to leave.
        try clause.untested("\(asked) A<error(internal t2) server!kill A<eof server!start")
        try clause.violates(
            "\(asked) A<error(internal t2)^ 9>GET(s1) 9<200(u1 a1 t1 u2 t2=failed) server!kill A<eof server!start")
        try clause.conforms("\(asked) A<error(internal t2) A<close(1011) server!kill A<eof server!start")
        try clause.untested("\(control) server!refuseWrites A>chat(c2 s1) A<error(busy c2) server!acceptWrites")
        // A question that met the fault itself.
        let unasked = "\(control) server!refuseWrites A>chat(c2 s1)"
        try clause.violates("\(unasked) A<error(internal c2)^ server!acceptWrites")
        try clause.conforms("\(unasked) A<close(1011)")
        // Over REST, to wait no longer is no end by the server.
        let posted = "\(control) server!refuseWrites 2>POST(c2 s1)"
        try clause.conforms("\(posted) 2<failed('closed')")
        try clause.violates("\(posted) +41s^ 2<failed('late')", also: ["REST-8"])
        try clause.conforms("\(unasked) A<error(internal c2) A<close(1011)")
        try clause.untested("\(control) A>chat(c2 s1) server!refuseWrites A<error(internal c2) server!acceptWrites")
        let plain = ClauseUnderTest("PERSIST-3", hasScriptedAgent: false)
        try plain.untested("\(asked) A<error(agent_failed t2) server!acceptWrites")
    }

    @Test func `PERSIST-4 turns complete again`() throws {
        let clause = ClauseUnderTest("PERSIST-4")
        let repaired = "\(control) \(fault) A>chat(c3 s1)"
        try clause.conforms("\(repaired) A<ack(c3) A<done(t3)")
        try clause.conforms("\(repaired) A<error(persist_failed c3) A>chat(c4 s1) A<ack(c4) A<done(t4)")
        try clause.conforms("\(control) \(fault) 2>POST(c3 s1) 2<200(t3)")
        try clause.violates("\(repaired) A<error(persist_failed c3)^")
        try clause.violates("\(repaired) A<ack(c3) A<error(persist_failed t3)^")
        try clause.violates("\(repaired) A<ack(c3) +31s^", also: ["TURN-3"])
        let two = "\(repaired) A>chat(c4 s1) A<error(persist_failed c3)"
        try clause.untested("\(two) A<ack(c4)")  // it may still succeed
        try clause.violates("\(two) A<error(persist_failed c4)^")
        try clause.violates("\(repaired) A<error(persist_failed c3)^ B+ B>chat(c4 s1) B!cut")  // it never will
        try clause.violates("\(repaired) A<eof^")
        try clause.violates("\(control) \(fault) 2>POST(c3 s1) 2<500(persist_failed c3)^")
        let died =
            "\(control) A>chat(c2 s1) A<ack(c2) server!refuseWrites A<eof server!exit(signal=SIGXFSZ) server!start"
        try clause.conforms("\(died) A+ A>chat(c3 s1) A<ack(c3) A<done(t3)")
        try clause.violates("\(died) A+ A>chat(c3 s1) A<ack(c3) A<error(persist_failed t3)^")
        try clause.untested("\(control) \(fault)")
        try clause.untested("\(repaired) A<error(rate_limited c3)")
        try clause.untested("\(repaired) A<ack(c3) server!kill A<eof server!start")
        // The next fault may hold it back, from the time at which it may have begun.
        try clause.untested("\(repaired) A<error(persist_failed c3) server!refuseWrites(took=2000)")
        try clause.violates("\(repaired) A<error(persist_failed c3)^ +1s server!refuseWrites(took=2000)")
        try clause.untested(
            "\(repaired) A<ack(c3) server!refuseWrites +31s server!acceptWrites", also: ["PERSIST-3", "TURN-3"])
        try clause.untested("A+ \(fault) A>chat(c3 s1) A<error(persist_failed c3)")  // it never worked
        // What is too large says nothing of the storage.
        let large = "\(control) \(fault) B+(maxFrameBytes=20) B>chat(c3 s1) B<close(1009)"
        try clause.untested(large)
        try clause.violates(
            "\(large)^".replacing("maxFrameBytes=20", with: "maxFrameBytes=2000"), also: ["ENV-7", "LIVE-10"])
    }

    @Test func `PERSIST-5 a crash harms nothing`() throws {
        let clause = ClauseUnderTest("PERSIST-5")
        let killed = "\(control) A>chat(c2 s1) A<ack(c2) A<eof server!kill server!start 1>GET(s1)"
        try clause.conforms("\(killed) 1<200(u1 a1 u2)")
        try clause.violates("\(killed) 1<200(u1 u2)^", also: ["PERSIST-1", "TURN-7"])
        try clause.violates("\(killed) 1<200(u1 a1='cut sh' u2)^", also: ["ENV-6"])
        try clause.violates("\(killed) 1<200(a1 u1 u2)^", also: ["ORDER-1"])
        try clause.violates("\(killed) 1<404(session_not_found)^", also: ["PERSIST-1", "TURN-2"])
        try clause.violates("\(killed) 1<500(internal)^")
        try clause.conforms("\(control) A<eof server!exit(signal=SIGSEGV) server!start 1>GET(s1) 1<200(u1 a1)")
        try clause.conforms(
            "\(control) server!stop A<close(1001) server!exit(code=0) server!start 1>GET(s1) 1<200(u1 a1)")
        try clause.untested("A+ A>chat(c1) server!kill A<eof server!start 1>GET(s1) 1<404(session_not_found)")
        try clause.untested(control)
    }

    @Test func `PERSIST-5 a crash takes nothing that was gone before`() throws {
        let clause = ClauseUnderTest("PERSIST-5")
        let shown = "A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1)"
        let crash = "server!kill A<eof server!start 3>GET(s1) 3<404(session_not_found)"
        try clause.violates("\(shown) \(crash)^", also: ["PERSIST-1", "TURN-2"])
        try clause.violates(
            "\(shown) 2>GET(s1) 2<404(session_not_found)^ \(crash)", also: ["PERSIST-1"])
        // A file that is written anew while the disk takes nothing is empty, crash or no crash.
        let refused = "server!refuseWrites A>chat(c2 s1) A<error(persist_failed c2) server!acceptWrites"
        try clause.untested("\(shown) \(refused) \(crash)", also: ["PERSIST-1", "TURN-2"])
        let other = "server!refuseWrites A>chat(c2) A<error(persist_failed c2) server!acceptWrites"
        try clause.violates("\(shown) \(other) \(crash)^", also: ["PERSIST-1", "TURN-2"])
        // Also where the kill comes before the disk is back.
        let running = "\(shown) A>chat(c2 s1) A<ack(c2) server!refuseWrites"
        let told = "\(running) A<error(persist_failed t2)"
        try clause.untested("\(told) \(crash)", also: ["PERSIST-1", "TURN-2"])
        try clause.violates("\(running) \(crash)^", also: ["PERSIST-1", "TURN-2"])
        // What a read still shows behind the error was not lost to the disk.
        try clause.violates("\(told) 2>GET(s1) 2<200(u1 a1 t1 u2 t2=failed) \(crash)^", also: ["PERSIST-1", "TURN-2"])
    }

    @Test func `PERSIST-6 a crash hides nothing that was hidden before`() throws {
        let clause = ClauseUnderTest("PERSIST-6")
        let shown = "A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET(s1) 1<200(u1 a1)"
        let crash = "A>chat(c2) A<ack(c2 s2) A<done(t2 s2) server!kill A<eof server!start"
        let gone = "3>GET(s1) 3<404(session_not_found)"
        try clause.violates("\(shown) \(crash) \(gone)^", also: ["PERSIST-1", "PERSIST-5", "TURN-2"])
        try clause.untested(
            "\(shown) 2>GET(s1) 2<404(session_not_found) \(crash) \(gone)",
            also: ["PERSIST-1", "PERSIST-5"])
        let refused = "server!refuseWrites A>chat(c3 s1) A<error(persist_failed c3) server!acceptWrites"
        try clause.untested("\(shown) \(refused) \(crash) \(gone)", also: ["PERSIST-1", "TURN-2"])
        try clause.violates("\(shown) \(crash) 3>GET 3<200(s2)^")
        try clause.conforms(
            "\(shown) 4>GET 4<200(s1) \(refused) \(crash) 3>GET 3<200(s2)")
    }

    @Test func `PERSIST-6 other sessions survive`() throws {
        let clause = ClauseUnderTest("PERSIST-6")
        let killed =
            "\(control) A>chat(c2) A<ack(c2 s2) A<done(t2 s2) A>chat(c3 s2) A<ack(c3 s2) server!kill A<eof server!start"
        try clause.conforms("\(killed) 1>GET 1<200(s2 s1)")
        try clause.conforms("\(killed) 1>GET(s1) 1<200(u1 a1)")
        try clause.violates("\(killed) 1>GET 1<500(internal)^", also: ["PERSIST-7"])
        try clause.violates("\(killed) 1>GET 1<200(s2)^")
        try clause.violates("\(killed) 1>GET(s1) 1<500(internal)^", also: ["PERSIST-5"])
        try clause.violates(
            "\(killed) 1>GET(s1) 1<404(session_not_found)^", also: ["PERSIST-5", "PERSIST-1", "TURN-2"])
        try clause.untested("\(killed) 1>GET(s2) 1<500(internal)")  // the session of the crash
        try clause.untested("\(killed) 1>GET(s1) 1<401(not_authenticated)")
        try clause.untested("\(control) A<eof server!kill server!start 1>GET(s1) 1<200(u1 a1)")
    }
}
