import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The client as a program: its commands, its screens, and the messages that a person typed.
///
/// Built from the lane `client` and from everything sent to the server. Indices called `event` point into
/// `history.events`. A class, because checks access it often; it changes only while it is built.
final class ObservedClient {
    /// Acts by which the app ends: the system ends it, it crashes on command, or it ends by itself.
    static let deaths: Set<String> = ["quit", "crash", "exit"]
    /// Acts that end one life of the app; a launch ends the previous life if nothing else did.
    static let endsOfLife = deaths.union(["launch"])
    /// Acts after which a client receives nothing that was sent before.
    static let interruptions = endsOfLife.union(["background", "networkDown"])

    private(set) var acts: [Act] = []
    private var foreground: [(event: Int, holds: Bool)] = []
    private var network: [(event: Int, holds: Bool)] = []
    /// The screens it showed, in order; a state is recorded if it differs from the one before, and every half second.
    private(set) var states: [State] = []
    private(set) var launches: [Launch] = []
    /// For each key, the samples between which it first appeared: a message typed in between may have the key.
    private(set) var firstShown: [String: Range<Int>] = [:]
    /// Its requests to list sessions or read one, in order, even those that were never answered.
    let reads: [ObservedExchange]
    /// The connections it requested, as indices into `Observations.connections`, in order.
    let attempts: [Int]
    private(set) var returns: [Return] = []
    /// For each connection, the first event by which the client learned of its end, or ended it itself.
    ///
    /// Nil while the client may think that the connection is alive: it does not notice a silent cut.
    let ends: [Int?]
    /// The messages that the scripted server stored without a request, in order: answers, and other devices' messages.
    private(set) var stored: [Stored] = []

    struct Act: Sendable, HasEvent {
        let event: Int
        /// Such as `launch`, `send` or `foreground`.
        let name: String
        let details: JSONObject
    }

    struct Launch: Sendable {
        /// From its `launch` to the end of that life: the next of ``ObservedClient/endsOfLife``, or the end of the
        /// history.
        let events: Range<Int>
        /// Whether the app was newly installed, without stored data.
        let isFresh: Bool
    }

    struct Return: Sendable {
        let event: Int
        /// The event of the `background` before it.
        let left: Int
    }

    struct Stored: Sendable, HasEvent {
        let event: Int
        let sessionId: String
        /// Their ids, oldest first.
        let ids: [String]

        fileprivate init?(_ details: JSONObject, event: Int) {
            guard let session = details.id("sessionId") else { return nil }
            let messages = (details["messages"]?.arrayValue ?? []) + [details["messageId"]].compactMap(\.self)
            ids = messages.compactMap { $0.stringValue.map(opaqueID) ?? $0.id("id") }
            guard !ids.isEmpty else { return nil }
            self.event = event
            sessionId = session
        }
    }

    func isForeground(at event: Int) -> Bool { Self.last(of: foreground, at: event) ?? false }

    /// Whether it may be in the foreground; unknown, and so true, for one that no stage launched.
    func mayBeInForeground(at event: Int) -> Bool { launches.isEmpty || isForeground(at: event) }

    func hasNetwork(at event: Int) -> Bool { Self.last(of: network, at: event) ?? true }

    private static func last(of changes: [(event: Int, holds: Bool)], at event: Int) -> Bool? {
        let next = changes.boundary { $0.event > event }
        return next > 0 ? changes[next - 1].holds : nil
    }

    /// The life at an event; nil before the first life and between two lives.
    func launch(at event: Int) -> Launch? { launches.last { $0.events.contains(event) } }

    func acts(_ names: String...) -> [Act] { acts.filter { names.contains($0.name) } }

    /// The last screen at or before an event; nil if that life has not shown any.
    func state(at event: Int) -> State? {
        let start = launch(at: event)?.events.lowerBound ?? 0
        let next = states.boundary { $0.event > event }
        guard next > 0, states[next - 1].event >= start else { return nil }
        return states[next - 1]
    }

    /// The screens from one event up to another; the first is the one shown at the first event, if known.
    func states(from first: Int, to last: Int) -> [State] {
        let start = states.boundary { $0.event > first }
        let later = states[start..<max(start, states.boundary { $0.event >= last })]
        return (state(at: first).map { [$0] } ?? []) + later
    }

    func reads(of session: String) -> [ObservedExchange] { reads.filter { $0.route == .session(session) } }

    /// The event that began the app's current data: its last launch as a new installation.
    func installation(at event: Int) -> Int {
        launches.last { $0.isFresh && $0.events.lowerBound <= event }?.events.lowerBound ?? 0
    }

    init(_ history: History, connections: [ObservedConnection], exchanges: [ObservedExchange]) {
        let end = history.events.count
        reads = exchanges.filter { $0.sessionRead != nil || $0.isRead(of: .sessions) }
        ends = Self.ends(of: connections, in: history)
        attempts = connections.indices.sorted { connections[$0].opening < connections[$1].opening }
        guard history.header.subject.role == .client else { return }
        var last: (value: JSONValue, state: State)?
        for (index, event) in history.events.enumerated() {
            switch (event.lane, event.kind) {
            // A driver that never answers 'launch' has started no app.
            case (.client, .act("hang", let details)) where details.string("command") == "launch":
                if acts.last?.name == "launch" { acts.removeLast() }
            case (.client, .act(let name, let details)): acts.append(Act(event: index, name: name, details: details))
            case (.client, .state(let value)):
                let state = State(value, event: index, after: last)
                states.append(state)
                last = (value, state)
            case (.server, .act(let name, let details)) where name != "atRest":
                stored += [Stored(details, event: index)].compactMap(\.self)
            default: break
            }
        }
        var left: Int?
        for act in acts {
            switch act.name {
            case "launch", "foreground", "openPush": foreground.append((act.event, true))
            case "networkDown", "networkUp": network.append((act.event, act.name == "networkUp"))
            case "background": foreground.append((act.event, false))
            default: if Self.deaths.contains(act.name) { foreground.append((act.event, false)) }
            }
            switch act.name {
            case "background": left = left ?? act.event
            case "foreground", "openPush":
                if let left { returns.append(Return(event: act.event, left: left)) }
                left = nil
            default: if Self.endsOfLife.contains(act.name) { left = nil }
            }
            guard act.name == "launch" else { continue }
            let ending = acts.first { $0.event > act.event && Self.endsOfLife.contains($0.name) }
            launches.append(
                Launch(
                    events: act.event..<(ending?.event ?? end), isFresh: act.details["fresh"]?.boolValue == true))
        }
        for (before, state) in zip([nil] + states.map(\.event), states) {
            for key in state.messages.compactMap(\.key) where firstShown[key] == nil {
                firstShown[key] = (before ?? -1)..<state.event
            }
        }
    }

    private static func ends(of connections: [ObservedConnection], in history: History) -> [Int?] {
        connections.map { connection in
            connection.events.first { index in
                switch history.events[index].kind {
                case .refused, .close, .eof: true
                case .act("cut", let details): details.string("how") != "silence"
                default: false
                }
            }
        }
    }

}

extension Observations {
    /// The time after which a client has broken one of its own bounds, at its time scale.
    ///
    /// The bound is divided by the time scale; then the delay that a busy machine adds to any timer is added. A bound
    /// that involves no timer of the client is unchanged.
    func clientBound(_ path: KeyPath<Timeouts, Duration>) -> Duration {
        let bound = timeouts[keyPath: path]
        if path == \Timeouts.foregroundReconnect || path == \Timeouts.driver { return bound }
        return bound / history.header.timeScale.clamped + timeouts.scheduling
    }

    /// The same bound for counting events within it: divided by the time scale, and without allowance.
    ///
    /// Compare it with ``span(from:to:)``: a busy machine makes a client slower and never faster.
    func clientWindow(_ path: KeyPath<Timeouts, Duration>) -> Duration {
        timeouts[keyPath: path] / history.header.timeScale.clamped
    }
}

extension Double {
    /// A time scale that is safe to divide by, whatever a transcript says.
    fileprivate var clamped: Double { self >= 1 ? min(self, 1_000_000) : 1 }
}
