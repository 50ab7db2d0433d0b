import Holdfast
import HoldfastReport
import HoldfastStage
import Testing

@testable import HoldfastExplore

/// How the rounds of a client's life are drawn.
@Suite struct ClientLifeTests {
    private func rounds(
        _ count: Int, seed: UInt64, without unsupported: Set<String> = []
    ) -> (ClientPlanner, [LifeRound]) {
        let grammar = ClientGrammar(profiles: Profile.all(of: .client), disturbing: [], without: unsupported)
        var life = ClientPlanner(grammar, seed: seed, to: ReachTable.goals(of: .client))
        let rounds = (0..<count).map { _ in life.round(at: 0) }
        return (life, rounds)
    }

    @Test func `equal seeds draw equal rounds, and each of them can be performed`() throws {
        let (life, first) = rounds(60, seed: 7)
        #expect(first == rounds(60, seed: 7).1)
        #expect(first != rounds(60, seed: 8).1)
        for round in first { #expect(!ClientScenarioReader.steps(round.steps).isEmpty, "\(round.features)") }
        #expect(try life.plan(of: [], after: []).clientScenario().steps.count == 3)
    }

    @Test func `in seventy crowded rounds every dimension drawn reaches its goal, and most pairs of features meet`() {
        let life = rounds(210, seed: 3).0
        // A session of 600 messages makes clients that store all at each frame so slow that nothing else happens.
        let left = life.steering.reached.keys.filter { $0 != .sessionMessages && !life.steering.isReached($0) }
        #expect(left.isEmpty, "\(life.steering.reached)")
        #expect(life.steering.reached.count >= 9)
        let pairs = life.summary.split(separator: " ").compactMap { Int($0) }
        #expect(pairs[0] * 10 > pairs[1] * 7, "\(life.summary)")
    }

    @Test func `each feature has a round of its own before any has two, and a long one meets no other`() {
        let drawn = rounds(120, seed: 3).1.map(\.features)
        let long = Set(ClientFeature.all.filter(\.isLong).map(\.name))
        for number in 1...2 {
            let own = drawn.enumerated().filter { $0.offset % 3 == number }.flatMap(\.element)
            #expect(own.count == 40 && own.allSatisfy { long.contains($0) == (number == 1) }, "\(own)")
            let counts = Dictionary(grouping: own, by: \.self).mapValues(\.count).values
            #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1, "\(counts)")
        }
        for features in drawn where features.count > 1 { #expect(long.isDisjoint(with: features)) }
    }

    @Test func `a life runs the client's timers faster, and so does a small scenario of it`() throws {
        let (life, rounds) = rounds(2, seed: 3)
        #expect(try life.plan(of: [], after: []).clientScenario().needs.timeScale == 30)
        #expect(try life.plan(of: rounds, after: []).clientScenario().needs.timeScale == 30)
    }

    @Test func `for a while in the middle nothing ends the connection`() {
        let grammar = ClientGrammar(profiles: Profile.all(of: .client), disturbing: [], without: [])
        var life = ClientPlanner(grammar, seed: 5, to: ReachTable.goals(of: .client))
        let steps = (0..<40).flatMap { _ in life.round(at: 0.6).steps }
        #expect(!steps.contains { ["end", "networkDown", "background", "quit", "crash"].contains($0["do"]) })
        #expect(!steps.contains { $0["cut"] != nil })
    }

    @Test func `a driver is told nothing that it does not obey`() {
        let steps = rounds(60, seed: 1, without: ["selectSession", "quit", "networkDown"]).1.flatMap(\.steps)
        #expect(!steps.contains { ["select", "quit", "networkDown"].contains($0["do"]) })
    }
}
