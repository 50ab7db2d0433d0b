import Holdfast
import HoldfastExplore
import HoldfastJSON
import HoldfastStage
import Testing

/// How the rounds of a server's life are drawn.
@Suite struct ServerLifeTests {
    private func life(seed: UInt64, people: Int = 5, rate: Double? = 12, startsServer: Bool = true) -> LifeDrawing {
        var grammar = PlanGrammar(
            profiles: Profile.all(of: .server), disturbing: [], startsServer: startsServer)
        (grammar.principals, grammar.isAlone, grammar.longestWatch) = (people, false, 400)
        if people == 1 { grammar.profiles.remove(.auth) }
        return LifeDrawing(grammar, seed: seed, rate: rate)
    }

    private func rounds(_ count: Int, of life: inout LifeDrawing) -> [LifeRound] {
        (0..<count).map { _ in life.round() }
    }

    @Test(arguments: [1, 2, 6]) func `equal seeds draw equal rounds, and each of them can be performed`(people: Int)
        throws
    {
        var (first, second, other) = (life(seed: 7, people: people), life(seed: 7, people: people), life(seed: 8))
        let drawn = rounds(60, of: &first)
        #expect(drawn == rounds(60, of: &second))
        #expect(drawn != rounds(60, of: &other))
        var needs = Scenario.Needs()
        (needs.principals, needs.start) = (people, true)
        let reader = LifeReader("server/life/7", needs: needs)
        for round in drawn {
            _ = try reader.steps(round.open)
            #expect(!(try reader.steps(round.steps)).isEmpty, "\(round.features)")
        }
    }

    @Test func `in a hundred rounds every dimension comes halfway to its goal, and most pairs of features meet`() {
        var life = life(seed: 3)
        _ = rounds(100, of: &life)
        for dimension in LifeDrawing.Dimension.allCases {
            #expect(life.reached[dimension, default: 0] * 2 >= dimension.goal, "\(dimension.rawValue)")
        }
        #expect(life.pairs.met * 10 >= life.pairs.all * 9, "\(life.holes)")
    }

    @Test func `nobody asks more in a round than the limit of a window leaves free`() {
        var life = life(seed: 5, rate: 1)
        for round in rounds(40, of: &life) {
            for person in 1...5 { #expect(asked(by: "p\(person)", in: round.steps) <= 30, "\(round.features)") }
        }
    }

    private func asked(by person: String, in steps: [JSONValue]) -> Int {
        steps.reduce(0) { count, step in
            let inner = (step["branches"]?.arrayValue ?? []).flatMap { $0.arrayValue ?? [] }
            let repeated = (step["times"]?.intValue ?? 1) * asked(by: person, in: step["steps"]?.arrayValue ?? [])
            let isPost = step["do"] == "postChat" && step["principal"]?.stringValue ?? "p1" == person
            return count + asked(by: person, in: inner) + repeated + (isPost ? 1 : 0)
        }
    }

    @Test func `a server that nobody may end is not ended`() {
        var life = life(seed: 1, startsServer: false)
        let verbs = rounds(60, of: &life).flatMap(\.steps).flatMap(\.verbs)
        #expect(verbs.contains("chat"))
        #expect(Set(verbs).isDisjoint(with: ["kill", "stop", "start", "refuseWrites"]))
    }

    @Test func `the last rounds are a plan of their own, with what they need of earlier ones`() throws {
        var life = life(seed: 2)
        let all = rounds(30, of: &life)
        for length in [1, 2, 4] {
            let plan = life.plan(of: all.suffix(length), named: "server/life/2", after: all.dropLast(length))
            #expect(throws: Never.self) { try plan.scenario() }
            #expect(plan.count < all.flatMap(\.steps).flatMap(\.verbs).count)
        }
    }
}

extension JSONValue {
    /// What a step and those in it do.
    fileprivate var verbs: [String] {
        let groups =
            (self["branches"]?.arrayValue ?? []).flatMap { $0.arrayValue ?? [] } + (self["steps"]?.arrayValue ?? [])
        return [self["do"]?.stringValue].compactMap(\.self) + groups.flatMap(\.verbs)
    }
}
