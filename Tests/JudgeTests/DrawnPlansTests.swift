import Holdfast
import TestSupport
import Testing

/// What schedules that nobody wrote accused healthy peers of, each beside the breach that is one edit away.
@Suite struct DrawnPlansTests {
    private let keyed: Set<Profile> = [.core, .idempotency]
    private let synced: Set<Profile> = [.core, .idempotency, .sync]

    @Test func `ORDER-5 and ORDER-2 equal questions without a name are told apart by their number`() throws {
        let twice = "1>POST(c1 s1 'same') 1<200(s1 -t) 2>POST(c2 s1 'same') 2<200(s1 -t) 3>GET(s1)"
        let order = ClauseUnderTest("ORDER-5", profiles: [.core])
        try order.conforms("\(twice) 3<200(u1='same' a1 u2='same' a2 -c -t)")
        try order.violates("\(twice) 3<200(u1='same' a1 u2='same' a2 u3='same' -c -t)^")
        let third = twice.replacing("3>GET(s1)", with: "3>POST(c3 s1 'else') 3<200(s1 -t) 4>GET(s1)")
        let place = ClauseUnderTest("ORDER-2", profiles: [.core])
        try place.untested("\(twice) 3<200(u1='same' a1 u2='same' a2 -c -t)")
        let apart = third.replacing("2>POST(c2 s1 'same')", with: "2>POST(c2 s1 'other')")
        try place.conforms("\(apart) 4<200(u1='same' a1 u2='other' a2 u3='else' a3 -c -t)")
        try place.violates("\(apart) 4<200(u2='other' a2 u1='same' a1 u3='else' a3 -c -t)^")
    }

    @Test func `ORDER-6 an end that is seen elsewhere was not late`() throws {
        let clause = ClauseUnderTest("ORDER-6", profiles: keyed)
        let slow = #"A+ B+ A>chat(c1 s1 '{"script":[{"wait":5000},{"reply":"late"}]}') A<ack(c1)"#
        let quick = #"'{"script":[{"reply":"now"}]}'"#
        let asked = "\(slow) B>chat(c2 s2 \(quick)) B<ack(c2 s2)"
        try clause.untested(
            "\(asked) B!cut +5s A<done(t1 'late') 1>POST(c2 s2 \(quick)) 1<200(t2 s2 'now' duplicate)")
        try clause.warns("\(asked) +5s A<done(t1 'late') B<done(t2 s2 'now')^")
    }

    @Test func `ORDER-6 a question that nobody saw answered may have run`() throws {
        let clause = ClauseUnderTest("ORDER-6", profiles: keyed)
        let slow = #"'{"script":[{"wait":3000},{"reply":"late"}]}'"#
        let own = "C>chat(c3 s2 \(slow)) C!cut"
        let asked = "A+ B+ C+ \(own) A>chat(c1 s1 \(slow)) A<ack(c1)"
        let quick = #"1>POST(c2 s2 '{"script":[{"reply":"now"}]}')"#
        let ends = "+3s A<done(t1 'late') 1<200(t2 s2 'now')^"
        try clause.untested("\(asked) \(quick) \(ends.dropLast())")
        try clause.warns("\(asked.replacing("C!cut", with: "C<error(busy c3)")) \(quick) \(ends)")
        // Sent later on another connection, and accepted first.
        let late = "A+ B+ C+ A>chat(c1 s1 \(slow)) A<ack(c1) \(quick)"
        try clause.untested("\(late) \(own) \(ends.dropLast())")
        try clause.warns("\(late) \(ends)")
    }

    @Test func `ORDER-6 an end that nobody read was not late`() throws {
        let clause = ClauseUnderTest("ORDER-6", profiles: keyed)
        let slow = #"'{"script":[{"wait":3000},{"reply":"late"}]}'"#
        let asked = #"A+ B+ A>chat(c1 s1 \#(slow)) A<ack(c1) A>chat(c2 s2 '{"script":[{"reply":"now"}]}') A<ack(c2 s2)"#
        let ends = "B<done(t1 'late') A<done(t2 s2 'now')"
        try clause.untested("\(asked) A!stopReading +3s \(ends)")
        try clause.warns("\(asked) +3s \(ends)^")
        try clause.conforms("\(asked) B<done(t2 s2 'now') +3s \(ends)")
    }

    @Test func `RATE-3 a key that is used again may be that of the question refused`() throws {
        let clause = ClauseUnderTest("RATE-3", profiles: [.core, .rateLimit])
        let asked =
            "server!lend(p1 spent=0) A+(messagesPerMinute=2) A>chat(c1 s1) A<done(s1 -t) A>chat(c2 s1) A<done(s1 -t)"
        try clause.untested("\(asked) A>chat(c1 s1) A<error(rate_limited c1 limit=2)")
        try clause.violates(
            "\(asked.replacing(" A>chat(c2 s1) A<done(s1 -t)", with: "")) A>chat(c3 s1) A<error(rate_limited c3 limit=2)^"
        )
    }

    @Test func `ID-6 and ID-8 a key that was also used in another session`() throws {
        for (id, session) in [("ID-6", "s9"), ("ID-8", "s9='a b'")] {
            let clause = ClauseUnderTest(id, profiles: synced)
            let told = "A+(e1 #0) 1>GET 1<200 B+(e1 #0) B>chat(c1 \(session))"
            try clause.untested("\(told) B>chat(c1) B!cut A<message(u1 t1 c1 #1)")
            try clause.violates("\(told) B!cut A<message(u1 t1 c1 #1)^")
        }
    }

    @Test func `ORDER-7 a frame from before a question is not its own`() throws {
        let clause = ClauseUnderTest("ORDER-7", profiles: [.core])
        let two =
            #"A>chat(c1 s1 '{"script":[{"reply":"one"}]}') A>chat(c2 s2 '{"script":[{"tool":"search"},{"reply":"two"}]}')"#
        try clause.untested("A+ A<toolUse(search s1 -t) \(two)")
        try clause.violates("A+ \(two) A<toolUse(search s1 -t)^")
    }

    @Test func `SYNC-21 a later question may have been accepted first`() throws {
        let clause = ClauseUnderTest("SYNC-21", profiles: synced)
        let asked = "A+(e1 #0) A>chat(c1 s1) A!cut B+(e1 #0)"
        let later = "B>sync(e1 #0) B<syncResult(e1 #0 complete) 1>POST(c2 s1) B<message(u2 #1) B<done(t2 #2)"
        try clause.untested("\(asked) \(later) 1<200(t2) B<message(u1 #3)")
        let acked = asked.replacing("A!cut", with: "A<ack(c1) A!cut")
        try clause.violates("\(acked) \(later)^")
    }

    @Test func `TURN-10 a question that is refused later may have made its session busy`() throws {
        let clause = ClauseUnderTest("TURN-10", profiles: keyed)
        let failed = #"A+ A>chat(c1 s1 '{"script":[{"fail":"no"}]}') A<ack(c1) A<error(agent_failed t1)"#
        let busy = "A>chat(c3 s1) A<error(busy c3)"
        try clause.untested("\(failed) A>chat(c2 s1) \(busy) A<error(persist_failed c2)")
        try clause.violates("\(failed) A>chat(c2 s1) A<error(persist_failed c2) \(busy)^")
    }

    @Test func `TURN-15 and TURN-16 who left before a question was asked again owes it nothing`() throws {
        let frames = ClauseUnderTest("TURN-15", profiles: synced)
        let question = ClauseUnderTest("TURN-16", profiles: synced)
        let refused = "A+(e1 #0) B+(e1 #0) A>chat(c1) A<error(persist_failed c1) +31s"
        let again = "1>POST(c1) 1<200(t1)"
        try frames.untested("\(refused) A!cut B!cut \(again)")
        try question.untested("\(refused) A!cut B!cut \(again)")
        try frames.violates("\(refused) A!cut \(again) +31s^", also: ["TURN-16"])
        try question.violates("\(refused) A!cut \(again) +31s^", also: ["TURN-15"])
        // The ending was seen after the connection had gone.
        let lost = "A+(e1 #0) B+(e1 #0) A>chat(c1) A!cut +31s"
        try frames.untested("\(lost) B!cut \(again)")
    }

    @Test func `PERSIST-9 a read that meets no process is nobody's fault`() throws {
        let clause = ClauseUnderTest("PERSIST-9", profiles: keyed)
        let asked = "A+ A>chat(c1) A<ack(c1)"
        try clause.untested("\(asked) server!kill A<eof 1>GET(s1) 1<failed('connectionRefused')")
        try clause.violates("\(asked) 1>GET(s1) 1<failed('connectionRefused')^")
    }

    @Test func `SYNC-22 a turn that was asked before may have ended before`() throws {
        let clause = ClauseUnderTest("SYNC-22")
        let asked = "A>chat(c1) A<ack(c1)"
        try clause.untested("A+(e1 #0) \(asked) A!cut B+(e1 #2) C+(e1 #2) B!cut +40s")
        try clause.violates("A+(e1 #0) C+(e1 #0) \(asked) A!cut +40s^", also: ["TURN-5", "TURN-16"])
    }

    @Test func `IDEM-14 a key that was accepted on another road counts as used`() throws {
        let clause = ClauseUnderTest("IDEM-14")
        let refused = "A+ B+ A>chat(c1 s1) A<error(busy c1)"
        let again = "A>chat(c1 s1) A<ack(c1 duplicate)"
        try clause.untested("\(refused.replacing("A<error", with: "B>chat(c1 s1) A<error")) \(again)")
        try clause.violates("\(refused) \(again)^")
    }

    @Test func `IDEM-3 what is refused comes before what was taken`() throws {
        let clause = ClauseUnderTest("IDEM-3", profiles: keyed)
        let twice = "A+ A>chat(c1 s1) A>chat(c1 s1)"
        try clause.untested("\(twice) A<error(persist_failed c1) A<ack(c1) A<done(t1)")
        try clause.violates("\(twice) A<ack(c1) A<error(persist_failed c1)^ A<done(t1)")
        // A response that names no turn began none.
        let posted = "A+ 1>POST(c1) 1<503(persist_failed) A>chat(c1)"
        try clause.untested("\(posted) A<error(persist_failed c1)")
        try clause.violates("\(posted.replacing("503(persist_failed)", with: "200(t1)")) A<error(persist_failed c1)^")
    }

    @Test func `TURN-1 a chat that was overtaken is a repeat`() throws {
        let clause = ClauseUnderTest("TURN-1")
        let asked = "A+ A>chat(c1 s1) 1>POST(c1 s1)"
        try clause.untested("\(asked) A<toolUse(t1) A!cut")
        try clause.violates("\(asked.replacing(" 1>POST(c1 s1)", with: "")) A<toolUse(t1)^ A!cut")
    }

    @Test func `TURN-18 a question that was asked again may have been taken`() throws {
        let clause = ClauseUnderTest("TURN-18")
        let refused = "A+ 1>GET 1<200(s1) A>chat(c2 s9) A<error(session_not_found c2)"
        let crash = "server!kill A<eof server!start 2>GET 2<200(s2 s1)"
        try clause.untested("\(refused) A>chat(c2) \(crash)")
        try clause.violates("\(refused) \(crash)^")
    }

    @Test func `REST-8 a key that is used may be told first`() throws {
        let clause = ClauseUnderTest("REST-8", profiles: keyed)
        let unknown = "1>GET(s9) 1<404(session_not_found) 2>POST(c1 s9) 2<422(idempotency_mismatch)"
        try clause.untested("A+ A>chat(c1) A<ack(c1) \(unknown)")
        try clause.violates("A+ \(unknown)^")
    }

    @Test func `ENV-10 and RATE-8 who does not read may be closed`() throws {
        let env = ClauseUnderTest("ENV-10")
        let hostile = "A>`null` A<error(bad_request) A>ping(n1) A<pong(n1) B<eof"
        try env.untested("A+ B+(p2) B!stopReading \(hostile)")
        try env.violates("A+ B+(p2) \(hostile)^")
        let rate = ClauseUnderTest("RATE-8", profiles: [.core, .idempotency, .rateLimit])
        let asked = "server!lend(p1 spent=0) A+(messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1)"
        let refused = "A>chat(c2 s1) A<error(rate_limited c2 limit=1)"
        try rate.untested("\(asked) \(refused) A!stopReading A<eof")
        try rate.violates("\(asked) \(refused) A<eof^")
    }

    @Test func `PERSIST-5 and PERSIST-6 what has ended, or is stopped, stores nothing`() throws {
        let control = "A+ A>chat(c1) A<ack(c1) A<done(t1)"
        let told = ClauseUnderTest("PERSIST-5", profiles: keyed)
        let ended = "\(control) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate)"
        try told.untested("\(ended) server!refuseWrites +31s server!acceptWrites")
        try told.violates(
            "\(control) A>chat(c2 s1) A<ack(c2) server!refuseWrites +31s^ server!acceptWrites", also: ["TURN-5"])
        let again = ClauseUnderTest("PERSIST-6", profiles: keyed)
        let fault = "server!refuseWrites A>chat(c2 s1) A<error(persist_failed c2) server!acceptWrites A>chat(c3 s1)"
        try again.untested("\(control) \(fault) server!stop A<error(persist_failed c3) A<close(1001)")
        try again.violates("\(control) \(fault) A<error(persist_failed c3)^ +1s server!stop A<close(1001)")
    }

    @Test func `PERSIST-5 what a kill broke was settled at the start`() throws {
        let clause = ClauseUnderTest("PERSIST-5", profiles: keyed)
        let killed = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) server!kill A<eof server!start B+"
        try clause.untested(
            "\(killed) B>chat(c1) server!refuseWrites B<ack(c1 duplicate) B<error(interrupted t1 c1) +31s")
        try clause.violates("\(killed) B>chat(c2 s1) B<ack(c2) server!refuseWrites +31s^", also: ["TURN-5"])
    }

    @Test func `PERSIST-5 a turn cannot be late before it is asked for`() throws {
        let clause = ClauseUnderTest("PERSIST-5", profiles: keyed)
        let lost = "A+ A>chat(c1) server!stop A<close(1001) server!start A+"
        let again = "server!refuseWrites A>chat(c1)"
        try clause.untested("\(lost) +31s \(again) A>close(1000)")
        try clause.violates("\(lost) \(again) +31s^ A>close(1000)")
    }

    @Test func `SYNC-2 an error may be that of another message`() throws {
        let clause = ClauseUnderTest("SYNC-2", profiles: synced)
        let asked = "A+(e1 #0) A>binary(00) A>sync(e1 #0) A<error(bad_request)"
        try clause.conforms("\(asked) A<syncResult(e1 #0 complete)")
        try clause.violates("\(asked) A<syncResult(e1 #0 complete) A<syncResult(e1 #0 complete)^")
    }

    @Test func `SYNC-15 a stream outlives the connections of its person`() throws {
        let clause = ClauseUnderTest("SYNC-15", profiles: synced)
        let turn = "A+(e1 #0) A>chat(c1) A<ack(c1 s1) A<done(t1 c1 s1 #1) A>close(1000) A<close(1000) +2s"
        let back = "B+(e2 #0) B>sync(e1 #0) B<syncResult(e2 #0 epoch_changed)"
        try clause.violates("P+(p2 e7 #0) \(turn) \(back)^ P>ping P<pong")
        // Nobody shows that the process went on, or it surely did not; and what is old may go.
        try clause.untested("\(turn) \(back)")
        try clause.untested("\(turn) P+(p2 e7 #0) \(back) P>ping P<pong")
        try clause.untested("P+(p2 e7 #0) \(turn) server!kill P<eof server!start \(back)")
        try clause.untested("P+(p2 e7 #0) \(turn) +1900s \(back) P>ping P<pong")
    }

    @Test func `SYNC-15 a position without its epoch follows no page`() throws {
        let clause = ClauseUnderTest("SYNC-15", profiles: synced)
        let page =
            "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) "
            + "B>sync(e1 #0 limit=1) B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)]"
        try clause.conforms("\(page) B>sync(#1) B<syncResult(e1 #2 unknown_position)")
        try clause.violates("\(page) B>sync(e1 #1) B<syncResult(e1 #2 evicted)^", also: ["SYNC-21"])
    }

    @Test func `SYNC-15 a position of another epoch follows no page`() throws {
        let clause = ClauseUnderTest("SYNC-15", profiles: synced)
        let page =
            "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) "
            + "B>sync(e1 #0 limit=1) B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)]"
        try clause.conforms("\(page) B>sync(e9 #1) B<syncResult(e1 #2 epoch_changed)")
        try clause.violates("\(page) B>sync(e1 #1) B<syncResult(e1 #2 evicted)^", also: ["SYNC-21"])
    }

    @Test func `RATE-8 a malformed sync is not answered as usual`() throws {
        let clause = ClauseUnderTest("RATE-8", profiles: [.core, .idempotency, .sync, .rateLimit])
        let spent = "server!lend(p1 spent=0) A+(e1 #0 messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1 #1)"
        let refused = "\(spent) A>chat(c2 s1) A<error(rate_limited c2 limit=1)"
        try clause.untested("\(refused) A>sync(lastSeqSeen=-1) A<error(bad_request) +11s")
        try clause.violates("\(refused) A>sync(e1 #1) +11s^", also: ["SYNC-2"])
    }

    @Test func `ORDER-13 an ending that was guessed elsewhere is not that of a turn before a crash`() throws {
        let clause = ClauseUnderTest("ORDER-13", profiles: [.core, .sync])
        let old = #"B+(e1 #0) B>chat(c1 s1 '{"script":[{"tool":"t"},{"reply":"old"}]}') B<message(u1 s1 -t -c #1)"#
        let crash = "server!kill B<eof server!start C+(e2 #0)"
        let two = #"C>chat(c2 s1 '{"script":[{"wait":1}]}') 1>POST(c3 s1 'new')"#
        let ends = "C<done(s1 a2 -t -c 'new' #1) 1<200(s1 -t 'new') A+(e2 #1)"
        let last = ["C", "A"].map { "\($0)<done(s1 a3 -t -c 'waited' #2)" }
        try clause.untested("\(old) \(crash) \(two) \(ends) \(last[0]) \(last[1])")
        try clause.untested("\(old) \(crash) \(two) \(ends) \(last[1]) \(last[0])")
    }

    @Test func `CLIENT-15 what was refused is not ended by an ending without names`() throws {
        let clause = ClauseUnderTest("CLIENT-15")
        let asked = "client!launch A+(core) client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1)"
        let back =
            "A<done(s1 -t -c) client=connected(s1 u1 a1 c2) +3s A!cut B+(core) client!selectSession(sessionId=null) +17s"
        try clause.untested("\(asked) A<error(session_not_found -c) \(back)")
        try clause.violates("\(asked) \(back)^")
    }

    @Test func `CLIENT-24 an ending without names is nobody's in a session that is not known yet`() throws {
        let clause = ClauseUnderTest("CLIENT-24")
        let asked = "client!launch A+(core) client=connected client!send(c1) A>chat(c1) client=connected(c1 thinking)"
        try clause.untested("\(asked) A<done(s1 -t -c) 1>GET(s1) 1<failed client=connected(c1 thinking) +17s")
        let read = "1>GET(s1) 1<200(u1='question 1' -t) client=connected(s1 u1 thinking)"
        try clause.violates("\(asked) \(read) A<done(s1 -t -c) client=connected(s1 u1 a1 thinking) +17s^")
    }

    @Test func `CLIENT-39 who lost a question over REST does not know that reads work`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let refused =
            "client!launch A+ A!cut B>open B<refused(503) 1>GET(s1) 1<200(u1 a1) 2>GET(s1) 2<200(u1 a1) client!send(c2)"
        let shown = "+2s client=connecting(s1 u1 a1 c2)"
        try clause.conforms("\(refused) 3>POST(c2 s1) 3<failed('reset') \(shown)")
        try clause.conforms("\(refused) 3>POST(c2 s1) 3<503(internal) \(shown)")
        try clause.warns("\(refused) 3>POST(c2 s1) 3<200(t2) \(shown)^")
    }

    @Test func `CLIENT-11 a greeting may be on its way when a question goes out over REST`() throws {
        let clause = ClauseUnderTest("CLIENT-11")
        let typed = "client!launch client=degraded(s1 u1 a1) B+ client!send(c2)"
        let lost = "1>POST(c2 s1) 1<failed('reset') B!cut C+ +17s"
        try clause.untested("\(typed) \(lost)", also: ["CLIENT-55"])
        try clause.violates("\(typed.replacing("B+", with: "B+ +1s")) \(lost)^", also: ["CLIENT-55"])
    }

    @Test func `CLIENT-51 what went out on a dead connection goes out no more without keys`() throws {
        let clause = ClauseUnderTest("CLIENT-51")
        let dead = "client!launch A+(core) client=connected A!cut(silence) +5s client=connected client!send(c1)"
        let back = "client=connected(c1 thinking) +2s B+(core) +17s"
        try clause.untested("\(dead) \(back)")
        try clause.violates("\(dead.replacing("(silence)", with: "")) \(back)^")
    }

    @Test func `CLIENT-9 a close that the app did not live to see ends nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-9")
        let start = "client!launch A+ client=connected"
        try clause.untested("\(start) client!launch A<close(4001) B>open +17s")
        try clause.violates("\(start) A<close(4001) B>open^ +17s")
    }

    @Test func `CLIENT-40 who was sent away is shown nothing new`() throws {
        let clause = ClauseUnderTest("CLIENT-40")
        let start = "client!launch A+ client=connected(s1 u1 a1)"
        let stored = "server!elsewhere(s1 a2) +37s client=offline(s1 u1 a1)"
        try clause.untested("\(start) A<close(4001) \(stored)")
        try clause.warns("\(start) A<close(1011) \(stored)^", also: ["CLIENT-7"])
    }

    @Test func `CLIENT-45 a greeting may be on its way when a message is sent again over REST`() throws {
        let clause = ClauseUnderTest("CLIENT-45")
        let lost = "client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A!cut B+(core)"
        try clause.untested("\(lost) 1>POST(c2 s1) 1<200(t2)")
        try clause.violates("\(lost) +3s 1>POST(c2 s1)^ 1<200(t2)")
        try clause.violates("\(lost) B>chat(c2 s1)^")
        let refusal = "A<error(session_not_found c2) client=connected(s1 u1 a1 failed=c2 session_not_found)"
        let refused = "A>chat(c2 s1) \(refusal)"
        let again = lost.replacing("A>chat(c2 s1)", with: refused)
        try clause.untested("\(again) 1>POST(c2 s1) 1<200(t2)", also: ["CLIENT-47"])
        try clause.violates("\(again) +3s 1>POST(c2 s1)^ 1<200(t2)", also: ["CLIENT-47"])
    }

    @Test func `CLIENT-14 who stated nothing did not state that keys are kept`() throws {
        let clause = ClauseUnderTest("CLIENT-14")
        let posted = "client!launch A>open A<refused(503) client!send(c1) 1>POST(c1) 1<failed('reset') 2>GET(s1)"
        try clause.untested("\(posted) 2<200(u1='question 1' -t -c) client=degraded(s1 u1 thinking)")
        try clause.violates(
            "\(posted) 2<200(u1='question 9' -t -c) client=degraded(s1 u1='question 9' thinking)^",
            also: ["CLIENT-38"])
    }

    @Test func `IDEM-3 the repeat may be acknowledged before the first`() throws {
        let clause = ClauseUnderTest("IDEM-3", profiles: keyed)
        let twice = "A+ A>chat(c1) A>chat(c1)"
        try clause.conforms("\(twice) A<ack(c1 duplicate) A<ack(c1) A<done(t1)")
        try clause.violates("\(twice) A<ack(c1) A<ack(c1)^ A<done(t1)")
    }

    @Test func `IDEM-14 and PERSIST-5 nobody is known before the greeting`() throws {
        let refused = "A>chat(c1) A<error(not_authenticated c1)"
        let free = ClauseUnderTest("IDEM-14", profiles: keyed)
        try free.untested("A>open A<open \(refused) \(refused)")
        try free.violates("A+ A>chat(c1) A<error(busy c1) \(refused)^")
        let stored = ClauseUnderTest("PERSIST-5", profiles: keyed)
        try stored.untested("server!refuseWrites A>open A<open \(refused)")
        try stored.violates("A+ server!refuseWrites \(refused)^")
    }

    @Test func `ENV-7 and ENV-8 who answers no pings is left`() throws {
        let mood = #"A>`{"type":"mood"}`"#
        let type = ClauseUnderTest("ENV-7")
        try type.untested("A+(heartbeatSeconds=1) A!stopReading +3s \(mood) A<eof('reset')")
        try type.violates("A+(heartbeatSeconds=1) A!stopReading +1s \(mood) A<eof('reset')^")
        // It read again, or said something in between.
        try type.untested("A+(heartbeatSeconds=1) A!stopReading +3s \(mood) A!resumeReading A<eof('reset')")
        try type.violates("A+(heartbeatSeconds=1) A!stopReading +1s A!resumeReading +2s \(mood) A<eof('reset')^")
        let talking = "A!stopReading +1s A>ping(n1) +1s A>ping(n2) +1s"
        try type.violates("A+(heartbeatSeconds=1) \(talking) \(mood) A<eof('reset')^")
        let member = ClauseUnderTest("ENV-8", profiles: keyed)
        try member.untested("A+(heartbeatSeconds=1) A!stopReading +3s A>chat(c1 mood=7) A<eof('reset')")
        try member.violates("A+(heartbeatSeconds=1) A!stopReading +1s A>chat(c1 mood=7) A<eof('reset')^")
    }

    @Test func `PUSH-12 a read before the push may have shown the answer`() throws {
        let clause = ClauseUnderTest("PUSH-12", profiles: [.core, .idempotency, .push])
        let asked = "push!listen(p1) A+ A>chat(c1) A<ack(c1) A>close(1000) A<close(1000) +31s 1>GET(s1)"
        let late = "push<alert(a1 s1) push>503"
        try clause.untested("\(asked) 1<200(u1 a1) \(late)")
        try clause.violates("\(asked) 1<200(u1)^ \(late)", also: ["TURN-11"])
    }

    @Test func `RATE-7 a replay may show which question began a session`() throws {
        let clause = ClauseUnderTest("RATE-7", profiles: [.core, .idempotency, .rateLimit, .sync])
        let limited = """
            1>GET 1<200 server!lend(p1 spent=0) A+(e1 #0 messagesPerMinute=2) A>chat(c1) A>chat(c2) A!cut
            B+(e1 #2 messagesPerMinute=2) B>sync(e1 #0) B<syncResult(e1 #2 complete)[done(t1 c1 s1 #1) done(t2 c2 s2 #2)] B>chat(c3)
            B<error(rate_limited c3 limit=2) 2>GET
            """
        try clause.conforms("\(limited) 2<200(s2 s1)")
        try clause.violates("\(limited) 2<200(s3 s2 s1)^")
    }

    @Test func `REST-5 an answer may come while nobody listens`() throws {
        let clause = ClauseUnderTest("REST-5", profiles: [.core])
        let posted = "1>POST(c2 s1 'y' -c) A<done(s1 'You said: y' -t -a) 1<200(s1 'You said: y' -t -a) A!cut"
        let grown = "A+ A>chat(c1 s1 'x' -c) \(posted) 2>GET 2<200(s1=3) 3>GET(s1)"
        let both = "3<200(u1='x' u2='y' a2='You said: y' a1='You said: x' -c -t)"
        try clause.untested("\(grown) \(both)")
        try clause.untested(
            "A+ A>chat(c1 s1 'x' -c) \(posted) 3>GET(s1) 3<200(u1='x' u2='y' a2='You said: y' -c -t) 2>GET 2<200(s1=4)")
        // Nobody asked anything else, or the answer was seen before.
        let alone = "A+ \(posted) 2>GET 2<200(s1=1) 3>GET(s1)"
        try clause.violates("\(alone) 3<200(u2='y' a2='You said: y' -c -t)^")
        try clause.violates("A+ A>chat(c1) A<done(t1) 1>GET 1<200(s1=1) A!cut 2>GET(s1) 2<200(u1 a1)^")
    }

    @Test func `REST-10 what could not be stored had no turn`() throws {
        let clause = ClauseUnderTest("REST-10", profiles: keyed)
        let words = #"'{"script":[{"fail":"model exploded"}]}'"#
        let asked = "server!refuseWrites 1>POST(c1 \(words))"
        func failed(_ code: String) -> String { #"1<503(body='{"error":"no","code":"\#(code)"}')"# }
        try clause.conforms("\(asked) \(failed("persist_failed"))")
        try clause.violates("\(asked) \(failed("agent_failed"))^")
        try clause.conforms("\(asked.replacing("refuseWrites", with: "stop")) \(failed("persist_failed"))")
        // A turn that was seen has a name, and without a fault there was nothing to be stored.
        let seen = asked.replacing("server!", with: "B+(e1 #0) server!")
        try clause.violates("\(seen) B<message(u1 t1 c1 \(words) #1) \(failed("persist_failed"))^", profiles: synced)
        try clause.violates("\(asked.replacing("server!refuseWrites ", with: "")) \(failed("persist_failed"))^")
    }

    @Test func `SYNC-2 one error refuses one sync`() throws {
        let clause = ClauseUnderTest("SYNC-2", profiles: synced)
        let asked = "A+(e1 #0) A>sync(lastSeqSeen=-1) A>sync(e1 #0) A<error(bad_request)"
        try clause.conforms("\(asked) A<syncResult(e1 #0 complete)")
        try clause.violates("\(asked) A<syncResult(e1 #0 complete) A<syncResult(e1 #0 complete)^")
    }

    @Test func `TURN-7 what no script brings forth is rather of a question without one`() throws {
        let clause = ClauseUnderTest("TURN-7", profiles: [.core])
        func asked(_ reply: String) -> String { #"'{"script":[{"reply":"\#(reply)"}]}'"# }
        let crossed = """
            A+ A>chat(c1 s1 \(asked("x")) -c) 1>POST(c2 s1 'y' -c) A<done(s1 'You said: y' -t -a)
            1<200(s1 'You said: y' -t -a) A>close(1000) A<close(1000) B+ B>chat(c3 s1 \(asked("z")) -c)
            B<done(s1 'x' -t -a) B<done(s1 'z' -t -a)
            """
        let stored = "2>GET(s1) 2<200(u1=\(asked("x")) u2='y' a2='You said: y' a1='x' u3=\(asked("z")) a3='z' -c -t)"
        try clause.conforms("\(crossed) \(stored)")
        let alone = crossed.replacing("A>chat(c1 s1 \(asked("x")) -c) ", with: "")
        try clause.violates("\(alone) \(stored)^", also: ["ORDER-1"])
        // A script without a reply says nothing of the answer.
        func waiting(_ history: String) -> String { history.replacing(asked("x"), with: #"'{"script":[{"wait":9}]}'"#) }
        try clause.inconclusive("\(waiting(crossed)) \(waiting(stored))")
    }

    @Test func `CLIENT-39 the first report that the app is active begins nothing anew`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let polled = "client!launch A>open A<refused(503) 1>GET 1<200 +1s client=degraded"
        let tries = "client!foreground B>open B<refused(503) C>open +3s client=degraded"
        try clause.conforms("\(polled) \(tries)")
        try clause.warns("\(polled) client!background \(tries)^")
    }

    @Test func `CLIENT-39 a read that was under way when the connection was lost is polling`() throws {
        let clause = ClauseUnderTest("CLIENT-39")
        let tries = "B>open +3s client=degraded"
        try clause.conforms("client!launch A+ client=connected 1>GET +1s A!cut 1<200 \(tries)")
        try clause.warns("client!launch A+ client=connected 1>GET 1<200 +1s A!cut \(tries)^")
    }

    @Test func `CLIENT-37 who is turned away while it connects recovers nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-37")
        let pushed = "client!launch A+ client=connected A!cut client!receivePush(s2 message='a2') B>open B<open B>auth"
        try clause.untested("\(pushed) B<close(4001) +32s")
        try clause.violates("\(pushed) B<close(1011) +32s^", also: ["CLIENT-7"])
    }

    @Test func `CLIENT-38 what was refused for a while may begin the session of one that failed`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let lost = """
            client!launch A+ client=connected client!send(c1) A>chat(c1) A<error(rate_limited c1 retryAfterMs=300)
            client!send(c2) A>chat(c2) client=connected(c1 c2 thinking error.c1=rate_limited) A!cut B+
            """
        let again =
            "client!sendAgain(c2) +1s B>chat(c1) B<ack(c1 s1) B<done(t1) client=connected(s1 u1 c2 a1) B>chat(c2 s1)"
        try clause.untested("\(lost) client=connected(c1 c2 failed=c2 error.c1=rate_limited) \(again)")
        try clause.violates("\(lost) \(again)^")
    }

    @Test func `CLIENT-50 an ending may be missed as the app leaves`() throws {
        let clause = ClauseUnderTest("CLIENT-50")
        let failed = """
            client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)
            client=connected(s1 u1 a1 c2 failed=c2) client!sendAgain(c2) A<done(t2)
            """
        let away = "client!networkDown A!cut(silence) +3s client!networkUp 1>POST(c2 s1)"
        try clause.untested("\(failed) \(away)")
        try clause.violates("\(failed) +3s \(away)^")
    }

    @Test func `CLIENT-22 the session with which the app was launched is read until that is answered`() throws {
        let clause = ClauseUnderTest("CLIENT-22")
        func asked(_ answer: String) -> String {
            """
            client!launch client=connecting(s1 u1 a1) 1>GET(s1) 1<\(answer) client!send(c2) A+(e1 #0) A>sync(e1 #0)
            A<syncResult(e1 #0 complete) A>chat(c2 s1) A<ack(c2) client=connected(s1 u1 a1 u2 thinking)
            """
        }
        let reads = (2...14).map { "+5s \($0)>GET(s1) \($0)<503(internal)" }.joined(separator: " ")
        try clause.untested("\(asked("503(internal)")) \(reads) +5s 30>GET(s1) +1s")
        try clause.violates("\(asked("200(u1 a1)")) \(reads) +5s 30>GET(s1)^ +1s")
    }

    @Test func `CLIENT-22 what a list shows is read for a question whose session is not known`() throws {
        let clause = ClauseUnderTest("CLIENT-22")
        let lost = "client!send(c1) A>chat(c1) client=connected(c1 thinking) client!selectSession(sessionId=null)"
        let next = """
            client!send(c3) A>chat(c3) client=connected(c3 thinking) +1s 2>GET 2<200(s2) 3>GET(s2) 3<200(u3)
            client=connected(s2 u3 thinking) +30s
            """
        let polls = (4...14).map { "+5s \($0)>GET(s2) \($0)<200(u3)" }.joined(separator: " ")
        let start = "client!launch A+ client=connected"
        let others = ["CLIENT-23"]
        try clause.conforms("\(start) \(lost) \(next) \(polls) +20s", also: others)
        let late = polls.replacing("11>GET(s2)", with: "11>GET(s2)^")
        try clause.violates("\(start) \(next) \(late) +20s", also: others)
    }

    @Test func `AUTH-9 a key that stands for another question is refused for that`() throws {
        let clause = ClauseUnderTest("AUTH-9", profiles: [.core, .idempotency, .auth])
        let known = "1>POST(c1 p2) 1<200(t1) A+ A>chat(c2)"
        let refused = "A<ack(c2 s2) 2<422(idempotency_mismatch c2)"
        try clause.untested("\(known) 2>POST(c2 s1) \(refused)")
        try clause.violates("\(known) 2>POST(c3 s1) A<ack(c2 s2) 2<422(idempotency_mismatch c3)^")
    }

    @Test func `IDEM-3 a repeat may be answered before what it repeats`() throws {
        let clause = ClauseUnderTest("IDEM-3", profiles: keyed)
        let asked = "A+ A>chat(c1) A>chat(c1)"
        try clause.conforms("\(asked) A<ack(c1 duplicate) A<ack(c1) A<done(t1)")
        try clause.violates("\(asked) A<ack(c1) A<ack(c1)^ A<done(t1)")
    }

    @Test func `IDEM-9 nobody reads the key of what is too large`() throws {
        let clause = ClauseUnderTest("IDEM-9", profiles: keyed)
        let long = String(repeating: "long ", count: 40)
        let asked = "A+(maxFrameBytes=200) A>chat(c1) A<ack(c1) A>chat(c1 'LONG') A<error(too_large -c)"
        try clause.untested(asked.replacing("LONG", with: long))
        try clause.violates("\(asked.replacing("LONG", with: "other"))^", also: ["ENV-15"])
    }

    @Test func `CLIENT-22 a turn that nobody has named yet does not tell where a question is`() throws {
        let clause = ClauseUnderTest("CLIENT-22")
        let start = "client!launch A+ client=connected client!send(c1) A>chat(c1) A<toolUse(t1)"
        let next = """
            client=connected(c1 thinking) client!selectSession(sessionId=null) client!send(c3) A>chat(c3)
            client=connected(c3 thinking) +1s 1>GET 1<200(s2 s1) 2>GET(s1) 2<200(u1) 3>GET(s2) 3<200(u3)
            client=connected(s2 u3 thinking) +30s
            """
        let polls = (4...14).map { "+5s \($0)>GET(s2) \($0)<200(u3)" }.joined(separator: " ")
        let others = ["CLIENT-23", "CLIENT-49"]
        try clause.conforms("\(start) \(next) \(polls) +20s", also: others)
        let late = polls.replacing("11>GET(s2)", with: "11>GET(s2)^")
        let known = start.replacing("A<toolUse(t1)", with: "A<ack(c1) A<toolUse(t1)")
        try clause.violates("\(known) \(next) \(late) +20s", also: others)
    }

    @Test func `CLIENT-22 what a list tells of is read`() throws {
        let clause = ClauseUnderTest("CLIENT-22")
        let asked = """
            client!launch A>open A<refused(503) 1>GET 1<200(s1=2) client=degraded(s1 u1 a1) client!send(c2) 2>POST(c2 s1)
            20>GET(s1) 20<200(u1 a1) client=degraded(s1 u1 a1 c2 thinking) +1s 3>GET 3<200(s1=3) 4>GET(s1) 4<200(u1 a1 u2)
            client=degraded(s1 u1 a1 u2 thinking)
            """
        let polls = (5...16).map { "+4s B>open B<refused(503) \($0)>GET(s1) \($0)<200(u1 a1 u2)" }
        let end = "+1s client=degraded(s1 u1 a1 u2 failed=c2) +20s B>open B<refused(503) +20s"
        try clause.conforms("\(asked) +10s \(polls.joined(separator: " ")) \(end)")
        let late = polls.joined(separator: " ").replacing("16>GET(s1)", with: "16>GET(s1)^")
        try clause.violates("\(asked.replacing("3<200(s1=3)", with: "3<200(s1=2)")) +10s \(late) \(end)")
    }

    @Test func `CLIENT-22 no question begins a session that was listed before it`() throws {
        let clause = ClauseUnderTest("CLIENT-22")
        let asked =
            "client!send(c1) A>chat(c1) client=connected(c1 thinking) +1s 2>GET 2<200(s2) 3>GET(s2) 3<200(u2 -c -t)"
        let lists = (4...14).map { "+5s \($0)>GET \($0)<200(s2)" }.joined(separator: " ")
        let start = "client!launch A+(core) client=connected 1>GET 1<200(s2)"
        let end = "+1s client=connected(c1 failed=c1) A<toolUse(s2 -t)"
        try clause.untested("\(start) \(asked) \(lists) \(end)")
    }

    @Test func `CLIENT-11 and CLIENT-51 what was typed may have gone out on a connection that forgets keys`() throws {
        let typed = "client!launch A+ client=connected A!cut client!send(c1) client=connected(c1)"
        let next = "B+(core) +1s B!cut(silence) C+ client=connected(c1 thinking) +17s"
        for id in ["CLIENT-11", "CLIENT-51"] {
            let clause = ClauseUnderTest(id)
            try clause.untested("\(typed) \(next)")
            let others = ["CLIENT-11", "CLIENT-51"].filter { $0 != id }
            try clause.violates("\(typed) \(next.replacing("B+(core)", with: "B+"))^", also: others)
        }
    }

    @Test func `CLIENT-38 a conversation goes on after the next launch`() throws {
        let clause = ClauseUnderTest("CLIENT-38")
        let lost = """
            client!launch A+ client=connected A!cut client=degraded client!send(c1) 1>POST(c1) 1<failed('reset')
            client=degraded(c1 thinking) +70s client=degraded(c1 failed=c1 'No answer') client!launch
            """
        let next = """
            client!send(c2) client=degraded(c1 c2 failed=c1 thinking) 2>POST(c2) 2<200(s1 t2 a2)
            client=degraded(s1 c1 c2 a2 failed=c1)
            """
        let others = ["CLIENT-7"]
        try clause.untested("\(lost) client=connecting(c1 failed=c1) \(next)", also: others)
        try clause.violates("\(lost) client=connecting \(next)^", also: others)
    }

    @Test func `CLIENT-11 with the conversation before it a message may be too large`() throws {
        let clause = ClauseUnderTest("CLIENT-11")
        let dead = "client!launch A+(maxFrameBytes=300) client=connected(s1 u1 a1 u2 a2) A!cut client!send(c3)"
        let back = "B+(maxFrameBytes=300) client=connected(s1 u1 a1 u2 a2 c3FAILED) +17s"
        try clause.untested("\(dead) \(back.replacing("FAILED", with: " failed=c3"))", also: ["CLIENT-55"])
        try clause.violates("\(dead) \(back.replacing("FAILED", with: ""))^", also: ["CLIENT-51", "CLIENT-55"])
    }

    @Test func `CLIENT-14 a read on its way may have the words of a message that goes out`() throws {
        let clause = ClauseUnderTest("CLIENT-14")
        let read = "client!launch A+(core) client=connected(s1) 1>GET(s1) 1<200(u3='same' -c)"
        let message = #"{"id":"u3","clientMessageId":"c4","role":"user","text":"same","status":"sent"}"#
        let shown = #"""
            client=state(json='{"connection":"connected","sessionId":"s1","thinking":true,"messages":[\#(message)],
            "errors":[],"unread":{}}')
            """#
        let sent = "client!send(c4='same') A>chat(c4 s1 'same')"
        try clause.untested("\(read) \(sent) \(shown)")
        try clause.violates("\(read) +1s \(sent) \(shown)^")
    }

    @Test func `CLIENT-15 what was refused is not what a history shows of the same words`() throws {
        let clause = ClauseUnderTest("CLIENT-15")
        let asked = """
            client!launch A+(core) client=connected client!send(c1) A>chat(c1) A<error(busy c1) client=connected(c1 failed=c1)
            client!sendAgain(c1) A>chat(c2 'question 1') A<done(s1 -t -c)
            """
        let back = "client=connected(s1 u1 a1) +3s A!cut B+(core e1 #0) B>sync(e1 #0) +17s"
        try clause.untested("\(asked) 1>GET(s1) 1<200(u1='question 1' a1 -t -c) \(back)", also: ["CLIENT-55"])
        try clause.violates("\(asked) \(back)^", also: ["CLIENT-55"])
    }

    @Test func `CLIENT-52 a greeting that nobody looked at may have made a message too large`() throws {
        let clause = ClauseUnderTest("CLIENT-52")
        let typed = "client!launch client=connecting(s1) client!send(c1) client=connecting(s1 c1)"
        let next = "client!quit client!launch(fresh=false) client=connecting(s1) B+ client=connected(s1) +17s"
        try clause.untested("\(typed) A+(maxFrameBytes=9) \(next)", also: ["CLIENT-55"])
        try clause.violates("\(typed) A>open \(next)^", also: ["CLIENT-55"])
    }

    @Test func `ENV-23 what comes on a connection of an earlier life is no sign`() throws {
        let clause = ClauseUnderTest("ENV-23")
        let asked = "client!launch A+ client!launch(fresh=false) B+ client!send(c1) B>chat(c1)"
        let silent = "+14s B<`{\"type\":\"mood\"}` +1s B>close(1001)"
        try clause.untested("\(asked) A<message(u1 s1 c1) \(silent)")
        try clause.violates("\(asked) B<message(u1 s1 c1) \(silent)^")
    }

    @Test func `CLIENT-21 who gives a read up may be seen to a moment later`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        func reads(_ wait: String) -> String {
            "client!launch A+ client=connected(s1) A!cut B+ 1>GET(s1) +\(wait) client!receivePush(s1 message='a9') 2>GET(s1) 1<200"
        }
        try clause.conforms(reads("11950ms"))
        try clause.violates(reads("11s").replacing("2>GET(s1)", with: "2>GET(s1)^"))
    }

    @Test func `ENV-14, IDEM-9, TURN-16 and TURN-21 what asks something else is no repeat`() throws {
        let asked = "A+(e1 #0) B+(e1 #0) A>chat(c1 s1 'long') A>chat(c1 'other') 1>POST(c1 s1 'long')"
        let shown = "B<message(u1 t1 c1 'long' #1) A<message(u1 t1 c1 'long' #1)"
        let taken = "\(asked) A<ack(c1 duplicate) \(shown) A<error(idempotency_mismatch c1)"
        try ClauseUnderTest("ENV-14", profiles: synced).conforms(taken)
        try ClauseUnderTest("TURN-16", profiles: synced).conforms("\(taken) 1<200(t1)")
        try ClauseUnderTest("TURN-21", profiles: synced).conforms(taken)
        try ClauseUnderTest("IDEM-9", profiles: synced).conforms(taken)
        try ClauseUnderTest("ENV-14", profiles: synced).violates(
            taken.replacing("A<message(u1 t1 c1 'long' #1)", with: "A<message(u1 t1 c1 'short' #1)^"))
        try ClauseUnderTest("IDEM-9", profiles: synced).violates(
            "\(asked) A<ack(c1 duplicate) \(shown) A<ack(c1 duplicate)^")
    }

    @Test func `TURN-9 and TURN-12 a turn that is told to fail has no answer`() throws {
        let asked = #"""
            A+(e1 #0) A>chat(c1 s1 '{"script":[{"wait":10},{"fail":"no"}]}' -c) 1>POST(c2 s1 '{"script":[{"tool":"t"}]}' -c)
            A<message(u2 s1 '{"script":[{"tool":"t"}]}' #1 -t -c) A<toolUse(t s1 #2 -t) A<done(s1 a2 'used' #3 -t -c) 1<200(s1 'used' -t -a -c) B+(e1 #3) A!cut
            B>chat(c3 s1 '{"script":[{"reply":"x"}]}' -c) B<error(agent_failed s1 #4 -t) B<done(s1 a3 'x' #5 -t -c) 2>GET(s1)
            """#
        let failed = ClauseUnderTest("TURN-9", profiles: [.core, .sync])
        let names =
            #"u2='{"script":[{"tool":"t"}]}' a2='used' u1='{"script":[{"wait":10},{"fail":"no"}]}' u3='{"script":[{"reply":"x"}]}' a3='x'"#
        try failed.conforms("\(asked) 2<200(\(names) t1=failed t2 t3)")
        try failed.violates("\(asked) 2<200(\(names) t1 t2 t3)^", also: ["REST-18"])
    }

    @Test func `PUSH-11 a device may register again before the next start`() throws {
        let clause = ClauseUnderTest("PUSH-11", profiles: [.core, .idempotency, .push])
        let listened = "push!listen(p1) A+ A>chat(c1) A<ack(c1) A<done(t1) A>close(1000) A<close(1000)"
        let gone = "push<alert(a1 s1) push>410(Unregistered)"
        let again = "B+ B>chat(c2 s1) B<ack(c2) B<done(t2) push<alert(a2 s1)"
        try clause.untested("\(listened) server!stop +5ms \(gone) server!start \(again) push>200")
        try clause.untested("\(listened) \(gone) +5ms server!kill server!start \(again) push>200")
        try clause.untested("\(listened) \(gone) +1s server!stop server!start \(again) push>200")
        try clause.warns("\(listened) \(gone) +1s \(again)^ push>200")
        let full = "\(listened) server!refuseWrites \(gone) +1s"
        try clause.untested("\(full) server!kill server!start \(again) push>200")
        try clause.warns("\(full) server!acceptWrites \(again)^ push>200")
        // Refused once more in the next life, it is known.
        let twice = "\(listened) server!stop +5ms \(gone) server!start \(again) push>410(Unregistered)"
        try clause.warns("\(twice) B>chat(c3 s1) B<ack(c3) B<done(t3) push<alert(a3 s1)^ push>200")
    }

    @Test func `PUSH-12 what was told to fail leaves no answer`() throws {
        let clause = ClauseUnderTest("PUSH-12", profiles: [.core, .idempotency, .push])
        let asked = #"push!listen(p1) A+ push<alert(a9 s9) push>503 A>chat(c1 '{"script":[{"fail":"no"}]}') A<ack(c1)"#
        let read = "\(asked) A>close(1000) A<close(1000) +31s 1>GET(s1)"
        let question = #"u1='{"script":[{"fail":"no"}]}'"#
        try clause.untested("\(read) 1<200(\(question))")
        try clause.conforms("\(read) 1<200(\(question) t1=failed)")
        try clause.violates("\(read) 1<200(\(question) t1=running)^")
    }

    @Test func `PUSH-12 an ending that nobody read was not late`() throws {
        let clause = ClauseUnderTest("PUSH-12", profiles: [.core, .idempotency, .push])
        let troubled = "push!listen(p1) A+ push<alert(a9 s9) push>503 A>chat(c1) A<ack(c1)"
        try clause.untested("\(troubled) A!stopReading +40s A<done(t1)")
        try clause.violates("\(troubled) +40s A<done(t1)^")
        try clause.violates("\(troubled) A!stopReading +1s A!resumeReading +31s A<done(t1)^")
    }

    @Test func `ORDER-5 a server that remembers no keys keeps each of two equal questions`() throws {
        let asked = "A+ A>chat(c1 'c1') A<done(t1 s1) A>chat(c1 s1 'c1') A<done(t2 s1)"
        let read = "1>GET(s1) 1<200(u1=c1 a1 u2=c1 a2)"
        let clause = ClauseUnderTest("ORDER-5", profiles: [.core])
        try clause.untested("\(asked) \(read)")
        let other = asked.replacing("chat(c1 s1 'c1')", with: "chat(c2 s1 'c2')")
        try clause.violates("\(other) \(read.replacing("u2=c1", with: "u2=c2 u3=c2"))^")
    }
}
