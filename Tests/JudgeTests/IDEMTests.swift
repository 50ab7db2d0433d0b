import TestSupport
import Testing

@Suite struct IDEMTests {
    private let running = "A+ A>chat(c1) A<ack(c1)"
    private let ended = "A+ A>chat(c1) A<ack(c1) A<done(t1)"
    private let again = "A>chat(c1) A<ack(c1 duplicate)"

    @Test func `IDEM-1 a repeat starts no second turn on either transport`() throws {
        let clause = ClauseUnderTest("IDEM-1", rule: 1)
        let resent = "\(running) A!cut(rst) 1>POST(c1)"
        try clause.conforms("\(resent) 1<200(t1 duplicate) 2>GET(s1) 2<200(u1 a1)")
        try clause.violates("\(resent) 1<200(t2 duplicate)^", also: ["IDEM-4"])
        try clause.violates("\(resent) 1<200(t1 duplicate) 2>GET(s1) 2<200(u1 a1 t1 t1)^")
        try clause.untested(running)
        try clause.untested("\(running) A>chat(c2 s1) A<ack(c2)")
    }

    @Test func `IDEM-1 answers in two sessions are of two turns, whatever names them`() throws {
        let clause = ClauseUnderTest("IDEM-1", rule: 1)
        let asked = "A+ B+ A>chat(c1) B>chat(c1) 1>POST(c1)"
        try clause.conforms("\(asked) A<ack(c1) B<ack(c1 duplicate) A<done(t1) B<done(t1) 1<200(t1 duplicate)")
        try clause.violates(
            "\(asked) A<ack(c1) B<ack(c1 s2 t2 u2)^ A<done(t1) B<done(t1) A<done(t2 s2) B<done(t2 s2) 1<200(t1 duplicate)"
        )
    }

    @Test func `IDEM-1 one turn under the name of another session is no second turn`() throws {
        let clause = ClauseUnderTest("IDEM-1", rule: 1)
        let asked = "A+ A>chat(c1) A<ack(c1) A>chat(c1)"
        try clause.conforms("\(asked) A<ack(c1 s2 t1 duplicate) A<done(t1)")
        try clause.violates("\(asked) A<ack(c1 s2 t2 u2)^ A<done(t1)", also: ["IDEM-2"])
    }

    @Test func `IDEM-1 leads where a repeat runs twice`() throws {
        let clause = ClauseUnderTest("IDEM-1", rule: 1)
        let asked = "A+ A>chat(c1) A<ack(c1) A<done(t1 c1) A>chat(c1)"
        try clause.conforms("\(asked) A<ack(c1 duplicate) A<done(t1 c1 duplicate) 1>GET(s1) 1<200(u1 a1)")
        let again = "\(asked) A<ack(c1 s2 t2 u2)^ A<done(t2 s2 c1 'answer 1')"
        let message = #""timestamp":"2026-01-01T00:00:02Z","turnId":"t2""#
        let body = """
            {"session":{"id":"s2","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:02Z","messages":[\
            {"id":"u2","role":"user","content":"question 1","clientMessageId":"c1",\(message)},\
            {"id":"a2","role":"assistant","content":"answer 1",\(message)}],\
            "turns":[{"turnId":"t2","status":"done","clientMessageId":"c1"}]}}
            """
        try clause.violates("\(again) 1>GET(s2) 1<200(body='\(body)')", also: ["IDEM-2"])
        // Whoever asks again in the session that an answer named asks nothing else.
        try clause.violates("\(again) 1>POST(c1 s2) 1<200(t2 s2 duplicate)", also: ["IDEM-2", "IDEM-4"])
        // A frame of neither turn is told, as before.
        try ClauseUnderTest("ID-3", rule: 1).violates(
            "\(asked) A<ack(c1 s2 t2 u2) A<done(t3 s2 c1)^", also: ["IDEM-1", "IDEM-2"])
    }

    @Test func `IDEM-2 says that a refused repeat is only written otherwise`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 1)
        let parts =
            #"A>`{"type":"chat","clientMessageId":"c1","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`"#
        let again = "A+ A>chat(c1 'hi') A<ack(c1) A<done(t1) \(parts)"
        try clause.conforms("\(again) A<ack(c1 duplicate)")
        try clause.violates("\(again) A<error(idempotency_mismatch c1)^")
        let finding = try #require(try clause.findings("\(again) A<error(idempotency_mismatch c1)").first)
        #expect(
            finding.actual
                == "error idempotency_mismatch; the content is the same: first a string, then one part")
    }

    @Test func `IDEM-2 a repeat that has grown too large is only that`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 1)
        let long = String(repeating: "x", count: 400)
        let context = #"{"role":"user","content":"\#(long)"},{"role":"user","content":"hi"}"#
        let grown = #"A>`{"type":"chat","clientMessageId":"c1","messages":[\#(context)]}`"#
        func asked(_ limit: Int) -> String {
            "A+(maxFrameBytes=\(limit)) A>chat(c1 'hi') A<ack(c1) A<done(t1) \(grown)"
        }
        try clause.untested("\(asked(300)) A<error(too_large c1)")
        try clause.untested("\(asked(300)) A<close(1009)")
        try clause.violates("\(asked(600)) A<error(too_large c1)^", also: ["ENV-7"])
    }

    @Test func `IDEM-1 a repeat stores no second message`() throws {
        let clause = ClauseUnderTest("IDEM-1", rule: 2)
        let resent = "\(ended) \(again) A<done(t1 duplicate) 1>GET(s1)"
        try clause.conforms("\(resent) 1<200(u1 a1)")
        try clause.violates("\(resent) 1<200(u1 a1 u1)^", also: ["ORDER-4", "ID-8"])
        try clause.untested("\(ended) 1>GET(s1) 1<200(u1 a1)")
    }

    @Test func `IDEM-2 a repeat is acknowledged as one`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 1)
        try clause.conforms("\(running) A>chat(c1) A<ack(c1 duplicate)")
        // Without a budget there is no reason to refuse one for its rate.
        try ClauseUnderTest("IDEM-2", rule: 1, profiles: [.core])
            .violates("\(running) A>chat(c1) A<error(rate_limited c1)^")
        try clause.conforms("\(running) A!cut B+ B>chat(c1) B<ack(c1 duplicate)")
        // The refusal is about the other question, which came first.
        try clause.conforms(
            "\(ended) A>chat(c1 'other') A>chat(c1) A<error(idempotency_mismatch c1) A<ack(c1 duplicate)")
        // What names no session cannot be refused for it.
        try clause.untested("A+ A>chat(c1 s9) A>chat(c1) A<error(session_not_found c1) A<ack(c1 s2)")
        try clause.violates("\(running) A>chat(c1) A<ack(c1)^")
        try clause.violates("\(running) A>chat(c1) A<error(busy c1)^")
        try clause.violates("\(ended) A>chat(c1) +10s^")
        try clause.untested("A+ A>chat(c1) A!cut B+ B>chat(c1) B<ack(c1)")  // the first may never have arrived
        try clause.violates("A+ A>chat(c1) A<ack(c1 duplicate)^")
    }

    @Test func `IDEM-2 a finished turn is copied`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 2)
        try clause.conforms("\(ended) \(again) A<done(t1 duplicate)")
        try clause.violates("\(ended) \(again) A<done(t1 'other' duplicate)^")
        try clause.violates("\(ended) \(again) +10s^")
        try clause.violates(
            "A+ B+ A>chat(c1) A<ack(c1) B<message(u1 #1) A<done(t1) B<done(t1) \(again) A<done(t1 duplicate) B<done(t1 duplicate)^"
        )
        try clause.untested("\(running) \(again) A<done(t1)")
        try clause.untested("\(ended) \(again)")
    }

    @Test func `IDEM-3 a running turn is not copied`() throws {
        let clause = ClauseUnderTest("IDEM-3")
        try clause.conforms("\(running) \(again) A<done(t1)")
        try clause.violates("\(running) \(again) A<done(t1) A<done(t1 duplicate)^")
        try clause.violates("\(running) \(again) A<done(t1 duplicate)^")
        try clause.conforms("\(running) \(again) A<done(t1) \(again) A<done(t1 duplicate)")
        try clause.untested("\(running) A!cut B+ B>chat(c1) B<ack(c1 duplicate) B<done(t1 duplicate)")  // it had ended
        try clause.untested("\(ended) \(again) A<done(t1 duplicate)")
        // An ack may take longer than the turn.
        let late = "\(running) A>chat(c1) A<done(t1) A<ack(c1 duplicate)"
        try clause.conforms("\(late) A>ping A<pong")
        try clause.untested("\(late) A<done(t1 duplicate) A>ping A<pong")  // it may have come after the ending
        try clause.untested("\(late) A>ping")
    }

    @Test func `IDEM-2 a failed turn is copied`() throws {
        let clause = ClauseUnderTest("IDEM-2", rule: 2)
        let failed = "\(running) A<error(agent_failed t1)"
        try clause.conforms("\(failed) \(again) A<error(agent_failed t1 duplicate=true)")
        try clause.violates("\(failed) \(again) A<error(internal t1 duplicate=true)^")
        try clause.violates("\(failed) \(again) +10s^")
        try clause.untested(failed)
        // What a read showed outlives the process.
        let restart = "server!kill A<eof server!start B+ B>chat(c1) B<ack(c1 duplicate)"
        let shown = "\(failed) 1>GET(s1) 1<200(u1 t1=failed) \(restart)"
        try clause.conforms("\(shown) B<error(agent_failed t1 duplicate=true)")
        try clause.violates("\(shown) B<error(interrupted t1 duplicate=true)^")
        try clause.untested("\(failed) \(restart) B<error(interrupted t1 duplicate=true)")  // was it stored?
        try clause.untested(
            "\(failed) server!refuseWrites 1>GET(s1) 1<200(u1 t1=failed) \(restart) B<error(interrupted t1 duplicate=true)"
        )
    }

    @Test func `IDEM-4 a repeat over REST has the first outcome`() throws {
        let clause = ClauseUnderTest("IDEM-4")
        try clause.conforms("\(ended) 1>POST(c1) 1<200(t1 duplicate)")
        try clause.conforms("1>POST(c1) 1<200(t1) 2>POST(c1) 2<200(t1 duplicate)")
        try clause.conforms("\(running) 1>POST(c1) A<done(t1) 1<200(t1 duplicate)")
        try clause.violates("\(ended) 1>POST(c1) 1<200(t1)^")
        try clause.violates("\(ended) 1>POST(c1) 1<200(t1 'other' duplicate)^")
        try clause.violates("\(ended) 1>POST(c1) 1<409(busy)^")
        try clause.violates("1>POST(c1) 1<200(t1 duplicate)^")
        try clause.violates("\(ended) 1>POST(c1) +11s^")
        try clause.untested("\(ended) 1>POST(c1) +9s")
        try clause.untested("\(running) 1>POST(c1) +11s")
        try clause.untested("1>POST(c1) 1<200(t1)")
    }

    @Test func `IDEM-5 a mismatch is an error`() throws {
        let clause = ClauseUnderTest("IDEM-5")
        let other = "\(ended) A>chat(c1 'something else')"
        try clause.conforms("\(other) A<error(idempotency_mismatch c1)")
        try clause.conforms("\(ended) A>chat(c1 s2) A<error(idempotency_mismatch c1)")
        try clause.violates("\(other) A<ack(c1 duplicate)^")
        try clause.violates("\(other) A<error(bad_request c1)^")
        try clause.untested("\(ended) A>chat(c1 s1) A<ack(c1 duplicate)")
    }

    @Test func `IDEM-5 a mismatch over REST is 422`() throws {
        let clause = ClauseUnderTest("IDEM-5")
        let other = "\(ended) 1>POST(c1 'something else')"
        try clause.conforms("\(other) 1<422(idempotency_mismatch)")
        try clause.violates("\(other) 1<409(idempotency_mismatch)^")
        try clause.violates("\(other) 1<200(t1 duplicate)^")
        try clause.violates("\(other) +41s^ 1<failed('late')")
        try clause.untested("\(other) +39s 1<failed('late')")
        try clause.untested("\(ended) 1>POST(c1) 1<200(t1 duplicate)")
        // Nobody reads the key of what is too large.
        let small = ended.replacing("A+", with: "A+(maxFrameBytes=20)")
        try clause.untested("\(small) 1>POST(c1 'something else') 1<413(too_large)")
        let large = ended.replacing("A+", with: "A+(maxFrameBytes=983040)")
        try clause.violates("\(large) 1>POST(c1 'something else') 1<413(too_large)^", also: ["ENV-7"])
    }

    @Test func `TURN-12 a mismatch leaves no trace`() throws {
        let clause = ClauseUnderTest("TURN-12")
        let other = "\(ended) A>chat(c1 'something else') A<error(idempotency_mismatch c1) 1>GET(s1)"
        try clause.conforms("\(other) 1<200(u1 a1)")
        try clause.violates("\(other) 1<200(u1 a1 u2='something else')^")
        let listed = "1>GET 1<200 \(ended) A>chat(c1 'something else') A<error(idempotency_mismatch c1) 2>GET"
        try clause.conforms("\(listed) 2<200(s1)")
        try clause.violates("\(listed) 2<200(s2 s1)^")
        try clause.untested("\(ended) 1>GET(s1) 1<200(u1 a1)")
    }

    @Test func `IDEM-7 a refused key is free`() throws {
        let clause = ClauseUnderTest("IDEM-7")
        let refused = "A+ A>chat(c1 s1) A<error(session_not_found c1)"
        try clause.conforms("\(refused) A>chat(c1) A<ack(c1 s2)")
        try clause.violates("\(refused) A>chat(c1) A<ack(c1 s2 duplicate)^")
        try clause.violates("\(refused) A>chat(c1) A<error(idempotency_mismatch c1)^")
        try clause.untested(refused)
        let limited = "A+ 1>POST(c1) 1<429(rate_limited retry-after=1) 2>POST(c1)"
        try clause.conforms("\(limited) 2<200(t1)")
        try clause.violates("\(limited) +31s^")
        try clause.untested("\(limited) A<done(t1 c1) +31s", also: ["REST-8"])
        try clause.untested("\(limited) +5s 2<failed('reset') +31s")
        // Whether it was refused or failed, the same question is not another one.
        let unstored = "A+ A>chat(c1) A<error(persist_failed c1) A>chat(c1)"
        try clause.untested("\(unstored) A<ack(c1 s2)")
        try clause.violates("\(unstored) A<error(idempotency_mismatch c1)^")
        // Another question shows that the disk takes writes again.
        let full = "A+ server!refuseWrites A>chat(c1) A<error(persist_failed c1) server!acceptWrites"
        let works = "A>chat(c2) A<ack(c2 s2) A<done(t2 s2) A>chat(c1)"
        try clause.conforms("\(full) \(works) A<ack(c1 s1)")
        try clause.violates("\(full) \(works) A<error(persist_failed c1)^")
        try clause.untested("\(full) \(works) A<ack(c1 s1 duplicate)")  // it was stored after all
        try clause.untested("\(full) A>chat(c1) A<error(persist_failed c1)")  // nothing shows that it could be
        try clause.untested("\(full) \(works) server!refuseWrites A<error(persist_failed c1)")
    }

    @Test func `AUTH-7 keys belong to their principal`() throws {
        let clause = ClauseUnderTest("AUTH-7", rule: 2)
        let two = "\(running) B+(p2) B>chat(c1)"
        try clause.conforms("\(two) B<ack(c1 s2 t2 u2)")
        try clause.violates("\(two) B<ack(c1 s2 t2 u2 duplicate)^")
        try clause.violates("\(two) B<error(idempotency_mismatch c1)^")
        try clause.untested("\(running) B+(p2) B>chat(c2) B<ack(c2 s2)")
    }

    @Test func `ID-9 reads show the key`() throws {
        let clause = ClauseUnderTest("ID-9", rule: 2)
        try clause.conforms("\(running) 1>GET(s1) 1<200(u1)")
        try clause.violates("\(running) 1>GET(s1) 1<200(u1 -c)^")
        try clause.untested(running)
    }
}
