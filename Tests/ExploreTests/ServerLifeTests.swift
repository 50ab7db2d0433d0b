import Holdfast
import HoldfastJSON
import HoldfastReport
import HoldfastStage
import Testing

@testable import HoldfastExplore

/// How the rounds of a server's life are drawn.
@Suite struct ServerLifeTests {
    private func life(seed: UInt64, people: Int = 5, limit: (Int, Int)? = (60, 5), startsServer: Bool = true)
        -> ServerPlanner
    {
        var grammar = ServerGrammar(
            profiles: Profile.all(of: .server), disturbing: [], startsServer: startsServer)
        (grammar.principals, grammar.isAlone, grammar.longestWatch) = (people, false, 400)
        grammar.rateLimit = limit.map { (questions: $0.0, seconds: $0.1) }
        if people == 1 { grammar.profiles.remove(.auth) }
        return ServerPlanner(grammar, seed: seed, to: ReachTable.goals(of: .server))
    }

    private func rounds(_ count: Int, of life: inout ServerPlanner) -> [LifeRound] {
        (0..<count).map { _ in life.round(at: 0) }
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

    /// A life of three minutes has about as many rounds.
    @Test func `in a hundred rounds every dimension that is drawn reaches its goal, and all pairs of features meet`() {
        var life = life(seed: 3)
        _ = rounds(100, of: &life)
        let left = life.steering.reached.keys.filter { !life.steering.isReached($0) }
        #expect(left.isEmpty, "\(life.steering.reached)")
        #expect(life.steering.reached.count >= 15)
        #expect(life.summary == "179 of 179 pairs of features met")
    }

    @Test func `for most of the time the process stays, and one connection with it`() {
        var life = life(seed: 4)
        let rounds = [life.round(at: 0)] + (0..<60).map { _ in life.round(at: 0.5) } + [life.round(at: 0.95)]
        #expect(rounds[0].steps[0] == ["do": "connect", "on": "V", "principal": "p5"])
        let calm = rounds.dropFirst().dropLast()
        #expect(calm.allSatisfy { $0.open.contains(rounds[0].steps[0]) })
        let verbs = Set(calm.flatMap(\.steps).flatMap(\.verbs))
        #expect(verbs.isDisjoint(with: ["kill", "stop", "start", "killOn"]))
        // A restart lags most by then.
        #expect(rounds.last?.features.contains("restart") == true)
    }

    @Test func `for a while one person is gone and another one silent, and then their old things are used`() {
        var life = life(seed: 4)
        let before = (0..<8).map { _ in life.round(at: 0.1) }
        #expect(before.allSatisfy { $0.resting.isEmpty })
        let first = life.round(at: 0.3)
        let rest = (0..<30).map { _ in life.round(at: 0.5) }
        #expect(([first] + rest).allSatisfy { $0.resting == ["p2", "p3"] })
        #expect(first.steps.contains { $0["do"] == "pushAnswer" && $0["principal"] == "p2" })
        #expect(asked(by: "p2", in: rest.flatMap(\.steps)) == 0)
        let text = JSONValue.array(rest.flatMap(\.steps)).text()
        #expect(!text.contains(#""principal":"p2""#) && !text.contains(#""principal":"p3""#))
        let wake = life.round(at: 0.75)
        #expect(wake.resting.isEmpty)
        #expect(JSONValue.array(wake.steps).text().contains(#""principal":"p2""#))
    }

    @Test func `nobody asks more in a round than the limit of a window leaves free`() {
        var life = life(seed: 5, limit: (60, 60))
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
            let plan = life.plan(of: all.suffix(length), after: all.dropLast(length))
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
