import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastStage
import HoldfastTranscript
import ReferenceClient

package struct ClientSetting: Sendable {
    package var profiles: Set<Profile> = Profile.all(of: .client)
    package var variations: Set<ClientVariation> = []
    package var defects: Set<ClientDefect> = []

    package init(defects: Set<ClientDefect> = []) { self.defects = defects }

    /// The factor by which its timers run faster, the same as in a real run, so that a scenario means the same.
    static let timeScale = 10.0
    /// The token, in the form for transcripts; there is nothing to hide here.
    static let token = "‹token of p1›"
}

/// A client, its disk, the network, the scripted server, the person and the stage, in one thread with a virtual clock.
///
/// Steps and server are those of the client stage; the client is the core of the reference client.
final class Phone: VirtualStage, ClientScene {
    typealias Step = ClientStep
    typealias Wait = Branch<Phone>.Wait

    /// The interval at which the stage reads the screen, in microseconds.
    private static let samplingInterval = 240_000

    let scenario: ClientScenario
    let setting: ClientSetting
    let timeScale: Double
    let run = "plan"
    let variables = ScenarioVariables()
    var profiles: Set<Profile> { setting.profiles }

    var now = 0
    var queue = EventQueue<(Phone) -> Void>()
    var chance: SplitMix64
    var branches: [Branch<Phone>] = []
    var events: [Event] = []
    var frames: [Frame?] = []
    var end: (any Error)?
    var isOver = false

    // The server.
    private var server: ServerWorld
    /// Arrivals from the client that no wait has taken yet.
    var arrivals = Arrivals()
    var lastConnection = -1
    var lastExchange = 0

    // The network.
    var wires: [Int: Wire] = [:]
    var calls: [Int: Call] = [:]

    // The app, and its storage, sockets and timers.
    var app: FaultyClient?
    var life = 0
    var memory: ClientMemory?
    var sockets: [Int: Wire] = [:]
    var requests: [Int: Call] = [:]
    var timers: [ClientTimer: Int] = [:]
    /// The times at which the app processed what it received, by event.
    var handledAt: [Int: Int] = [:]
    var lastTimer = 0

    // The stage.
    private var noted = ClientNotes()
    private var shown: (screen: Screen?, state: JSONValue)?
    /// Counts events that may affect a wait.
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

    func limit(_ name: String) -> Duration { Timeouts().limit(of: name, timeScale: timeScale) }

    func perform() {
        begin(Branch(scenario.steps)) { phone, end in
            phone.end = end
            // The judge decides about an overdue act of the client, and needs evidence that it did not happen.
            guard case StepEnd.unmet? = phone.end, phone.app != nil else { return phone.audit() }
            phone.after(phone.limit("backoff").microseconds) { $0.audit() }
        }
        keepSampling()
        proceed()
    }

    /// Looks at the screen now and then, like a waiting stage.
    private func keepSampling() {
        after(Self.samplingInterval) { phone in
            if phone.app != nil { phone.readScreen() }
            phone.keepSampling()
        }
    }

    /// Checks the client at rest, as the stage does.
    private func audit() {
        guard app != nil, !act({ $0.isSentAway }) else { return finish() }
        let last = [ClientStep(.rest(.audit(limit: ClientStage.sessionsAtRest)))]
        begin(Branch(last)) { phone, _ in phone.finish() }
    }

    private func finish() {
        if app != nil { readScreen(isForced: true) }
        for rule in server.unusedRules { note(.wait(awaited: "use of the rule '\(rule)'", met: false), on: .client) }
        if app != nil {
            note(.act("quit", [:]), on: .client)
            quit()
        }
        note(.wait(awaited: "end of the scenario", met: true), on: .client)
        after(100_000) { $0.isOver = true }
    }

    // MARK: the scene

    func notes<Result: Sendable>(_ body: (inout ClientNotes) -> Result) -> Result { body(&noted) }

    func note(done act: ClientAct) { noted.condition.take(act) }

    func record(_ kind: Event.Kind, on lane: Lane) { note(kind, on: lane) }

    var lastArrival: Int { arrivals.last }

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

    private func take(_ awaited: AwaitedArrival, after mark: Int) -> Bool {
        let entry = arrivals.entries(after: mark).first { matches($0.arrival, awaited) }
        return entry.map { arrivals.take($0.number) } ?? false
    }

    // MARK: the screen

    /// The current screen; recorded if it differs from the last record, or if that is old.
    @discardableResult
    func readScreen(isForced: Bool = false) -> JSONValue {
        let screen = app?.screen
        if shown == nil || shown?.screen != screen { shown = (screen, screen?.state ?? Self.noApp) }
        let state = shown?.state ?? Self.noApp
        if noted.sampling.isDue(state, at: .microseconds(now), isForced: isForced) { note(.state(state), on: .client) }
        return state
    }

    private static let noApp: JSONValue = [
        "connection": "offline", "errors": [], "messages": [], "sessionId": nil, "thinking": false, "unread": [:],
    ]

    // MARK: steps

    func begin(_ step: ClientStep, on branch: Branch<Phone>) throws -> Wait? {
        let context = ClientStepContext(
            performer: self, pointer: step.pointer, local: branch.local, keepsMark: branch.keepsMark)
        return try perform(context.begin(step.action), context, branch)
    }

    /// The context of a step has already added its location.
    func located(_ end: any Error, at pointer: JSONPointer) -> any Error { end }

    private func perform(
        _ task: ClientTask, _ context: ClientStepContext<Phone>, _ branch: Branch<Phone>
    ) throws -> Wait? {
        switch task {
        case .done: break
        case .person(let act): try person(act, context)
        case .rest(let rest):
            let session = app == nil ? nil : readScreen()["sessionId"]?.stringValue
            return try perform(context.begin(rest, onScreen: session), context, branch)
        case .arrival(let awaited):
            let mark = mark(of: awaited)
            var taken = 0
            return Wait(deadline: now + limit(awaited.within).microseconds) { phone in
                while taken < awaited.count, phone.take(awaited, after: mark) { taken += 1 }
                return taken == awaited.count ? .met : .notYet
            } onMiss: { _ in
                try context.missed(awaited.words(taken), awaited.within, isOptional: awaited.isOptional)
            }
        case .state(let awaited):
            var seen = -1
            return Wait(deadline: now + limit(awaited.within).microseconds) { phone in
                guard seen != phone.changes else { return .notYet }
                seen = phone.changes
                return ClientScreen(phone.readScreen()).shows(awaited, named: phone.named) ? .met : .notYet
            } onMiss: { phone in
                phone.readScreen(isForced: true)
                try context.missed("state", awaited.within, isOptional: awaited.isOptional)
            }
        case .watch(let time): return .until(now + time.microseconds) { $0.readScreen(isForced: true) }
        case .together(let branches):
            return together(
                branches.map { steps in
                    let inner = Branch<Phone>(steps, local: branch.local)
                    inner.keepsMark = true
                    return inner
                })
        case .steps(let groups):
            branch.levels += groups.reversed().map { Branch.Level(steps: $0.steps, local: $0.local) }
        }
        return nil
    }

    private func person(_ act: ClientAct, _ context: ClientStepContext<Phone>) throws {
        var shown: JSONValue?
        if case .sendAgain = act { shown = readScreen() }
        let order = try context.command(for: act, shown: shown)
        note(.act(act.verb, order.act), on: .client)
        if let isReachable = act.makesReachable { self.act { $0.setReachable(isReachable) } }
        guard app != nil || ["launch", "quit", "crash"].contains(act.verb) else {
            throw StepEnd.unmet("\(context.pointer): the app does not run")
        }
        switch act {
        case .launch:
            launch(isFresh: order.command["fresh"]?.boolValue == true, opened: order.command["opened"])
        case .send: feed(.typed(order.command["text"]?.stringValue ?? ""))
        case .sendAgain: feed(.resent(key: order.command["clientMessageId"]?.stringValue ?? ""))
        case .background: feed(.background)
        case .foreground: feed(.foreground)
        case .networkDown: feed(.networkDown)
        case .networkUp: feed(.networkUp)
        case .receivePush: feed(.pushReceived(order.command["payload"] ?? .null))
        case .openPush: feed(.pushOpened(order.command["payload"] ?? .null))
        case .select: feed(.selected(order.command["sessionId"]?.stringValue))
        case .quit: return quit()
        case .crash: return crash()
        }
        readScreen()
    }

    func noteChange() { changes += 1 }
}
