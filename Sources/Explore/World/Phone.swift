import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastStage
import HoldfastTranscript
import ReferenceClient

/// What the client of a simulation is told to be.
package struct ClientSetting: Sendable {
    /// What it declares to keep.
    package var profiles: Set<Profile> = Profile.all(of: .client)
    package var variations: Set<ClientVariation> = []
    package var defects: Set<ClientDefect> = []

    /// A healthy client that keeps all profiles, unless told otherwise.
    package init(defects: Set<ClientDefect> = []) { self.defects = defects }

    /// How many times faster than people's time its timers run: as in a real run, so that a scenario means the same.
    static let timeScale = 10.0
    /// What records show in place of a token; nothing is to be hidden here.
    static let token = "‹token of p1›"
}

/// A client, its disk, the network, the scripted server, the person and the stage, in one thread and on a clock of their own.
///
/// Steps and server are those of the client stage; the client is the core of the reference client.
final class Phone: Theater, ClientScene {
    typealias Step = ClientStep

    /// How often the stage looks at the screen, in microseconds; and how long a screen that does not change goes unrecorded.
    private static let pause = 240_000
    private static let longestSilence = 500_000

    let scenario: ClientScenario
    let setting: ClientSetting
    let timeScale: Double
    let run = "plan"
    let variables = ScenarioVariables()
    var profiles: Set<Profile> { setting.profiles }
    private(set) var condition = ClientCondition()

    var now = 0
    var agenda = Agenda<(Phone) -> Void>()
    var chance: SplitMix64
    var strands: [Strand<Phone>] = []
    var events: [Event] = []
    var frames: [Frame?] = []
    var end: StrandEnd?
    var isOver = false

    // The server.
    private var server: ServerWorld
    /// What came from the client and no wait has taken yet.
    private var arrivals: [(number: Int, arrival: WorldArrival)] = []
    private var lastArrival = 0
    private var mark = 0
    var lastConnection = -1
    var lastExchange = 0

    // The network.
    var wires: [Int: Wire] = [:]
    var calls: [Int: Call] = [:]

    // The app, and what it cannot do by itself.
    var app: FaultyClient?
    var life = 0
    var memory: ClientMemory?
    var sockets: [Int: Wire] = [:]
    var requests: [Int: Call] = [:]
    var timers: [ClientTimer: Int] = [:]
    var lastTimer = 0

    // The stage.
    private(set) var sent: [(name: String, text: String)] = []
    private var launches = 0
    private var shown: (screen: Screen?, state: JSONValue)?
    private var recordedState: JSONValue?
    private var recordedAt = Int.min / 2
    /// Counts what may have changed what a wait looks at.
    private(set) var changes = 0

    init(_ scenario: ClientScenario, _ setting: ClientSetting, seed: UInt64) {
        self.scenario = scenario
        self.setting = setting
        timeScale = scenario.needs.timeScale ?? ClientSetting.timeScale
        chance = SplitMix64(seed: seed)
        server = ServerWorld(scenario.world, token: ClientSetting.token, now: Self.midnight / 1000)
    }

    /// The time of day in milliseconds.
    var clock: Int { wall / 1000 }

    func limit(_ name: String) -> Int { Timeouts().limit(of: name, timeScale: timeScale).microseconds }

    /// Performs the scenario to its end.
    func perform() {
        let root = Strand<Phone>(scenario.steps)
        root.whenOver = { phone, end in
            phone.end = end
            phone.watchOn()
        }
        strands.append(root)
        resume(root)
        lookOn()
        goOn()
    }

    /// Looks at the screen now and then, as a stage does while it waits.
    private func lookOn() {
        after(Self.pause) { phone in
            if phone.app != nil { phone.look() }
            phone.lookOn()
        }
    }

    /// What the client owes by then is a matter of the judge, who needs to have seen that it did not come.
    private func watchOn() {
        guard case .unmet? = end, app != nil else { return audit() }
        after(limit("backoff")) { $0.audit() }
    }

    /// Looks at what the client owes at rest, as a stage does.
    private func audit() {
        guard app != nil, !act({ $0.isSentAway }) else { return finish() }
        let last = Strand<Phone>([ClientStep(.rest(.audit(most: ClientStage.sessionsAtRest)))])
        last.whenOver = { phone, _ in phone.finish() }
        strands.append(last)
        resume(last)
    }

    private func finish() {
        if app != nil { look(isForced: true) }
        for rule in server.unusedRules { note(.wait(awaited: "use of the rule '\(rule)'", met: false), on: .client) }
        if app != nil {
            note(.act("quit", [:]), on: .client)
            quit()
        }
        note(.wait(awaited: "end of the scenario", met: true), on: .client)
        after(100_000) { $0.isOver = true }
    }

    // MARK: the scene

    func note(sent name: String, _ text: String) { sent.append((name, text)) }

    func note(done act: ClientAct) { condition.take(act) }

    func record(_ kind: Event.Kind, on lane: Lane) { note(kind, on: lane) }

    func setMark() { mark = lastArrival }

    @discardableResult
    func act<Result: Sendable>(_ body: @Sendable (inout ServerWorld) -> Result) -> Result {
        server.now = max(server.now, clock)
        let result = body(&server)
        for effect in server.takeEffects() {
            changes += 1
            perform(effect)
        }
        return result
    }

    func arrived(_ arrival: WorldArrival) {
        lastArrival += 1
        arrivals.append((lastArrival, arrival))
    }

    /// A connection is gone, and with it what it stood for.
    func forget(connection: Int) {
        arrivals.removeAll { $0.arrival.connection == connection && $0.arrival.kinds == [.connection] }
    }

    /// Takes the first arrival that is what is waited for.
    private func take(_ awaited: AwaitedArrival, after mark: Int) -> Bool {
        guard let index = arrivals.firstIndex(where: { $0.number > mark && self.is($0.arrival, what: awaited) }) else {
            return false
        }
        let taken = arrivals.remove(at: index).arrival
        if taken.kinds.contains(.connection), let connection = taken.connection {
            arrivals.removeAll {
                $0.arrival.connection == connection && !$0.arrival.kinds.isDisjoint(with: [.attempt, .auth])
            }
        }
        return true
    }

    // MARK: the screen

    /// What the client shows now; recorded when it differs from what was recorded last, or when that is a while ago.
    @discardableResult
    func look(isForced: Bool = false) -> JSONValue {
        let screen = app?.screen
        if shown == nil || shown?.screen != screen { shown = (screen, screen?.state ?? Self.noApp) }
        let state = shown?.state ?? Self.noApp
        if isForced || state != recordedState || now - recordedAt >= Self.longestSilence {
            note(.state(state), on: .client)
            (recordedState, recordedAt) = (state, now)
        }
        return state
    }

    private static let noApp: JSONValue = [
        "connection": "offline", "errors": [], "messages": [], "sessionId": nil, "thinking": false, "unread": [:],
    ]

    // MARK: steps

    func begin(_ step: ClientStep, on strand: Strand<Phone>) throws(StrandEnd) -> Strand<Phone>.Wait? {
        let context = ClientStepContext(
            performer: self, pointer: step.pointer, local: strand.local, keepsMark: strand.keepsMark)
        return try Self.ending { try begin(step.action, context, strand) }
    }

    /// Does what a step does, with its end in the words of a simulation.
    private static func ending<Result>(_ body: () throws -> Result) throws(StrandEnd) -> Result {
        do {
            return try body()
        } catch StepEnd.unmet(let reason) {
            throw .unmet(reason)
        } catch StepEnd.harness(let problem) {
            throw .problem("\(problem)")
        } catch {
            throw error as? StrandEnd ?? .problem("\(error)")
        }
    }

    private func begin(
        _ action: ClientStep.Action, _ context: ClientStepContext<Phone>, _ strand: Strand<Phone>
    ) throws -> Strand<Phone>.Wait? {
        switch action {
        case .person(let act): try person(act, context, isBeside: strand.keepsMark)
        case .when(let rule): try context.add(rule)
        case .release(let release): try context.release(release)
        case .server(let deed): try context.deed(deed)
        case .rest(let rest): return try begin(rest, context, strand)
        case .await(let awaited):
            let awaited = try context.filled(awaited)
            let mark = awaited.isLasting ? 0 : mark
            var taken = 0
            return Strand<Phone>.Wait(deadline: now + limit(awaited.within)) { phone in
                while taken < awaited.count, phone.take(awaited, after: mark) { taken += 1 }
                return taken == awaited.count ? .there : .notYet
            } isLate: { _ throws(StrandEnd) in
                try Self.ending {
                    try context.missed(awaited.words(taken), awaited.within, isOptional: awaited.isOptional)
                }
            }
        case .awaitState(let awaited):
            let wanted = try context.filled(awaited)
            var seen = -1
            return Strand<Phone>.Wait(deadline: now + limit(awaited.within)) { phone in
                guard seen != phone.changes else { return .notYet }
                seen = phone.changes
                return ClientScreen(phone.look()).shows(wanted, named: phone.named) ? .there : .notYet
            } isLate: { phone throws(StrandEnd) in
                phone.look(isForced: true)
                try Self.ending { try context.missed("state", awaited.within, isOptional: awaited.isOptional) }
            }
        case .watch(let watch):
            let time =
                switch watch {
                case .bound(let name): limit(name)
                case .milliseconds(let milliseconds): milliseconds * 1000
                }
            return Strand<Phone>.Wait(deadline: now + time) { _ in
                .notYet
            } isLate: { phone throws(StrandEnd) in
                phone.look(isForced: true)
            }
        case .together(let branches):
            if !strand.keepsMark { setMark() }
            return together(
                branches.map { steps in
                    let branch = Strand<Phone>(steps, local: strand.local)
                    branch.keepsMark = true
                    return branch
                })
        case .repeat(let times, let counter, let steps):
            var local = strand.local
            local[counter] = 1
            strand.levels.append(
                .init(steps: steps, local: local, rounds: .init(times: times, counter: counter, until: nil)))
        case .everyOrder(let before, let groups, let after):
            for (number, order) in ClientStep.orders(of: groups.count).enumerated().reversed() {
                var local = strand.local
                local["order"] = JSONValue(number + 1)
                strand.levels.append(.init(steps: before + order.flatMap { groups[$0] } + after, local: local))
            }
        }
        return nil
    }

    /// Begins a part of bringing rest about.
    private func begin(
        _ rest: ClientRest, _ context: ClientStepContext<Phone>, _ strand: Strand<Phone>
    ) throws -> Strand<Phone>.Wait? {
        let session = app == nil ? nil : look()["sessionId"]?.stringValue
        for deed in serve(rest, onScreen: session) { try context.deed(deed) }
        var awaited: AwaitedState?
        switch rest {
        case .hear: awaited = heard(onScreen: session)
        case .compare(let given): awaited = (given ?? session).flatMap(compared)
        default: strand.levels.append(.init(steps: steps(of: rest, onScreen: session), local: strand.local))
        }
        return try awaited.flatMap { try begin(.awaitState($0), context, strand) }
    }

    /// The person or the phone does something.
    private func person(_ act: ClientAct, _ context: ClientStepContext<Phone>, isBeside: Bool) throws {
        if !isBeside { setMark() }
        var shown: JSONValue?
        if case .sendAgain = act { shown = look() }
        let order = try context.order(act, shown: shown)
        var details = order.act
        if case .launch(let fresh, _) = act {
            launches += 1
            let isFresh = fresh ?? (launches == 1)
            details = ["fresh": .bool(isFresh)]
            for member in order.act { details[member.key] = member.value }
            recordedState = nil
            note(.act(act.verb, details), on: .client)
            launch(isFresh: isFresh, opened: order.command["opened"])
        } else {
            note(.act(act.verb, details), on: .client)
            if let isReachable = act.makesReachable { self.act { $0.setReachable(isReachable) } }
            guard app != nil || act == .quit || act == .crash else {
                throw StepEnd.unmet("\(context.pointer): the app does not run")
            }
            let text = order.command["text"]?.stringValue ?? ""
            switch act {
            case .launch: break
            case .send: tell(.said(text))
            case .sendAgain: tell(.saidAgain(key: order.command["clientMessageId"]?.stringValue ?? ""))
            case .background: tell(.background)
            case .foreground: tell(.foreground)
            case .networkDown: tell(.networkDown)
            case .networkUp: tell(.networkUp)
            case .receivePush: tell(.pushReceived(order.command["payload"] ?? .null))
            case .openPush: tell(.pushOpened(order.command["payload"] ?? .null))
            case .select: tell(.selected(order.command["sessionId"]?.stringValue))
            case .quit: return quit()
            case .crash: return crash()
            }
        }
        look()
    }

    func noteChange() { changes += 1 }
}
