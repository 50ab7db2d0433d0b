import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastStage

/// A life of a server while it is drawn: what lags most, and features that have not met, come next.
package struct LifeDrawing: Sendable {
    /// What grows in a life, with the value that a life of three minutes is to reach .
    package enum Dimension: String, CaseIterable, Sendable {
        case messagesOfASession = "messages of a session"
        case sessions = "sessions of a person"
        case openConnections = "connections open at once"
        case cutConnections = "connections cut"
        case liveDuringSync = "frames live during a sync"
        case framesBehind = "frames behind"
        case beforeAck = "questions before the first ack"
        case inLine = "questions in line"
        case keys = "keys of a person"
        case distance = "questions before a repeat"
        case restarts = "restarts of the folder"
        case refusedWrites = "times that writes were refused"
        case textSize = "bytes of a text"
        case wrongTokens = "wrong tokens in a row"
        case oneClientId = "people with one clientId"
        case kindsOfText = "kinds of text"
        case slowReaders = "devices that stopped reading"
        case failures = "failed turns"
        case posts = "questions over REST at once"
        case pushes = "people called by push"
        case walks = "random walks"
        case largeReads = "bytes of a read"
        case badMessages = "bad messages"

        package var goal: Int {
            switch self {
            case .messagesOfASession: 600
            case .sessions: 60
            case .openConnections: 12
            case .cutConnections: 100
            case .liveDuringSync: 60
            case .framesBehind, .keys: 300
            case .beforeAck: 6
            case .inLine, .restarts: 10
            case .distance: 200
            case .refusedWrites: 5
            case .textSize: 300_000
            case .wrongTokens: 30
            case .oneClientId: 3
            case .kindsOfText: 20
            case .slowReaders: 3
            case .failures: 40
            case .posts: 8
            case .pushes: 4
            case .walks: 20
            case .badMessages: 60
            case .largeReads: 4_000_000
            }
        }
    }

    var plan: PlanDrawing
    /// The largest value of each dimension so far.
    package private(set) var reached: [Dimension: Int] = [:]
    /// How often each feature was drawn, and which met in a round.
    private var drawn: [String: Int] = [:]
    private var met: Set<[String]> = []
    private let everybody: [String]
    /// The most questions that a person asks in a round.
    let most: Int
    let largestFrame: Int
    /// The session of each person that only grows.
    var homes: [String: String] = [:]
    /// How many messages each session has, about.
    var sizes: [String: Int] = [:]

    /// - Parameters:
    ///   - grammar: Who takes part, and what may be done to the server.
    ///   - seed: The same seed draws the same life.
    ///   - rate: How many questions a second a person may ask; nil where nothing is known of a limit.
    ///   - largestFrame: The largest frame that the server takes.
    package init(_ grammar: PlanGrammar, seed: UInt64, rate: Double?, largestFrame: Int = 1 << 20) {
        self.largestFrame = largestFrame
        plan = PlanDrawing(grammar, seed: seed)
        everybody = (1...(grammar.profiles.contains(.auth) ? grammar.principals : 1)).map { "p\($0)" }
        plan.letters = "ABCDEFGHIJKLMNOPQRSTUV".map(String.init)
        plan.people = everybody
        plan.weights = PlanDrawing.moves.map(\.weight)
        let own = min(Self.largest, max(4, Int(min(rate ?? 100, 100) * Self.pace)))
        most = everybody.count == 1 ? own / 2 : own
    }

    /// The most questions of a person in a round, and how many seconds' worth of them a round asks.
    private static let (largest, pace) = (40, 6.0)

    /// Who has many devices.
    static let crowded = "p1"

    /// The letter of strangers in each branch.
    private static let strangers = ["W", "X", "Y"]

    /// The features that a life of this server may have.
    package var features: [String] { usable.map(\.name) }

    /// Whether a feature of this server raises a dimension.
    package func canRaise(_ dimension: Dimension) -> Bool { usable.contains { $0.raises.contains(dimension) } }

    /// How many pairs of features have met, and how many there are.
    package var pairs: (met: Int, all: Int) {
        let count = usable.count
        return (met.count, count * (count - 1) / 2)
    }

    /// Pairs that have not met.
    package var holes: [String] {
        let names = features
        return names.indices.flatMap { first in
            names[(first + 1)...].filter { !met.contains([names[first], $0].sorted()) }.map {
                "\(names[first]) × \($0)"
            }
        }
    }

    private var usable: [LifeFeature] {
        LifeFeature.all.filter { feature in
            feature.needs.isSubset(of: plan.grammar.profiles) && (plan.grammar.startsServer || !feature.needsStart)
        }
    }

    /// Draws the next round.
    package mutating func round() -> LifeRound {
        let open = plan.devices.filter(\.isOpen).map(opening)
        let actors = plan.chance.number(in: 0...everybody.count - 1)
        var people = everybody.indices.map { everybody[($0 + actors) % everybody.count] }
        let isAlone = people.count == 1
        let chosen = choose(atMost: isAlone ? 2 : min(3, people.count))
        // The letters do not suffice for many devices of everybody.
        if !isAlone, let place = people.firstIndex(of: Self.crowded),
            let index = chosen.firstIndex(where: {
                $0.raises.contains(.openConnections) || $0.raises.contains(.largeReads)
            })
        {
            people.swapAt(index, place)
        }
        plan.steps = []
        plan.isBeside = !isAlone && chosen.count > 1
        var branches: [[JSONValue]] = []
        for (index, feature) in chosen.enumerated() {
            // All of the rest act with the last.
            plan.people =
                isAlone ? people : index == chosen.count - 1 && index > 0 ? Array(people[index...]) : [people[index]]
            plan.stranger = Self.strangers[index]
            plan.steps = []
            for person in plan.people { _ = device(of: person) }
            let before = plan.steps
            plan.steps = []
            feature.draw(&self)
            branches.append(before + plan.steps)
        }
        plan.people = everybody
        plan.isBeside = false
        branches.removeAll(where: \.isEmpty)
        if branches.count > 1, !isAlone {
            plan.steps = [["do": "together", "branches": .array(branches.map { .array($0) })]]
        } else {
            plan.steps = branches.flatMap(\.self)
        }
        let names = chosen.map(\.name)
        if chosen.contains(where: \.endsProcess) { comeBack() }
        settle()
        for name in names {
            drawn[name, default: 0] += 1
            for other in names where other > name { met.insert([name, other]) }
        }
        return LifeRound(steps: plan.steps, features: names, open: open)
    }

    /// The feature whose dimension lags most, and others that it has not met.
    private mutating func choose(atMost count: Int) -> [LifeFeature] {
        let usable = usable
        let lags = usable.map { feature in
            feature.raises.map { Double(reached[$0, default: 0]) / Double($0.goal) }.min() ?? 1
        }
        // What grows slowly is not all there is: what was drawn least is behind too.
        let scores = zip(usable, lags).map { $1 + Double(drawn[$0.name, default: 0]) / 10 }
        let least = scores.min() ?? 0
        let behind = zip(usable, scores).filter { $0.1 <= least + 0.05 }.map(\.0)
        guard let first = plan.any(behind) else { return [] }
        var chosen = [first]
        while chosen.count < count {
            let others = usable.filter { other in
                !chosen.contains { $0.name == other.name }
                    && chosen.allSatisfy { $0.isCompatible(with: other) }
            }
            let fresh = others.filter { other in !chosen.allSatisfy { met.contains([$0.name, other.name].sorted()) } }
            guard let next = plan.any(fresh.isEmpty ? others : fresh) else { break }
            chosen.append(next)
        }
        // What ends the process does so while the others are at it.
        return chosen.filter { !$0.endsProcess } + chosen.filter(\.endsProcess)
    }

    /// Rounds as a plan of their own, with what it takes of earlier ones to know their names and to have their connections.
    package func plan(of rounds: [LifeRound], named name: String, after earlier: [LifeRound] = []) -> Plan {
        var plan = Plan(
            name: name, principals: everybody.count, profiles: self.plan.grammar.profiles.intersection([.sync, .auth]),
            steps: rounds.flatMap(\.steps))
        var missing = plan.missingNames
        for step in earlier.flatMap(\.steps).flatMap(Plan.leaves).reversed() {
            guard !missing.isEmpty else { break }
            guard Plan.gives(step, any: missing) else { continue }
            plan.steps.insert(step, at: 0)
            missing = plan.missingNames
        }
        return plan
    }

    // MARK: what features share

    mutating func raise(_ dimension: Dimension, to value: Int) {
        reached[dimension] = max(reached[dimension, default: 0], value)
    }

    mutating func raise(_ dimension: Dimension, by value: Int = 1) { reached[dimension, default: 0] += value }

    /// An open device of a person; one comes where there is none.
    mutating func device(of person: String) -> String {
        if let known = plan.devices.first(where: { $0.principal == person && $0.isOpen && !$0.isPaused }) {
            return known.letter
        }
        if let away = plan.devices.first(where: { $0.principal == person && !$0.isOpen }) {
            plan.connect(principal: person, as: away.letter)
        } else {
            plan.connect(principal: person)
        }
        raise(.openConnections, to: plan.devices.count { $0.principal == person && $0.isOpen })
        return plan.devices.last { $0.principal == person && $0.isOpen }?.letter ?? "A"
    }

    /// The step that opens a device again.
    private func opening(_ device: PlanDrawing.Device) -> JSONValue {
        var step: JSONValue = ["do": "connect", "on": .string(device.letter)]
        step["principal"] = plan.shown(device.principal)
        return step
    }

    /// After the process was ended: all devices come back, some of them to what they missed.
    private mutating func comeBack() {
        let gone = plan.devices.filter(\.isOpen)
        for device in gone { plan.close(device.letter) }
        for device in gone {
            plan.connect(principal: device.principal, as: device.letter)
            if plan.keepsStream, plan.happens(50) { plan.sync(on: device.letter, of: device.principal) }
        }
    }

    /// At the end of a round everybody reads, and what was sent before has arrived.
    private mutating func settle() {
        for device in plan.devices where device.isOpen && device.isPaused {
            plan.add("resumeReading", ("on", .string(device.letter)))
            plan.change(device.letter) { $0.isPaused = false }
        }
        for person in everybody {
            let keys = plan.questions.count { $0.principal == person }
            raise(.keys, to: keys)
            raise(.sessions, to: plan.sessions.count { $0.principal == person })
        }
        if let device = plan.any(plan.open) { plan.add("fence", ("on", .string(device.letter))) }
    }
}
