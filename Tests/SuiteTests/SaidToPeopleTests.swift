import Holdfast
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastProxy
@testable import HoldfastStage
@testable import HoldfastSuite

/// What the doctor and the proxy say of what they saw.
@Suite struct SaidToPeopleTests {
    /// How a connection was turned away, as the doctor says it.
    private func refusal(_ events: [Event.Kind], dialect: String = "canonical") throws -> String? {
        let specification = try SourceTree.specification()
        let header = History.Header(
            subject: History.Subject(name: "s", role: .server, profiles: [.core]),
            dialect: try specification.dialect(named: dialect))
        let lane = Lane.connection("A")
        let begin: [Event.Kind] = [.opening(.init(principal: "p1", path: "/ws")), .opened]
        let history = History(
            header: header,
            events: (begin + events).enumerated().map { Event(at: 1000 * $0.offset, lane: lane, kind: $0.element) })
        return Probe(Performance(scenario: "server/LIVE/x", history: history), under: specification).refusal(on: lane)
    }

    @Test func `a close of the suite's own is none of the server's`() throws {
        let own: [Event.Kind] = [
            .close(.toServer, code: 1000, reason: ""), .close(.fromServer, code: 1000, reason: ""),
        ]
        #expect(try refusal(own) == "no 'connected' arrives")
        // Without a greeting, who was let in was greeted.
        #expect(try refusal(own, dialect: "nami") == nil)
        let other: [Event.Kind] = [.close(.fromServer, code: 4001, reason: "")]
        #expect(try refusal(other) == "the server closes with 4001")
        #expect(try refusal(other, dialect: "nami") == "the server closes with 4001")
    }

    @Test func `the answer to another question is not taken for the doctor's`() throws {
        let header = History.Header(
            subject: History.Subject(name: "s", role: .server, profiles: [.core]))
        func answer(_ notation: String) throws -> String? {
            let history = try NotationExpansion(notation, header: header).history
            return Probe(
                Performance(scenario: "server/LIVE/x", history: history), under: try SourceTree.specification()
            ).answer?.string("text")
        }
        let asked = "A+ A>chat(c1) A<ack(c1) A<done(t7 s7 'not mine')"
        #expect(try answer("\(asked) A<done(t1 'mine')") == "mine")
        #expect(try answer(asked) == nil)
        #expect(try answer("A+ A>chat(-c) A<done(-t 'mine')") == "mine")
    }

    @Test func `what a subject said steers no terminal, whoever tells it`() throws {
        let header = History.Header(subject: History.Subject(name: "s", role: .server, profiles: [.core]))
        let history = try NotationExpansion("A+ A<`{\"type\":\"\u{1B}[2J\"}`", header: header).history
        let clause = try #require(try SourceTree.specification()[ClauseID(.TURN, 3)])
        let finding = Finding(
            "what \u{1B}[1m", expected: "\u{1B}[2m", actual: "'\u{1B}[3m'", at: [history.events.count - 1])
        let style = ConsoleStyle()
        for text in [
            LiveJudge.Report(clause: clause, finding: finding, history: history).text(style, .explained) ?? "",
            LoadRun.Notice(clause: clause, finding: finding, principal: "p1", events: 3).text(style),
            FollowRun.Notice(clause: clause, name: "file", finding: finding, lines: [], isWithdrawn: false)
                .text(style, .explained) ?? "",
        ] {
            #expect(text.contains("what \\u{1b}[1m"))
            #expect(!text.contains("\u{1B}"), "\(text)")
        }
    }

    @Test func `of what is broken again and again three are shown and the rest counted`() {
        let told = ReportTally()
        let (often, once) = (ClauseID(.AUTH, 2), ClauseID(.LIVE, 1))
        #expect((1...20).filter { _ in told.take(often) == .explained }.count == 3)
        #expect(told.take(once) == .explained)
        #expect(told.totals == [often: 20])
    }
}
