import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastStage

/// A client's plan or life while it is drawn: the state of the app, and the server's messages so far.
///
/// A plan is a short life: it combines features too, but only in small sizes.
package struct ClientPlanner: Planner, LifePlanner {
    struct Asked {
        let name: String
        /// Whether its turn, if all goes well, runs until a step ends it.
        var runs: Bool
    }

    let grammar: ClientGrammar
    var chance: SplitMix64
    var steps: [JSONValue] = []
    var names = 0
    var weights: [Int] = []
    var steering = LifeSteering([:])
    private let features: [ClientFeature]
    private var rounds = 0
    /// The number of times each feature had a round of its own.
    private var alone: [String: Int] = [:]

    var sessions: [String] = []
    /// The first text of the person in conversations that existed at the beginning.
    var openings: [(session: String, text: String)] = []
    /// Answers that a notification may be about.
    var answers: [(session: String, message: String)] = []
    var asked: [Asked] = []
    var lastTurn = 0
    var epochs = 1
    /// The events for which a rule may still apply.
    var activeRules: [String] = []
    var heldEvents: [String] = []
    /// The failed messages, which will be resent.
    var failed: [String] = []
    /// The session that was last opened for certain.
    var screen: String?
    /// Whether the app must not end yet: some faults show only after many connections.
    private(set) var isYoung = true
    var isRunning = true
    var isForeground = true
    var hasNetwork = true
    /// Whether acts are now drawn for one of several parallel branches.
    var isInBranch = false
    /// The bound of optional waits; nil for the usual ones.
    var bound: String?

    var isSeen: Bool { isRunning && isForeground }

    /// A session that no server has.
    static let unknownSession = "s99"

    /// The interval of crowded rounds in a life; each other round has a single feature.
    ///
    /// Most of what a client must do by itself shows only if nothing else disturbs it.
    private static let crowdedInterval = 3
    /// The number of features that meet in a crowded round.
    private static let featuresPerRound = 9
    /// How much faster the client's timers run in a life, which would otherwise spend its time waiting for them.
    private static let timeScale = 30
    /// The number of connections, or the part of a life, after which a feature may end the app.
    private static let minConnections = (connections: 30, share: 0.25)
    /// The stream position at the beginning of a life: soon, positions need more than 31 bits.
    private static let firstPosition: JSONValue = 2_147_483_600
    /// During this part of a life, one connection lasts.
    private static let stableSpan = 0.5..<0.7

    init(_ grammar: ClientGrammar, seed: UInt64) {
        self.grammar = grammar
        chance = SplitMix64(seed: seed)
        features = ClientFeature.all.filter { feature in
            feature.needs.allSatisfy { grammar.allows($0) } && (feature.profile.map(grammar.profiles.contains) ?? true)
        }
        weights = Self.smallChoiceWeights
    }

    // MARK: plans

    mutating func plan(named name: String) -> Plan {
        let world = drawWorld()
        weights = drawWeights()
        if happens(15) { rule() }
        launch()
        if happens(80) { add("await", ["comes": "connection", "within": "connect", "optional": true]) }
        if let session = any(sessions), happens(50), grammar.allows("selectSession") {
            add("select", ["session": session])
        }
        let size = chance.number(in: grammar.size / 2...grammar.size * 3 / 2)
        while steps.count < size { act() }
        end()
        return plan(named: name, in: world, steps)
    }

    private func plan(named name: String, in world: JSONValue, _ steps: [JSONValue]) -> Plan {
        var plan = Plan(name: name, principals: 1, profiles: [], steps: steps)
        (plan.role, plan.world) = (.client, world)
        return plan
    }

    private mutating func drawWorld() -> JSONValue {
        var all: [JSONValue] = []
        for _ in 0..<one(of: 0, 1, 1, 2, 2, 3) {
            let session = "s\(sessions.count + 1)"
            sessions.append(session)
            var messages: [JSONValue] = []
            for _ in 0..<one(of: 0, 1, 1, 2, 3, 12) {
                lastTurn += 1
                let question = message("u")
                if messages.isEmpty {
                    openings.append((session, question["text"]?.stringValue ?? "question \(lastTurn)"))
                }
                messages.append(question)
                // Another device may still wait for the last answer.
                if happens(90) {
                    messages.append(message("a"))
                    answers.append((session, "a\(lastTurn)"))
                }
            }
            all.append(["id": .string(session), "messages": .array(messages)])
        }
        return JSONValue(members: [
            "sessions": all, "lastSeq": one(of: 0, 0, 7, 999_999_990), "profiles": given(happens(25), ["core"]),
            "heartbeatSeconds": given(happens(20), 20), "limits": given(happens(10), ["maxFrameBytes": 1024]),
            "newer": given(happens(10), Words.newer), "rareForms": given(happens(10), true),
        ])
    }

    private mutating func message(_ letter: String) -> JSONValue {
        let id = JSONValue.string("\(letter)\(lastTurn)")
        guard happens(20), let text = happens(30) ? Words.repeated : any(Words.all) else { return id }
        return ["id": id, "role": letter == "u" ? "user" : "assistant", "text": .string(text)]
    }

    mutating func combineFeatures() {
        guard !isInBranch else { return act() }
        let usual = features.filter { !$0.isLong || happens(30) }
        combineFeatures(Array(chance.shuffled(usual).prefix(one(of: 1, 1, 2, 3))), with: chance.number(in: 0...3))
    }

    /// Features begin; the last of them ends first.
    @discardableResult
    private mutating func combineFeatures(_ features: [ClientFeature], with choices: Int) -> [String] {
        var begun: [ClientFeature] = []
        for feature in features where feature.isPossible(self) {
            feature.begin(&self)
            begun.append(feature)
        }
        let usual = weights
        // Features within features would never end.
        weights = zip(Self.choices, usual).map { $0.isLarge ? 0 : $1 }
        for _ in 0..<choices { act() }
        weights = usual
        var watches: [JSONValue] = []
        for feature in begun.reversed() {
            let count = steps.count
            feature.end(&self)
            // In a life, one watch at the end serves all.
            if bound != nil, steps.count > count, steps.last?["do"] == "watch" { watches.append(steps.removeLast()) }
        }
        steps += watches.sorted { Self.milliseconds($0) < Self.milliseconds($1) }.suffix(1)
        return begun.map(\.name).sorted()
    }

    /// The approximate length of a watch; a named timeout counts as longer than most numbers.
    private static func milliseconds(_ watch: JSONValue) -> Int { watch["for"]?.intValue ?? 5_000 }

    // MARK: lives

    /// Draws the life of one app on one phone; prefers features that lag behind their goals, and pairs not yet tried.
    package init(_ grammar: ClientGrammar, seed: UInt64, to goals: [Reach.Dimension: Int]) {
        self.init(grammar, seed: seed)
        steering = LifeSteering(goals)
        (sessions, answers, lastTurn) = (["s1", "s2"], [("s1", "a1"), ("s2", "a2")], 2)
        (screen, bound) = ("s1", "scheduling")
        steering.raise(.sessions, to: sessions.count)
    }

    /// The server's sessions, the beginning of the life, and the steps of some rounds.
    package func plan(of rounds: [LifeRound], after earlier: [LifeRound]) -> Plan {
        let beginning: [JSONValue] = [
            ["do": "launch"], ["do": "await", "comes": "connection", "within": "connect", "optional": true],
            ["do": "select", "session": "s1"],
        ]
        var plan = plan(
            named: "client/life",
            in: [
                "sessions": [["id": "s1", "messages": ["u1", "a1"]], ["id": "s2", "messages": ["u2", "a2"]]],
                "lastSeq": Self.firstPosition, "limits": ["maxFrameBytes": 8_000],
                "newer": Words.newer, "rareForms": true,
            ],
            beginning.filter { grammar.allows("selectSession") || $0["do"] != "select" } + rounds.flatMap(\.steps))
        plan.timeScale = JSONValue(Self.timeScale)
        return plan
    }

    package mutating func round(at share: Double) -> LifeRound {
        rounds += 1
        // At the beginning of a round, the stage has repaired everything.
        (isRunning, isForeground, hasNetwork) = (true, true, true)
        (steps, activeRules, heldEvents, asked, failed) = ([], [], [], [], [])
        isYoung =
            steering.reached[.connections, default: 0] < Self.minConnections.connections
            && share < Self.minConnections.share
        let isCalm = Self.stableSpan.contains(share)
        let isCrowded = rounds % Self.crowdedInterval == 1
        // A wait for something that a round prevents must be short; where nothing prevents it, its absence is evidence.
        bound = isCrowded ? "scheduling" : "pong"
        let names = combineFeatures(chosen(isCalm, isCrowded), with: isCalm || !isCrowded ? 0 : 1)
        steering.raise(.cuts, by: steps.count { $0["do"] == "end" || $0["cut"] != nil })
        steering.note(names)
        return LifeRound(steps: steps, features: names)
    }

    private mutating func chosen(_ isCalm: Bool, _ isCrowded: Bool) -> [ClientFeature] {
        let possible = features.filter { feature in
            (!isCalm || feature.isCalm) && (!isYoung || !feature.raises.contains(.restarts))
                && !(isCrowded && feature.isLong)
        }
        guard isCrowded else {
            // Long features never occur in a crowded round, so they get half of the other rounds.
            let fitting = possible.filter { $0.isLong == (rounds % Self.crowdedInterval == 2) }
            let least = fitting.map { alone[$0.name, default: 0] }.min()
            guard let feature = any(fitting.filter { alone[$0.name, default: 0] == least }) else { return [] }
            alone[feature.name, default: 0] += 1
            return [feature]
        }
        let chosen = chance.shuffled(steering.choose(Self.featuresPerRound, of: possible, by: &chance))
        // Most features can begin only while the app is in the foreground, with a network.
        return happens(75) ? chosen.filter { !$0.isAway } + chosen.filter(\.isAway) : chosen
    }

    /// The amount of something in a feature: the whole goal twice, in case another feature spoils one attempt, and the
    /// usual amount afterward.
    mutating func amount(of dimension: Reach.Dimension, usually some: Int) -> Int {
        guard !steering.isReached(dimension), let goal = steering.goals[dimension] else { return some }
        steering.raise(dimension, by: (goal + 1) / 2)
        return goal
    }

    package var summary: String { steering.summary(of: features.filter { !$0.isLong }) }
}
