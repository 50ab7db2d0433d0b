import TestSupport
import Testing

@Suite struct RATETests {
    /// A principal that nobody used before, with a budget of two, both spent on connection A.
    private let spent =
        "server!lend(p1 spent=0) A+(messagesPerMinute=2) A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2 s1) A<ack(c2) A<done(t2)"
    private let told = "limit=2"

    /// One budget more, as a window that starts anew would take it.
    private let twice = "A>chat(c3 s1) A<ack(c3) A<done(t3) A>chat(c4 s1) A<ack(c4) A<done(t4)"

    @Test func `RATE-3 one budget for all roads`() throws {
        let clause = ClauseUnderTest("RATE-3", profiles: [.core, .rateLimit])
        let again = "\(spent) A!cut B+(messagesPerMinute=2) B>chat(c3 s1)"
        try clause.conforms("\(again) B<error(rate_limited c3 \(told))")
        try clause.conforms("\(spent) 1>POST(c3 s1) 1<429(rate_limited c3 retry-after=60)")
        // A window may have begun anew meanwhile, but not two of them.
        let anew = "\(again) B<ack(c3) B>chat(c4 s1) B<ack(c4)"
        try clause.untested("\(anew) B<done(t3) B<done(t4)")
        try clause.violates("\(anew) 1>POST(c5 s1) 1<200(t5)^")
        try clause.violates("\(anew) C+(messagesPerMinute=2) C>chat(c5 s1) C<ack(c5)^")
        try clause.conforms("\(anew) 1>POST(c5 s1) 1<429(rate_limited c5 retry-after=60)")
        let mixed = "A+(messagesPerMinute=2) A>chat(c1) A<ack(c1) A<done(t1) 1>POST(c2 s1) 1<200(t2)"
        try clause.conforms("\(mixed) A>chat(c3 s1) A<error(rate_limited c3 \(told))")
        let late = "\(anew) B<done(t3) B<done(t4) B!cut +60s 1>POST(c5 s1) 1<200(t5) 2>POST(c6 s1) 2<200(t6)"
        try clause.untested(late)
        try clause.violates("\(late) 3>POST(c7 s1) 3<200(t7)^")  // in two windows three budgets
        try clause.untested("\(late) +60s 3>POST(c7 s1) 3<200(t7)")
        try clause.untested("\(anew) C+(p2 messagesPerMinute=2) C>chat(c5) C<ack(c5)")  // another person's
        try clause.untested(
            "\(anew) server!kill server!start C+(messagesPerMinute=2) C>chat(c5 s1) C<ack(c5)")
        try clause.untested(spent)
        // A repeat is no new question.
        try clause.untested("\(anew) C+(messagesPerMinute=2) C>chat(c2 s1) C<ack(c2 duplicate) C<done(t2 duplicate)")
        // A budget may shrink.
        let small = "B+(messagesPerMinute=1) B>chat(c2 s1) B<ack(c2) B<done(t2) B>chat(c3 s1) B<ack(c3) B<done(t3)"
        try clause.violates(
            "A+(messagesPerMinute=60) A>chat(c1) A<ack(c1) A<done(t1) A!cut +61s \(small) B>chat(c4 s1) B<ack(c4)^")
        // Of what comes at once no more are taken either, in whatever order.
        let burst = "A+(messagesPerMinute=1) A>chat(c1) 1>POST(c2) 2>POST(c3) 2<200(t3) A<ack(c1) A<done(t1)"
        try clause.violates("\(burst) 1<200(t2)^")
        try clause.conforms("\(burst) 1<429(rate_limited c2 retry-after=60)")
        try clause.untested("\(burst) +60s 1<200(t2)", also: ["TURN-10"])
    }

    @Test func `RATE-1 the budget is stated`() throws {
        let clause = ClauseUnderTest("RATE-1")
        try clause.conforms("A+")
        try clause.violates("A+(-messagesPerMinute)^")
        try clause.violates("A+(messagesPerMinute=0)^", also: ["ENV-2"])
        try clause.violates("A+(messagesPerMinute='60')^", also: ["ENV-2"])
        try clause.untested("A>open A<refused(503)")
    }

    @Test func `RATE-2 the budget is granted`() throws {
        let clause = ClauseUnderTest("RATE-2", profiles: [.core, .rateLimit])
        let one = "A+(messagesPerMinute=2) A>chat(c1) A<ack(c1) A<done(t1)"
        let refused = "A>chat(c2 s1) A<error(rate_limited c2 \(told))"
        try clause.conforms("\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told))")
        try clause.violates("server!lend(p1 spent=0) \(one) \(refused)^")
        try clause.violates("server!lend(p1 spent=0) \(one) 1>POST(c2 s1) 1<429(rate_limited c2 retry-after=60)^")
        try clause.untested("server!lend(p1 spent=1) \(one) \(refused)")  // an earlier one may count
        try clause.untested("\(one) \(refused)")  // nobody knows of earlier ones
        try clause.violates("\(one) +61s \(refused)^")  // by now they do not matter
        // The POST may have been accepted.
        try clause.untested("server!lend(p1 spent=0) \(one) 2>POST(c3 s1) \(refused)")
        try clause.violates("server!lend(p1 spent=0) \(one) +61s A>chat(c3 s1) A<ack(c3) A<done(t3) \(refused)^")
        let short = "limit=2 windowMs=1000"
        try clause.violates(
            "server!lend(p1 spent=0) \(one) +2s A>chat(c3 s1) A<ack(c3) A<done(t3) A>chat(c2 s1) A<error(rate_limited c2 \(short))^"
        )
        // A server may count repeats.
        try clause.untested(
            "server!lend(p1 spent=0) \(one) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate) \(refused)",
            also: ["RATE-6"])
        try clause.untested("server!lend(p1 spent=0) A+(-messagesPerMinute) \(refused)", also: ["RATE-1"])
    }

    @Test func `RATE-3 excess is refused as such`() throws {
        let clause = ClauseUnderTest("RATE-3", profiles: [.core, .rateLimit])
        try clause.conforms("\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told))")
        try clause.untested("\(spent) \(twice)")  // a window may have begun anew
        try clause.violates("\(spent) \(twice) A>chat(c5 s1) A<ack(c5)^")
        try clause.violates("\(spent) A>chat(c3 s1) A<error(rate_limited c3 -limit)^")
        try clause.violates("\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told) -windowMs)^")
        try clause.violates(
            "\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told) retryAfterMs='soon')^", also: ["ENV-1"])
        try clause.violates("\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told) -retryAfterMs)^")
        try clause.violates("\(spent) \(twice) A>chat(c5 s1) A<error(c5 'slow down')^")
        try clause.untested("\(spent) \(twice) A>chat(c5 s1) A<error(persist_failed c5)")
        try clause.violates("\(spent) A>chat(c3 s1) A<close(1008)^", also: ["LIVE-10"])
        try clause.untested("\(spent) A>chat(c3 s9) A<error(session_not_found c3)")  // wrong for another reason too
        try clause.untested("\(spent) A>chat(c3 s1) A<close(1013)")
        try clause.untested("\(spent) \(twice) +60s A>chat(c5 s1) A<ack(c5)")
        try clause.untested("\(spent) A>chat(c2 s1) A<ack(c2 duplicate) A<done(t2 duplicate)")
        try clause.untested(spent)
        // A connection without a principal spends nobody's budget.
        let stranger = "B>open B<open B>chat(c5) B<error(not_authenticated) B<close(1008)"
        try clause.untested("\(spent) \(stranger)")
        try clause.untested("\(spent) \(twice) \(stranger)")
        // A question that went out with the auth and was accepted counts.
        let early = "B>open B<open B>auth B>chat(c4 s1) B<connected B<ack(c4) B<done(t4)"
        try clause.violates("\(spent) A>chat(c3 s1) A<ack(c3) A<done(t3) \(early) A>chat(c5 s1) A<ack(c5)^")
    }

    @Test func `RATE-3 silence and lateness are no refusal`() throws {
        let clause = ClauseUnderTest("RATE-3", profiles: [.core, .rateLimit])
        let asked = "\(spent) A>chat(c3 s1)"
        try clause.violates("\(asked) A>ping(n1) A<pong(n1) +10s^")
        try clause.untested("\(asked) A>ping(n1) A<pong(n1) +9s")
        try clause.violates("\(asked) +11s A<error(rate_limited c3 \(told))^")
        // Not beyond the budget.
        try clause.untested("server!lend(p1 spent=0) A+(messagesPerMinute=2) A>chat(c1) A<ack(c1) +11s")
        // The window of the budget may be shorter than the wait for an answer.
        let short = "A>chat(c3 s1) A<error(rate_limited c3 \(told) windowMs=1000) A>chat(c4 s1)"
        try clause.violates("\(spent) \(short) +11s^")
    }

    @Test func `RATE-3 excess over REST is refused as such`() throws {
        let clause = ClauseUnderTest("RATE-3", profiles: [.core, .rateLimit])
        try clause.conforms("\(spent) 1>POST(c3 s1) 1<429(rate_limited c3 retry-after=60)")
        try clause.violates("\(spent) 1>POST(c3 s1) 1<429(rate_limited c3)^")
        try clause.violates("\(spent) 1>POST(c3 s1) 1<429(rate_limited c3 retry-after=59.5)^")
        try clause.violates(
            "\(spent) 1>POST(c3 s1) 1<429(rate_limited c3 retry-after='Sat, 01 Mar 2031 00:00:00 GMT')^")
        try clause.violates("\(spent) \(twice) 1>POST(c5 s1) 1<503(busy c5)^")
        let posted = "A+(messagesPerMinute=2) 1>POST(c1) 1<200(t1) 2>POST(c2 s1) 2<200(t2)"
        try clause.conforms("\(posted) 3>POST(c3 s1) 3<429(rate_limited c3 retry-after=60)")
        let anew = "\(posted) 3>POST(c3 s1) 3<200(t3) 4>POST(c4 s1) 4<200(t4)"
        try clause.violates("\(anew) 5>POST(c5 s1) 5<200(t5)^")
        try clause.untested(anew)
        try clause.untested("\(spent) 1>POST(c3 s9) 1<404(session_not_found c3)")
        try clause.untested(posted)
        // All come at once, in whatever order.
        let burst = "A+(messagesPerMinute=1) A!cut 1>POST(c1) 2>POST(c2) 3>POST(c3) 3<200(t3) 1<200(t1)"
        try clause.violates("\(burst) 2<200(t2)^")
        try clause.untested("\(burst) +60s 2<200(t2)")
    }

    @Test func `RATE-3 silence is no refusal`() throws {
        let clause = ClauseUnderTest("RATE-3", profiles: [.core, .rateLimit])
        try clause.violates("\(spent) 1>POST(c3 s1) +30s^")
        try clause.untested("\(spent) 1>POST(c3 s1) +29s")
        try clause.untested("server!lend(p1 spent=0) A+(messagesPerMinute=2) 1>POST(c3) +41s", also: ["REST-8"])
    }

    @Test func `TURN-14 refusals name their question`() throws {
        let clause = ClauseUnderTest("TURN-14", profiles: [.core, .rateLimit])
        try clause.conforms("\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told))")
        try clause.conforms(
            "\(spent) A>chat(c3 s1) A>chat(c4 s1) A<error(rate_limited c4 \(told)) A<error(rate_limited c3 \(told))",
            also: ["ENV-14"])
        try clause.conforms(
            "\(spent) A>chat(c3 s1) A>chat(c3 s1) A<error(rate_limited c3 \(told)) A<error(rate_limited c3 \(told))")
        try clause.violates("\(spent) A>chat(c3 s1) A<error(rate_limited \(told))^")
        try clause.violates("\(spent) A>chat(c3 s1) A<error(rate_limited c2 \(told))^")
        try clause.violates(
            "\(spent) A>chat(c3 s1) A>chat(c4 s1) A<error(rate_limited c3 \(told)) A<error(rate_limited c3 \(told))^")
        try clause.untested(spent)
    }

    @Test func `TURN-12 refused questions leave no trace`() throws {
        let clause = ClauseUnderTest("TURN-12", profiles: [.core, .rateLimit])
        let refused = "\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told))"
        try clause.conforms("\(refused) 1>GET(s1) 1<200(u1 a1 u2 a2)")
        try clause.violates("\(refused) 1>GET(s1) 1<200(u1 a1 u2 a2 u3)^")
        try clause.violates("\(refused) A<done(t3 c3)^")
        try clause.untested("\(refused) +60s A>chat(c3 s1) A<ack(c3) A<done(t3) 1>GET(s1) 1<200(u1 a1 u2 a2 u3 a3)")
        let fresh = "1>GET 1<200 \(spent) A>chat(c3) A<error(rate_limited c3 \(told)) 2>GET"
        try clause.conforms("\(fresh) 2<200(s1)")
        try clause.violates("\(fresh) 2<200(s3 s1)^")
        let posted = "1>GET 1<200 \(spent) 2>POST(c3) 2<429(rate_limited c3 retry-after=60) 3>GET"
        try clause.conforms("\(posted) 3<200(s1)")
        try clause.violates("\(posted) 3<200(s3 s1)^")
        try clause.untested(refused)
    }

    @Test func `RATE-4 connections outlive refusals`() throws {
        let clause = ClauseUnderTest("RATE-4", profiles: [.core, .rateLimit, .sync])
        let start =
            "server!lend(p1 spent=0) A+(#0 messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1 #1) A>chat(c2 s1) A<error(rate_limited c2 limit=1)"
        try clause.conforms("\(start) A>ping(n1) A<pong(n1)")
        try clause.conforms("\(start) A>sync(e1 #0) A<syncResult(e1 #1 complete)[done(t1 #1)]")
        try clause.violates("\(start) A>ping(n1) +5s^", also: ["LIVE-1"])
        try clause.violates("\(start) A>sync(e1 #0) +10s^", also: ["SYNC-2"])
        try clause.violates("\(start) A<close(1008)^")
        try clause.violates("\(start) A<eof^")
        try clause.untested("\(start) A<close(1012)")
        try clause.untested("\(start) A>close(1000) A<close(1000)")
        try clause.untested("\(start) server!stop A<close(1001)")
        try clause.untested(
            "server!lend(p1 spent=0) A+(#0 messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1 #1) A>chat(c2 s1) server!stop A<error(rate_limited c2 limit=1) A<close(1001)"
        )
        try clause.untested("\(start) +61s A>ping(n1) A<pong(n1)")  // the budget is free again
        try clause.untested(start)
    }

    @Test func `RATE-5 stated waits are enough`() throws {
        let clause = ClauseUnderTest("RATE-5", profiles: [.core, .rateLimit])
        let refused = "\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told) retryAfterMs=60000)"
        try clause.conforms("\(refused) +60s A>chat(c3 s1) A<ack(c3) A<done(t3)")
        try clause.conforms("\(refused) A!cut +60s B+(messagesPerMinute=2) B>chat(c3 s1) B<ack(c3) B<done(t3)")
        let half = "\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told) retryAfterMs=30000)"
        try clause.violates("\(half) +30s A>chat(c3 s1) A<error(rate_limited c3 \(told) retryAfterMs=30000)^")
        try clause.violates(
            "\(refused) +60s A>chat(c3 s1) A<error(rate_limited c3 \(told) retryAfterMs=1)^", also: ["RATE-2"])
        try clause.untested("\(refused) +50s A>chat(c3 s1) A<error(rate_limited c3 \(told))")
        try clause.untested(
            "\(refused) A>chat(c4 s1) A<error(rate_limited c4 \(told)) +60s A>chat(c3 s1) A<error(busy c3)")
        let other = "\(refused) 1>POST(c4 s1) 1<429(rate_limited c4 retry-after=60)"
        try clause.untested("\(other) +60s A>chat(c3 s1) A<ack(c3) A<done(t3)")
        try clause.untested(
            "A+(messagesPerMinute=2) 1>POST(c9 s1) A>chat(c3 s1) A<error(rate_limited c3 \(told) retryAfterMs=10) +1s A>chat(c3 s1) A<error(rate_limited c3 \(told) retryAfterMs=9)"
        )
        try clause.untested(refused)
    }

    @Test func `RATE-6 repeats are free`() throws {
        let clause = ClauseUnderTest("RATE-6", profiles: [.core, .rateLimit])
        let again =
            "server!lend(p1 spent=0) A+(messagesPerMinute=2) A>chat(c1) A<ack(c1) A<done(t1) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate)"
        try clause.conforms("\(again) A>chat(c2 s1) A<ack(c2) A<done(t2)")
        try clause.violates("\(again) A>chat(c2 s1) A<error(rate_limited c2 \(told))^")
        try clause.untested("\(again) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate)")
        let full = "server!lend(p1 spent=0) A+(messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1) A>chat(c1)"
        try clause.conforms("\(full) A<ack(c1 duplicate) A<done(t1 duplicate)")
        try clause.violates("\(full) A<error(rate_limited c1 \(told))^")
        // Whether the first arrived at all is not known: what is refused may be a new question.
        try clause.untested(
            "server!lend(p1 spent=1) A+(messagesPerMinute=1) A>chat(c1) A!cut B+(messagesPerMinute=1) B>chat(c1) B<error(rate_limited c1 \(told))"
        )
        try clause.untested(
            "A+(messagesPerMinute=2) A>chat(c1) A<ack(c1) A<done(t1) A>chat(c1) A<ack(c1 duplicate) A>chat(c2 s1) A<error(rate_limited c2 \(told))"
        )
        try clause.untested("\(spent) A>chat(c3 s1) A<error(rate_limited c3 \(told))")
    }
}
