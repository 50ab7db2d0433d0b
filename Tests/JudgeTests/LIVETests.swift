import TestSupport
import Testing

@Suite struct LIVETests {
    @Test func `LIVE-1 pings are answered`() throws {
        let clause = ClauseUnderTest("LIVE-1")
        try clause.conforms("A+ A>ping(n1) A<pong(n1)")
        try clause.conforms("A+ A>ping A<pong A>ping A<pong")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A>ping(n1) A<toolUse(t1) A<pong(n1) A<done(t1)")
        try clause.conforms("A+ A>ping(n1) A>ping(n2) A<pong(n2) A<pong(n1)")
        try clause.violates("A+ A>ping(n1) +5s^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A>ping(n1) A<toolUse(t1) +5s^ A<done(t1)")
        try clause.violates("A+ A>ping(n1) +6s A<pong(n1)^")
        try clause.violates("A+ B+ A>ping(n1) B<pong(n1) +5s^")  // answered, but to somebody else
        try clause.violates("A+ A>ping(n1) A>ping(n2) A<pong(n2) +5s^")
        try clause.untested("A+ A>ping(n1) +4s")
        try clause.untested("A+ A>ping(n1) A!cut +5s")
        try clause.untested("A+ A>ping(n1) A!stopReading +5s")
        try clause.untested("A+ A>ping(n1) A<close(1012)")
        try clause.untested("A+")
    }

    @Test func `LIVE-1 nonces are repeated`() throws {
        let clause = ClauseUnderTest("LIVE-1")
        try clause.conforms("A+ A>ping(n1='') A<pong(n1='')")
        try clause.conforms("A+ A>ping A>ping(n1) A<pong A<pong(n1)")
        try clause.violates("A+ A>ping(n1) A<pong^")
        try clause.violates("A+ A>ping(n1) A<pong(n2)^")
        try clause.violates("A+ A>ping(n1='e\u{301}') A<pong(n1='\u{e9}')^")  // normalized
        try clause.violates("A+ A>ping(n1) A<pong(n1) A>ping(n2) A<pong(n1)^")
        try clause.untested("A+ A<pong(n1)")
    }

    @Test func `LIVE-4 WebSocket pings are answered`() throws {
        let clause = ClauseUnderTest("LIVE-4")
        try clause.conforms("A+ A>pingFrame A<pongFrame")
        try clause.conforms("A>open A<open A>pingFrame A<pongFrame")
        try clause.conforms("A+ A>pingFrame A>pingFrame A<pongFrame +5s")  // one pong for both
        try clause.violates("A+ A>pingFrame +5s^")
        try clause.violates("A+ A<pongFrame A>pingFrame +5s^")  // one that nobody asked for
        try clause.violates("A+ A>pingFrame A>ping(n1) A<pong(n1) +5s^")
        try clause.untested("A+ A>pingFrame +4s")
        try clause.untested("A+ A>pingFrame A!cut +5s")
        try clause.untested("A+ A>ping(n1) A<pong(n1)")
    }

    @Test func `LIVE-6 other versions are refused`() throws {
        let clause = ClauseUnderTest("LIVE-6")
        for version in [2, 3, 999] {
            let asked = "A>open A<open A>auth(protocol=\(version))"
            try clause.conforms("\(asked) A<error(unsupported_version) A<close(4010)")
            try clause.violates("\(asked) A<connected^")
            try clause.violates("\(asked) A<error(bad_request) A<close(4010)^")
            try clause.violates("\(asked) A<error(unsupported_version) A<close(1008)^")
            try clause.violates("\(asked) A<close(4010)^")
            try clause.violates("\(asked) A<error(unsupported_version) +15s^")
            try clause.untested("\(asked) A<close(1012)")
        }
        try clause.untested(
            "A>open A<open A>auth(protocol=2) A<connected(protocol=2)", also: ["ENV-2"])  // it speaks that one
        try clause.untested("A+")
        try clause.untested(
            "A>open A<open A>auth(protocol=2 -p) A<error(auth_failed) A<close(4001)", profiles: [.core, .auth])
    }

    @Test func `LIVE-7 spoken versions are listed`() throws {
        let clause = ClauseUnderTest("LIVE-7")
        let asked = "A>open A<open A>auth(protocol=2)"
        func refused(_ members: String) -> String {
            #"A<`{"type":"error","error":"no","code":"unsupported_version"\#(members)}`"#
        }
        try clause.conforms("\(asked) \(refused(#","supported":[1]"#)) A<close(4010)")
        try clause.conforms("\(asked) \(refused(#","supported":[1,3]"#)) A<close(4010)")
        try clause.warns("\(asked) \(refused(""))^ A<close(4010)")
        try clause.warns("\(asked) \(refused(#","supported":[]"#))^ A<close(4010)")
        try clause.untested("A+ A>chat(c1) A<error(busy c1)")
    }

    @Test func `LIVE-8 the version asked for is stated`() throws {
        let clause = ClauseUnderTest("LIVE-8")
        try clause.conforms("A+")
        try clause.violates("A>open A<open A>auth A<connected(protocol=2)^", also: ["ENV-2"])
        try clause.violates("A+(-protocol)^", also: ["ENV-2"])
        try clause.untested("A>open A<open A>auth(protocol=2) A<error(unsupported_version) A<close(4010)")
    }

    @Test func `LIVE-9 terminal codes mean what they say`() throws {
        let clause = ClauseUnderTest("LIVE-9")
        try clause.conforms("A+ A<close(1001)")
        try clause.conforms("A+ A>close(1000) A<close(1000)")
        try clause.conforms("A+ A<close(1012) A+ A<close(4002)", also: ["LIVE-10"])
        try clause.violates("A+ A<close(4001)^")
        try clause.violates("A+ A<close(4010)^")
        try clause.violates("A+ A>close(1000) A<close(4001)^")
        try clause.untested("A+ A!cut")
        try clause.violates("A+ A!cut B>open B<refused(403)^ C+")
        try clause.untested("A+ A!cut B>open B<refused(503) C+")
        // Other credentials in the upgrade, or a token in the URL, are refused for that.
        try clause.untested("A+ A!cut B>open(p1='other') B<refused(401) C+")
        try clause.untested("A+ A!cut B>open(path='/ws?token=‹token of p1›') B<refused(401) C+")
        try clause.untested("A+ A!cut B>open B<refused(401)")
        try clause.untested("A+ A<eof", also: ["LIVE-10"])
        try clause.untested("A>open A<open A>auth(protocol=2) A<error(unsupported_version) A<close(4010)")
        try clause.untested(
            "A>open A<open A>auth(-p) A<error(auth_failed) A<close(4001)", profiles: [.core, .auth])
        try clause.untested(
            "A+ A>auth(token='made up') A<error(auth_failed) A<close(4001)", also: ["ENV-3"])  // asked for once more
    }

    @Test func `LIVE-10 connections end for a reason`() throws {
        let clause = ClauseUnderTest("LIVE-10")
        let answered = "A+ A>chat(c1) A<ack(c1) A<done(t1)"
        try clause.conforms("\(answered) A>ping(n1) A<pong(n1)")
        try clause.conforms("\(answered) A>close(1000)")
        try clause.conforms("\(answered) A!cut")
        try clause.violates("\(answered) A<eof^")
        try clause.violates("\(answered) A<eof('reset')^")
        for code in [1000, 1002, 1006, 1011, 3000, 4002] { try clause.violates("\(answered) A<close(\(code))^") }
        try clause.violates("A+ A>ping(n1) A<pong(n1) A<eof^")
        try clause.violates("A+ A<eof^")
        try clause.violates("A+ A>ping(n1) A<pong(n1) +40s A<eof^")  // nobody asked whether the peer lives
        // A restart, an overload, a stop, a kill.
        for code in [1001, 1012, 1013] {
            try clause.untested("\(answered) A<close(\(code))")
            try clause.violates("\(answered) A<close(\(code))^ A!wentOn")
        }
        // An older connection lives on, so the server neither stopped nor restarted.
        try clause.violates("A+ B+ A<close(1001)^ +31s B>ping(n1) B<pong(n1)")
        try clause.conforms("A+ B+ A<close(1001) +29s B>ping(n1) B<pong(n1)")
        try clause.conforms("A+ A<close(1001) B+ +31s B>ping(n1) B<pong(n1)")
        try clause.untested("\(answered) server!stop A<eof", also: ["LIVE-5"])
        try clause.untested("\(answered) server!kill A<eof")
        try clause.untested("\(answered) A<eof server!kill")  // seen first, and a moment later
        try clause.untested("\(answered) A<eof server!exit(code=1)")
        // Silence, a peer that does not read, a full disk.
        try clause.untested("\(answered) A!mute A<pingFrame +60s A<eof")
        try clause.untested("\(answered) A!mute A<pingFrame +60s A<close(4004)")
        try clause.untested("\(answered) A<close(4004)", also: ["LIVE-3"])
        // What the server heard, it heard before that was noted.
        try clause.untested("A+ A!mute A<pingFrame +59s A<eof")
        try clause.untested("\(answered) A!stopReading A<eof")
        try clause.violates("\(answered) A<eof^ A!stopReading")
        try clause.untested("A+ server!refuseWrites A>chat(c1) A<eof server!acceptWrites")
        // Writes that were refused earlier explain no other close than 1011.
        let stored = "A+ A>chat(c1) A<ack(c1) server!refuseWrites A<error(t1 persist_failed) server!acceptWrites"
        try clause.untested("\(stored) A<close(1000)")
        try clause.untested("\(stored) +3s A<close(1011)")
        try clause.violates("\(stored) +3s A<close(1000)^")
        // What other clauses judge.
        try clause.untested("\(answered) A<close(4001)", also: ["LIVE-9"])
        try clause.untested("\(answered) A>`{` A<eof", also: ["ENV-3"])
        try clause.conforms("A+ B+ A>`{` A<error(parse_error) B<eof", also: ["ENV-5"])
        try clause.conforms("A+ A>`{` A<error(parse_error) B+")
        try clause.violates("A+ A>`{` A<error(parse_error) B+ B<eof^")  // greeted, so the frame did not harm it
        // A server that works through what came before a message that is too large has not taken that message.
        let large = "A+(maxFrameBytes=100) A>chat(c1) A>chat(c2 '\(String(repeating: "x", count: 100))') A>ping(n1)"
        try clause.untested("\(large) A<ack(c1) A<close(1009)")
        try clause.violates("\(large) A<pong(n1) A<close(1009)^")
        // Before it was greeted, and at the hands of the stage.
        try clause.untested("A>open A<open A>auth A<eof", also: ["AUTH-1"])
        try clause.untested("A+ A>close(1000) A<eof")
        try clause.untested("A+ A!cut")
    }
}
