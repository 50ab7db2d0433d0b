import Holdfast
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReport

/// Histories as charts: columns, rows, marks and folds.
@Suite struct SequenceChartTests {
    private func history(_ notation: String, role: Role = .server) throws -> History {
        let profiles: Set<Profile> = role == .server ? [.core, .sync] : [.clientCore]
        let subject = History.Subject(name: "sample", role: role, profiles: profiles)
        return try NotationExpansion(notation, header: History.Header(subject: subject)).history
    }

    private func history(_ events: [Event]) -> History {
        History(header: History.Header(subject: Sample.subject([.core])), events: events)
    }

    private let whole = """
        A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #2) A!cut server!kill server!start B+(e1 #2) 1>GET(s1) 1<200(u1 a1)
        """

    @Test func `only who took part has a column, devices on the left of the server`() throws {
        let chart = SequenceChart(try history(whole))
        #expect(chart.participants.map(\.name) == ["A", "B", "server", "REST", "process"])
        #expect(SequenceChart(try history("A+ A>ping(n1)")).participants.map(\.name) == ["A", "server"])
        #expect(SequenceChart(history([])).participants.isEmpty)
        #expect(SequenceChart(history([])).rows.isEmpty)
    }

    @Test func `an app stands before its connections`() throws {
        let chart = SequenceChart(try history("client!launch A+ client=connected(s1 u1 a1)", role: .client))
        #expect(chart.participants.map(\.name) == ["app", "A", "server"])
        // The upgrade, what the client says, and the greeting, each in its direction.
        #expect(
            chart.rows.map(\.location) == [
                .note(0), .message(from: 1, to: 2), .message(from: 1, to: 2), .message(from: 2, to: 1), .note(0),
            ])
        #expect(chart.rows.map(\.kind) == [.act, .open, .open, .open, .state])
    }

    @Test func `every event belongs to one row, in order`() throws {
        let history = try history(whole)
        let chart = SequenceChart(history)
        #expect(chart.rows.flatMap { Array($0.events) } == Array(history.events.indices))
        for event in history.events.indices {
            let row = try #require(chart.row(of: event))
            #expect(chart.rows[row].events.contains(event))
            #expect(chart.rows[row].verbatim.contains { $0.event == event })
        }
        #expect(chart.row(of: history.events.count) == nil)
        #expect(chart.row(of: -1) == nil)
    }

    @Test func `rows say who spoke to whom, and what in brief`() throws {
        let chart = SequenceChart(try history(whole))
        #expect(
            chart.rows.map(\.label) == [
                "connect", "auth", "connected(e1 #0)", "chat(c1)", "ack(c1)", "done(t1 #2)", "cut", "kill", "start",
                "connect", "auth", "connected(e1 #2)", "GET(s1)", "200(u1 a1)",
            ])
        #expect(
            chart.rows.map(\.location) == [
                .message(from: 0, to: 2), .message(from: 0, to: 2), .message(from: 2, to: 0),
                .message(from: 0, to: 2), .message(from: 2, to: 0), .message(from: 2, to: 0), .note(0), .note(4),
                .note(4), .message(from: 1, to: 2), .message(from: 1, to: 2), .message(from: 2, to: 1),
                .message(from: 3, to: 2), .message(from: 2, to: 3),
            ])
        #expect(chart.rows[4].time == "+\(try #require(chart.rows[4].at) / 1000) ms")
        var header = History.Header(subject: Sample.subject([.core]))
        header.capture = History.Capture(lacks: [.times])
        let timeless = SequenceChart(History(header: header, events: try history(whole).events))
        #expect(timeless.rows.allSatisfy { $0.time.isEmpty }, "an unknown time is not 0")
        #expect(chart.rows[3].verbatim.map(\.title) == ["text to the server"])
        #expect(chart.rows[3].verbatim[0].text.contains(#""type":"chat""#))
    }

    @Test func `the push service is asked by the server`() throws {
        let chart = SequenceChart(try history("A+ push<alert(s1 a1) push>200"))
        #expect(chart.participants.map(\.name) == ["A", "server", "push"])
        #expect(chart.rows.suffix(2).map(\.location) == [.message(from: 1, to: 2), .message(from: 2, to: 1)])
    }

    @Test func `waits say what for, and whether it came`() throws {
        let chart = SequenceChart(
            history([
                .init(at: 0, lane: .server, kind: .wait(awaited: "done", met: false)),
                .init(at: 2_000_000, lane: .server, kind: .wait(awaited: "done", met: true)),
                .init(at: 3_234_000, lane: .server, kind: .wait(awaited: "done", met: true)),
            ]))
        #expect(chart.participants.isEmpty)
        #expect(
            chart.rows.map(\.label) == [
                "watched 0 ms for done: it did not come", "watched 2 s for done: it came",
                "watched 1,234 ms for done: it came",
            ])
        #expect(chart.rows[1].location == .pause)
        #expect(chart.rows[1].time == "+2,000 ms")
    }

    @Test func `findings mark the rows that lead to them and the one that is cited`() throws {
        let history = try history("A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #2) B+(e1 #2) B>sync(e1 #0)")
        let finding = Finding("gone", expected: "1", actual: "2", at: [1, 6, 99])
        let other = Finding("odd", expected: "1", actual: "2", at: [6])
        let chart = SequenceChart(
            history, marking: [.init(ClauseID(.SYNC, 3), finding), .init(ClauseID(.ENV, 1), other)])
        // The upgrade and its answer are one row.
        let marked = chart.rows.indices.filter { !chart.rows[$0].marks.isEmpty }
        #expect(marked == [0, 5])
        #expect(marked.map { chart.rows[$0].isCited } == [false, true])
        #expect(
            chart.rows[try #require(chart.row(of: 6))].marks.map(\.clause) == [ClauseID(.ENV, 1), ClauseID(.SYNC, 3)])
    }

    @Test func `a scenario marks what its verdicts found`() throws {
        let report = try States.violated()
        let scenario = try #require(report.scenarios.first { $0.name == States.replay })
        let claims = scenario.verdicts.flatMap { verdict in
            verdict.findings.map { SequenceChart.Claim(verdict.clause, $0) }
        }
        let chart = SequenceChart(scenario.history, marking: claims)
        #expect(chart.rows.filter(\.isCited).flatMap(\.marks).map(\.clause) == [States.sync3])
    }

    @Test func `hostile texts are shown and cannot act`() throws {
        let text = "{\"type\":\"\u{202E}evil\u{2028}\u{1B}[2J\u{0}\u{61C}\"}"
        let chart = SequenceChart(
            history([
                .init(at: 0, lane: .connection("A"), kind: .text(.fromServer, text)),
                .init(at: 1, lane: .connection("A"), kind: .close(.fromServer, code: 1000, reason: "\u{202E}\u{1B}")),
                .init(at: 2, lane: .connection("A"), kind: .eof(reason: "\u{9B}2J\n\u{2066}")),
            ]))
        for shown in chart.rows.flatMap({ row in [row.label] + row.verbatim.flatMap { [$0.title, $0.text] } }) {
            #expect(
                !shown.unicodeScalars.contains {
                    $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value)
                        || [0x202E, 0x2028, 0x2066, 0x61C].contains($0.value)
                }, "\(shown.debugDescription)")
        }
        #expect(chart.rows[0].verbatim[0].text.contains("\\u{202e}evil\\u{2028}\\u{1b}[2J"))
        #expect(chart.rows[2].label.contains("\\u{2066}"))
    }

    @Test func `long texts are cut and say how long they are`() throws {
        let text = "\"" + String(repeating: "é", count: 32_768) + "\""
        let combining = "a" + String(repeating: "\u{301}", count: 50_000)
        let chart = SequenceChart(
            history([
                .init(at: 0, lane: .connection("A"), kind: .text(.toServer, text)),
                .init(at: 0, lane: .connection("A"), kind: .text(.toServer, combining)),
                .init(at: 0, lane: .connection("A"), kind: .binary(.toServer, [UInt8](repeating: 7, count: 9_000))),
            ]), maxVerbatim: 1_000)
        #expect(chart.rows.map { $0.verbatim[0].bytes } == [65_538, 100_001, 9_000])
        #expect(chart.rows.allSatisfy { $0.verbatim[0].isCut })
        #expect(chart.rows.allSatisfy { $0.verbatim[0].text.unicodeScalars.count == 1_000 })
        #expect(chart.rows.allSatisfy { $0.label.count <= 160 })
    }

    @Test func `a text that fits is whole`() throws {
        let row = try #require(SequenceChart(try history("A+ A>ping(n1)")).rows.last)
        let verbatim = try #require(row.verbatim.first)
        #expect(verbatim.text == #"{"type":"ping","nonce":"n1"}"#)
        #expect((verbatim.event, verbatim.bytes, verbatim.isCut) == (4, 28, false))
    }

    @Test func `an act without a word of its own is called by its name`() throws {
        let chart = SequenceChart(
            history([
                .init(at: 0, lane: .server, kind: .act("polish", ["cloth": "soft"])),
                .init(at: 0, lane: .server, kind: .act("kill", [:])),
            ]))
        #expect(chart.rows.map(\.label) == ["polish", "kill"])
        #expect(chart.rows[0].verbatim[0].text == #"{"cloth":"soft"}"#)
    }

    // MARK: folds

    private func long(_ count: Int, marking: [Int] = []) throws -> SequenceChart {
        var events: [Event] = [.init(at: 0, lane: .connection("A"), kind: .opened)]
        for number in 1...count {
            events.append(
                .init(
                    at: number * 1000, lane: .connection("A"),
                    kind: .text(.fromServer, #"{"type":"pong","nonce":"\#(number)"}"#)))
        }
        let claims = marking.map { place in
            SequenceChart.Claim(ClauseID(.SYNC, 3), Finding("x", expected: "", actual: "", at: [place]))
        }
        return SequenceChart(history(events), marking: claims)
    }

    @Test func `a thousand frames fold to a page, with what matters in sight`() throws {
        let chart = try long(1_000, marking: [500])
        let parts = chart.folded()
        #expect(parts.count < 24)
        #expect(parts.contains(.row(500)) && parts.contains(.row(496)) && parts.contains(.row(504)))
        #expect(parts.first == .row(0) && parts.last == .row(1_000))
        let folds = parts.compactMap { part -> SequenceChart.Fold? in
            if case .fold(let fold) = part { return fold }
            return nil
        }
        #expect(folds.map(\.rows) == [4..<496, 505..<997])
        #expect(folds[0].summary == "492 rows in 491 ms: 492 pong")
    }

    @Test func `folds and rows together are the whole chart, in order`() throws {
        for (count, marks) in [(3, []), (9, []), (14, [7]), (15, []), (200, [0, 100, 104, 200]), (60, [59])] {
            let chart = try long(count, marking: marks)
            for context in [0, 1, 4] {
                let places = chart.folded(context: context).flatMap { part -> [Int] in
                    switch part {
                    case .row(let place): [place]
                    case .fold(let fold): Array(fold.rows)
                    }
                }
                #expect(places == Array(chart.rows.indices), "\(count) \(marks) \(context)")
            }
        }
        #expect(SequenceChart(history([])).folded().isEmpty)
    }

    @Test func `a kill stays in sight, and a hundred of them do not`() throws {
        let quiet = String(repeating: "A>ping(n1) A<pong(n1) ", count: 20)
        let one = SequenceChart(try history("A+ \(quiet) server!kill server!start \(quiet)"))
        let kill = try #require(one.rows.firstIndex { $0.label == "kill" })
        #expect(one.folded().contains(.row(kill)))
        let many = String(repeating: "server!kill server!start ", count: 100)
        let chart = SequenceChart(try history("A+ \(quiet) \(many) \(quiet)"))
        #expect(chart.folded().count < 20)
    }
}
