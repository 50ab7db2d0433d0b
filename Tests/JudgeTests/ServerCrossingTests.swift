import Holdfast
import TestSupport
import Testing

/// What a server decided while something else was on its way, each beside the breach that is one edit away.
@Suite struct ServerCrossingTests {
    @Test func `ENV-3 an error without a name answers one message`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        let message = #"{"role":"user","content":"a","content":"b"}"#
        let chat = #"A>`{"type":"chat","messages":[\#(message)],"clientMessageId":"c1"}`"#
        let both = "A+ \(chat) A>`[]` A<error(bad_request)"
        try clause.conforms("\(both) A<error(bad_request) +5s A>ping A<pong")
        try clause.violates("\(both) +5s^ A>ping A<pong")
    }

    @Test func `ENV-6 and ID-2 the request that was acknowledged is the one that counts`() throws {
        let lost = "A+ A>chat(c1) A<ack(c1 s1) A<done(t1) A>chat(c2 s1 'lost') server!kill A<eof server!start B+"
        let taken = "B>chat(c2 'taken') B<ack(c2 s2 t2) B<message(s2 u2 c2 t2 'TEXT' #1)"
        let text = ClauseUnderTest("ENV-6")
        try text.conforms("\(lost) \(taken.replacing("TEXT", with: "taken"))")
        try text.violates("\(lost) \(taken.replacing("TEXT", with: "lost"))^")
        let place = ClauseUnderTest("ID-2", rule: 2)
        let sent = "A+ A>chat(c1) A<ack(c1 s1) A<done(t1) A>chat(c2 s1) A!cut B+"
        try place.untested("\(sent) B>chat(c2) B<ack(c2 s2 t2)")
        try place.violates("\(sent) B>chat(c2 s1) B<ack(c2 s2 t2)^")
    }

    @Test func `PUSH-7 a turn that has ended waits for no push`() throws {
        let clause = ClauseUnderTest("PUSH-7", profiles: [.core, .push])
        let asked = "push!listen(p1) A+ A>chat(c1) A<ack(c1 s1)"
        let refused = "push<alert(a1 s1) push>429(TooManyRequests) +31s"
        try clause.untested("\(asked) A<done(t1 a1) \(refused)")
        try clause.violates("\(asked) \(refused)^", also: ["TURN-3"])
    }

    @Test func `IDEM-5 nobody reads a key before the greeting`() throws {
        let clause = ClauseUnderTest("IDEM-5")
        let asked = "A+ A>chat(c1) A<ack(c1)"
        try clause.untested("\(asked) B>open B<open B>chat(c1 'other') B<error(not_authenticated c1)")
        try clause.violates("\(asked) B+ B>chat(c1 'other') B<error(not_authenticated c1)^")
    }

    @Test func `TURN-12 a refused question begins no session`() throws {
        let clause = ClauseUnderTest("TURN-12", profiles: [.core, .rateLimit])
        let start = "1>GET 1<200 server!lend(p1 spent=0) A+(messagesPerMinute=2) B+(messagesPerMinute=2)"
        let refused = "A>chat(c3 'z') A<error(rate_limited c3 limit=2 windowMs=60000)"
        let inTurn =
            "A>chat(c1 'x') A<ack(c1) A<done(t1) B<done(t1) B>chat(c2 'y') B<ack(c2 s2) A<done(t2 s2) B<done(t2 s2)"
        try clause.violates("\(start) \(inTurn) \(refused) 2>GET 2<200(s3 s2 s1)^")
    }

    @Test func `RATE-5 what was sent until the answer came may have been first`() throws {
        let clause = ClauseUnderTest("RATE-5", profiles: [.core, .rateLimit])
        let spent = "server!lend(p1 spent=0) A+(messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1)"
        let refused = "A>chat(c2 s1) A<error(rate_limited c2 limit=1 windowMs=60000 retryAfterMs=30000)"
        let again = "+30s A>chat(c2 s1) OTHER A<error(rate_limited c2 limit=1 windowMs=60000 retryAfterMs=30000)"
        try clause.untested("\(spent) \(refused) \(again.replacing("OTHER", with: "1>POST(c3 s1)"))")
        try clause.violates("\(spent) \(refused) \(again.replacing(" OTHER", with: ""))^")
    }

    @Test func `LIVE-5 the time to authenticate may be up as a server is told to stop`() throws {
        let clause = ClauseUnderTest("LIVE-5")
        try clause.untested("A>open A<open +10s server!stop A<close(4002)")
        try clause.violates("A>open A<open +10s server!stop +5s A<close(4002)^")
        try clause.violates("A+ +10s server!stop A<close(4002)^")
    }

}
