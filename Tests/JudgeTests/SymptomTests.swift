import Holdfast
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

/// What a capture in the notation shows of a kind.
private func symptoms(
    _ kind: Symptom.Kind, _ notation: String, profiles: Set<Profile> = [.core, .sync],
    lacks: Set<History.Capture.Lack> = [], carried: Int = 0, isCapture: Bool = true
) throws -> [String] {
    var header = History.Header(
        subject: History.Subject(name: "capture", role: .server, profiles: profiles, hasScriptedAgent: false))
    header.capture = isCapture ? History.Capture(lacks: lacks, carried: carried) : nil
    let expanded = try NotationExpansion(notation, header: header).history
    // A capture holds no waits of a stage.
    let events = expanded.events.filter { if case .wait = $0.kind { false } else { true } }
    let history = History(header: header, events: events)
    return examine(history, under: try SourceTree.specification()).symptoms.filter { $0.kind == kind }.map(\.what)
}

@Suite struct SymptomTests {
    private let asked = "A+(e1 #0) A>chat(c1 'hello') A<ack(c1)"

    @Test func `a question without an answer is told with what came of it`() throws {
        #expect(
            try symptoms(.unanswered, "\(asked) +9s A>ping A<pong")
                == ["'hello' was asked on A, acknowledged and never answered in the 9.0 s that follow"])
        #expect(
            try symptoms(.unanswered, "A+ A>chat('hello')", profiles: [.core], lacks: [.times])
                == ["'hello' was asked on A and never answered"])
    }

    @Test(arguments: [
        "A<done(t1 #1)", "A<error(agent_failed t1 #1)", "A<done(t1 duplicate)",
        "A!cut B+(e1 #1) B>sync(e1 #0) B<syncResult(e1 #1 complete)[done(t1 #1)]", "1>GET(s1) 1<200(u1 a1)",
        "B+(e1 #1) B<done(t1 #1)",
    ])
    func `a question that came out somehow is not unanswered`(rest: String) throws {
        #expect(try symptoms(.unanswered, "\(asked) \(rest)").isEmpty)
    }

    @Test func `an answer that names another turn answers nothing`() throws {
        let two = "\(asked) A>chat(c2 s1 'more') A<ack(c2) A<done(t1 #1) 1>GET(s1)"
        #expect(try symptoms(.unanswered, "\(two) 1<200(u1 u2 a2)").isEmpty)
        #expect(try symptoms(.unanswered, "\(two) 1<200(u1 u2 a1)").count == 1)
    }

    @Test func `an answer elsewhere settles a question where people are a guess`() throws {
        let moved = "\(asked) A!cut B+(p2 e1 #0) B<done(t1 #1)"
        #expect(try symptoms(.unanswered, moved, lacks: [.principals]).isEmpty)
        #expect(try symptoms(.unanswered, moved).count == 1)
    }

    @Test func `a refused question is not unanswered`() throws {
        #expect(try symptoms(.unanswered, "A+(e1 #0) A>chat(c1) A<error(busy c1)").isEmpty)
    }

    @Test func `one text under two ids is told`() throws {
        let twice = "\(asked) A<done(t1 #1) +2s A>chat(c2 'hello') A<ack(c2) A<done(t2 #2)"
        #expect(try symptoms(.repeated, twice) == ["'hello' was sent twice, under 'c1' and 'c2', 2.0 s later"])
    }

    @Test(arguments: [
        "A<done(t1 #1) A>chat(c1 'hello') A<ack(c1 duplicate)", "A<done(t1 #1) A>chat(c2 'good-bye')",
        "A<done(t1 #1) B+(p2 e2 #0) B>chat(c2 'hello')",
    ])
    func `a resend, another text and another person repeat nothing`(rest: String) throws {
        #expect(try symptoms(.repeated, "\(asked) \(rest)").isEmpty)
    }

    @Test func `an answer that comes twice is told once for each connection that saw it twice`() throws {
        let told = try symptoms(.repeated, "\(asked) B+(e1 #0) A<done(t1 #1) B<done(t1 #1) A<done(t1 #2)")
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("the answer 'answer 1' came twice on A") == true, "\(told)")
        #expect(try symptoms(.repeated, "\(asked) A<done(t1 #1) A<done(t1 duplicate)").isEmpty)
    }

    @Test func `a conversation that holds a question twice is told once`() throws {
        let message = #"{"role":"user","content":"hello"}"#
        let body = #"{"session":{"id":"s1","messages":[\#(message),{"role":"assistant","content":"hi"},\#(message)]}}"#
        let exchange = [
            Event.Kind.request(Event.Request(method: "GET", path: "/api/sessions/s1")),
            .response(Event.Response(status: 200, body: body)),
        ]
        let header = History.Header(
            subject: History.Subject(name: "capture", role: .server, profiles: [.core]), capture: History.Capture())
        let history = History(
            header: header,
            events: (exchange + exchange).enumerated().map {
                Event(at: $0.offset, lane: .exchange(1 + $0.offset / 2), kind: $0.element)
            })
        #expect(
            examine(history, under: try SourceTree.specification()).symptoms.map(\.what)
                == ["a read of 's1' shows the question 'hello' twice"])
    }

    @Test func `numbers that a device was never shown are told`() throws {
        #expect(
            try symptoms(.gap, "\(asked) A<toolUse(t1 #1) A<done(t1 #4)")
                == ["device A was never shown #2 to #3: #4 follows #1. A server may leave numbers unused."])
        #expect(
            try symptoms(
                .gap,
                "\(asked) B+(e1 #0) A<toolUse(t1 #1) B<toolUse(t1 #1) B<toolUse(t1 #2) B<done(t1 #3) A<done(t1 #3)")
                == ["device A was never shown #2: #3 follows #1. Device B was shown #2."])
    }

    @Test func `a replay closes a gap`() throws {
        #expect(
            try symptoms(
                .gap,
                "\(asked) A<toolUse(t1 #1) A<done(t1 #3) A>sync(e1 #1) A<syncResult(e1 #3 complete)[toolUse(t1 #2) done(t1 #3)]"
            ).isEmpty)
    }

    @Test(arguments: [
        ("1>GET(s9) 1<404", "GET /api/sessions/s9 found no conversation (404)"),
        (
            #"1>GET(s1) 1<200(body='{"session":{"id":"s1","messages":[]}}')"#,
            "GET /api/sessions/s1 found a conversation without messages"
        ),
        ("1>GET 1<200", "GET /api/sessions found no conversations"),
    ])
    func `a read that found nothing is told`(notation: String, words: String) throws {
        #expect(try symptoms(.emptyRead, notation) == [words])
    }

    @Test func `a connection that ended before an answer is told with when the answer came`() throws {
        #expect(
            try symptoms(.brokenOff, "\(asked) +1s A<eof")
                == ["A ended without a close frame before the answer to 'hello', 1.0 s later; the answer never came"])
        let late = try symptoms(.brokenOff, "\(asked) +1s A<close(1012) +1s B+(e1 #0) B<done(t1 #1)")
        #expect(late.count == 1)
        #expect(
            late.first?.hasPrefix("A was closed by the server (1012) before the answer to 'hello'") == true, "\(late)")
        #expect(late.first?.contains("; the answer came on B, 1.0 s later") == true, "\(late)")
        #expect(try symptoms(.brokenOff, "\(asked) A<done(t1 #1) A<eof").isEmpty)
    }

    @Test func `a failure is not called the answer`() throws {
        let failed = try symptoms(.brokenOff, "\(asked) +1s A<eof +1s B+(e1 #0) B<error(interrupted t1 #1)")
        #expect(failed.first?.hasSuffix("; it failed (interrupted) on B, 1.0 s later") == true, "\(failed)")
        let replayed = try symptoms(
            .brokenOff,
            "\(asked) +1s A<eof +1s B+(e1 #1) B>sync(e1 #0) B<syncResult(e1 #1 complete)[error(interrupted t1 #1)]")
        #expect(
            replayed.first?.hasSuffix("; it failed (interrupted) in a replay on B, 1.0 s later") == true, "\(replayed)")
    }

    @Test func `an answer on another connection answers a question without an ack`() throws {
        let lost = "A+(e1 #0) A>chat(c1 s1 'hello') A<eof B+(e1 #0) +2s B<done(t1 s1 c1 #1)"
        #expect(try symptoms(.unanswered, lost).isEmpty)
        #expect(try symptoms(.brokenOff, lost).first?.contains("the answer came on B, 2.0 s later") == true)
    }

    @Test func `a silence ends with what a connection without an end was last heard of`() throws {
        #expect(
            try symptoms(.silence, "\(asked) +20s A>ping A<pong B+(e1 #0) +60s B>ping B<pong").first?.hasPrefix(
                "20.0 s")
                == true)
    }

    @Test func `a capture that holds little is told as a story`() throws {
        var header = History.Header(
            subject: History.Subject(name: "capture", role: .server, profiles: [.core, .sync], hasScriptedAgent: false))
        header.capture = History.Capture()
        func timeline(_ notation: String) throws -> Timeline? {
            let expanded = try NotationExpansion(notation, header: header).history
            let events = expanded.events.filter { if case .wait = $0.kind { false } else { true } }
            return examine(History(header: header, events: events), under: try SourceTree.specification()).timeline
        }
        let told = try timeline("\(asked) +1s A<toolUse(t1 #1) +3s A<done(t1 #2) 1>GET(s1) 1<200(u1 a1) A<eof")
        #expect(told?.sections.count == 2)
        let words = told?.sections.first?.lines.map(\.what) ?? []
        #expect(words.first == "asked on A" && words.contains("acknowledged on A"), "\(words)")
        #expect(words.contains { $0.hasPrefix("done #2 on A, 3.0 s later") }, "\(words)")
        #expect(words.contains { $0.hasPrefix("a read shows the answer") }, "\(words)")
        #expect(told?.sections.last?.lines.last?.what == "A ended without a close frame")
        #expect(try timeline("A+ A>ping A<pong")?.sections.map(\.title) == ["Connections"])
        #expect(
            try timeline("\(asked) +9s A>ping A<pong")?.sections.first?.lines.last?.what.hasPrefix("nothing more")
                == true)
    }

    @Test func `the longest silences come first, and none is told where no time is known`() throws {
        let notation = "\(asked) +20s A<done(t1 #1) A>chat(c2) A<ack(c2) +50s A<toolUse(t2 #2) +9s A<done(t2 #3)"
        let told = try symptoms(.silence, notation)
        #expect(told.count == 2)
        #expect(told.first?.hasPrefix("50.0 s without a frame on A while") == true, "\(told)")
        #expect(try symptoms(.silence, notation, lacks: [.times]).isEmpty)
        #expect(try symptoms(.silence, "\(asked) A<done(t1 #1) +60s A>ping A<pong").isEmpty)
        let refused = "A+(e1 #0) A>chat(c1 'hello') A<error(busy c1) +60s A>ping A<pong"
        #expect(try symptoms(.silence, refused).isEmpty, "nobody waits for what was refused")
    }

    @Test func `what an earlier part showed is not told again`() throws {
        let events = "\(asked) A>ping A<pong"
        #expect(try symptoms(.unanswered, events, carried: 0).count == 1)
        #expect(try symptoms(.unanswered, events, carried: 6).isEmpty)
    }

    @Test func `what a stage brought about is no symptom`() throws {
        #expect(try symptoms(.unanswered, asked, isCapture: false).isEmpty)
    }

    @Test(arguments: Symptom.Kind.allCases)
    func `every kind leads to clauses`(kind: Symptom.Kind) throws {
        let found = SymptomIndex(try SourceTree.specification().files).entries(for: kind.topic)
        #expect(found.count == 1 && found.first?.clauses.isEmpty == false)
    }

    @Test func `no symptom changes a verdict`() throws {
        let header = History.Header(
            subject: History.Subject(name: "capture", role: .server, profiles: [.core]), capture: History.Capture())
        let history = try NotationExpansion("A+ A>chat('hello') A<eof 1>GET(s9) 1<404", header: header).history
        let specification = try SourceTree.specification()
        let (verdicts, symptoms, _) = examine(history, under: specification)
        #expect(!symptoms.isEmpty)
        #expect(verdicts == judge(history, under: specification))
    }

    @Test func `connections that end after the same silence are told together`() throws {
        let cut = "A+(e1 #0) +60s A<eof +1s B+(e1 #0) +60s B<eof"
        #expect(
            try symptoms(.idleCut, cut).first?.hasPrefix("2 connections ended without a close frame after 60.0 s")
                == true)
        #expect(try symptoms(.idleCut, "A+(e1 #0) +60s A<eof").isEmpty)
        #expect(try symptoms(.idleCut, "A+(e1 #0) +60s A<eof B+(e1 #0) +20s B<eof").isEmpty)
    }

    @Test func `connections that are turned away are counted`() throws {
        let away = ["A", "B"].map { "\($0)>open \($0)<open \($0)>auth \($0)<error(auth_failed) \($0)<close(4001)" }
            .joined(separator: " +4s ")
        #expect(
            try symptoms(.turnedAway, away)
                == ["2 connections were turned away in 4.0 s: auth_failed, closed by the server (4001)"])
    }

    @Test func `a pong that comes late is a silence`() throws {
        #expect(
            try symptoms(.silence, "A+(e1 #0) A>ping(n1) +65s A<pong(n1)") == ["a ping on A waited 65.0 s for its pong"]
        )
        #expect(try symptoms(.silence, "A+(e1 #0) A>ping(n1) +5s A<pong(n1)").isEmpty)
    }

    @Test func `an answer without its question on another device is told`() throws {
        let both = "A+(e1 #0) B+(e1 #0) A>chat(c1 'hello') A<ack(c1)"
        #expect(
            try symptoms(.gap, "\(both) A<done(t1 #2) B<done(t1 #2)")
                == ["B was shown the answer to 'hello' and never the question (`message`)"])
        #expect(try symptoms(.gap, "\(both) B<message(u1 c1 #1) A<done(t1 #2) B<done(t1 #2)").isEmpty)
    }

    @Test func `a frame of somebody else's turn is told where the file names the people`() throws {
        let two = "A+(e1 #0) B+(p2 e2 #0) A>chat(c1 'hello') A<ack(c1) A<done(t1 #1) B<done(t1 #1)"
        #expect(try symptoms(.crossed, two).count == 1)
        #expect(try symptoms(.crossed, two, lacks: [.principals]).isEmpty)
    }
}
