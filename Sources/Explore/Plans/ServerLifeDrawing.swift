import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastStage

/// The life of a server: what lags most, and features that have not met, come next.
package struct ServerLifeDrawing: LifeDrawing {
    var plan: PlanDrawing
    var steering: LifeSteering
    private let everybody: [String]
    /// The most questions that a person asks in a round.
    let most: Int
    let largestFrame: Int
    /// The limit of questions, where it is one of seconds and small enough to be used up.
    let budget: Int?
    /// The seconds of a limit.
    let window: Int
    /// Whether silence is noticed so soon that a round can wait for it.
    let isQuick: Bool
    /// The session of each person that only grows.
    var homes: [String: String] = [:]
    /// How many messages each session has, about.
    var sizes: [String: Int] = [:]
    /// How many bytes the session of each person has that holds large texts.
    var bytes: [String: Int] = [:]
    /// The place in the list of texts.
    var textNumber = 0
    /// How many connections of each person were cut.
    var cuts: [String: Int] = [:]
    /// Whether the process stays, so that a connection can grow old.
    private var isCalm = false
    private var isFirst = true

    /// - Parameters:
    ///   - grammar: The participants, and the possible actions.
    ///   - seed: The same seed draws the same life.
    ///   - goals: The sizes to reach.
    ///   - limit: How many questions a person may ask, in how many seconds; nil where nothing is known of a limit.
    ///   - isScripted: Whether the agent obeys scripts; another takes its time.
    ///   - largestFrame: The largest frame that the server takes.
    ///   - isQuick: Whether heartbeats and the wait for credentials are short.
    package init(
        _ grammar: PlanGrammar, seed: UInt64, to goals: [Reach.Dimension: Int], limit: (questions: Int, seconds: Int)?,
        isScripted: Bool = true, largestFrame: Int = 1 << 20, isQuick: Bool = false
    ) {
        (self.largestFrame, self.isQuick) = (largestFrame, isQuick)
        let known = limit.map { Double($0.questions) / Double(max(1, $0.seconds)) } ?? Self.fastest
        let rate = min(known, isScripted ? Self.fastest : 1)
        budget = limit.flatMap {
            $0.seconds <= Self.shortWindow && $0.questions <= Self.smallBudget ? $0.questions : nil
        }
        window = max(1, limit?.seconds ?? 0)
        steering = LifeSteering(goals)
        plan = PlanDrawing(grammar, seed: seed)
        everybody = (1...(grammar.profiles.contains(.auth) ? grammar.principals : 1)).map { "p\($0)" }
        plan.letters = "ABCDEFGHIJKLMNOPQRSTU".map(String.init)
        plan.people = everybody
        plan.weights = PlanDrawing.moves.map(\.weight)
        textNumber = plan.chance.number(in: 0...99)
        let own = min(Self.largest, max(4, Int(rate * Self.pace)))
        most = everybody.count == 1 ? own / 2 : own
    }

    /// The most questions of a person in a round, and how many seconds' worth of them a round asks.
    private static let (largest, pace) = (18, 6.0)
    /// The most questions a second where no limit is known.
    private static let fastest = 100.0
    /// Each time that a limit is used up takes as long as its window.
    private static let mostSpent = 2
    /// A limit that is used up has at most so many seconds and questions.
    private static let (shortWindow, smallBudget) = (10, 120)

    /// The person with many devices.
    static let crowded = "p1"
    /// A device of the last of several people that no round takes away: its connection is as old as the process.
    private static let lasting = "V"
    var lastingPerson: String? { everybody.count > 1 ? everybody.last : nil }
    /// The process ends only in the shares of the time before and after these.
    private static let calm = 0.02..<0.87

    /// The letters of strangers, one for each branch, and so the most features that meet in a round.
    private static let strangers = ["W", "X", "Y", "WW"]

    package var summary: String {
        var whole = self
        whole.isCalm = false
        return steering.summary(of: whole.usable) { $0.isCompatible(with: $1) }
    }

    private var usable: [ServerFeature] {
        ServerFeature.all.filter { feature in
            feature.needs.isSubset(of: plan.grammar.profiles) && (plan.grammar.startsServer || !feature.needsStart)
                && !(isCalm && feature.endsProcess)
                && (!feature.needsBudget || budget != nil && steering.count(of: feature.name) < Self.mostSpent)
        }
    }

    /// Draws the next round.
    package mutating func round(at share: Double) -> LifeRound {
        isCalm = Self.calm.contains(share)
        let lasting = lastingPerson.map { opening(PlanDrawing.Device(letter: Self.lasting, principal: $0)) }
        let open = plan.devices.filter(\.isOpen).map(opening) + (isFirst ? [] : [lasting].compactMap(\.self))
        let actors = plan.chance.number(in: 0...everybody.count - 1)
        var people = everybody.indices.map { everybody[($0 + actors) % everybody.count] }
        let isAlone = people.count == 1
        let chosen = choose(isAlone ? 2 : min(Self.strangers.count, people.count))
        // Most goals are for one person, who also has enough letters for many devices.
        let leading = chosen.firstIndex { $0.raises.contains(.openAtOnce) || $0.raises.contains(.readBytes) }
        if !isAlone, let place = people.firstIndex(of: Self.crowded), leading != nil || plan.happens(80) {
            people.swapAt(leading ?? 0, place)
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
        if isFirst, let lasting { plan.steps.insert(lasting, at: 0) }
        isFirst = false
        settle()
        steering.note(names)
        return LifeRound(steps: plan.steps, features: names, open: open)
    }

    private mutating func choose(_ count: Int) -> [ServerFeature] {
        // Restarts have little time.
        let isDue = !isCalm && !steering.isReached(.restarts)
        let ending = usable.filter { isDue && $0.endsProcess }
        let others = usable.filter { feature in
            !ending.contains { $0.name == feature.name || !$0.isCompatible(with: feature) }
        }
        let chosen =
            ending + steering.choose(count - ending.count, of: others, by: &plan) { $0.isCompatible(with: $1) }
        // The feature that ends the process does so while the others are at it.
        return chosen.filter { !$0.endsProcess } + chosen.filter(\.endsProcess)
    }

    /// Rounds as a plan of their own, with what it takes of earlier ones to know their names and to have their connections.
    package func plan(of rounds: [LifeRound], after earlier: [LifeRound]) -> Plan {
        var plan = Plan(
            name: "server/life", principals: everybody.count,
            profiles: self.plan.grammar.profiles.intersection([.sync, .auth]),
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
        steering.raise(.openAtOnce, to: plan.devices.count { $0.principal == person && $0.isOpen })
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

    /// At the end of a round all people read, and everything sent before has arrived.
    private mutating func settle() {
        for device in plan.devices where device.isOpen && device.isPaused {
            plan.add("resumeReading", ("on", .string(device.letter)))
            plan.change(device.letter) { $0.isPaused = false }
        }
        for person in everybody {
            let keys = plan.questions.count { $0.principal == person }
            steering.raise(.keys, to: keys)
            steering.raise(.sessions, to: plan.sessions.count { $0.principal == person })
        }
        if let device = plan.any(plan.open) { plan.add("fence", ("on", .string(device.letter))) }
    }
}
