import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastStage

/// A client's life while it is drawn, round by round: the dimension that lags most and the features that have not met come next.
///
/// The same seed gives the same rounds.
package final class ClientLife: Sendable {
    private let state: Mutex<ClientLifeDrawing>

    package init(_ grammar: ClientGrammar, seed: UInt64) { state = Mutex(ClientLifeDrawing(grammar, seed: seed)) }

    /// Draws the next round.
    package func next() -> LifeRound { state.withLock { $0.round() } }

    /// What the server holds, how the life begins, and what happens in some rounds of it.
    package func plan(of rounds: [LifeRound]) -> Plan {
        var plan = state.withLock { $0.opening }
        plan.steps += rounds.flatMap(\.steps)
        return plan
    }

    /// What was reached so far, and which features have not met, a line each.
    package var summary: [String] { state.withLock { $0.summary } }
}

/// A measure of a life of a client, with what three minutes are to reach.
enum ClientReach: String, CaseIterable, Sendable {
    case typedOffline = "typed offline", sessions, connections, failedAttempts = "failed attempts"
    case messages = "messages of a session", pages = "pages in a row", framesInSync = "frames during a sync"
    case unanswered = "questions before the first ack", failures = "failed messages", ends = "ends of the app"
    case resends, pushes, questions

    var goal: Int {
        switch self {
        case .typedOffline: 30
        case .sessions: 25
        case .connections: 100
        case .failedAttempts: 60
        case .messages: 120
        case .pages: 20
        case .framesInSync: 12
        case .unanswered: 3
        case .failures, .resends, .pushes, .ends: 12
        case .questions: 120
        }
    }
}

/// What rounds are drawn from, and what they have come to.
struct ClientLifeDrawing: Sendable {
    var drawing: ClientDrawing
    private(set) var reach: [ClientReach: Int] = [:]
    /// The features that have met, as `one + other`, in the order of their names.
    private var met: Set<String> = []
    /// Those that the client's driver can be told to do.
    private let features: [ClientFeature]
    private var rounds = 0
    /// What fails in this round, and is to be sent again.
    var failed: [JSONValue] = []
    /// The session that was surely chosen last.
    var screen = "s1"

    /// So many features meet in a round.
    private static let company = 6
    /// So many connections has the first app before anything ends it.
    private static let youth = 60

    init(_ grammar: ClientGrammar, seed: UInt64) {
        drawing = ClientDrawing(grammar, seed: seed)
        drawing.sessions = ["s1", "s2"]
        drawing.answers = [("s1", "a1"), ("s2", "a2")]
        drawing.lastTurn = 2
        drawing.bound = "scheduling"
        features = ClientFeature.all.filter { feature in
            feature.needs.allSatisfy { grammar.allows($0) } && (feature.profile.map(grammar.profiles.contains) ?? true)
        }
        reach = [.sessions: 2, .connections: 1]
    }

    var opening: Plan {
        var plan = Plan(
            name: "client/life", principals: 1, profiles: [],
            steps: [
                ["do": "launch"], ["do": "await", "comes": "connection", "within": "connect", "optional": true],
                ["do": "select", "session": "s1"],
            ].filter { drawing.grammar.allows("selectSession") || $0["do"] != "select" })
        plan.role = .client
        plan.world = ["sessions": [["id": "s1", "messages": ["u1", "a1"]], ["id": "s2", "messages": ["u2", "a2"]]]]
        return plan
    }

    /// The features that come next: one that serves the dimension that lags most, and those that have met the others least.
    mutating func round() -> LifeRound {
        rounds += 1
        // At the beginning of a round the stage has mended everything.
        (drawing.isRunning, drawing.isForeground, drawing.hasNetwork) = (true, true, true)
        (drawing.steps, drawing.ruled, drawing.held, drawing.asked, failed) = ([], [], [], [], [])
        var begun: [ClientFeature] = []
        for feature in chosen() {
            guard feature.isPossible(drawing) else { continue }
            feature.begin(&self)
            begun.append(feature)
        }
        for feature in begun.reversed() { feature.end(&self) }
        let names = begun.map(\.name).sorted()
        for (index, name) in names.enumerated() {
            for other in names[(index + 1)...] { met.insert("\(name) + \(other)") }
        }
        return LifeRound(steps: drawing.steps, features: names)
    }

    private mutating func chosen() -> [ClientFeature] {
        // What an app does after many connections shows only in one that was not ended.
        let isYoung = (reach[.connections] ?? 0) < Self.youth
        let lagging = ClientReach.allCases.filter { !isYoung || $0 != .ends }.min {
            (reach[$0] ?? 0) * $1.goal < (reach[$1] ?? 0) * $0.goal
        }
        var rest = shuffled(features.filter { !isYoung || !$0.raises.contains(.ends) })
        var chosen: [ClientFeature] = []
        if let lagging, let first = rest.firstIndex(where: { $0.raises.contains(lagging) }) {
            chosen.append(rest.remove(at: first))
        }
        while chosen.count < Self.company, !rest.isEmpty {
            let news = rest.map { feature in chosen.count { !haveMet($0.name, feature.name) } }
            let best = rest.indices.max { news[$0] < news[$1] } ?? 0
            chosen.append(rest.remove(at: best))
        }
        return shuffled(chosen)
    }

    private func haveMet(_ one: String, _ other: String) -> Bool {
        met.contains("\(min(one, other)) + \(max(one, other))")
    }

    private mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var rest = elements
        return elements.map { _ in rest.remove(at: drawing.chance.number(in: 0...rest.count - 1)) }
    }

    /// Counts one more, or so many.
    mutating func count(_ dimension: ClientReach, _ number: Int = 1) { reach[dimension, default: 0] += number }

    /// How much of something a feature makes: what the goal asks for, and some once that is reached.
    mutating func amount(of dimension: ClientReach, usually some: Int) -> Int {
        guard reach[dimension] ?? 0 < dimension.goal else { return some }
        reach[dimension] = dimension.goal
        return dimension.goal
    }

    var summary: [String] {
        let reached = ClientReach.allCases.map { "\($0.rawValue) \(reach[$0] ?? 0) of \($0.goal)" }
        let names = features.map(\.name).sorted()
        let holes = names.indices.flatMap { index in
            names[(index + 1)...].map { "\(names[index]) + \($0)" }.filter { !met.contains($0) }
        }
        let pairs = names.count * (names.count - 1) / 2
        let summary = ["\(rounds) rounds: \(reached.joined(separator: ", "))"]
        return summary + ["\(pairs - holes.count) of \(pairs) pairs of features met"]
            + (holes.isEmpty ? [] : ["not met: \(holes.prefix(20).joined(separator: "; "))"])
    }
}
