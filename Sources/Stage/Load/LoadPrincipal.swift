import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastTranscript

/// One principal of a load: records what its devices see, and hands it over whenever nothing is pending.
final class LoadPrincipal: Sendable {
    private struct State {
        /// The greetings of open connections, with which the next history begins.
        var carried: [Event] = []
        var wasCut = false
        var since: ContinuousClock.Instant
        var devices: [LoadDevice] = []
    }

    let principal: SubjectPrincipal
    let recorder: Recorder
    let load: LoadContext
    let exchanges = Counter()
    private let state: Mutex<State>
    /// After this time a quiet history is handed over, so that violations are reported while the load runs.
    private static let maxAge = Duration.seconds(30)

    init(_ principal: SubjectPrincipal, in load: LoadContext) {
        self.principal = principal
        state = Mutex(State(since: load.start))
        self.load = load
        let secrets = [(name: principal.name, token: principal.token)]
        recorder = Recorder(
            bounds: load.bounds, redaction: Redaction(secrets, headers: load.subject.secretsOfHeaders),
            start: load.start)
        if load.isUntouched {
            recorder.note(.act("lend", ["principal": .string(principal.name), "spent": 0]), on: .server)
        }
    }

    func add(_ device: LoadDevice) { state.withLock { $0.devices.append(device) } }

    /// Hands the history over if it is long enough and no answer is awaited.
    func handOverIfQuiet() {
        let (devices, since) = state.withLock { ($0.devices, $0.since) }
        let isDue = recorder.count >= load.maxCount || .now - since >= Self.maxAge
        if isDue, devices.allSatisfy(\.isQuiet) { cut(goingOn: devices.compactMap(\.openLane)) }
    }

    func finish() { cut(goingOn: []) }

    private func cut(goingOn lanes: [Lane]) {
        let part = state.withLock { state -> (header: History.Header, events: [Event])? in
            let new = recorder.takeAll()
            guard !new.isEmpty else { return nil }
            let all = state.carried + new
            var header = load.header(of: principal.name)
            // Earlier questions are known only for a server that was just started.
            if state.wasCut || !load.isUntouched { header.capture = History.Capture(carried: state.carried.count) }
            state.carried = lanes.flatMap { Self.greeting(of: $0, in: all) }.sorted { $0.at < $1.at }
            (state.wasCut, state.since) = (true, .now)
            return (header, all)
        }
        if let part { load.notify(.history(part.header, part.events, principal: principal.name)) }
    }

    /// The events of an open connection that are needed later: from its opening to the first frame of the server.
    private static func greeting(of lane: Lane, in events: [Event]) -> [Event] {
        let start = events.lastIndex { event in
            if event.lane == lane, case .opening = event.kind { true } else { false }
        }
        guard let start else { return [] }
        let own = events[start...].filter { $0.lane == lane }
        let end = own.firstIndex { if case .text(.fromServer, _) = $0.kind { true } else { false } }
        return end.map { Array(own[...$0]) } ?? []
    }
}

final class LoadContext: Sendable {
    let subject: ServerSubject
    let plan: LoadPlan
    let start: ContinuousClock.Instant
    /// The number of events at which a history is handed over.
    let maxCount: Int
    let bounds: Recorder.Bounds
    /// Whether the server had received no question before.
    let isUntouched: Bool
    let notify: @Sendable (LoadEvent) -> Void
    let run = UniqueName.short()
    private let specification: String
    private let startedAt = WallClock.now()
    private let lateness = Mutex((at: ContinuousClock.now, stretches: [History.Lateness]()))

    private static let maxEvents = 400_000

    init(
        _ subject: ServerSubject, _ plan: LoadPlan, people: Int, under specification: Specification,
        notify: @escaping @Sendable (LoadEvent) -> Void
    ) {
        (self.subject, self.plan, self.notify) = (subject, plan, notify)
        self.specification = specification.version
        maxCount = min(max(Self.maxEvents / max(1, people), 60), 2000)
        bounds = Recorder.Bounds(bytes: max(2 << 20, (1 << 30) / max(1, people)), events: 50_000)
        isUntouched = subject.start != nil
        start = .now
    }

    func microseconds(_ moment: ContinuousClock.Instant) -> Int { (moment - start).microseconds }

    func header(of principal: String) -> History.Header {
        History.Header(
            specification: specification, scenario: "server/load/\(principal)", subject: subject.declaration,
            timeouts: subject.timeouts, lateness: known(), startedAt: startedAt)
    }

    /// The periods in which the machine was late; measured a few times a second, however many histories there are.
    private func known() -> [History.Lateness] {
        lateness.withLock { lateness in
            guard lateness.at <= .now else { return lateness.stretches }
            lateness = (.now + .milliseconds(200), SchedulingMeter.shared.lateness(from: start))
            return lateness.stretches
        }
    }
}
