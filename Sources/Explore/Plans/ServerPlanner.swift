import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastStage

/// A server's plan or life while it is drawn: its people, their devices and their questions.
///
/// A plan is a short life: it combines features too, but only in small sizes.
package struct ServerPlanner: Planner, LifePlanner {
    struct Device {
        let letter: String
        let principal: String
        var isOpen = true
        var isPaused = false
    }

    /// Names for an epoch and a position that a principal received.
    struct Position {
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
        /// The members that identify the question.
        let content: JSONObject
        /// The connection that sent it, while that is open; nil for a question answered over REST.
        var connection: String?
        /// Whether it certainly arrives before anything sent on that connection from now on, or has been answered.
        var isFirst = true
        /// Whether a step waits for its end; a frame satisfies at most one wait.
        var isAwaited = false
    }

    let grammar: ServerGrammar
    var chance: SplitMix64
    var steps: [JSONValue] = []
    var devices: [Device] = []
    var positions: [Position] = []
    /// The stream position at the last greeting of each connection.
    var greeted: [String: Position] = [:]
    var sessions: [Session] = []
    var questions: [Asked] = []
    var names = 0
    var refusesWrites = false
    var hasGoneDevices = false
    /// Whether acts are now drawn for one of several parallel branches.
    var isInBranch = false
    var people: [String]
    /// The people who rest.
    private(set) var resting: [String] = []
    /// The connection of a stranger; it is ended before another one begins.
    private(set) var stranger = "W"
    private(set) var letters = ["A", "B", "C", "D", "E", "F", "G"]
    var weights: [Int]

    var steering = LifeSteering([:])
    /// Whether it draws a life, for which sizes matter, and not a plan.
    private(set) var isLife = false
    var everybody: [String]
    /// The most questions that a person asks in a round.
    private(set) var maxQuestions: Int
    private(set) var largestFrame = 1 << 20
    /// Whether the server notices silence so soon that a round can wait for it.
    private(set) var isQuick: Bool
    /// Each person's session that only grows.
    var longSessions: [String: String] = [:]
    /// The approximate number of messages in each session.
    var sizes: [String: Int] = [:]
    /// The bytes in each person's session for large texts.
    var bytes: [String: Int] = [:]
    /// The place in the list of texts.
    var textNumber: Int
    /// The number of connections of each person that were cut.
    var cuts: [String: Int] = [:]
    /// Whether the process lasts, so that a connection can grow old.
    private var isCalm = false
    private var isFirstRound = true

    var keepsStream: Bool { grammar.profiles.contains(.sync) }
    var hasAuth: Bool { grammar.profiles.contains(.auth) }
    /// The number of questions of the rate limit, if it is small enough, and its window short enough, to be used up.
    var budget: Int? {
        grammar.rateLimit.flatMap {
            $0.seconds <= Self.shortWindow && $0.questions <= Self.smallBudget ? $0.questions : nil
        }
    }

    /// The most questions of a person in a round, and the seconds of the rate limit that a round may use.
    private static let (largest, pace) = (18, 6.0)
    /// The most questions per second if no limit is known.
    private static let fastest = 100.0
    /// The maximum number of times that a life uses up a limit; each takes a whole window.
    private static let maxSpent = 2
    /// The longest window, in seconds, and the largest number of questions of a limit that is used up.
    private static let (shortWindow, smallBudget) = (10, 120)

    /// The person with many devices.
    static let crowdedPerson = "p1"
    private static let ofOnePerson: Set<Reach.Dimension> = [.openAtOnce, .readBytes, .sessions]
    /// The last of several people has this device, which no round disconnects: its connection is as old as the process.
    private static let lastingDevice = "V"
    var lastingPerson: String? { isLife && everybody.count > 1 ? everybody.last : nil }
    /// The part of a life in which the process never ends, and the part in which some people rest.
    private static let (stableSpan, rest) = (0.02..<0.87, 0.25..<0.72)

    /// The letters of strangers, one for each branch; their number limits the features that meet in a round.
    private static let strangers = ["W", "X", "Y", "WW"]

    init(_ grammar: ServerGrammar, seed: UInt64) {
        self.grammar = grammar
        chance = SplitMix64(seed: seed)
        people = (1...chance.number(in: 1...(grammar.profiles.contains(.auth) ? grammar.principals : 1))).map {
            "p\($0)"
        }
        everybody = people
        (maxQuestions, textNumber) = (chance.number(in: 2...3), chance.number(in: 0...99))
        (isQuick, weights) = (grammar.isAlone, Self.smallChoiceWeights)
    }

    // MARK: plans

    mutating func plan(named name: String) -> Plan {
        weights = drawWeights()
        connect(principal: people[0])
        let size = chance.number(in: grammar.size / 2...grammar.size * 3 / 2)
        while Plan(name: "", principals: 1, profiles: [], steps: steps).count < size { act() }
        end()
        return Plan(
            name: name, principals: people.count,
            profiles: grammar.profiles.intersection([.sync, .auth]),
            steps: steps)
    }

    /// One of the intended features, or two of different people at the same time.
    mutating func combineFeatures(_ isMeant: (ServerFeature) -> Bool = { _ in true }) {
        let usable = usable.filter { !$0.isLarge }
        guard !isInBranch, let first = any(usable.filter(isMeant)) else { return act() }
        // A step that waits for an ended process would end the plan.
        let others = usable.filter { $0.name != first.name && !$0.endsProcess && !$0.refusesWrites }
        let isPair = everybody.count > 1 && !first.endsProcess && !first.refusesWrites && happens(40)
        let before = steps
        steps = []
        let drawn = draw([first] + (isPair ? [any(others)].compactMap(\.self) : []), by: chance.shuffled(everybody))
        steps = before + drawn
    }

    /// Lets all devices check what they missed and what was stored.
    mutating func end() {
        for device in devices where device.isPaused { add("resumeReading", ["on": device.letter]) }
        watch(upTo: one(of: 1_500, 5_000))
        if happens(70) {
            for principal in people {
                guard let device = devices.first(where: { $0.principal == principal && !$0.isOpen }) else { continue }
                connect(principal: principal, as: device.letter)
                if keepsStream { sync(on: device.letter, of: principal) }
            }
        }
        for session in sessions { read(session.name, session.principal) }
        for principal in people { add("listSessions", ["principal": stated(principal)]) }
    }

    // MARK: lives

    /// Draws the life of a server: the features that lag most, and those that have not met, come next.
    ///
    /// `isScripted`: whether the agent follows scripts; any other agent takes its time. `isQuick`: whether heartbeats
    /// and the wait for credentials are short.
    package init(
        _ grammar: ServerGrammar, seed: UInt64, to goals: [Reach.Dimension: Int], isScripted: Bool = true,
        largestFrame: Int = 1 << 20, isQuick: Bool = false
    ) {
        self.init(grammar, seed: seed)
        (isLife, self.largestFrame, self.isQuick, steering) = (true, largestFrame, isQuick, LifeSteering(goals))
        everybody = (1...(hasAuth ? grammar.principals : 1)).map { "p\($0)" }
        (people, letters) = (everybody, "ABCDEFGHIJKLMNOPQRSTU".map(String.init))
        let known = grammar.rateLimit.map { Double($0.questions) / Double(max(1, $0.seconds)) } ?? Self.fastest
        let rate = min(known, isScripted ? Self.fastest : 1)
        let own = min(Self.largest, max(4, Int(rate * Self.pace)))
        maxQuestions = everybody.count == 1 ? own / 2 : own
    }

    package var summary: String {
        var whole = self
        whole.isCalm = false
        return steering.summary(of: whole.usable) { $0.isCompatible(with: $1) }
    }

    private var usable: [ServerFeature] {
        ServerFeature.all.filter { feature in
            feature.needs.isSubset(of: grammar.profiles) && (grammar.startsServer || !feature.needsStart)
                && !(feature.endsProcess && (isCalm || hasGoneDevices || devices.contains(where: \.isPaused)))
                && !(refusesWrites && (feature.endsProcess || feature.refusesWrites))
                && (!feature.needsBudget || budget != nil && steering.count(of: feature.name) < Self.maxSpent)
        }
    }

    package mutating func round(at share: Double) -> LifeRound {
        isCalm = Self.stableSpan.contains(share)
        let lastingDevice = lastingPerson.map { opening(Device(letter: Self.lastingDevice, principal: $0)) }
        let open = devices.filter(\.isOpen).map(opening) + (isFirstRound ? [] : [lastingDevice].compactMap(\.self))
        steps = []
        let isRest = Self.rest.contains(share)
        if isRest == resting.isEmpty { isRest ? rest() : wake() }
        let before = steps
        let actors = chance.number(in: 0...active.count - 1)
        var people = active.indices.map { active[($0 + actors) % active.count] }
        let chosen = choose(people.count == 1 ? 2 : min(Self.strangers.count, people.count))
        // Most goals are for one person, who also has enough letters for many devices.
        let leading = chosen.firstIndex { !Self.ofOnePerson.isDisjoint(with: $0.raises) }
        if let index = people.firstIndex(of: Self.crowdedPerson), leading != nil || happens(80) {
            people.swapAt(min(leading ?? 0, people.count - 1), index)
        }
        steps = []
        steps = before + draw(chosen, by: people)
        if isFirstRound, let lastingDevice { steps.insert(lastingDevice, at: 0) }
        isFirstRound = false
        // Paused devices read again, and one device is fenced.
        for device in devices where device.isOpen && device.isPaused {
            add("resumeReading", ["on": device.letter])
            change(device.letter) { $0.isPaused = false }
        }
        for person in everybody {
            steering.raise(.keys, to: questions.count { $0.principal == person })
            steering.raise(.sessions, to: sessions.count { $0.principal == person })
        }
        fence()
        steering.note(chosen.map(\.name))
        return LifeRound(steps: steps, features: chosen.map(\.name), open: open, resting: resting)
    }

    /// The people who do not rest.
    private var active: [String] { everybody.filter { !resting.contains($0) } }

    /// One person leaves with all devices while a turn runs; another stays connected but says nothing.
    private mutating func rest() {
        let others = Array(everybody.dropFirst().dropLast())
        for person in others.prefix(2) {
            people = [person]
            growLongSession()
            guard person == others.first else { continue }
            if grammar.profiles.contains(.push) {
                // So many refusals that a server may give up, a minute before the next answer.
                refusePushes(503, "ServiceUnavailable", times: 12, of: person, in: 4)
                steering.raise(.refusedPushes, to: 12)
            }
            askAndLeave(person)
            // Its turn runs on while the person is away.
            askAndLeave(person, agentTakes: 15_000)
        }
        resting = Array(others.prefix(2))
        people = active
    }

    /// Lets people who rested use old connections, sessions, keys and positions again; silent devices speak last.
    private mutating func wake() {
        let (gone, silent) = (resting.first ?? "", devices.first { $0.isOpen && resting.last == $0.principal })
        resting = []
        for person in [gone, silent?.principal].compactMap(\.self) {
            people = [person]
            if let home = longSessions[person] { read(home, person) }
            if person == gone {
                askAndLeave(person)
                // A person who comes back too soon excuses a missing push.
                if grammar.profiles.contains(.push) { add("watch", ["for": ["milliseconds": 2_000] as JSONValue]) }
                comeBack(devices.filter { $0.principal == person })
            } else if let silent, let other = closedDevice(of: person, besides: silent.letter) {
                connect(principal: person, as: other)
                askBriefly(person, on: other, in: longSessions[person])
                add("fence", ["on": other])
            }
            askOldAgain()
            growLongSession()
        }
        people = active
    }

    /// The steps of features; if possible, each gets its own person and all happen at the same time.
    private mutating func draw(_ chosen: [ServerFeature], by people: [String]) -> [JSONValue] {
        let isAlone = people.count == 1
        isInBranch = !isAlone && chosen.count > 1
        var branches: [[JSONValue]] = []
        for (index, feature) in chosen.enumerated() {
            // All remaining people act in the last feature.
            let isRest = index == chosen.count - 1 && index > 0
            self.people = isAlone ? people : isRest ? Array(people[index...]) : [people[index]]
            stranger = Self.strangers[index]
            for person in self.people { _ = device(of: person) }
            feature.draw(&self)
            branches.append(steps)
            steps = []
        }
        (self.people, isInBranch) = (active, false)
        branches.removeAll(where: \.isEmpty)
        let isMany = branches.count > 1 && !isAlone
        if isMany { add("together", ["branches": branches]) } else { steps = branches.flatMap(\.self) }
        if chosen.contains(where: \.endsProcess) { comeBack() }
        defer { steps = [] }
        return steps
    }

    private mutating func choose(_ count: Int) -> [ServerFeature] {
        // There is little time for restarts.
        let isDue = !isCalm && !steering.isReached(.restarts)
        let ending = usable.filter { isDue && $0.endsProcess }
        let others = usable.filter { feature in
            !ending.contains { $0.name == feature.name || !$0.isCompatible(with: feature) }
        }
        let chosen =
            ending + steering.choose(count - ending.count, of: others, by: &chance) { $0.isCompatible(with: $1) }
        // The feature that ends the process does so during the others.
        return chosen.filter { !$0.endsProcess } + chosen.filter(\.endsProcess)
    }

    /// Rounds as a plan of their own, with the earlier steps that define the names and open the connections they use.
    package func plan(of rounds: [LifeRound], after earlier: [LifeRound]) -> Plan {
        var plan = Plan(
            name: "server/life", principals: everybody.count, profiles: grammar.profiles.intersection([.sync, .auth]),
            steps: rounds.flatMap(\.steps))
        var missing = plan.missingNames
        for step in earlier.flatMap(\.steps).flatMap(Plan.leaves).reversed() {
            guard !missing.isEmpty else { break }
            guard Plan.defines(step, any: missing) else { continue }
            plan.steps.insert(step, at: 0)
            missing = plan.missingNames
        }
        return plan
    }

    private func opening(_ device: Device) -> JSONValue {
        JSONValue(members: ["do": "connect", "on": device.letter, "principal": stated(device.principal)])
    }

    /// After the process was ended, all devices reconnect.
    private mutating func comeBack() {
        let gone = devices.filter(\.isOpen)
        for device in gone { close(device.letter) }
        if isLife { comeBack(gone) } else { arrive() }
    }

    /// Devices reconnect at the same time, and some ask for what they missed.
    private mutating func comeBack(_ gone: [Device]) {
        inBranches(gone) { life, device in
            let before = life.greeted[device.letter]
            life.connect(principal: device.principal, as: device.letter)
            if let before, life.keepsStream, life.happens(50) { life.sync(on: device.letter, from: before) }
        }
    }

    /// Draws a branch for each element.
    mutating func inBranches<Element>(_ elements: [Element], _ draw: (inout Self, Element) -> Void) {
        let before = steps
        let branches = elements.map { element in
            steps = []
            draw(&self, element)
            return steps
        }
        steps = before
        if branches.count > 1 { add("together", ["branches": branches]) } else { steps += branches.joined() }
    }
}
