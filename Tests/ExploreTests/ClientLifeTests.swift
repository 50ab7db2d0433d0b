import Holdfast
import HoldfastExplore
import HoldfastStage
import Testing

/// How the rounds of a client's life are drawn.
@Suite struct ClientLifeTests {
    private func rounds(_ count: Int, seed: UInt64, without unsupported: Set<String> = []) -> (ClientLife, [LifeRound])
    {
        let grammar = ClientGrammar(profiles: Profile.all(of: .client), disturbing: [], without: unsupported)
        let life = ClientLife(grammar, seed: seed)
        return (life, (0..<count).map { _ in life.next() })
    }

    @Test func `equal seeds draw equal rounds, and each of them can be performed`() throws {
        let (life, first) = rounds(60, seed: 7)
        #expect(first == rounds(60, seed: 7).1)
        #expect(first != rounds(60, seed: 8).1)
        for round in first { #expect(!ClientScenarioReader.steps(round.steps).isEmpty, "\(round.features)") }
        #expect(try life.plan(of: []).clientScenario().steps.count == 3)
    }

    @Test func `in a hundred rounds every dimension reaches its goal, and nearly every pair of features has met`() {
        let summary = rounds(100, seed: 3).0.summary
        for part in summary[0].split(separator: ": ", maxSplits: 1)[1].split(separator: ", ") {
            let numbers = part.split(separator: " ").compactMap { Int($0) }
            #expect(numbers[0] >= numbers[1], "\(part)")
        }
        let pairs = summary[1].split(separator: " ").compactMap { Int($0) }
        #expect(pairs[0] * 10 >= pairs[1] * 8, "\(summary)")
    }

    @Test func `a driver is told nothing that it does not obey`() {
        let steps = rounds(60, seed: 1, without: ["selectSession", "quit", "networkDown"]).1.flatMap(\.steps)
        #expect(!steps.contains { ["select", "quit", "networkDown"].contains($0["do"]) })
    }
}
