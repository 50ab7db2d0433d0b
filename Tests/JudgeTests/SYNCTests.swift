import TestSupport
import Testing

@Suite struct SYNCTests {
    /// A turn with two numbered frames, a cut, and the same device again.
    private let seen = "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2)"

    @Test func `SYNC-1 connected states the position`() throws {
        let clause = ClauseUnderTest("SYNC-1")
        try clause.conforms(seen)
        try clause.conforms("\(seen) B!cut C+(e2 #0)")  // a new epoch begins anew
        try clause.conforms("A+(e1 #0) B>open B<open B>auth A<message(u9 #1) B<connected(e1 #0)")  // it may overtake
        try clause.violates("A+(e1 #0) A<message(u9 #3) A!cut B+(e1 #2)^")
        try clause.violates("A+(e1)^")
        try clause.untested("A>open A<open A>auth")
    }

    @Test func `SYNC-2 each sync has one answer`() throws {
        let clause = ClauseUnderTest("SYNC-2")
        let asked = "A+(e1 #0) A>sync(e1 #0)"
        try clause.conforms("\(asked) A<syncResult(e1 #0 complete)")
        try clause.conforms("\(asked) A>sync(e1 #0) A<syncResult(e1 #0 complete) A<syncResult(e1 #0 complete)")
        try clause.violates("\(asked) +10s^")
        try clause.violates("\(asked) A<syncResult(e1 #0 complete) A<syncResult(e1 #0 complete)^")
        try clause.untested("\(asked) +9s")
        try clause.untested("\(asked) A!cut +30s")
        try clause.untested("A+(e1 #0) A>sync(lastSeqSeen=-1) A<error(bad_request) +30s")
    }

    @Test func `SYNC-3 complete means whole`() throws {
        let clause = ClauseUnderTest("SYNC-3")
        let asked = "\(seen) B>sync(e1 #0)"
        try clause.conforms("\(asked) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        try clause.conforms("\(asked) B<syncResult(e1 #2 evicted)", also: ["SYNC-7"])  // no lie
        try clause.conforms("\(seen) B>sync(e1 #1) B<syncResult(e1 #2 complete)[done(t1 #2)]")
        try clause.violates("\(asked) B<syncResult(e1 #2 complete)[done(t1 #2)]^", also: ["SYNC-7"])
        try clause.violates(
            "\(asked) B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)] B>sync(e1 #1) B<syncResult(e1 #2 complete)^",
            also: ["SYNC-7"])
        try clause.untested(asked)
    }

    @Test func `SYNC-7 heartbeats take no places`() throws {
        let clause = ClauseUnderTest("SYNC-7")
        let bound = "replayMessages=3"
        let pings = "A>ping(n1) A<pong(n1) A>ping(n2) A<pong(n2) A>ping(n3) A<pong(n3)"
        let idle = "A+(e1 #0 \(bound)) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) \(pings)"
        try clause.conforms("\(idle) A>sync(e1 #0) A<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        try clause.violates("\(idle) A>sync(e1 #0) A<syncResult(e1 #2 evicted)[done(t1 #2)]^")
        try clause.violates("\(idle) A>sync(e1 #0) A<syncResult(e1 #2 evicted)^")
        // Another person's frames fill a buffer that all share.
        let shared =
            idle.replacing(
                "A<toolUse(t1 #1)", with: "A<toolUse(t1 #1) B+(p2 e2 #0) B>chat(c2) B<ack(c2) B<toolUse(t2 #1)")
            + " B<toolUse(t2 #2) B<done(t2 #3)"
        try clause.violates("\(shared) A>sync(e1 #0) A<syncResult(e1 #2 evicted)[done(t1 #2)]^")
    }

    @Test func `SYNC-4 missed rises from the position`() throws {
        let clause = ClauseUnderTest("SYNC-4")
        try clause.conforms("\(seen) B>sync(e1 #1) B<syncResult(e1 #2 complete)[done(t1 #2)]")
        try clause.conforms("\(seen) B>sync(e1 #2) B<syncResult(e1 #2 complete)")
        try clause.conforms("\(seen) B>sync(e9 #1) B<syncResult(e1 #2 epoch_changed)")
        try clause.violates("\(seen) B>sync(e9 #1) B<syncResult(e1 #2 epoch_changed)[done(t1 #2)]^")
        try clause.violates("\(seen) B>sync(e1 #1) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]^")
        let asked = "\(seen) B>sync(e1 #0)"
        try clause.conforms("\(asked) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        try clause.violates("\(asked) B<syncResult(e1 #2 complete)[done(t1 #2) toolUse(t1 #1)]^")
        let page = "B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)]"
        try clause.untested("\(asked) \(page)")
        try clause.conforms("\(asked) \(page) B>sync(e1 #1) B<syncResult(e1 #2 complete)[done(t1 #2)]")
        try clause.untested("A+(e1 #0) A>sync(e1 #0) A<syncResult(e1 #0 complete)")
    }

    @Test func `ORDER-7 a replay is as first sent`() throws {
        let clause = ClauseUnderTest("ORDER-7")
        let asked = "\(seen) B>sync(e1 #1)"
        try clause.conforms("\(asked) B<syncResult(e1 #2 complete)[done(t1 #2)]")
        try clause.violates("\(asked) B<syncResult(e1 #2 complete)[done(t1 #2 'answer 1…')]^")
        try clause.violates("\(asked) B<syncResult(e1 #2 complete)[done(t1 #2 c1)]^")
        try clause.untested("\(asked) B<syncResult(e1 #2 complete)", also: ["SYNC-3", "SYNC-7"])
    }

    @Test func `SYNC-6 another epoch is told`() throws {
        let clause = ClauseUnderTest("SYNC-6")
        let asked = "\(seen) B>sync(e9 #1)"
        try clause.conforms("\(asked) B<syncResult(e1 #2 epoch_changed)")
        try clause.violates("\(asked) B<syncResult(e1 #2 complete)[done(t1 #2)]^", also: ["SYNC-4"])
        try clause.violates("\(asked) B<syncResult(e1 #2 evicted)^")
        try clause.untested("\(seen) B>sync(e1 #2) B<syncResult(e1 #2 complete)")
    }

    @Test func `SYNC-6 a position without epoch is never whole`() throws {
        let clause = ClauseUnderTest("SYNC-6")
        try clause.conforms("\(seen) B>sync(#1) B<syncResult(e1 #2 epoch_changed)[done(t1 #2)]")
        try clause.conforms("\(seen) B>sync(#1) B<syncResult(e1 #2 unknown_position)")
        try clause.violates("\(seen) B>sync(#1) B<syncResult(e1 #2 complete)[done(t1 #2)]^")
        try clause.untested("\(seen) B>sync(#0) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
    }

    @Test func `SYNC-6 a future position is told`() throws {
        let clause = ClauseUnderTest("SYNC-6")
        try clause.conforms("\(seen) B>sync(e1 #7) B<syncResult(e1 #2 unknown_position)")
        try clause.violates("\(seen) B>sync(e1 #7) B<syncResult(e1 #2 complete)^")
        try clause.untested("\(seen) B>sync(e1 #2) B<syncResult(e1 #2 complete)")
    }

    @Test func `SYNC-6 eviction is told`() throws {
        let clause = ClauseUnderTest("SYNC-6")
        let small = "A+(e1 #0 replayMessages=1) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A>sync(e1 #0)"
        try clause.conforms("\(small) A<syncResult(e1 #2 evicted)[done(t1 #2)]")
        try clause.violates("\(small) A<syncResult(e1 #2 unknown_position)[done(t1 #2)]^")
        try clause.violates("\(small) A<syncResult(e1 #2 complete)[done(t1 #2)]^", also: ["SYNC-3"])
        let brief = "A+(e1 #0 replaySeconds=2) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) +3s A>sync(e1 #0)"
        try clause.conforms("\(brief) A<syncResult(e1 #2 evicted)")
        try clause.violates("\(brief) A<syncResult(e1 #2 complete)^", also: ["SYNC-3"])
        try clause.untested("\(small) A<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")  // it may keep more
        // A page tells what is gone before it, whether or not the next one is asked for.
        try clause.conforms("\(small) A<syncResult(e1 #2 evicted more)[done(t1 #2)]")
        try clause.violates("\(small) A<syncResult(e1 #2 too_many more)[done(t1 #2)]^")
        // So many came after it, whether or not the page has them.
        let two = "A+(e1 #0 replayMessages=2) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<toolUse(t1 #2) A<done(t1 #3)"
        try clause.conforms("\(two) A>sync(e1 #0 limit=1) A<syncResult(e1 #3 evicted more)[toolUse(t1 #2)]")
        try clause.violates("\(two) A>sync(e1 #0 limit=1) A<syncResult(e1 #3 too_many more)[toolUse(t1 #2)]^")
    }

    @Test func `SYNC-7 promised frames are replayed`() throws {
        let clause = ClauseUnderTest("SYNC-7")
        let asked = "\(seen) B>sync(e1 #0)"
        try clause.conforms("\(asked) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        try clause.conforms(
            "\(asked) B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)] B>sync(e1 #1) B<syncResult(e1 #2 complete)[done(t1 #2)]"
        )
        try clause.violates("\(asked) B<syncResult(e1 #2 evicted)[done(t1 #2)]^")
        try clause.violates(
            "\(asked) B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)] B>sync(e1 #1) B<syncResult(e1 #2 evicted)^",
            also: ["SYNC-7"])
        let old = "A+(e1 #0 replaySeconds=60) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) +59s A>sync(e1 #0)"
        try clause.untested("\(old) A<syncResult(e1 #2 evicted)")  // too near the bound to prove anything
        try clause.untested("A+(e1 #0) A>sync(e1 #0) A<syncResult(e1 #0 complete)")
    }

    @Test func `SYNC-7 counts from the newest frame, also on a page`() throws {
        let clause = ClauseUnderTest("SYNC-7")
        let bound = "replayMessages=2"
        let four = "A<toolUse(t1 #1) A<done(t1 #2) A>chat(c2 s1) A<ack(c2) A<toolUse(t2 #3) A<done(t2 #4)"
        let asked = "A+(e1 #0 \(bound)) A>chat(c1) A<ack(c1) \(four) A!cut B+(e1 #4 \(bound)) B>sync(e1 #0)"
        try clause.conforms("\(asked) B<syncResult(e1 #4 evicted more)[toolUse(t2 #3)]")
    }

    /// Two answers of 600,000 bytes each, of which the newer one and its question are promised.
    private let long: (asked: String, answer: String) = {
        let text = String(repeating: "x", count: 600_000)
        let first = "A+(e1 #0) A>chat(c1) A<ack(c1) A<message(u1 #1) A<done(t1 #2 '\(text)')"
        return ("\(first) A>chat(c2 s1) A<ack(c2) A<message(u2 #3) A<done(t2 #4 '\(text)') A>sync(e1 #0)", text)
    }()

    @Test func `SYNC-7 the newest million bytes are promised, and no more`() throws {
        let clause = ClauseUnderTest("SYNC-7")
        let done = "done(t2 #4 '\(long.answer)')"
        try clause.conforms("\(long.asked) A<syncResult(e1 #4 evicted)[message(u2 #3) \(done)]")
        try clause.violates("\(long.asked) A<syncResult(e1 #4 evicted)[\(done)]^")
        try clause.violates("\(long.asked) A<syncResult(e1 #4 evicted)^")
        // What nobody was shown may have filled the rest.
        let hole = long.asked.replacing("A<message(u2 #3) ", with: "").replacing("A<message(u1 #1) ", with: "")
        try clause.conforms("\(hole) A<syncResult(e1 #4 evicted)[\(done)]")
        let cut = String(repeating: "x", count: 400_000)
        let short = "\(hole) A<syncResult(e1 #4 evicted)[\(done)]".replacing(cut, with: "")
        try clause.violates("\(short)^")
    }

    @Test func `SYNC-6 what no longer fits is told`() throws {
        let clause = ClauseUnderTest("SYNC-6")
        let done = "done(t2 #4 '\(long.answer)')"
        try clause.conforms("\(long.asked) A<syncResult(e1 #4 evicted)[message(u2 #3) \(done)]")
        try clause.violates(
            "\(long.asked) A<syncResult(e1 #4 complete)[message(u2 #3) \(done)]^", also: ["SYNC-3"])
        // It may keep more.
        let whole = "[message(u1 #1) done(t1 #2 '\(long.answer)')]"
        try clause.untested("\(long.asked) A<syncResult(e1 #4 too_many more)\(whole)")
    }

    @Test func `SYNC-7 zero is before the first frame`() throws {
        let clause = ClauseUnderTest("SYNC-7")
        try clause.conforms("\(seen) B>sync(#0) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        try clause.violates("\(seen) B>sync(#0) B<syncResult(e1 #2 unknown_position)^")
        try clause.violates("\(seen) B>sync(#0) B<syncResult(e1 #2 evicted)^")
    }

    @Test func `SYNC-8 nothing replayed comes live`() throws {
        let clause = ClauseUnderTest("SYNC-8")
        let running = "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A!cut B+(e1 #1) B>sync(e1 #0)"
        try clause.conforms("\(running) B<syncResult(e1 #1 complete)[toolUse(t1 #1)] B<done(t1 #2)")
        try clause.conforms("\(running) B<syncResult(e1 #1 complete)[toolUse(t1 #1)] B<done(t1 #9)")
        try clause.violates(
            "\(running) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)] B<done(t1 #2)^")
        try clause.untested("\(running) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        try clause.untested("\(running) B<done(t1 #2) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        try clause.violates("\(running) B<done(t1 #2) B<syncResult(e1 #1 complete)[toolUse(t1 #1)]^")
    }

    @Test func `SYNC-8 nothing falls between replay and live`() throws {
        let clause = ClauseUnderTest("SYNC-8")
        let asked = "B>sync(e1 #0) B<syncResult(e1 #0 complete)"
        let both = "A+(e1 #0) B+(e1 #0) \(asked) A>chat(c1) A<ack(c1) B<message(u1 #1)"
        try clause.conforms("\(both) A<toolUse(t1 #2) B<toolUse(t1 #2) B<done(t1 #3) A<done(t1 #3)")
        try clause.violates("\(both) A<toolUse(t1 #2) A<done(t1 #3) B<done(t1 #3)^", also: ["TURN-10"])
        try clause.violates("\(both) A<toolUse(t1 #2) +30s^", also: ["TURN-3"])
        try clause.violates("\(both) A<toolUse(t1 #2) B>sync(e1 #1) B<syncResult(e1 #2 complete)[toolUse(t1 #2)]^")
        try clause.conforms("\(both) B!cut A<toolUse(t1 #2) A<done(t1 #3)")
        try clause.conforms("\(both) A<toolUse(t1 #2)")  // it may still come
    }

    @Test func `SYNC-9 lastSeq covers all`() throws {
        let clause = ClauseUnderTest("SYNC-9")
        try clause.conforms("\(seen) B>sync(e1 #1) B<syncResult(e1 #2 complete)[done(t1 #2)]")
        try clause.conforms("\(seen) B>sync(e1 #1) B<syncResult(e1 #9 complete)[done(t1 #2)]")  // holes are legal
        try clause.violates("\(seen) B>sync(e1 #1) B<syncResult(e1 #1 complete)[done(t1 #2)]^")
        try clause.violates(
            "\(seen) B>sync(e1 #2) B<syncResult(e1 #1 unknown_position)^")
        try clause.untested("A+(e1 #0) A>sync(e1 #0) A<syncResult(e1 #0 complete)")
    }

    @Test func `AUTH-6 another principal's frames are not replayed`() throws {
        let clause = ClauseUnderTest("AUTH-6", rule: 3, profiles: [.core, .auth, .sync])
        let two = "A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #1) B+(p2 e7 #0) B>chat(c2) B<ack(c2 s2) B<done(t2 s2 #1)"
        try clause.conforms("\(two) A>sync(e1 #0) A<syncResult(e1 #1 complete)[done(t1 #1)]")
        try clause.violates("\(two) B>sync(e7 #0) B<syncResult(e7 #2 complete)[done(t2 s2 #1) done(t1 #2)]^")
        try clause.untested("\(seen) B>sync(e1 #0) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
    }

    @Test func `SYNC-7 a done that nobody saw is replayed`() throws {
        let clause = ClauseUnderTest("SYNC-7", rule: 2)
        let away = "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A!cut B+(e1 #2) B>sync(e1 #1)"
        try clause.conforms("\(away) B<syncResult(e1 #2 complete)[done(t1 #2)]")
        try clause.untested("\(away) B<syncResult(e1 #1 complete) B<done(t1 #2)")  // it had not ended yet
        try clause.violates(
            "A+(e1 #0) A>chat(c1) A<ack(c1) A!cut B+(e1 #2) B>sync(e1 #0) B<syncResult(e1 #2 complete) "
                + "B>chat(c2 s1) B<ack(c2) B<done(t2 #3)^")
        // One that failed owes none.
        try clause.untested(
            "A+(e1 #0) A>chat(c1) A<ack(c1) A!cut B+(e1 #2) B>sync(e1 #0) "
                + "B<syncResult(e1 #2 complete)[error(agent_failed t1 #2)] B>chat(c2 s1) B<ack(c2) B<done(t2 #3)")
        try clause.untested("\(seen) B>sync(e1 #2) B<syncResult(e1 #2 complete)")
        // One that nobody saw may have left the buffer.
        func small(_ messages: Int) -> String {
            let limit = "replayMessages=\(messages)"
            return "A+(e1 #0 \(limit)) A>chat(c1) A<ack(c1) A!cut B+(e1 #3 \(limit)) B>sync(e1 #0) "
                + "B<syncResult(e1 #3 complete)[toolUse(t9 s9 #3)] B>chat(c2 s1) B<ack(c2) B<done(t2 #4)"
        }
        try clause.untested(small(1))
        try clause.violates(small(2) + "^")
    }

    @Test func `SYNC-10 a newer connection is undisturbed`() throws {
        let clause = ClauseUnderTest("SYNC-10")
        let both = "A+(e1 #0) B+(e1 #0) B>chat(c1) B<ack(c1) A!cut"
        try clause.conforms("\(both) B<done(t1 #1)")
        try clause.violates("\(both) B<close(1001)^")
        try clause.violates("\(both) +40s^", also: ["TURN-3"])
        // A turn whose time was up before was not disturbed by that.
        try clause.untested("\(both.replacing("A!cut", with: "+40s A!cut")) +40s", also: ["TURN-3", "TURN-11"])
        try clause.untested("\(both) B!cut B<eof")
        // A process that ends by itself ends both.
        let older = both.replacing("A!cut", with: "A<eof B<eof")
        try clause.untested("\(older) server!exit(code=1)")
        try clause.violates("\(older.replacing("B<eof", with: "B<eof^"))", also: ["LIVE-10"])
        // A turn that a crash broke ends nowhere.
        try clause.untested(
            "A+(e1 #0) A>chat(c1) A<ack(c1) server!kill A<eof server!start A+(e2 #0) B+(e2 #0) A!cut +40s")
        try clause.untested("A+(e1 #0) B+(e1 #0) B!cut A>chat(c1) A<ack(c1) A<done(t1 #1)")
    }

    @Test func `SYNC-11 a limit is kept`() throws {
        let clause = ClauseUnderTest("SYNC-11")
        try clause.conforms("\(seen) B>sync(e1 #0 limit=1) B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)]")
        try clause.violates("\(seen) B>sync(e1 #0 limit=1) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]^")
        try clause.untested("\(seen) B>sync(e1 #1 limit=1) B<syncResult(e1 #2 complete)[done(t1 #2)]")
    }

    @Test func `TURN-8 broken turns end in the stream`() throws {
        let clause = ClauseUnderTest("TURN-8", rule: 2, profiles: [.core, .sync])
        let broken = "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) server!kill A<eof server!start"
        let back = "\(broken) B+(e1 #2) B>sync(e1 #0)"
        try clause.conforms("\(broken) B+(e2 #0)")
        try clause.conforms("\(back) B<syncResult(e1 #2 complete)[toolUse(t1 #1) error(interrupted t1 #2)]")
        try clause.conforms("\(back) B<syncResult(e1 #2 complete)[toolUse(t1 #1) done(t1 #2)]")
        let bare = "\(broken) B+(e1 #1) B>sync(e1 #0) B<syncResult(e1 #1 complete)[toolUse(t1 #1)]"
        try clause.conforms("\(bare) B<error(interrupted t1 #2)")
        try clause.violates("\(bare) +31s^")
        let next = "\(bare) B>chat(c2 s1) B<ack(c2)"
        try clause.violates("\(next) B<done(t2 #2)^")
        try clause.conforms("\(next) B<error(interrupted t1 #2) B<done(t2 #3)")
        try clause.untested(next)
        try clause.untested(bare)
        let pages = "B>sync(e1 #7) B<syncResult(e1 #8 complete)[done(t8 #8)] +31s"
        try clause.violates(
            """
            \(broken) B+(e1 #8) B>sync(e1 #0) B<syncResult(e1 #8 too_many more)[toolUse(t1 #1) done(t7 #7)] \(pages)^
            """)
        // A page reports that the ending left the buffer.
        try clause.untested(
            """
            A+(e1 #0 replayMessages=2) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) server!kill A<eof server!start
            B+(e1 #8 replayMessages=2) B>sync(e1 #0) B<syncResult(e1 #8 evicted more)[done(t7 #7)] \(pages)
            """)
        try clause.untested("\(broken) B+(e1 #1) +31s")
        // Turns of a session may run one after the other, also those that go on after a restart.
        let series = """
            A+(e1 #0) A>chat(c1 s1) A<ack(c1) A<toolUse(t1 #1) A>chat(c2 s1) A<ack(c2) server!kill A<eof server!start
            B+(e1 #1) B>sync(e1 #0) B<syncResult(e1 #1 complete)[toolUse(t1 #1)]
            """
        try clause.conforms("\(series) +29s B<done(t1 #2) +29s B<done(t2 #3)")
        try clause.conforms("\(series) +29s B<done(t1 #2) +29s")
        try clause.violates("\(series) +29s B<done(t1 #2) +31s^")
        try clause.untested("A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #1) server!kill server!start B+(e1 #1)")
        try clause.untested("A+(e1 #0) server!kill server!start B+(e1 #0)")
    }
}
