import Holdfast
import HoldfastCaptures
import HoldfastJudge
import HoldfastPlatform
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastProxy

/// What a judge tells of a history without end, which it judges in parts.
@Suite struct LiveJudgeTests {
    private final class Watched: Sendable {
        let told: Told
        let judging: LiveJudge

        final class Told: Sendable {
            let clauses = Mutex<[String]>([])
        }

        init() throws {
            let header = History.Header(
                subject: History.Subject(name: "s", role: .server, profiles: [.core]),
                capture: History.Capture(lacks: [.credentials, .principals]))
            let told = Told()
            self.told = told
            judging = LiveJudge(
                header, under: try Specification(.embedded),
                bounds: .init(soft: 1 << 20, hard: 1 << 20, softEvents: 20, hardEvents: 40), maxWaiting: 80
            ) { report in
                told.clauses.withLock { $0.append(report.clause.id.description) }
            }
        }

        /// How often it was told that an answer has a member twice.
        var count: Int { told.clauses.withLock { $0.count { $0 == "ENV-1" } } }
        var entry: ClauseTally.Entry? {
            judging.tally.entries.first { $0.key.description == "ENV-1" }?.value
        }

        /// Exchanges of two events each.
        func add(_ numbers: ClosedRange<Int>, broken: Set<Int> = []) {
            for number in numbers {
                let lane = Lane.exchange(number)
                judging.add(
                    Event(at: 2 * number, lane: lane, kind: .request(.init(method: "GET", path: "/api/sessions"))))
                let body = broken.contains(number) ? #"{"sessions":[],"sessions":[]}"# : #"{"sessions":[]}"#
                judging.add(
                    Event(at: 2 * number + 1, lane: lane, kind: .response(.init(status: 200, body: body))))
            }
        }
    }

    @Test func `a dialect's greeting narrows the profiles that are judged`() throws {
        let postal = try Dialect(SourceTree.text("Tests/Examples/dialects/postal.json"), file: "postal.json")
        func verdict(_ list: String) throws -> (outcome: Outcome?, stated: Set<Profile>) {
            let header = History.Header(
                subject: History.Subject(name: "s", role: .server, profiles: [.core, .sync, .auth]),
                dialect: postal, capture: History.Capture(lacks: [.credentials, .principals]))
            let judging = LiveJudge(header, under: try Specification(.embedded), isUndeclared: true) { _ in }
            let lane = Lane.connection("A")
            let greeting = #"{"event":"welcome","data":{"v":1,"socket":"k1",\#(list)"limits":{}}}"#
            let events: [Event.Kind] = [.opening(.init()), .opened, .text(.fromServer, greeting)]
            for (at, kind) in events.enumerated() { judging.add(Event(at: at, lane: lane, kind: kind)) }
            judging.judgeNew(isLast: true)
            return (judging.tally.entries.first { $0.key.description == "AUTH-12" }?.value.outcome, judging.stated)
        }
        #expect(try verdict(#""can":["sync"],"#) == (.pass, [.sync]))
        #expect(try verdict(#""can":["sync","auth"],"#) == (.pass, [.sync, .auth]))
    }

    @Test func `a violation in the open part is told once two looks have found it`() throws {
        let watched = try Watched()
        watched.add(1...5, broken: [2])
        watched.judging.judgeNew(isLast: false)
        #expect(watched.count == 0, "the first look only suspects")
        watched.add(6...7)
        watched.judging.judgeNew(isLast: false)
        #expect(watched.count == 1)
        watched.judging.judgeNew(isLast: true)
        #expect(watched.count == 1)
        #expect(watched.entry == ClauseTally.Entry(outcome: .violation, exercised: 7))
    }

    @Test func `a look at nothing new confirms what the last one suspected`() throws {
        let watched = try Watched()
        watched.add(1...5, broken: [2])
        for _ in 1...2 { watched.judging.judgeNew(isLast: false) }
        #expect(watched.count == 1)
    }

    @Test func `the violations of a complete part are told at once, and counted with those of the others`() throws {
        let watched = try Watched()
        watched.add(1...15, broken: [1, 14])
        watched.judging.judgeNew(isLast: false)
        #expect(watched.count == 1, "the second part is open")
        watched.add(16...17)
        watched.judging.judgeNew(isLast: false)
        #expect(watched.count == 2)
        watched.judging.judgeNew(isLast: true)
        #expect(watched.count == 2)
        #expect(watched.judging.unjudged == 0)
        #expect(watched.entry == ClauseTally.Entry(outcome: .violation, exercised: 17))
    }

    @Test func `a judge that is far behind says what it missed, and judges on`() throws {
        let watched = try Watched()
        watched.add(1...8, broken: [2])
        watched.judging.judgeNew(isLast: false)
        watched.add(9...60, broken: [20])
        watched.judging.judgeNew(isLast: false)
        #expect(watched.count == 1, "the gap ended the part that was suspected")
        #expect(watched.judging.unjudged > 0)
        watched.add(61...70, broken: [65])
        for isLast in [false, false, true] { watched.judging.judgeNew(isLast: isLast) }
        #expect(watched.count == 2)
        #expect(watched.entry?.outcome == .violation)
    }
}
