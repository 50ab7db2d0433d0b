import Holdfast
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

@Suite struct SilenceTests {
    @Test func `a finding tells what shows only that time had passed from what it is about`() throws {
        func evidence(of clause: ClauseID, in notation: String) throws -> [[Int]] {
            let subject = History.Subject(name: "sample", role: .server, profiles: [.core, .sync])
            let history = try NotationExpansion(notation, header: History.Header(subject: subject)).history
            let verdicts = judge(history, under: try SourceTree.specification())
            let finding = try #require(verdicts.first { $0.clause == clause }?.findings.first)
            let (evidence, proof) = (finding.events.filter { $0 != finding.proof }, finding.proof.map { [$0] } ?? [])
            return [evidence, proof].map { $0.map { $0 - finding.events[0] } }
        }
        let (ping, turn) = (ClauseID(.LIVE, 1), ClauseID(.TURN, 1))
        #expect(try evidence(of: ping, in: "A+ A>ping(n1) A<pingFrame +20s B+") == [[0], [2]])
        #expect(try evidence(of: ping, in: "A+ A>ping(n1) A<eof") == [[0, 1], []], "an end without an answer")
        #expect(try evidence(of: turn, in: "A+ A>chat(c1) +1min A<ack(c1)") == [[0, 2], []], "the late answer itself")
        #expect(try evidence(of: turn, in: "A+ A>chat(c1) +1min B+") == [[0], [1]])
    }

    @Test func `AUTH-4 silent sockets are closed`() throws {
        let clause = ClauseUnderTest("AUTH-4")
        let silent = "A>open A<open"
        try clause.conforms("\(silent) +10s A<close(4002)")
        try clause.conforms("\(silent) +5s A<pingFrame A>pongFrame +5s A<error(auth_timeout) A<close(4002)")
        try clause.conforms("\(silent) +14s A<close(4002)")
        try clause.violates("\(silent) +9s A<close(4002)^")
        try clause.violates("\(silent) +10s A<close(1008)^")
        try clause.violates("\(silent) +10s A<close^")
        try clause.violates("\(silent) +10s A<eof^")
        try clause.violates("\(silent) +16s A<close(4002)^")
        try clause.violates("\(silent) +15s^")
        try clause.violates("\(silent) A>pingFrame A<pongFrame +15s^")
        try clause.untested("\(silent) +12s")
        try clause.untested("\(silent) +10s A<close(1012)")
        try clause.untested("\(silent) A>auth A<connected +20s")
        // Who says something else has said no auth either; a server may end it for what was said.
        try clause.violates("\(silent) +9s A>ping(n1) A<error(not_authenticated) +6s^")
        try clause.violates("\(silent) +9s A>ping(n1) A<error(not_authenticated) +7s A<close(4002)^")
        try clause.conforms("\(silent) +9s A>ping(n1) A<error(not_authenticated) +1s A<close(4002)")
        try clause.untested("\(silent) A>ping(n1) A<error(not_authenticated) A<close(1008)")
        try clause.untested("\(silent) A!cut +20s")
        try clause.untested("\(silent) +1s server!stop A<close(1001)")
        try clause.untested("A>open A<refused(401)")
    }

    @Test func `LIVE-2 silent peers are let go`() throws {
        let clause = ClauseUnderTest("LIVE-2")
        let mute = "A+(heartbeatSeconds=5) A!mute A<pingFrame"
        try clause.conforms("\(mute) +10s A<eof")
        try clause.conforms("\(mute) +14s A<close(4004)")
        for code in [1000, 1008, 1011] { try clause.violates("\(mute) +14s A<close(\(code))^") }
        try clause.violates("\(mute) +14s A<close(1001)^ A!wentOn")  // the server did not stop
        try clause.conforms("\(mute) +14s A<close(4001)", also: ["LIVE-9"])  // for another reason
        try clause.conforms("\(mute) +20s A<eof")  // seen late, within the bound of an end
        try clause.untested("\(mute) +4s A<close(1000)", also: ["LIVE-10"])
        try clause.violates("A+(heartbeatSeconds=5) +4s A!mute A<pingFrame +6s A<close(1000)^")
        try clause.violates("\(mute) +31s^ A<eof")
        try clause.violates("\(mute) +30s^")
        try clause.conforms("A+(heartbeatSeconds=5) A!mute +4s A>ping(n1) A<pong(n1) +5s A<pingFrame +5s A<eof")
        try clause.untested("\(mute) +20s")
        try clause.violates("\(mute) +30s^ A>ping(n1) A<pong(n1)")  // it lives, and should not
        try clause.untested("\(mute) +10s A<close(1012)")
        try clause.untested("\(mute) +10s A!cut +60s")
        try clause.untested("A+(heartbeatSeconds=5) A<pingFrame A>pongFrame +60s")
        try clause.untested("A+ A!mute +60s")  // 30 s where nothing is told
        try clause.violates("A+ A!mute +105s^")
        try clause.untested("A+(heartbeatSeconds=5) A!mute A!stopReading +60s")
        try clause.untested("A+")
    }

    @Test func `LIVE-3 idle peers are kept`() throws {
        let clause = ClauseUnderTest("LIVE-3")
        func beats(_ count: Int) -> String {
            Array(repeating: "+5s A<pingFrame A>pongFrame", count: count).joined(separator: " ")
        }
        let idle = "A+(heartbeatSeconds=5)"
        try clause.conforms("\(idle) \(beats(4)) A>ping(n1) A<pong(n1)")
        try clause.conforms("\(idle) \(beats(4)) A<done(t9)")
        try clause.violates("\(idle) +5s A<close(4004)^")
        try clause.violates("\(idle) \(beats(4)) A<close(4004)^")
        let asking = Array(repeating: "+5s A>pingFrame A<pongFrame", count: 4).joined(separator: " ")
        try clause.conforms("\(idle) \(asking) A>ping(n1) A<pong(n1)")
        try clause.violates("\(idle) \(beats(3)) A<eof^")
        try clause.violates("\(idle) \(beats(3)) A<close(1000)^")
        try clause.violates("\(idle) \(beats(2)) A<close(4002)^")
        try clause.violates("B+(heartbeatSeconds=5) B!mute B<pingFrame \(idle) \(beats(2)) B<eof A<eof^", also: [])
        try clause.untested("\(idle) \(beats(2)) A>ping(n1) A<pong(n1)")  // not long enough
        try clause.untested("\(idle) \(beats(3)) A<close(1012)")
        try clause.untested("\(idle) \(beats(3)) A<close(1012) A!wentOn", also: ["LIVE-10"])
        try clause.untested("\(idle) \(beats(3)) server!stop A<close(1001)")
        try clause.untested("\(idle) server!refuseWrites \(beats(3)) A<close(1011)")  // it could not store something
        try clause.untested("\(idle) +5s A<pingFrame +15s A<eof")  // it was asked, and gave no sign of life
        try clause.violates("\(idle) +20s A<eof^")  // nobody asked for one
        try clause.untested("\(idle) A!mute \(beats(3)) A<eof")
        try clause.untested("\(idle) \(beats(1)) +20s A>ping(n1) A<pong(n1)")  // silent in between
        try clause.untested("A+ \(beats(4)) A>ping(n1) A<pong(n1)")  // 30 s where nothing is told
        try clause.untested(idle)
    }

    @Test func `LIVE-3 the heartbeat is the one that the server tells, or that is told of it`() throws {
        let clause = ClauseUnderTest("LIVE-3")
        let idle = "A+ \(Array(repeating: "+5s A<pingFrame A>pongFrame", count: 4).joined(separator: " "))"
        let (kept, ended) = ("\(idle) A>ping(n1) A<pong(n1)", "\(idle) A<eof^")
        try clause.limited(to: ["heartbeatSeconds": 5]).conforms(kept)
        try clause.untested(kept)
        try clause.limited(to: ["heartbeatSeconds": 60]).untested(kept)
        try clause.limited(to: ["heartbeatSeconds": 60]).untested("\(idle) A<eof", also: ["LIVE-10"])
        try clause.limited(to: ["heartbeatSeconds": 5]).violates(ended)
        try clause.limited(to: ["heartbeatSeconds": 60]).conforms(kept.replacing("A+", with: "A+(heartbeatSeconds=5)"))
    }

    @Test func `LIVE-3 a machine that was late may have been late with a pong`() throws {
        let idle = "A+(heartbeatSeconds=5) +5s A<pingFrame A>pongFrame +5s A<pingFrame A>pongFrame"
        let late = ClauseUnderTest("LIVE-3", lateness: [History.Lateness(from: 3_000_000, to: 4_000_000, slowness: 5)])
        for end in ["eof", "close(4004)"] { try late.untested("\(idle) A<\(end)") }
        try late.violates("\(idle) A<close(1000)^")
        try late.violates("A+(heartbeatSeconds=5) +10s A<close(4004)^")  // nobody asked for one
        try late.untested("A+(heartbeatSeconds=5) +5s A<pingFrame +5s A<close(4004)")
        // It answered what it says it did not hear.
        try late.violates("\(idle) A>pingFrame A<pongFrame +1s A<eof^")
        // Its greeting was sent long before it arrived.
        let greeted = "A>open A<open A>auth +4s A<connected(heartbeatSeconds=2) A<pingFrame A>pongFrame A<close(4004)"
        try late.untested(greeted)
        try ClauseUnderTest("LIVE-3").violates("\(greeted)^")
        try late.violates("\(idle) +5s A<pingFrame A>pongFrame +5s A<pingFrame A>pongFrame +5s A<eof^")
        try ClauseUnderTest("LIVE-3").violates("\(idle) A<eof^")
    }

    @Test func `LIVE-10 who has just answered a client was not waiting for a sign of it`() throws {
        let idle = "A+(heartbeatSeconds=5) +5s A<pingFrame A>pongFrame +5s A<pingFrame A>pongFrame"
        let late = ClauseUnderTest("LIVE-10", lateness: [History.Lateness(from: 3_000_000, to: 4_000_000, slowness: 5)])
        try late.untested("\(idle) A>ping(n1) A<eof")
        try late.violates("\(idle) A>ping(n1) A<pong(n1) A<eof^")
    }

    @Test func `a bound passes more slowly while the machine is late`() throws {
        // Ten seconds that count as one.
        let late = ClauseUnderTest(
            "LIVE-1", lateness: [History.Lateness(from: 0, to: 10_000_000, slowness: 10)])
        try late.conforms("A+ A>ping +9s A<pong")
        try late.untested("A+ A>ping +9s")
        try late.violates("A+ A>ping +15s^")
        try ClauseUnderTest("LIVE-1").violates("A+ A>ping +9s^")
    }
}
