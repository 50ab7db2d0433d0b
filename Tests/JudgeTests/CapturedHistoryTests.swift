import Holdfast
import HoldfastJSON
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastJudge

/// A history as a capture can hold it: without what only a stage knows.
private func captured(
    _ history: History, _ events: some Sequence<Event>, lacks: Set<History.Capture.Lack>
) -> History {
    var header = history.header
    header.scenario = nil
    header.subject.hasScriptedAgent = false
    header.capture = History.Capture(lacks: lacks)
    let kept = events.filter { event in
        switch (event.kind, event.lane) {
        case (.act, _), (.wait, _), (.state, _), (_, .server), (_, .client), (_, .push): false
        default: true
        }
    }
    let isTimeless = lacks.contains(.times)
    return History(
        header: header, events: kept.map { isTimeless ? Event(at: 0, lane: $0.lane, kind: $0.kind) : $0 })
}

private let all: Set<Profile> = [.core, .sync, .rateLimit, .auth]

/// What is violated in a line of notation that was captured.
private func violated(
    _ notation: String, _ profiles: Set<Profile> = all, lacks: Set<History.Capture.Lack> = []
) throws -> [String] {
    let header = History.Header(subject: History.Subject(name: "capture", role: .server, profiles: profiles))
    let history = try NotationExpansion(notation, header: header).history
    return judge(captured(history, history.events, lacks: lacks), under: try SourceTree.specification())
        .filter { $0.outcome == .violation }.map(\.clause.description)
}

@Suite struct CapturedHistoryTests {
    /// Each would be an accusation, had a stage recorded it from the beginning.
    @Test(arguments: [
        "A>`[]` A<error(not_authenticated)",
        "A<error(bad_request) A<error(bad_request)",
        "A<toolUse(t1 #7) A<done(t1 #9)",
        "A>chat(c2 s1) A<done(t1 #4) A<ack(c2) A<done(t2 #6)",
        "A>chat(c2) A<ack(c1) A<ack(c2)",
        "A<ack(c1) A>chat(c1) A<ack(c1 duplicate)",
        "A>chat(c1 'other words') A<error(idempotency_mismatch c1) 1>GET(s1) 1<200(u1 a1)",
        "A<syncResult(e1 #5 complete)[done(t1 #5)]",
        "A>sync(e1 #4) A<syncResult(e1 #9 complete)[done(t9 #9)] A<syncResult(e1 #9 complete)",
        "A>chat(c3) A<error(rate_limited c2 retryAfterMs=60000 limit=2 windowMs=60000)",
        "A>ping(n2) A<pong(n1) A<pong(n2)",
        "A<message(u1 c1 #1) A>chat(c2 s1)",
        "1>GET(s1) 1<404",
        "1>GET 1<200(s1) 2>GET 2<200(s2 s1)",
        "1>GET(s1) 1<200(u1 a1) 2>GET(s1) 2<200(u1 a1 u2 a2)",
        "A<done(t5 #5) B<done(t4 #4)",
        "A>chat(c1) +10min A>ping",
        "A+(e1 #9) A>chat(c1) A<ack(c1) +10min A>ping A<pong",
        "A+(e1 #0) A>chat(c1) A<ack(c1) A<eof B+(e1 #0)",
        "A+(e1 #0 messagesPerMinute=1) A>chat(c1) A<error(rate_limited c1 retryAfterMs=60000 limit=1 windowMs=60000)",
        "A+(e1 #0) A<error(too_large) A<close(1009)", "A>open A<open A<done(t5 #5) A>chat(c1) A<ack(c1)",
        "A+(e1 #0) A>close(1000) B>open B<refused(401) C+(e1 #0)",
        "A+(e1 #0) A>chat(c1) A<ack(c1 duplicate) A<done(t1 c1 duplicate) +20s A>ping A<pong",
    ])
    func `nobody is accused because of what came before, after or elsewhere`(notation: String) throws {
        #expect(try violated(notation) == [])
        #expect(try violated(notation, lacks: Set(History.Capture.Lack.allCases)) == [])
    }

    @Test(arguments: [
        ("A<done(t1 -s #1)", "ID-3"), ("A<toolUse(t1 #2) A<done(t1 #1)", "ORDER-3"),
        ("A<done(t1 #1) 1>GET(s1) 1<404", "PERSIST-2"), ("A<`[1]`", "ENV-1"), ("A+ A<error(bad_request)", "ENV-14"),
        ("A<connected(e1 #0 sessionId='s1')", "ENV-2"),
        ("A+ A>chat(c1) A<ack(c1 t1) A<done(t1 #1) A>chat(c1) A<ack(c1 t2)", "IDEM-2"),
    ])
    func `what a capture shows is accused`(notation: String, clause: String) throws {
        let lacks: Set<History.Capture.Lack> = [.times, .network, .credentials, .headers, .requestBodies]
        // The principals are one person's where nobody says otherwise.
        let named = notation.contains("GET") ? "A+(e1 #0) \(notation)" : notation
        #expect(try violated(named, lacks: lacks).contains(clause))
    }

    /// What one part of a capture proves against another, wherever it was recorded.
    @Test(arguments: [
        (
            "A+(e1 #0) A>chat(c1 s1) A<ack(c1) A<toolUse(t1 #1) A>chat(c2 s1) A<ack(c2) A<done(t2 #3) B+(e1 #3) B>sync(e1 #1) "
                + "B<syncResult(e1 #3 complete)[done(t1 #2) done(t2 #3)]", "TURN-10"
        ),
        ("A+(e1 #1) A>sync(e1 #1) A<syncResult(e1 #9 complete)[done(t9 #4)]", "SYNC-3"),
        ("A+(e1 #0) A>chat(c1 s1) A<ack(c1 s2) A<done(t1 s2 #1)", "ID-2"),
        ("A+(e1 #0) A>chat(c1) A>ping A<pong +20s A>ping A<pong", "TURN-1"),
        (
            "A+(e1 #0 messagesPerMinute=1) A>chat(c1) A<ack(c1) A<done(t1 #1) A>chat(c2) A>ping A<pong +20s A>ping A<pong",
            "RATE-3"
        ),
        (
            #"A+(e1 #0) 1>GET(s1) 1<200(body='{"session":{"id":"s1","messages":[{"id":"u1","role":"user","content":"a","#
                + #""timestamp":"2026-03-01T08:30:00Z","turnId":"t1","clientMessageId":"k"},{"id":"u2","role":"user","#
                + #""content":"a","timestamp":"2026-03-01T08:31:00Z","turnId":"t2","clientMessageId":"k"}]}}')"#,
            "IDEM-1"
        ),
        (
            "A+(e1 #0) A>chat(c1 s1) A<ack(c1) A<toolUse(t1 #1) 1>GET(s1) 1<200(u1 a1) A>ping A<pong +20s A>ping A<pong",
            "TURN-10"
        ),
    ])
    func `one part of a capture is held against another`(notation: String, clause: String) throws {
        #expect(try violated(notation, lacks: [.network, .credentials]).contains(clause))
    }

    @Test(arguments: [
        "A+(e1 #0) A>chat(c1) A>ping A<pong +5s A>ping A<pong", "A+(e1 #0) A>ping A<pong A>chat(c1) +20s A>ping A<pong",
        "A+(e1 #0) A>chat(c1) A<ack(c1) A>ping A<pong +20s A>ping A<pong",
    ])
    func `a silence that the network may explain accuses nobody`(notation: String) throws {
        #expect(try violated(notation, lacks: [.network, .credentials]) == [])
    }

    @Test func `a client that asks for nothing after a reconnect is accused from the wire`() throws {
        func verdict(_ rest: String, _ lacks: Set<History.Capture.Lack> = [.network]) throws -> [String] {
            let line = "A+(e1 #0) A>chat(c1 s1) A<ack(c1) A<toolUse(t1 #1) +60s A<eof B+(e1 #2) \(rest)"
            let subject = History.Subject(name: "capture", role: .client, profiles: [.clientCore])
            let history = try NotationExpansion(line, header: History.Header(subject: subject)).history
            return judge(captured(history, history.events, lacks: lacks), under: try SourceTree.specification())
                .filter { $0.outcome == .violation }.map(\.clause.description)
        }
        let silent = "B>ping B<pong +30s B>ping B<pong +30s B>ping B<pong +30s B>ping B<pong"
        #expect(try verdict(silent).contains("CLIENT-14"))
        #expect(try verdict(silent, Set(History.Capture.Lack.allCases)) == [])
        #expect(try verdict("B>ping B<pong") == [])
        #expect(try verdict("B>sync(e1 #1) B<syncResult(e1 #2 complete)[done(t1 #2)] \(silent)") == [])
    }

    @Test func `a token that is refused is good only where somebody knows it`() throws {
        let refused = "A>open A<open A>auth A<error(auth_failed) A<close(4001)"
        #expect(try violated(refused, [.core], lacks: [.credentials]).isEmpty)
        #expect(try violated(refused, [.core]).contains("AUTH-1"))
        let broken = "A>open A<open A>auth A<error(internal) A<close(1011)"
        #expect(try violated(broken, [.core], lacks: [.credentials]).contains("AUTH-1"))
    }

    @Test func `one number on two connections is one person's only where that is said`() throws {
        let line = "A<done(t1 s1 #1) B<done(t2 s2 #1)"
        #expect(try !violated("A+(e1 #0) B+(e1 #0) \(line)", lacks: [.principals]).contains("ORDER-7"))
        #expect(try violated("A+(e1 #0) B+(e1 #0) \(line)").contains("ORDER-7"))
    }

    @Test func `an error goes to the message that the server did not read past`() throws {
        let header = History.Header(subject: History.Subject(name: "capture", role: .server, profiles: [.core]))
        func answered(_ notation: String, isCapture: Bool) throws -> [String?] {
            var history = try NotationExpansion(notation, header: header).history
            if isCapture { history = captured(history, history.events, lacks: []) }
            let observations = Observations(history, under: try SourceTree.specification())
            return observations.hostileFrames.map { $0.answer?.code }
        }
        let line = "A+ A>`null` A>ping A<pong A>`[1]` A<error(bad_request)"
        #expect(try answered(line, isCapture: true) == [nil, "bad_request"])
        #expect(try answered(line, isCapture: false) == ["bad_request", nil])
        // A late answer is one still.
        #expect(try answered("A+ A>`null` A>ping A<pong A<error(bad_request)", isCapture: true) == ["bad_request"])
        #expect(try answered("A+ A>`null` A>`[1]` A<error(bad_request)", isCapture: true) == ["bad_request", nil])
        // A code tells what it is about, also where an answer was left out.
        #expect(
            try answered("A+ A>`null` A>`{\"type\":\"nope\"}` A<error(unknown_type)", isCapture: true) == [
                nil, "unknown_type",
            ])
        #expect(try answered("A+ A>`null` A<error(unknown_type)", isCapture: true) == ["unknown_type"])
    }

    @Test func `ENV-3 a binary message that is taken for text is not answered with an error`() throws {
        func line(_ key: String) -> String {
            let hex = #"{"type":"chat","clientMessageId":"\#(key)"}"#.utf8.map { String($0, radix: 16) }.joined()
            return "A+ A>binary(\(hex)) A<ack(c1 clientMessageId='k1') A>`{\"type\":\"nope\"}` A<error(unknown_type)"
        }
        #expect(try violated(line("k1")).contains("ENV-3"))
        #expect(try !violated(line("k2")).contains("ENV-3"))
        #expect(
            try !violated("A+ A>binary(00ff) A<error(bad_request) A>`{\"type\":\"nope\"}` A<error(unknown_type)")
                .contains("ENV-3"))
    }

    @Test func `a socket that ends is the server's doing only where the network is known`() throws {
        let killed = "A+ A>`null` A<eof"
        #expect(try violated(killed, [.core], lacks: [.network]).isEmpty)
        #expect(try violated(killed, [.core], lacks: []) == ["ENV-3"])
    }

    @Test func `a clause that a capture cannot reach is untested, and says why`() throws {
        let header = History.Header(
            subject: History.Subject(name: "capture", role: .server, profiles: [.core]),
            capture: .init(lacks: [.headers]))
        let verdicts = judge(History(header: header, events: []), under: try SourceTree.specification())
        let reasons = Dictionary(uniqueKeysWithValues: verdicts.map { ($0.clause.description, $0.remarks) })
        #expect(reasons["TURN-2"]?.first?.contains("only the suite can cause it") == true)
        #expect(reasons["REST-2"]?.first?.contains("response headers") == true)
        #expect(reasons["ENV-1"] == [])
        #expect(verdicts.allSatisfy { $0.exercised == 0 })
    }

    @Test func `every clause with a check is thought about`() throws {
        let specification = try SourceTree.specification()
        for clause in specification.clauses where Checks.check(of: clause.id) != nil {
            let needs = try #require(clause.captureNeeds, "\(clause.id)")
            #expect(needs.allSatisfy { !$0.reason.isEmpty }, "\(clause.id)")
        }
        // A clause of single frames needs nothing, and one that nobody has thought about is never judged.
        #expect(specification[ClauseID(.ENV, 1)]?.captureNeeds == [])
        let silent = Clause(
            id: ClauseID(.ENV, 999), role: .server, profile: .core, keyword: .must, sentence: "A server MUST answer.")
        #expect(History.Capture().lacking(for: silent) == .stage)
    }

    /// Pieces of what is known to be right: a beginning that is cut off, an end that is missing, a lane that nobody saw.
    @Test func `no piece of a conforming transcript is accused`() throws {
        let specification = try SourceTree.specification()
        let index = try FixtureIndex(.embedded)
        var number = 0
        for entry in index.entries where entry.file.contains("/conforming/") {
            let history = try TranscriptReader.history(in: SourceTree.text("Fixtures/\(entry.file)"), file: entry.file)
            guard history.header.subject.role == .server else { continue }
            let events = history.events
            var pieces: [(Set<History.Capture.Lack>, [Event])] = []
            for start in events.indices { pieces.append(([], Array(events[start...]))) }
            for start in events.indices { pieces.append(([.times, .network, .credentials], Array(events[start...]))) }
            for end in events.indices { pieces.append(([.credentials], Array(events[..<end]))) }
            for lane in Set(events.map(\.lane)) { pieces.append(([.network], events.filter { $0.lane != lane })) }
            for hole in events.indices {
                var rest = events
                rest.remove(at: hole)
                pieces.append(([.frames, .network, .credentials], rest))
            }
            for (lacks, piece) in pieces {
                number += 1
                // A few of them each time: all together take a minute.
                guard number % 29 == 0 else { continue }
                let accused = judge(captured(history, piece, lacks: lacks), under: specification).filter {
                    $0.outcome == .violation
                }
                #expect(accused.isEmpty, "\(entry.file), piece \(number): \(accused)")
            }
        }
        #expect(number > 1000)
    }
}
