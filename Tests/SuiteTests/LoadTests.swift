import Holdfast
import HoldfastPlatform
import HoldfastReport
import HoldfastStage
import HoldfastTranscript
import Testing

@testable import HoldfastSuite

/// Histories are judged as a load hands them over.
@Suite struct LoadTests {
    private static let specification = Result { try Specification(.embedded) }

    private func history(_ notation: String, of principal: String = "p1") throws -> History {
        let subject = History.Subject(name: "test", role: .server, profiles: [.core, .sync])
        let header = History.Header(scenario: "server/load/\(principal)", subject: subject)
        return try NotationExpansion(notation, header: header).history
    }

    private func judged(
        _ histories: [(History, String)]
    ) async throws -> (results: [ScenarioResult], figures: LoadFigures, told: [LoadRun.Notice]) {
        let told = Mutex<[LoadRun.Notice]>([])
        let plan = LoadPlan(devices: 2, duration: 10_000, ramp: 0, seed: 1, mix: LoadMix(name: "test"))
        let judging = LoadJudging(plan, under: try Self.specification.get()) { one in told.withLock { $0.append(one) } }
        judging.begin()
        for (history, principal) in histories {
            judging.take(.history(history.header, history.events, principal: principal))
        }
        let (results, figures) = await judging.finish()
        return (results, figures, told.withLock { $0 })
    }

    private static let turn = "A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2)"
    private static let others = (2...6).map {
        "A>chat(c\($0)) A<ack(c\($0)) A<toolUse(t\($0) #\(2 * $0)) A<done(t\($0) #\(2 * $0 + 1))"
    }

    @Test func `a healthy history is kept as evidence, once`() async throws {
        let one = try history("A+(e1 #0) \(Self.turn)")
        let (results, figures, told) = try await judged([(one, "p1"), (one, "p2")])
        #expect(results.count == 1)
        #expect(told.isEmpty)
        #expect(figures.histories == 2 && figures.principals == 2 && figures.exercised > 0)
        #expect(figures.intervals[0]?.frames == 12)
    }

    @Test func `a violation is told once by clause, and shrunk to what it needs`() async throws {
        let long = "A+(e1 #0) \(Self.turn) \(Self.others.joined(separator: " ")) A>chat(c7) A<ack(c7) A<done(t7 #3)"
        let (results, figures, told) = try await judged([(try history(long), "p1"), (try history(long), "p2")])
        let order = told.filter { $0.clause.id == ClauseID(.ORDER, 3) }
        #expect(order.count == 1)
        let events = try #require(order.first?.events)
        #expect(events <= 12, "\(events)")
        #expect(
            results.contains { $0.verdicts.contains { $0.clause == ClauseID(.ORDER, 3) && $0.outcome == .violation } })
        #expect(figures.intervals[0]?.violations ?? 0 >= 2)
    }

    @Test func `what was judged before is not counted again`() async throws {
        var history = try history("A+(e1 #0) \(Self.turn)")
        var header = history.header
        header.capture = History.Capture(carried: 4)
        history = History(header: header, events: history.events)
        let (_, figures, _) = try await judged([(history, "p1")])
        #expect(figures.events == history.events.count - 4)
        #expect(figures.intervals[0]?.frames == 4)
    }
}
