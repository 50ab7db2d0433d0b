import Holdfast
import TestSupport
import Testing

/// What schedules that nobody wrote accused healthy peers of, each beside the breach that is one edit away.
@Suite struct DrawnPlansTests {
    private let synced: Set<Profile> = [.core, .sync]

    @Test func `ORDER-5 an end that is seen elsewhere was not late`() throws {
        let clause = ClauseUnderTest("ORDER-5")
        let slow = #"A+ B+ A>chat(c1 s1 '{"script":[{"wait":5000},{"reply":"late"}]}') A<ack(c1)"#
        let quick = #"'{"script":[{"reply":"now"}]}'"#
        let asked = "\(slow) B>chat(c2 s2 \(quick)) B<ack(c2 s2)"
        try clause.untested(
            "\(asked) B!cut +5s A<done(t1 'late') 1>POST(c2 s2 \(quick)) 1<200(t2 s2 'now' duplicate)")
        try clause.warns("\(asked) +5s A<done(t1 'late') B<done(t2 s2 'now')^")
    }

    @Test func `ORDER-5 a question that nobody saw answered may have run`() throws {
        let clause = ClauseUnderTest("ORDER-5")
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

    @Test func `ORDER-5 an end that nobody read was not late`() throws {
        let clause = ClauseUnderTest("ORDER-5")
        let slow = #"'{"script":[{"wait":3000},{"reply":"late"}]}'"#
        let asked = #"A+ B+ A>chat(c1 s1 \#(slow)) A<ack(c1) A>chat(c2 s2 '{"script":[{"reply":"now"}]}') A<ack(c2 s2)"#
        let ends = "B<done(t1 'late') A<done(t2 s2 'now')"
        try clause.untested("\(asked) A!stopReading +3s \(ends)")
        try clause.warns("\(asked) +3s \(ends)^")
        try clause.conforms("\(asked) B<done(t2 s2 'now') +3s \(ends)")
    }

    @Test func `ID-4 and ID-5 a key that was also used in another session`() throws {
        for (id, session) in [("ID-4", "s9"), ("ID-5", "s9='a b'")] {
            let clause = ClauseUnderTest(id, profiles: synced)
            let told = "A+(e1 #0) 1>GET 1<200 B+(e1 #0) B>chat(c1 \(session))"
            try clause.untested("\(told) B>chat(c1) B<ack(c1) B!cut A<message(u1 t1 c1 #1)")
            try clause.violates("\(told) B!cut A<message(u1 t1 c1 #1)^")
        }
    }

    @Test func `SYNC-7 a later question may have been accepted first`() throws {
        let clause = ClauseUnderTest("SYNC-7", rule: 2, profiles: synced)
        let asked = "A+(e1 #0) A>chat(c1 s1) A!cut B+(e1 #0)"
        let later = "B>sync(e1 #0) B<syncResult(e1 #0 complete) 1>POST(c2 s1) B<message(u2 c2 #1) B<done(t2 #2)"
        try clause.untested("\(asked) \(later) 1<200(t2) B<message(u1 #3)")
        let acked = asked.replacing("A!cut", with: "A<ack(c1) A!cut")
        try clause.violates("\(acked) \(later)^")
    }

    @Test func `TURN-5 a question that is refused later may have made its session busy`() throws {
        let clause = ClauseUnderTest("TURN-5")
        let failed = #"A+ A>chat(c1 s1 '{"script":[{"fail":"no"}]}') A<ack(c1) A<error(agent_failed t1)"#
        let busy = "A>chat(c3 s1) A<error(busy c3)"
        try clause.untested("\(failed) A>chat(c2 s1) \(busy) A<error(persist_failed c2)")
        try clause.violates("\(failed) A>chat(c2 s1) A<error(persist_failed c2) \(busy)^")
    }

    @Test func `TURN-10 and TURN-11 who left before a question was asked again owes it nothing`() throws {
        let frames = ClauseUnderTest("TURN-10", profiles: synced)
        let question = ClauseUnderTest("TURN-11", profiles: synced)
        let refused = "A+(e1 #0) B+(e1 #0) A>chat(c1) A<error(persist_failed c1) +31s"
        let again = "1>POST(c1) 1<200(t1)"
        try frames.untested("\(refused) A!cut B!cut \(again)")
        try question.untested("\(refused) A!cut B!cut \(again)")
        try frames.violates("\(refused) A!cut \(again) +31s^", also: ["TURN-11"])
        try question.violates("\(refused) A!cut \(again) +31s^", also: ["TURN-10"])
        // The ending was seen after the connection had gone.
        let lost = "A+(e1 #0) B+(e1 #0) A>chat(c1) A!cut +31s"
        try frames.untested("\(lost) B!cut \(again)")
    }

    @Test func `PERSIST-7 a read that meets no process is nobody's fault`() throws {
        let clause = ClauseUnderTest("PERSIST-7")
        let asked = "A+ A>chat(c1) A<ack(c1)"
        try clause.untested("\(asked) server!kill A<eof 1>GET(s1) 1<failed('connectionRefused')")
        try clause.violates("\(asked) 1>GET(s1) 1<failed('closed')^")
        try clause.violates("\(asked) 1>GET(s1) 1<failed('protocol_error')^")  // half a response, or none of HTTP
    }

    @Test func `SYNC-10 a turn that was asked before may have ended before`() throws {
        let clause = ClauseUnderTest("SYNC-10")
        let asked = "A>chat(c1) A<ack(c1)"
        try clause.untested("A+(e1 #0) \(asked) A!cut B+(e1 #2) C+(e1 #2) B!cut +40s")
        try clause.violates("A+(e1 #0) C+(e1 #0) \(asked) A!cut +40s^", also: ["TURN-3", "TURN-11"])
    }

    @Test func `IDEM-7 a key that was accepted on another road counts as used`() throws {
        let clause = ClauseUnderTest("IDEM-7")
        let refused = "A+ B+ A>chat(c1 s1) A<error(busy c1)"
        let again = "A>chat(c1 s1) A<ack(c1 duplicate)"
        try clause.untested("\(refused.replacing("A<error", with: "B>chat(c1 s1) B<ack(c1) A<error")) \(again)")
        try clause.violates("\(refused) \(again)^")
    }

    @Test func `IDEM-2 what is refused comes before what was taken`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 1)
        let twice = "A+ A>chat(c1 s1) A>chat(c1 s1)"
        try clause.untested("\(twice) A<error(persist_failed c1) A<ack(c1) A<done(t1)")
        try clause.violates("\(twice) A<ack(c1) A<error(persist_failed c1)^ A<done(t1)")
        // A response that names no turn began none.
        let posted = "A+ 1>POST(c1) 1<503(persist_failed) A>chat(c1)"
        try clause.untested("\(posted) A<error(persist_failed c1)")
        try clause.violates("\(posted.replacing("503(persist_failed)", with: "200(t1)")) A<error(persist_failed c1)^")
    }

    @Test func `TURN-1 a chat that was overtaken is a repeat`() throws {
        let clause = ClauseUnderTest("TURN-1", rule: 1)
        let asked = "A+ A>chat(c1 s1) 1>POST(c1 s1)"
        try clause.untested("\(asked) A<done(t1 c1) A!cut")
        try clause.violates("\(asked.replacing(" 1>POST(c1 s1)", with: "")) A<done(t1 c1)^ A!cut")
    }

    @Test func `TURN-12 a question that was asked again may have been taken`() throws {
        let clause = ClauseUnderTest("TURN-12")
        let refused = "A+ 1>GET 1<200(s1) A>chat(c2 s9) A<error(session_not_found c2)"
        let crash = "server!kill A<eof server!start 2>GET 2<200(s2 s1)"
        try clause.untested("\(refused) A>chat(c2) \(crash)")
        try clause.violates("\(refused) \(crash)^")
    }

    @Test func `ID-4 a key that is used may be told first`() throws {
        let clause = ClauseUnderTest("ID-4", rule: 1)
        let unknown = "1>GET(s9) 1<404(session_not_found) 2>POST(c1 s9) 2<422(idempotency_mismatch)"
        try clause.untested("A+ A>chat(c1) A<ack(c1) \(unknown)")
        try clause.violates("A+ \(unknown)^")
    }

    @Test func `ENV-5 and RATE-4 who does not read may be closed`() throws {
        let env = ClauseUnderTest("ENV-5")
        let hostile = "A>`null` A<error(bad_request) A>ping(n1) A<pong(n1) B<eof"
        try env.untested("A+ B+(p2) B!stopReading \(hostile)")
        try env.violates("A+ B+(p2) \(hostile)^")
        let rate = ClauseUnderTest("RATE-4", profiles: [.core, .rateLimit])
        let asked = "server!lend(p1 spent=0) A+(messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1)"
        let refused = "A>chat(c2 s1) A<error(rate_limited c2 limit=1)"
        try rate.untested("\(asked) \(refused) A!stopReading A<eof")
        try rate.violates("\(asked) \(refused) A<eof^")
    }

    @Test func `PERSIST-3 and PERSIST-4 what has ended, or is stopped, stores nothing`() throws {
        let control = "A+ A>chat(c1) A<ack(c1) A<done(t1)"
        let told = ClauseUnderTest("PERSIST-3")
        let ended = "\(control) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate)"
        try told.untested("\(ended) server!refuseWrites +31s server!acceptWrites")
        try told.violates(
            "\(control) A>chat(c2 s1) A<ack(c2) server!refuseWrites +31s^ server!acceptWrites", also: ["TURN-3"])
        let again = ClauseUnderTest("PERSIST-4")
        let fault = "server!refuseWrites A>chat(c2 s1) A<error(persist_failed c2) server!acceptWrites A>chat(c3 s1)"
        try again.untested("\(control) \(fault) server!stop A<error(persist_failed c3) A<close(1001)")
        try again.violates("\(control) \(fault) A<error(persist_failed c3)^ +1s server!stop A<close(1001)")
    }

    @Test func `PERSIST-3 what a kill broke was settled at the start`() throws {
        let clause = ClauseUnderTest("PERSIST-3")
        let killed = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1) server!kill A<eof server!start B+"
        try clause.untested(
            "\(killed) B>chat(c1) server!refuseWrites B<ack(c1 duplicate) B<error(interrupted t1 c1) +31s")
        try clause.violates("\(killed) B>chat(c2 s1) B<ack(c2) server!refuseWrites +31s^", also: ["TURN-3"])
    }

    @Test func `PERSIST-3 a turn cannot be late before it is asked for`() throws {
        let clause = ClauseUnderTest("PERSIST-3")
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

    @Test func `SYNC-7 a stream outlives the connections of its person`() throws {
        let clause = ClauseUnderTest("SYNC-7", rule: 1, profiles: synced)
        let turn = "A+(e1 #0) A>chat(c1) A<ack(c1 s1) A<done(t1 c1 s1 #1) A>close(1000) A<close(1000) +2s"
        let back = "B+(e2 #0) B>sync(e1 #0) B<syncResult(e2 #0 epoch_changed)"
        try clause.violates("P+(p2 e7 #0) \(turn) \(back)^ P>ping P<pong")
        // Nobody shows that the process went on, or it surely did not; and what is old may go.
        try clause.untested("\(turn) \(back)")
        try clause.untested("\(turn) P+(p2 e7 #0) \(back) P>ping P<pong")
        try clause.untested("P+(p2 e7 #0) \(turn) server!kill P<eof server!start \(back)")
        try clause.untested("P+(p2 e7 #0) \(turn) +1900s \(back) P>ping P<pong")
    }

    @Test func `SYNC-7 a position without its epoch follows no page`() throws {
        let clause = ClauseUnderTest("SYNC-7", rule: 1, profiles: synced)
        let page =
            "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) "
            + "B>sync(e1 #0 limit=1) B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)]"
        try clause.conforms("\(page) B>sync(#1) B<syncResult(e1 #2 unknown_position)")
        try clause.violates("\(page) B>sync(e1 #1) B<syncResult(e1 #2 evicted)^", also: ["SYNC-7"])
    }

    @Test func `SYNC-7 a position of another epoch follows no page`() throws {
        let clause = ClauseUnderTest("SYNC-7", rule: 1, profiles: synced)
        let page =
            "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) "
            + "B>sync(e1 #0 limit=1) B<syncResult(e1 #2 too_many more)[toolUse(t1 #1)]"
        try clause.conforms("\(page) B>sync(e9 #1) B<syncResult(e1 #2 epoch_changed)")
        try clause.violates("\(page) B>sync(e1 #1) B<syncResult(e1 #2 evicted)^", also: ["SYNC-7"])
    }

    @Test func `RATE-4 a malformed sync is not answered as usual`() throws {
        let clause = ClauseUnderTest("RATE-4", profiles: [.core, .sync, .rateLimit])
        let spent = "server!lend(p1 spent=0) A+(e1 #0 messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1 #1)"
        let refused = "\(spent) A>chat(c2 s1) A<error(rate_limited c2 limit=1)"
        try clause.untested("\(refused) A>sync(lastSeqSeen=-1) A<error(bad_request) +11s")
        try clause.violates("\(refused) A>sync(e1 #1) +11s^", also: ["SYNC-2"])
    }

    @Test func `CLIENT-33 who lost a question over REST does not know that reads work`() throws {
        let clause = ClauseUnderTest("CLIENT-33")
        let refused =
            "client!launch A+ A!cut B>open B<refused(503) 1>GET(s1) 1<200(u1 a1) 2>GET(s1) 2<200(u1 a1) client!send(c2)"
        let shown = "+2s client=connecting(s1 u1 a1 c2)"
        try clause.conforms("\(refused) 3>POST(c2 s1) 3<failed('reset') \(shown)")
        try clause.conforms("\(refused) 3>POST(c2 s1) 3<503(internal) \(shown)")
        try clause.warns("\(refused) 3>POST(c2 s1) 3<200(t2) \(shown)^")
    }

    @Test func `CLIENT-3 a close that the app did not live to see ends nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-3")
        let start = "client!launch A+ client=connected"
        try clause.untested("\(start) client!launch A<close(4001) B>open +17s")
        try clause.violates("\(start) A<close(4001) B>open^ +17s")
    }

    @Test func `CLIENT-40 who was sent away is shown nothing new`() throws {
        let clause = ClauseUnderTest("CLIENT-40")
        let start = "client!launch A+ client=connected(s1 u1 a1)"
        let stored = "server!elsewhere(s1 a2) +37s client=offline(s1 u1 a1)"
        try clause.untested("\(start) A<close(4001) \(stored)")
        try clause.warns("\(start) A<close(1011) \(stored)^", also: ["CLIENT-37"])
    }

    @Test func `IDEM-2 the repeat may be acknowledged before the first`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 1)
        let twice = "A+ A>chat(c1) A>chat(c1)"
        try clause.conforms("\(twice) A<ack(c1 duplicate) A<ack(c1) A<done(t1)")
        try clause.violates("\(twice) A<ack(c1) A<ack(c1)^ A<done(t1)")
        // Also after a refusal, which began nothing.
        let again = "A+ A>chat(c1) A<error(rate_limited c1) +6s A>chat(c1) A>chat(c1)"
        try clause.conforms("\(again) A<ack(c1 duplicate) A<ack(c1) A<done(t1)")
        try clause.violates("\(again) A<ack(c1) A<ack(c1)^ A<done(t1)")
        let free = ClauseUnderTest("IDEM-7")
        try free.conforms("\(again) A<ack(c1 duplicate) A<ack(c1) A<done(t1)")
        try free.violates("\(again) A<ack(c1 duplicate) A<ack(c1 duplicate)^ A<done(t1)")
    }

    @Test func `IDEM-7 and PERSIST-3 nobody is known before the greeting`() throws {
        let refused = "A>chat(c1) A<error(not_authenticated c1)"
        let free = ClauseUnderTest("IDEM-7")
        try free.untested("A>open A<open \(refused) \(refused)")
        try free.violates("A+ A>chat(c1) A<error(busy c1) \(refused)^")
        let stored = ClauseUnderTest("PERSIST-3")
        try stored.untested("server!refuseWrites A>open A<open \(refused)")
        try stored.violates("A+ server!refuseWrites \(refused)^")
    }

    @Test func `ENV-3 and ENV-4 who answers no pings is left`() throws {
        let mood = #"A>`{"type":"mood"}`"#
        let type = ClauseUnderTest("ENV-3", rule: 1)
        try type.untested("A+(heartbeatSeconds=1) A!stopReading +3s \(mood) A<eof('reset')")
        try type.violates("A+(heartbeatSeconds=1) A!stopReading +1s \(mood) A<eof('reset')^")
        // It read again, or said something in between.
        try type.untested("A+(heartbeatSeconds=1) A!stopReading +3s \(mood) A!resumeReading A<eof('reset')")
        try type.violates("A+(heartbeatSeconds=1) A!stopReading +1s A!resumeReading +2s \(mood) A<eof('reset')^")
        let talking = "A!stopReading +1s A>ping(n1) +1s A>ping(n2) +1s"
        try type.violates("A+(heartbeatSeconds=1) \(talking) \(mood) A<eof('reset')^")
        let member = ClauseUnderTest("ENV-4")
        try member.untested("A+(heartbeatSeconds=1) A!stopReading +3s A>chat(c1 mood=7) A<eof('reset')")
        try member.violates("A+(heartbeatSeconds=1) A!stopReading +1s A>chat(c1 mood=7) A<eof('reset')^")
    }

    @Test func `PUSH-7 a read before the push may have shown the answer`() throws {
        let clause = ClauseUnderTest("PUSH-7", profiles: [.core, .push])
        let asked = "push!listen(p1) A+ A>chat(c1) A<ack(c1) A>close(1000) A<close(1000) +31s 1>GET(s1)"
        let late = "push<alert(a1 s1) push>503"
        try clause.untested("\(asked) 1<200(u1 a1) \(late)")
        try clause.violates("\(asked) 1<200(u1)^ \(late)", also: ["TURN-6"])
    }

    @Test func `TURN-12 a replay may show which question began a session`() throws {
        let clause = ClauseUnderTest("TURN-12", profiles: [.core, .rateLimit, .sync])
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
        let posted = "1>POST(c2 s1 'y') A<done(t2 'You said: y') 1<200(t2 'You said: y') A!cut"
        let grown = "A+ A>chat(c1 s1 'x') A<ack(c1) \(posted) 2>GET 2<200(s1=3) 3>GET(s1)"
        let both = "3<200(u1='x' u2='y' a2='You said: y' a1='You said: x')"
        try clause.untested("\(grown) \(both)")
        try clause.untested(
            "A+ A>chat(c1 s1 'x') A<ack(c1) \(posted) 3>GET(s1) 3<200(u1='x' u2='y' a2='You said: y') 2>GET 2<200(s1=4)"
        )
        // Nobody asked anything else, or the answer was seen before.
        let alone = "A+ \(posted) 2>GET 2<200(s1=1) 3>GET(s1)"
        try clause.violates("\(alone) 3<200(u2='y' a2='You said: y')^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1) 1>GET 1<200(s1=1) A!cut 2>GET(s1) 2<200(u1 a1)^")
    }

    @Test func `REST-8 what could not be stored had no turn`() throws {
        let clause = ClauseUnderTest("REST-8", rule: 2)
        let words = #"'{"script":[{"fail":"model exploded"}]}'"#
        let asked = "server!refuseWrites 1>POST(c1 \(words))"
        func failed(_ code: String) -> String { "1<503(\(code) c1)" }
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

    @Test func `CLIENT-33 the first report that the app is active begins nothing anew`() throws {
        let clause = ClauseUnderTest("CLIENT-33")
        let polled = "client!launch A>open A<refused(503) 1>GET 1<200 +1s client=degraded"
        let tries = "client!foreground B>open B<refused(503) C>open +3s client=degraded"
        try clause.conforms("\(polled) \(tries)")
        try clause.warns("\(polled) client!background \(tries)^")
    }

    @Test func `CLIENT-33 a read that was under way when the connection was lost is polling`() throws {
        let clause = ClauseUnderTest("CLIENT-33")
        let tries = "B>open +3s client=degraded"
        try clause.conforms("client!launch A+ client=connected 1>GET +1s A!cut 1<200 \(tries)")
        try clause.warns("client!launch A+ client=connected 1>GET 1<200 +1s A!cut \(tries)^")
    }

    @Test func `CLIENT-22 who is turned away while it connects recovers nothing`() throws {
        let clause = ClauseUnderTest("CLIENT-22")
        let pushed = "client!launch A+ client=connected A!cut client!receivePush(s2 message='a2') B>open B<open B>auth"
        try clause.untested("\(pushed) B<close(4001) +32s")
        try clause.violates("\(pushed) B<close(1011) +32s^", also: ["CLIENT-37"])
    }

    @Test func `CLIENT-21 what was refused for a while may begin the session of one that failed`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        let lost = """
            client!launch A+ client=connected client!send(c1) A>chat(c1) A<error(rate_limited c1 retryAfterMs=300)
            client!send(c2) A>chat(c2) client=connected(c1 c2 thinking error.c1=rate_limited) A!cut B+
            """
        let again =
            "client!sendAgain(c2) +1s B>chat(c1) B<ack(c1 s1) B<done(t1) client=connected(s1 u1 c2 a1) B>chat(c2 s1)"
        try clause.untested("\(lost) client=connected(c1 c2 failed=c2 error.c1=rate_limited) \(again)")
        try clause.violates("\(lost) \(again)^")
    }

    @Test func `CLIENT-6 an ending may be missed as the app leaves`() throws {
        let clause = ClauseUnderTest("CLIENT-6", rule: 2)
        let failed = """
            client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1) A<ack(c2)
            client=connected(s1 u1 a1 c2 failed=c2) client!sendAgain(c2) A<done(t2)
            """
        let away = "client!networkDown A!cut(silence) +3s client!networkUp 1>POST(c2 s1)"
        try clause.untested("\(failed) \(away)")
        try clause.violates("\(failed) +3s \(away)^")
    }

    @Test func `AUTH-7 a key that stands for another question is refused for that`() throws {
        let clause = ClauseUnderTest("AUTH-7", rule: 1, profiles: [.core, .auth])
        let known = "1>POST(c1 p2) 1<200(t1) A+ A>chat(c2)"
        let refused = "A<ack(c2 s2) 2<422(idempotency_mismatch c2)"
        try clause.untested("\(known) 2>POST(c2 s1) \(refused)")
        try clause.violates("\(known) 2>POST(c3 s1) A<ack(c2 s2) 2<422(idempotency_mismatch c3)^")
    }

    @Test func `IDEM-2 a repeat may be answered before what it repeats`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 1)
        let asked = "A+ A>chat(c1) A>chat(c1)"
        try clause.conforms("\(asked) A<ack(c1 duplicate) A<ack(c1) A<done(t1)")
        try clause.violates("\(asked) A<ack(c1) A<ack(c1)^ A<done(t1)")
    }

    @Test func `IDEM-5 nobody reads the key of what is too large`() throws {
        let clause = ClauseUnderTest("IDEM-5")
        let long = String(repeating: "long ", count: 40)
        let asked = "A+(maxFrameBytes=200) A>chat(c1) A<ack(c1) A>chat(c1 'LONG') A<error(too_large c1)"
        try clause.untested(asked.replacing("LONG", with: long))
        try clause.violates("\(asked.replacing("LONG", with: "other"))^", also: ["ENV-7"])
    }

    @Test func `CLIENT-20 what a list tells of is read`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 2)
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

    @Test func `CLIENT-21 a conversation goes on after the next launch`() throws {
        let clause = ClauseUnderTest("CLIENT-21")
        let lost = """
            client!launch A+ client=connected A!cut client=degraded client!send(c1) 1>POST(c1) 1<failed('reset')
            client=degraded(c1 thinking) +70s client=degraded(c1 failed=c1 'No answer') client!launch
            """
        let next = """
            client!send(c2) client=degraded(c1 c2 failed=c1 thinking) 2>POST(c2) 2<200(s1 t2 a2)
            client=degraded(s1 c1 c2 a2 failed=c1)
            """
        let others = ["CLIENT-37"]
        try clause.untested("\(lost) client=connecting(c1 failed=c1) \(next)", also: others)
        try clause.violates("\(lost) client=connecting \(next)^", also: others)
    }

    @Test func `CLIENT-7 with the conversation before it a message may be too large`() throws {
        let clause = ClauseUnderTest("CLIENT-7")
        let dead = "client!launch A+(maxFrameBytes=300) client=connected(s1 u1 a1 u2 a2) A!cut client!send(c3)"
        let back = "B+(maxFrameBytes=300) client=connected(s1 u1 a1 u2 a2 c3FAILED) +17s"
        try clause.untested("\(dead) \(back.replacing("FAILED", with: " failed=c3"))", also: ["CLIENT-18"])
        try clause.violates("\(dead) \(back.replacing("FAILED", with: ""))^", also: ["CLIENT-38", "CLIENT-18"])
    }

    @Test func `CLIENT-35 a message that a greeting made too large is still there`() throws {
        let clause = ClauseUnderTest("CLIENT-35")
        let typed = "client!launch client=connecting(s1) client!send(c1) client=connecting(s1 c1)"
        let next = "client!quit client!launch(fresh=false) client=connecting(s1) B+ client=connected(s1) +17s"
        try clause.violates("\(typed) A+(maxFrameBytes=9) \(next)^", also: ["CLIENT-18"])
        try clause.violates("\(typed) A>open \(next)^", also: ["CLIENT-18"])
    }

    @Test func `ENV-13 what comes on a connection of an earlier life is no sign`() throws {
        let clause = ClauseUnderTest("ENV-13")
        let asked = "client!launch A+ client!launch(fresh=false) B+ client!send(c1) B>chat(c1)"
        let silent = "+14s B<`{\"type\":\"mood\"}` +1s B>close(1001)"
        try clause.untested("\(asked) A<message(u1 s1 c1) \(silent)")
        try clause.violates("\(asked) B<message(u1 s1 c1) \(silent)^")
    }

    @Test func `CLIENT-20 who gives a read up may be seen to a moment later`() throws {
        let clause = ClauseUnderTest("CLIENT-20", rule: 1)
        func reads(_ wait: String) -> String {
            "client!launch A+ client=connected(s1) A!cut B+ 1>GET(s1) +\(wait) client!receivePush(s1 message='a9') 2>GET(s1) 1<200"
        }
        try clause.conforms(reads("11950ms"))
        try clause.violates(reads("9s").replacing("2>GET(s1)", with: "2>GET(s1)^"))
    }

    @Test func `ENV-6, IDEM-5, TURN-11 and TURN-14 what asks something else is no repeat`() throws {
        let asked = "A+(e1 #0) B+(e1 #0) A>chat(c1 s1 'long') A>chat(c1 'other') 1>POST(c1 s1 'long')"
        let shown = "B<message(u1 t1 c1 'long' #1) A<message(u1 t1 c1 'long' #1)"
        let taken = "\(asked) A<ack(c1 duplicate) \(shown) A<error(idempotency_mismatch c1)"
        try ClauseUnderTest("ENV-6", profiles: synced).conforms(taken)
        try ClauseUnderTest("TURN-11", profiles: synced).conforms("\(taken) 1<200(t1)")
        try ClauseUnderTest("TURN-14", profiles: synced).conforms(taken)
        try ClauseUnderTest("IDEM-5", profiles: synced).conforms(taken)
        try ClauseUnderTest("ENV-6", profiles: synced).violates(
            taken.replacing("A<message(u1 t1 c1 'long' #1)", with: "A<message(u1 t1 c1 'short' #1)^"),
            also: ["ORDER-7"])
        try ClauseUnderTest("IDEM-5", profiles: synced).violates(
            "\(asked) A<ack(c1 duplicate) \(shown) A<ack(c1 duplicate)^")
    }

    @Test func `TURN-7 a turn that is told to fail has no answer`() throws {
        let asked = #"""
            A+(e1 #0) A>chat(c1 s1 '{"script":[{"wait":10},{"fail":"no"}]}') 1>POST(c2 s1 '{"script":[{"tool":"t"}]}')
            A<message(u2 c2 '{"script":[{"tool":"t"}]}' #1) A<toolUse(t t2 #2) A<done(t2 'used' #3) 1<200(t2 'used') A<ack(c1) B+(e1 #3) A!cut
            B>chat(c3 s1 '{"script":[{"reply":"x"}]}') B<ack(c3) B<error(agent_failed t1 #4) B<done(t3 'x' #5) 2>GET(s1)
            """#
        let failed = ClauseUnderTest("TURN-7", rule: 1, profiles: [.core, .sync])
        let names =
            #"u2='{"script":[{"tool":"t"}]}' a2='used' u1='{"script":[{"wait":10},{"fail":"no"}]}' u3='{"script":[{"reply":"x"}]}' a3='x'"#
        try failed.conforms("\(asked) 2<200(\(names) t1=failed t2 t3)")
        try failed.violates("\(asked) 2<200(\(names) t1 t2 t3)^", also: ["TURN-7"])
    }

    @Test func `PUSH-6 a device may register again before the next start`() throws {
        let clause = ClauseUnderTest("PUSH-6", profiles: [.core, .push])
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

    @Test func `PUSH-7 what was told to fail leaves no answer`() throws {
        let clause = ClauseUnderTest("PUSH-7", profiles: [.core, .push])
        let asked = #"push!listen(p1) A+ push<alert(a9 s9) push>503 A>chat(c1 '{"script":[{"fail":"no"}]}') A<ack(c1)"#
        let read = "\(asked) A>close(1000) A<close(1000) +31s 1>GET(s1)"
        let question = #"u1='{"script":[{"fail":"no"}]}'"#
        try clause.conforms("\(read) 1<200(\(question) t1=failed)")
        try clause.violates("\(read) 1<200(\(question) t1=running)^")
    }

    @Test func `PUSH-7 an ending that nobody read was not late`() throws {
        let clause = ClauseUnderTest("PUSH-7", profiles: [.core, .push])
        let troubled = "push!listen(p1) A+ push<alert(a9 s9) push>503 A>chat(c1) A<ack(c1)"
        try clause.untested("\(troubled) A!stopReading +40s A<done(t1)")
        try clause.violates("\(troubled) +40s A<done(t1)^")
        try clause.violates("\(troubled) A!stopReading +1s A!resumeReading +31s A<done(t1)^")
    }
}
