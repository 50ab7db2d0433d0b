import Holdfast
import HoldfastBasics
import HoldfastJSON

/// The possible contents of schedules: the participants, the server's profiles, and the possible actions.
package struct PlanGrammar: Sendable {
    package var profiles: Set<Profile>
    /// Whether the server is the suite's own, to be killed and started.
    package var startsServer: Bool
    /// Whether each plan meets a server of its own.
    package var isApart = false
    /// Whether no other user meets the server, now or later, and waiting costs nothing.
    package var isAlone = true
    /// About how many steps a plan has.
    package var size = 40
    /// The most principals that take part.
    package var principals = 3
    /// The longest time that a plan may watch at once, in milliseconds.
    package var longestWatch = 5_000

    /// Scenarios that people wrote; half of the plans are one of them, disturbed.
    private let scenarios: [Plan]

    /// - Parameters:
    ///   - profiles: The profiles of the server.
    ///   - scenarios: The scenarios of the specification.
    ///   - startsServer: Whether the server is the suite's own.
    package init(profiles: Set<Profile>, disturbing scenarios: [Plan], startsServer: Bool) {
        self.profiles = profiles
        self.startsServer = startsServer
        self.scenarios = scenarios.filter { scenario in
            scenario.profiles.isSubset(of: profiles) && (startsServer || !scenario.needsStart)
        }
    }

    /// The plan of a seed.
    package func plan(seed: UInt64) -> Plan {
        var plan = PlanDrawing.plan(
            seed: seed, of: .server, disturbing: scenarios.filter { $0.principals <= principals }
        ) { PlanDrawing(self, seed: $0) }
        plan.isApart = isApart && !plan.needsStart
        return plan
    }
}

/// A plan while it is drawn: who is there, and what was asked.
struct PlanDrawing: Drawing {
    struct Device {
        let letter: String
        let principal: String
        var isOpen = true
        var isPaused = false
    }

    /// Names for an epoch and a position that a principal received.
    struct Place {
        let principal: String
        let epoch: String
        let seq: String
    }

    struct Session {
        let name: String
        let principal: String
    }

    struct Asked {
        let name: String
        let principal: String
        /// The members that make it the same question.
        let content: JSONObject
        /// The connection that brought it, while that is open; nil for one that has been answered over REST.
        var connection: String?
        /// Whether it comes before whatever is sent on that connection now, or has been answered.
        var isFirst = true
        /// Whether a step waits for its end; a frame satisfies one wait at most.
        var isAwaited = false
    }

    let grammar: PlanGrammar
    var chance: SplitMix64
    var steps: [JSONValue] = []
    var devices: [Device] = []
    var places: [Place] = []
    /// Where the stream of each connection was when it was greeted last.
    var greeted: [String: Place] = [:]
    var sessions: [Session] = []
    var questions: [Asked] = []
    var names = 0
    var refusesWrites = false
    var hasGoneDevices = false
    /// Whether moves are drawn that happen beside others.
    var isBeside = false
    /// The people who act now.
    var people: [String]
    /// The connection of a stranger; it is ended before another one begins.
    var stranger = "H"
    /// The letters that devices may have.
    var letters = ["A", "B", "C", "D", "E", "F", "G"]
    var weights: [Int] = []

    var keepsStream: Bool { grammar.profiles.contains(.sync) }

    init(_ grammar: PlanGrammar, seed: UInt64) {
        self.grammar = grammar
        chance = SplitMix64(seed: seed)
        let most = grammar.profiles.contains(.auth) ? grammar.principals : 1
        people = (1...chance.number(in: 1...most)).map { "p\($0)" }
    }

    mutating func plan(named name: String) -> Plan {
        weights = drawWeights()
        connect(principal: people[0])
        let size = chance.number(in: grammar.size / 2...grammar.size * 3 / 2)
        while Plan(name: "", principals: 1, profiles: [], steps: steps).count < size { move() }
        end()
        return Plan(
            name: name, principals: people.count,
            profiles: grammar.profiles.intersection([.sync, .auth]),
            steps: steps)
    }

    static let moves: [Move<PlanDrawing>] = [
        Move(weight: 10, isVital: true) { $0.ask() },
        Move(weight: 5) { $0.post() },
        Move(weight: 6) { $0.askAgain() },
        Move(weight: 2) { $0.askWrongly() },
        Move(weight: 6) { $0.sync() },
        Move(weight: 5) { $0.leave() },
        Move(weight: 7, isVital: true) { $0.arrive() },
        Move(weight: 5, isVital: true) { $0.read() },
        Move(weight: 3) { $0.list() },
        Move(weight: 3, isVital: true) { $0.fence() },
        Move(weight: 4, isVital: true) { $0.watch() },
        Move(weight: 4) { $0.together() },
        Move(weight: 2) { $0.crash() },
        Move(weight: 1) { $0.refuseWrites() },
        Move(weight: 2) { $0.hostile() },
        Move(weight: 3) { $0.trespass() },
        Move(weight: 1) { $0.refusePushes() },
        Move(weight: 1) { $0.stopReading() },
        Move(weight: 1) { $0.many() },
        Move(weight: 2) { $0.waitForEnd() },
    ]
}
