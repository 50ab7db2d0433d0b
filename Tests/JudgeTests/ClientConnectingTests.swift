import TestSupport
import Testing

/// How a client comes to a connection, and what it says of it.
@Suite struct ClientConnectingTests {
    private let start = "client!launch A+"
    private let away = "client!launch A+ client!background +30s client!foreground"

    @Test func `CLIENT-36 coming to the foreground always reconnects`() throws {
        let clause = ClauseUnderTest("CLIENT-36", rule: 1)
        try clause.conforms("\(away) A>close(1001) B+ client=connected(s1 u1 a1)")
        try clause.conforms("\(away) B+ +5s")  // the old one may stay open for a while
        try clause.conforms("\(start) client!background A!cut(silence) client!foreground +1s B+")
        try clause.conforms(
            "\(start) client!background A<close(1001) A>close(1001) client!foreground B>open B<refused(503)")
        try clause.conforms("\(start) client!background client!openPush(s2) B+")
        try clause.violates("\(away) +2s^")
        try clause.violates("\(away) +3s^ B+")
        try clause.violates("\(start) client!background A<close(1001) client!foreground +2s^")
        try clause.violates("\(start) client!background client!openPush(s2) +2s^")
        try clause.violates("\(away) B+ client!background client!foreground +2s^")
        try clause.untested(start)
        try clause.untested("client!launch client!foreground A+ +5s")
        try clause.untested("\(away) +1s")
        try clause.untested("\(away) +1s client!background +5s")
        try clause.untested("\(start) client!background client!networkDown client!foreground +5s")
        try clause.untested("\(start) client!background A<close(4001) client!foreground +5s")
    }

    @Test func `CLIENT-36 an old connection is used no more`() throws {
        let clause = ClauseUnderTest("CLIENT-36", rule: 2)
        try clause.conforms("\(away) A>close(1001) B+ B>chat(c1) B<ack(c1)")
        try clause.conforms("\(start) client!background A>close(1001) client!foreground B+")
        try clause.conforms("\(away) A>ping(n1) B+ B>chat(c1) B<ack(c1)")  // it was on its way
        // Sent before it left, and the absence was short.
        try clause.conforms(
            "\(start) client!send(c1) client!background client!foreground A>chat(c1) B+ B>chat(c1)")
        try clause.violates("\(start) client!send(c1) client!background +3s client!foreground A>chat(c1)^ B+")
        try clause.violates("\(away) B+ client!send(c1) A>chat(c1)^ A<ack(c1)")
        try clause.violates("\(away) B+ +5s A>ping(n1)^")
        try clause.violates("\(away) A>sync(e1 #0)^", also: ["CLIENT-15"])
        try clause.untested("\(away) +1s")
        try clause.untested("client!launch client!background client!foreground A+")
        try clause.untested("\(start) client!background A!cut client!foreground B+")  // nothing was left to use
        try clause.untested("\(start) A>chat(c1) A<ack(c1)")
    }

    @Test func `CLIENT-36 the first connection is kept`() throws {
        let clause = ClauseUnderTest("CLIENT-36", rule: 3)
        try clause.conforms("\(start) client!foreground +2s")
        try clause.conforms("client!launch client!foreground A+ +2s")
        try clause.conforms("\(start) client!foreground +2s A>close(1001) B+")  // much later, for reasons of its own
        try clause.violates("\(start) client!foreground A>close(1001)^ B+ +2s")
        try clause.violates("\(start) client!foreground A<eof^ B+ +2s")
        try clause.violates("\(start) client!foreground B>open^ B<open B>auth B<connected +2s")
        try clause.violates("client!launch client!foreground A+ A>close(1001)^ B+ +2s")
        try clause.violates("\(start) client!foreground +2s client!quit client!launch B+ client!foreground C>open^ +2s")
        try clause.untested("\(start) client!foreground A<close(1012) B+ +2s")
        try clause.untested("\(start) client!foreground +1s")
        try clause.untested("\(start) client!background client!foreground B+ +2s")
        try clause.untested("client!launch A>open A<refused(503) client!foreground B+ +2s")
        // A connection that is not greeted in time is none.
        let pending = "client!launch A>open A<open A>auth"
        try clause.untested("\(pending) +9s client!foreground +1s A>close(1001) B+ +2s")
        try clause.violates("\(pending) +8s client!foreground +1s A>close(1001)^ B+ +2s")
        // It may come as it is given up.
        try clause.untested("\(pending) +14s client!foreground +1s A<connected A>close(1001) B+ +2s")
        try clause.violates("\(pending) +7s client!foreground +1s A<connected A>close(1001)^ B+ +2s")
        // Who offers another version after a refusal has another first connection.
        let refused = """
            client!launch A>open A<open A>auth(protocol=2)
            A<`{"type":"error","error":"no","code":"unsupported_version","supported":[1]}` A<close(4010) B+
            """
        try clause.conforms("\(refused) client!foreground +2s")
        try clause.violates("\(refused) client!foreground B>close(1001)^ C+ +2s")
    }

    @Test func `CLIENT-23 connected is shown when it was told`() throws {
        let clause = ClauseUnderTest("CLIENT-23")
        let pending = "client!launch A>open A<open A>auth"
        try clause.conforms("\(pending) client=connecting A<connected client=connected")
        try clause.conforms("\(pending) client=offline A<connected")
        try clause.conforms("\(start) A!cut B>open B<open B>auth +1s client=connecting B<connected client=connected")
        try clause.violates("\(pending) client=connected^ A<connected")
        try clause.violates("client!launch client=connected^")
        try clause.violates("client!launch A>open A<refused(503) client=connected^")
        try clause.violates("\(start) A!cut B>open B<open B>auth +1s client=connected^ B<connected")
        try clause.violates("\(away) B>open B<open B>auth +1s client=connected^ B<connected")
        try clause.violates("\(start) client!quit client!launch B>open B<open client=connected^ B>auth B<connected")
        try clause.untested("\(start) client=connected")
        // It keeps one while it makes another.
        try clause.untested("\(start) B>open B<open B>auth +1s client=connected")
        try clause.untested("\(start) A!cut client=connected B>open B<open client=connected")  // asked a moment before
        try clause.untested("client!launch client=connecting A+")
        // A handshake that the network swallowed is given up with the next attempt, which was greeted.
        let swallowed = "client!launch A>open A<open A>auth +500ms client!networkDown A!cut(silence) client!networkUp"
        try clause.untested("\(swallowed) B+ B!cut +1s client=connected")
        try clause.violates("\(swallowed) B>open B<open B>auth +1s client=connected^")
    }

    /// Attempts that are refused, so many milliseconds apart.
    private func refusals(_ waits: [Int], from letter: Int = 0) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let lanes = waits.indices.map { letters[(letter + $0) % letters.count] }
        return zip(lanes, waits).map { "\($0)>open \($0)<refused(503) +\($1)ms" }.joined(separator: " ")
    }

    @Test func `CLIENT-1 attempts are bounded`() throws {
        let clause = ClauseUnderTest("CLIENT-1")
        try clause.conforms("client!launch \(refusals([500, 1000, 2000, 4000, 8000, 16000, 30000]))")
        try clause.conforms("client!launch \(refusals(Array(repeating: 3100, count: 20)))")
        try clause.conforms(
            "client!launch A+ A!cut \(refusals([500, 1000, 2000, 4000, 8000, 16000, 30000], from: 1)) Z+")
        let busy = refusals(Array(repeating: 1000, count: 21))
        try clause.violates("client!launch \(busy) V>open^ V<open V<close(1011)")
        try clause.untested("client!launch \(refusals(Array(repeating: 1000, count: 20))) V>open V<open V<close(1011)")
        try clause.violates(
            "client!launch \(refusals(Array(repeating: 100, count: 21))) V>open^ V<refused W>open W<refused")
        try clause.violates(
            "client!launch A+ A<close(1013) \(refusals(Array(repeating: 9, count: 20), from: 1)) V>open^")
        // Whatever a connection brought, and whoever ended it.
        func short(_ count: Int, _ frames: String, _ ending: String = "<close(1011)") -> String {
            Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ").prefix(count).map { lane in
                "\(lane)+ \(lane)>chat(c2 s1) \(frames.replacing("-", with: "\(lane)<")) \(lane)\(ending) +1s"
            }.joined(separator: " ")
        }
        let typed = "client!launch client!send(c2)"
        let all = [("", "<close(1011)"), ("-pong", "!cut"), ("-done(t9 s9)", "!cut"), ("", ">close(1000)")]
        for (frames, ending) in all {
            try clause.violates("\(typed) \(short(21, frames, ending)) V>open^")
        }
        try clause.conforms("\(typed) \(short(20, "-done(t9 s9)", "!cut")) +28s V>open V<refused +28s W>open")
        // What the person or the system brings about is not its own.
        let away = Array("ABCDEFGHIJKLMNOPQRSTUVWXY").map {
            "\($0)+ client!networkDown \($0)!cut +1s client!networkUp"
        }
        try clause.untested("client!launch \(away.joined(separator: " ")) Z+ +60s")
        // The minute is not over.
        try clause.untested("client!launch \(refusals([500, 1000, 2000])) U+ V>open V<refused")
        try clause.untested(start + " +60s")
        try clause.untested("client!launch \(refusals([500, 1000]))")
    }

    @Test func `CLIENT-1 what fails is not hammered`() throws {
        let clause = ClauseUnderTest("CLIENT-1")
        func reads(_ count: Int, every pause: String, _ answer: String = "503") -> String {
            (1...count).map { "\($0)>GET(s1) \($0)<\(answer) +\(pause)" }.joined(separator: " ")
        }
        let shown = "client!launch A+ client=connected(s1)"
        try clause.conforms("\(shown) \(reads(21, every: "3s"))")
        try clause.violates("\(shown) \(reads(21, every: "1s")) 22>GET(s1)^ 22<503")
        let answered = reads(21, every: "1s", "200(u1 a1)")
        try clause.untested("\(shown) \(answered) 22>GET(s1) 22<200(u1 a1) +60s", also: ["CLIENT-25"])
        try clause.untested("\(shown) \(reads(2, every: "1s"))")
        let asked = "\(shown) client!send(c2)"
        func sends(_ count: Int, every pause: String) -> String {
            (1...count).map { _ in "A>chat(c2 s1) A<error(busy c2) +\(pause)" }.joined(separator: " ")
        }
        try clause.conforms("\(asked) \(sends(20, every: "4s"))")
        try clause.violates("\(asked) \(sends(21, every: "1s")) A>chat(c2 s1)^")
        // The person asked for each.
        try clause.untested(
            "\(shown) " + (1...22).map { "client!selectSession(s1) \($0)>GET(s1) \($0)<503 +1s" }.joined(separator: " ")
                + " +60s")
    }

    @Test func `CLIENT-1 remarks a loop without a pause`() throws {
        let clause = ClauseUnderTest("CLIENT-1")
        let refused = "client!launch \(refusals([500, 1000, 2000, 4000, 8000, 16000, 30000]))"
        let busy = try clause.remarks("\(refused) client!act(name='processorTime' milliseconds=60000)")
        #expect(busy == ["the client used 97 % of a processor for 61 s, as a loop without a pause does"])
        #expect(try clause.remarks("\(refused) client!act(name='processorTime' milliseconds=900)") == [])
        #expect(try clause.remarks(refused) == [])
    }

    @Test func `CLIENT-2 waits vary`() throws {
        let clause = ClauseUnderTest("CLIENT-2")
        func launches(_ first: [Int], _ second: [Int], mark: String = "") -> String {
            "client!launch \(refusals(first)) F>open F<refused client!quit client!launch \(refusals(second, from: 10)) "
                + "P>open\(mark) P<refused"
        }
        try clause.conforms(launches([500, 1000, 2000, 4000, 8000], [400, 1100, 1700, 4400, 7000]))
        try clause.conforms(launches([500, 1000, 2000, 4000, 8000], [500, 1000, 2000, 4000, 9000]))
        try clause.warns(launches([500, 1000, 2000, 4000, 8000], [500, 1000, 2000, 4000, 8000], mark: "^"))
        try clause.warns(launches([500, 1000, 2000, 4000, 8000], [510, 1010, 2050, 3900, 8100], mark: "^"))
        // One launch shows it as well, whatever a late machine made of the other.
        let even = Array(repeating: 2000, count: 7)
        try clause.warns("client!launch \(refusals(even)) Z>open^ Z<refused")
        try clause.warns("client!launch \(refusals([1980, 2010, 2050, 2000, 1990, 2030, 1960])) Z>open^ Z<refused")
        try clause.warns(
            "client!launch \(refusals([130, 142, 173, 505, 128])) F>open F<refused client!quit "
                + "client!launch \(refusals(even, from: 10)) Z>open^ Z<refused")
        try clause.untested("client!launch \(refusals([2000, 2000, 2000, 2200, 2000, 2000, 2000])) Z>open Z<refused")
        try clause.untested("client!launch \(refusals(Array(even.dropLast()))) Z>open Z<refused")
        try clause.untested("client!launch \(refusals([500, 1000, 2000, 4000, 8000]))")
        try clause.untested(
            "client!launch \(refusals([500, 1000])) client!quit client!launch \(refusals([500, 1000], from: 5))")
    }

    @Test func `CLIENT-37 attempts go on`() throws {
        let clause = ClauseUnderTest("CLIENT-37")
        try clause.conforms("client!launch \(refusals(Array(repeating: 29_000, count: 12))) Z+")
        try clause.violates("client!launch client=connecting +32s^")
        try clause.untested("client!launch client=connecting +31s")
        try clause.untested("client!launch client!background +40s")
        try clause.untested("client!launch +40s client!hang(command='launch')")  // no app was started
        try clause.untested("client!networkDown client!launch client=offline +40s")
        for code in [1001, 1006, 1011, 1012, 1013] {
            try clause.conforms("\(start) A<close(\(code)) A>close(\(code)) +20s B+")
            try clause.violates("\(start) A<close(\(code)) A>close(\(code)) +32s^")
        }
        try clause.conforms("\(start) A!cut(rst) +20s B+")
        try clause.conforms("\(start) A<eof +20s B+")  // it ended the connection by itself
        try clause.violates("client!launch \(refusals(Array(repeating: 10_000, count: 9))) K>open K<refused +32s^")
        try clause.violates("\(start) A!cut(rst) +40s^ B+")
        try clause.violates("client!launch A>open A<open A>auth A<close(1011) A>close +32s^")
        try clause.untested("\(start) A!cut(silence) +60s")  // it cannot know
        try clause.untested("\(start) A<close(4001) A>close +60s")
        try clause.untested("\(start) client!background A!cut +60s")
        try clause.untested("\(start) A!cut client!networkDown +60s")
        try clause.untested("\(start) B>open B<refused +60s")  // it has another
        try clause.untested("client!launch A>open +60s")
        try clause.untested("\(start) A!cut +20s")
    }

    @Test func `CLIENT-37 the waits are short again after a good connection`() throws {
        let clause = ClauseUnderTest("CLIENT-37")
        try clause.conforms("\(start) +1min A!cut(rst) +9s B+")
        try clause.violates("\(start) +1min A!cut(rst) +12s^ B+")
        try clause.conforms("\(start) +50s A!cut(rst) +20s B+")
        try clause.untested("\(start) +1min A<close(4001) A>close +12s")
        // The end of the last process may be recorded after the start of the next one, which owes nothing for it.
        try clause.untested("\(start) +1min client!quit client!launch A<eof +12s")
        try clause.violates("\(start) +1min A<eof +12s^")
    }

    @Test func `CLIENT-37 the network's return reconnects`() throws {
        let clause = ClauseUnderTest("CLIENT-37")
        let down = "\(start) client!networkDown A!cut(silence) +30s client!networkUp"
        try clause.conforms("\(down) +1s B+")
        try clause.conforms("\(down) B>open B<refused(503)")
        try clause.violates("\(down) +2s^ B+")
        try clause.violates("\(start) client!networkDown B>open B<refused client!networkUp +2s^")
        try clause.untested("\(start) client!networkUp +5s")
        try clause.untested("\(down) +1s")
        try clause.untested("\(start) client!background client!networkDown client!networkUp +5s")
        try clause.untested("\(start) A<close(4010) client!networkDown client!networkUp +5s")
    }

    @Test(arguments: [4001, 4010])
    func `CLIENT-3 a terminal close is final`(_ code: Int) throws {
        let clause = ClauseUnderTest("CLIENT-3")
        let closed = "client!launch A>open A<open A>auth A<error(auth_failed) A<close(\(code)) A>close(\(code))"
        try clause.conforms("\(closed) +1min")
        try clause.conforms("\(closed) +1min client!background client!foreground B+")
        try clause.violates("\(closed) +1s B>open^ B<open B>auth")
        if code == 4001 { try clause.violates("\(closed) +30s B>open^ B<refused +1min") }
        try clause.untested("\(closed) +30s")
        try clause.untested("\(closed) +30s client!background client!foreground B+ +1min")
        // The return of the network brings no credentials.
        try clause.violates("\(closed) +30s client!networkDown client!networkUp B>open^ B<open B>auth")
        try clause.untested("\(closed) +30s client!networkDown client!networkUp client!quit client!launch B+")
        try clause.untested("\(closed) client!networkDown client!networkUp B>open B<open B>auth")
        try clause.untested("\(start) A<close(4002) B+ +1min")
    }

    @Test func `CLIENT-3 another version is offered once`() throws {
        let clause = ClauseUnderTest("CLIENT-3")
        func refused(_ lane: String, _ version: Int, _ supported: String) -> String {
            let error = #"{"type":"error","error":"no","code":"unsupported_version","supported":\#(supported)}"#
            return "\(lane)>open \(lane)<open \(lane)>auth(protocol=\(version)) \(lane)<`\(error)` \(lane)<close(4010)"
        }
        let launch = "client!launch"
        try clause.conforms("\(launch) \(refused("A", 2, "[1]")) B+ A!cut")
        try clause.conforms("\(launch) \(refused("A", 3, "[1,2]")) \(refused("B", 2, "[1]")) C+")
        try clause.conforms("\(launch) \(refused("A", 2, "[1]")) +1min")  // it need not
        try clause.violates("\(launch) \(refused("A", 1, "[1]")) +1s B>open^ B<open B>auth")
        try clause.violates("\(launch) \(refused("A", 2, "[1]")) B>open^ B<open B>auth(protocol=2)")
        try clause.violates("\(launch) \(refused("A", 1, "[7]")) B>open^ B<open B>auth")
        try clause.violates("\(launch) \(refused("A", 2, "[]")) B>open^ B<open B>auth")
        try clause.untested("\(launch) \(refused("A", 2, "[1]")) B>open B<open")
        // Where nothing is listed, each version may be offered once.
        let bare = "\(launch) A>open A<open A>auth(protocol=2) A<error(unsupported_version) A<close(4010)"
        try clause.conforms("\(bare) B+ A!cut")
        try clause.violates("\(bare) B>open^ B<open B>auth(protocol=2)")
        // A deploy may take back the version that was spoken, and bring it again.
        let deployed = "\(launch) \(refused("A", 2, "[1]")) B+ B!cut \(refused("C", 2, "[1]"))"
        try clause.conforms("\(deployed) D+ D!cut")
        try clause.violates("\(deployed) \(refused("D", 1, "[2]")) E>open^ E<open E>auth(protocol=2)")
        // Who was greeted with another version is not away: it comes back like anybody.
        let met = "\(launch) \(refused("A", 2, "[1]")) B+ B!cut"
        try ClauseUnderTest("CLIENT-37").violates("\(met) +32s^")
        try ClauseUnderTest("CLIENT-37").untested("\(launch) \(refused("A", 2, "[1]")) +32s")
    }

    @Test func `CLIENT-4 silence ends the connection`() throws {
        let clause = ClauseUnderTest("CLIENT-4", rule: 1)
        let asked = "\(start) client!send(c1) A>chat(c1)"
        try clause.conforms("\(asked) +15s 1>POST(c1) 1<200(t1)")
        try clause.conforms("\(asked) +15s A>close(1001) B+ B>chat(c1) B<ack(c1)")
        try clause.conforms("\(asked) +1s 1>POST(c1) 1<200(t1)")  // sooner is legal
        try clause.conforms("\(asked) A<toolUse(t7 s2) +15s B+ B>chat(c1) B<ack(c1)")  // another turn is no answer
        try clause.conforms("\(start) A!cut(silence) client!send(c1) +15s 1>POST(c1) 1<200(t1)")
        try clause.violates("\(asked) +17s^")
        try clause.violates("\(asked) A<toolUse(t7 s2) +17s^")
        try clause.violates("\(asked) +18s^ 1>POST(c1) 1<200(t1)")
        try clause.violates("\(asked) +15s 1>POST(c1) 1<200(t1) +10s client!send(c2) A>chat(c2)^ A<ack(c2)")
        try clause.violates("\(start) A!cut(silence) client!send(c1) +17s^")
        try clause.untested("\(asked) A<ack(c1) +60s")
        // Nor is what the person opens meanwhile a reaction.
        try clause.untested("\(asked) client!selectSession(s2) 1>GET(s2) 1<200(u8) +60s")
        try clause.conforms("\(asked) client!selectSession(s2) 1>GET(s2) 1<200(u8) +13s B+ B>chat(c1) B<ack(c1)")
        // A session that the person opens is read whatever the connection does.
        try clause.untested(
            "\(asked) 1>GET(s1) 1<200(u8) A<error(bad_request c1) +20s client!send(c2) A>chat(c2) A<ack(c2)")
        // Nor is a read a reaction to a silence when it shows the message.
        try clause.untested("\(asked) 1>GET(s1) 1<200(u1) +20s A>ping A<pong")
        try clause.violates("\(asked) 1>GET(s1) 1<200(u8) +20s A>ping^ A<pong")
        try clause.untested("\(asked) A<error(busy c1) +60s")
        // A replay on the same connection shows it as well.
        let synced = "client!launch A+(e1 #0) client=connected client!send(c1) A>sync(e1 #0) A>chat(c1)"
        try clause.untested("\(synced) A<syncResult(e1 #1 complete)[message(u1 c1 #1)] +17s")
        try clause.violates("\(synced) A<syncResult(e1 #1 complete)[message(u1 c8 #1)] +17s^")
        try clause.untested("\(asked) A<ack(c1) A<toolUse(t1) +60s")
        try clause.untested("\(asked) A!cut +60s", also: ["CLIENT-37"])
        try clause.untested("\(asked) client!background +60s")
        try clause.untested("\(asked) +10s")
        try clause.untested("\(start) client!networkDown A!cut(silence) client!send(c1) +60s")
    }

    @Test func `CLIENT-33 troubles are told apart`() throws {
        let clause = ClauseUnderTest("CLIENT-33")
        let down = "\(start) client!networkDown A!cut(silence)"
        try clause.conforms("\(down) +2s client=offline")
        try clause.conforms("client!launch A>open A<open A>auth +2s client=connecting")
        let refused =
            "client!launch A+ A!cut B>open B<refused(503) 1>GET(s1) 1<200(u1 a1) 2>GET(s1) 2<200(u1 a1) +2s"
        try clause.conforms("\(refused) client=degraded(s1 u1 a1)")
        try clause.conforms("\(refused) C>open client=connecting(s1 u1 a1)")
        try clause.conforms("\(refused) C>open C<refused(503) client=connecting(s1 u1 a1)")  // it has hardly ended
        try clause.warns("\(refused) C>open C<refused(503) +1s client=connecting(s1 u1 a1)^")
        try clause.warns("\(down) +2s client=connecting^")
        try clause.warns("\(down) +2s client=degraded^")
        try clause.warns("\(refused) client=offline(s1 u1 a1)^")
        try clause.warns("\(refused) client=connecting(s1 u1 a1)^")
        // Who still waits for a read, or was refused one, does not know that reads work.
        let waiting = refused.replacing("+2s", with: "3>GET(s2) +2s")
        try clause.conforms("\(waiting) client=connecting(s1 u1 a1)")
        try clause.conforms("\(waiting) client=degraded(s1 u1 a1)")
        try clause.warns("\(waiting) client=offline(s1 u1 a1)^")
        try clause.warns("\(waiting.replacing("+2s", with: "3<200(u2 a2) +2s")) client=connecting(s1 u1 a1)^")
        let older = refused.replacing("A!cut", with: "3>GET(s2) A!cut")
        try clause.conforms("\(older.replacing("+2s", with: "+2s 3<failed('gone')")) client=connecting(s1 u1 a1)")
        try clause.warns("\(older.replacing("+2s", with: "+2s 3<200(u2 a2)")) client=connecting(s1 u1 a1)^")
        try clause.warns("client!launch A>open A<open A>auth +2s client=offline^")
        // Who waits for its first read polls, too.
        let silent = "client!launch A+ A!cut B>open B<open B>auth"
        try clause.conforms("\(silent) 1>GET +2s client=degraded")
        try clause.warns("\(silent) +2s client=degraded^")
        // An error does not end it.
        try clause.conforms("\(silent) 1>GET 1<503 +2s client=degraded")
        // Who is launched without a network is told nothing of it.
        let relaunched = "\(down) client!quit client!launch(fresh=false) +2s"
        try clause.untested("\(relaunched) client=connecting")
        try clause.warns("\(relaunched) client!networkDown +2s client=connecting^")
        try clause.untested("\(start) client=connected")
        try clause.untested("\(down) client=connected")  // told a moment ago
        try clause.untested("client!launch A+ A!cut B>open B<refused(503) 1>GET(s1) 1<200(u1 a1) +2s client=connecting")
        try clause.untested("client!launch A>open A<open A>auth A<close(4001) +2s client=offline")
    }

    @Test func `CLIENT-40 messages come without a socket`() throws {
        let clause = ClauseUnderTest("CLIENT-40")
        let lost = "\(start) client=connected(s1 u1 a1) A!cut B>open B<refused(503) server!elsewhere(s1 a2)"
        try clause.conforms(
            "\(lost) +20s 1>GET(s1) 1<200(u1 a1 a2) client=degraded(s1 u1 a1 a2) +20s", also: ["CLIENT-37"])
        try clause.warns("\(lost) +37s client=degraded(s1 u1 a1)^", also: ["CLIENT-37"])
        try clause.warns(
            "\(lost) +20s 1>GET(s1) 1<200(u1 a1 a2) +20s client=connecting(s1 u1 a1)^",
            also: ["CLIENT-37", "CLIENT-25"])
        try clause.untested("\(lost) +20s client=degraded(s1 u1 a1)")
        try clause.untested("\(lost) C+ +37s client=connected(s1 u1 a1)", also: ["CLIENT-18"])
        try clause.untested("\(lost) client!background +37s client=degraded(s1 u1 a1)")
        try clause.untested("\(lost) 1>GET(s1) 1<failed('reset') +37s client=degraded(s1 u1 a1)", also: ["CLIENT-37"])
        try clause.untested(
            "\(start) client=connected(s2 u9) A!cut server!elsewhere(s1 a2) +37s client=degraded(s2 u9)",
            also: ["CLIENT-37"])
    }
}
