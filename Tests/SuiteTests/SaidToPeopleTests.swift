import Holdfast
import HoldfastTranscript
import TestSupport
import Testing

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
            subject: History.Subject(name: "s", role: .server, profiles: [.core, .idempotency]))
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

    @Test func `of what is broken again and again three are shown and the rest counted`() {
        let told = ToldBreaches()
        let (often, once) = (ClauseID(.AUTH, 2), ClauseID(.LIVE, 1))
        #expect((1...20).filter { _ in told.take(often) }.count == 3)
        #expect(told.take(once))
        #expect(told.rest == [often: 17])
    }
}
