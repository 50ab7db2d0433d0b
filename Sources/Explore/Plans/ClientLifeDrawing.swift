import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastStage

/// The life of a client: the dimension that lags most and the features that have not met come next.
package struct ClientLifeDrawing: LifeDrawing {
    var drawing: ClientDrawing
    var steering: LifeSteering
    /// The features that the client's driver supports.
    private let features: [ClientFeature]
    /// The failed messages of this round, which are sent again.
    var failed: [JSONValue] = []
    /// The session that was surely chosen last.
    var screen = "s1"
    private var rounds = 0

    /// So many features meet in a round.
    private static let company = 7
    /// Random moves of plans in each round, for faults that no feature aims at.
    private static let moves: [@Sendable (inout ClientDrawing) -> Void] = [
        { $0.revisit() }, { $0.absence() }, { $0.listen() }, { $0.beginInTheDark() }, { $0.tellUnknown() },
        { $0.useTool() }, { $0.elsewhere() }, { $0.say() }, { $0.endTurn() }, { $0.rule() }, { $0.release() },
        { $0.together() }, { $0.endConnection() }, { $0.goAway() }, { $0.loseNetwork() },
    ]
    /// A long feature comes once in so many rounds.
    private static let seldom = 14
    /// So many connections has the first app before anything ends it.
    private static let youth = 30
    /// The place in the stream at the beginning: soon the numbers need more than 31 bits.
    private static let firstPlace: JSONValue = 2_147_483_600
    /// One connection lasts through this share of the time.
    private static let calm = 0.5..<0.7

    /// - Parameters:
    ///   - grammar: The possible actions.
    ///   - seed: The same seed draws the same life.
    ///   - goals: The sizes to reach.
    package init(_ grammar: ClientGrammar, seed: UInt64, to goals: [Reach.Dimension: Int]) {
        steering = LifeSteering(goals)
        drawing = ClientDrawing(grammar, seed: seed)
        drawing.sessions = ["s1", "s2"]
        drawing.answers = [("s1", "a1"), ("s2", "a2")]
        drawing.lastTurn = 2
        drawing.bound = "scheduling"
        features = ClientFeature.all.filter { feature in
            feature.needs.allSatisfy { grammar.allows($0) } && (feature.profile.map(grammar.profiles.contains) ?? true)
        }
        steering.raise(.sessions, to: drawing.sessions.count)
    }

    /// The server's sessions, the beginning of the life, and the steps of some rounds.
    package func plan(of rounds: [LifeRound], after earlier: [LifeRound]) -> Plan {
        var plan = Plan(
            name: "client/life", principals: 1, profiles: [],
            steps: [
                ["do": "launch"], ["do": "await", "comes": "connection", "within": "connect", "optional": true],
                ["do": "select", "session": "s1"],
            ].filter { drawing.grammar.allows("selectSession") || $0["do"] != "select" } + rounds.flatMap(\.steps))
        plan.role = .client
        plan.world = [
            "sessions": [["id": "s1", "messages": ["u1", "a1"]], ["id": "s2", "messages": ["u2", "a2"]]],
            "lastSeq": Self.firstPlace,
        ]
        return plan
    }

    /// Draws the next round.
    package mutating func round(at share: Double) -> LifeRound {
        rounds += 1
        // At the beginning of a round the stage has mended everything.
        (drawing.isRunning, drawing.isForeground, drawing.hasNetwork) = (true, true, true)
        (drawing.steps, drawing.ruled, drawing.held, drawing.asked, failed) = ([], [], [], [], [])
        var begun: [ClientFeature] = []
        let isCalm = Self.calm.contains(share)
        for feature in chosen(isCalm) {
            guard feature.isPossible(drawing) else { continue }
            feature.begin(&self)
            begun.append(feature)
        }
        if !isCalm { drawing.any(Self.moves)?(&drawing) }
        for feature in begun.reversed() { feature.end(&self) }
        steering.raise(.cuts, by: drawing.steps.count { $0["do"] == "end" || $0["cut"] != nil })
        let names = begun.map(\.name).sorted()
        steering.note(names)
        return LifeRound(steps: drawing.steps, features: names)
    }

    private mutating func chosen(_ isCalm: Bool) -> [ClientFeature] {
        // The effect of many connections on an app shows only if the app did not end meanwhile.
        let isYoung = steering.reached[.connections, default: 0] < Self.youth
        let possible = features.filter { feature in
            (!isCalm || feature.isCalm) && (!isYoung || !feature.raises.contains(.restarts))
                && (!feature.isLong || steering.count(of: feature.name) * Self.seldom < rounds)
        }
        return shuffled(steering.choose(Self.company, of: possible, by: &drawing))
    }

    private mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var rest = elements
        return elements.map { _ in rest.remove(at: drawing.chance.number(in: 0...rest.count - 1)) }
    }

    /// How much of something a feature makes: the goal, twice, as others may spoil it, and less after that.
    mutating func amount(of dimension: Reach.Dimension, usually some: Int) -> Int {
        guard !steering.isReached(dimension), let goal = steering.goals[dimension] else { return some }
        steering.raise(dimension, by: (goal + 1) / 2)
        return goal
    }

    package var summary: String { steering.summary(of: features) }
}
