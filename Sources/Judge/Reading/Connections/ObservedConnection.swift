import HoldfastTranscript

/// One WebSocket connection from its opening to its end.
///
/// A class, because checks access it with every frame; it changes only during ``all(in:)``.
final class ObservedConnection: @unchecked Sendable {
    /// The letter of its device.
    let device: String
    /// The owner of its credentials.
    private(set) var principal: String
    /// The event that requested the upgrade, or the first event of the lane if the history starts later.
    let opening: Int
    /// Whether the history contains the upgrade, or its substitute in a capture.
    private let isOpeningRecorded: Bool
    private let isCaptured: Bool
    /// Whether the history contains it from its beginning: a log may start in the middle, after the greeting.
    var isWhole: Bool { isOpeningRecorded && (!isCaptured || auth != nil || connected != nil || isSilent) }
    private var isSilent: Bool { received.isEmpty && sent.isEmpty }
    /// Whether an end without a close frame is known to be caused by the server and not by the network.
    fileprivate let isAbruptEndByServer: Bool
    private(set) var events: [Int] = []
    private(set) var opened: Int?
    private(set) var refused: Int?
    private(set) var connected: Int?
    /// Whether the greeting is only inferred from the accepted upgrade, in a dialect without greetings.
    private(set) var isGreetingAssumed = false
    /// The event of the client's first `auth` frame.
    private(set) var auth: Int?
    private(set) var received: [Frame] = []
    /// Frames to the server in order, even if they are not JSON.
    private(set) var sent: [Frame] = []
    /// The frames of both sides in time order, each with a flag for the client's own.
    var frames: [(frame: Frame, isSent: Bool)] {
        (received.map { ($0, false) } + sent.map { ($0, true) }).sorted { $0.0.event < $1.0.event }
    }
    /// Everything that the client sent, including WebSocket pings and pongs, by event.
    private(set) var signs: [Int] = []
    /// The client's WebSocket pings and the server's pongs, by event.
    private(set) var transportPings: [Int] = []
    private(set) var transportPongs: [Int] = []
    /// The first event that ended it for one side; nil if it is still open.
    private(set) var ending: Ending?
    /// Events at which the stage stopped reading, each with the event at which it resumed.
    private(set) var pauses: [(stopped: Int, resumed: Int?)] = []
    /// Events at which the stage stopped answering pings.
    private(set) var mutes: [Int] = []

    private let configuredHeartbeat: Int

    private init(
        device: String, principal: String, opening: Int, isOpeningRecorded: Bool, _ header: History.Header
    ) {
        (self.device, self.principal) = (device, principal)
        (self.opening, self.isOpeningRecorded, isCaptured) = (opening, isOpeningRecorded, header.capture != nil)
        isAbruptEndByServer = header.capture?.lacks.contains(.network) != true
        configuredHeartbeat = header.subject.limits["heartbeatSeconds"] ?? 30
    }

    struct Ending: Sendable, Equatable, HasEvent {
        let event: Int
        let kind: Kind
        /// Whether silence may be the reason: the machine was late and so was a pong, or the stage did not read or
        /// answer pings.
        fileprivate(set) var mayBeSilence = false
        /// Whether the server is known to have continued, so that it neither stopped nor restarted.
        fileprivate(set) var serverWentOn = false

        /// Whether the server announced a stop, restart or overload.
        var announcesStop: Bool {
            guard case .closed(let direction, let code) = kind else { return false }
            return Event.Kind.close(direction, code: code, reason: "").isGoodbye
        }

        /// Whether it announced a stop, restart or overload, and nothing shows that it continued.
        var isGoodbye: Bool { announcesStop && !serverWentOn }

        func has(code: Int) -> Bool { kind == .closed(.fromServer, code: code) }

        /// Whether the server said that its peer was silent.
        var isForSilence: Bool { has(code: 4004) }

        /// Whether neither peer is at fault.
        var isExcused: Bool { isGoodbye || mayBeSilence }

        /// Whether it had a reason other than the last message: the server's state, or a rejection of this peer.
        var isForAnotherReason: Bool { isExcused || [4001, 4002, 4004, 4010].contains(where: has) }

        enum Kind: Sendable, Equatable {
            /// Cut by the stage without a close frame.
            case cut
            /// Closed, with the side that sent the first close frame.
            case closed(Direction, code: Int?)
            /// Ended without a close frame, but not by the stage.
            case lost
        }
    }

    /// Its `connected`; nil before it, or if the greeting is only inferred.
    private(set) var greeting: Frame?

    func limit(_ name: String) -> Int? { greeting?["limits"]?[name]?.intValue }

    /// The heartbeat in microseconds, as announced or configured; nil unless it is between a second and a day.
    var heartbeat: Int? {
        let seconds = greeting?["heartbeatSeconds"]?.intValue ?? configuredHeartbeat
        return (1...86_400).contains(seconds) ? seconds * 1_000_000 : nil
    }

    var wasEndedByServer: Bool {
        switch ending?.kind {
        case .closed(.fromServer, _): true
        case .lost: isAbruptEndByServer
        default: false
        }
    }

    var wasReadToItsEnd: Bool { pauses.first.map { $0.stopped > ending?.event ?? .max } ?? true }

    /// Every connection in the order of the requests, and the frames of all of them by sender, in time order.
    static func all(
        in history: History
    ) -> (connections: [ObservedConnection], received: [Frame], sent: [Frame]) {
        var connections: [ObservedConnection] = []
        var (received, sent): ([Frame], [Frame]) = ([], [])
        var current: [String: Int] = [:]
        let isCapture = history.header.capture != nil
        received.reserveCapacity(history.events.count)
        for index in history.events.indices {
            guard case .connection(let device) = history.events[index].lane else { continue }
            let principal: String? =
                if case .opening(let opening) = history.events[index].kind { opening.principal } else { nil }
            var known = current[device]
            if principal != nil || known == nil {
                if case .wait = history.events[index].kind { continue }
                known = connections.count
                current[device] = known
                // The owner of a connection with unknown opening must be stated (`belongs`).
                connections.append(
                    ObservedConnection(
                        device: device, principal: principal ?? (isCapture ? "unknown \(device)" : "p1"),
                        opening: index,
                        isOpeningRecorded: principal != nil, history.header))
            }
            guard let position = known else { continue }
            if case .act(Event.wentOn, _) = history.events[index].kind {
                connections.first { $0.device == device && $0.ending?.isGoodbye == true }?.ending?.serverWentOn = true
                continue
            }
            let connection = connections[position]
            connection.take(history.events[index].kind, at: index)
            if var frame = history.frames[index] {
                frame.connection = position
                let isSent = connection.note(frame, history.events[index].kind)
                if isSent { sent.append(frame) } else { received.append(frame) }
            }
        }
        let clock = LatenessClock(history.header.lateness)
        for connection in connections where !isCapture && connection.ending?.isGoodbye == true {
            guard let ending = connection.ending else { continue }
            if connections.contains(where: { $0.wasServed(longAfter: ending, in: history, by: clock) }) {
                connection.ending?.serverWentOn = true
            }
        }
        for position in connections.indices { connections[position].doubtSilence(in: history, by: clock) }
        return (connections, received, sent)
    }

    private func take(_ kind: Event.Kind, at index: Int) {
        events.append(index)
        switch kind {
        case .opened: opened = opened ?? index
        case .refused: refused = refused ?? index
        case .close(let direction, let code, _): end(.closed(direction, code: code), at: index)
        case .eof: end(.lost, at: index)
        case .text(.toServer, _), .binary(.toServer, _), .pong(.toServer): signs.append(index)
        case .ping(.toServer):
            signs.append(index)
            transportPings.append(index)
        case .pong(.fromServer): transportPongs.append(index)
        case .act(DialectView.assumedAct, _):
            connected = connected ?? index
            isGreetingAssumed = true
        case .act("cut", _): end(.cut, at: index)
        case .act("belongs", let details): principal = details.string("to") ?? principal
        case .act("mute", _): mutes.append(index)
        case .act("stopReading", _): pauses.append((index, nil))
        case .act("resumeReading", _):
            if let last = pauses.indices.last, pauses[last].resumed == nil { pauses[last].resumed = index }
        default: break
        }
    }

    private func note(_ frame: Frame, _ kind: Event.Kind) -> Bool {
        switch kind {
        case .text(.fromServer, _), .binary(.fromServer, _):
            received.append(frame)
            if connected == nil, frame.kind == .connected { (connected, greeting) = (frame.event, frame) }
            return false
        default:
            sent.append(frame)
            if auth == nil, frame.kind == .auth { auth = frame.event }
            return true
        }
    }

    private func end(_ kind: Ending.Kind, at index: Int) { ending = ending ?? Ending(event: index, kind: kind) }

    /// Whether this connection, greeted before a goodbye, was still answered after a stop would have been over.
    private func wasServed(longAfter goodbye: Ending, in history: History, by clock: LatenessClock) -> Bool {
        guard let connected, connected < goodbye.event, pauses.isEmpty, let last = received.last?.event else {
            return false
        }
        func time(_ event: Int) -> Int { clock.time(at: history.events[event].at) }
        let limit = time(goodbye.event) + history.header.timeouts.stop.microseconds
        return signs.last { $0 < last }.map { time($0) > limit } ?? false
    }

    /// Notes whether silence may explain an end without another reason: in two heartbeats nothing showed that the
    /// server had heard its client, and the machine was late; or the stage did not read or answer pings.
    private func doubtSilence(in history: History, by clock: LatenessClock) {
        guard let ending, ending.kind == .lost || ending.isForSilence, let connected, let heartbeat else { return }
        let end = history.events[ending.event].at
        // A server that says it heard nothing, and never asked with a ping, waited for no answer.
        let wasAsked = events.contains { history.events[$0].kind == .ping(.fromServer) }
        let start = history.events.boundary { $0.at > end - 2 * heartbeat } - 1
        let wasLate =
            (wasAsked || !ending.isForSilence) && clock.wasLate(from: end - 4 * heartbeat, to: end)
            // A late greeting was sent as soon as its `auth` had arrived.
            && end - history.events[auth ?? connected].at >= 2 * heartbeat
            && !hasAnswered(since: start, before: ending.event, with: Frame.answersByName)
            && !zip(transportPings, transportPongs).contains { $0 > start && $1 > $0 && $1 < ending.event }
        let wasUnresponsive = (pauses + mutes.map { (stopped: $0, resumed: nil) }).contains {
            isSilent(from: $0.stopped, to: $0.resumed, for: 2 * heartbeat, in: history)
        }
        self.ending?.mayBeSilence = wasLate || wasUnresponsive
    }

    /// Whether a peer that did not read was silent for a given time, and the end came before or just after it resumed.
    ///
    /// Its last pong may be a heartbeat older than the stop.
    private func isSilent(from stopped: Int, to resumed: Int?, for length: Int, in history: History) -> Bool {
        guard let end = ending?.event, let connected, stopped < end else { return false }
        func time(_ event: Int) -> Int { history.events[event].at }
        let last = min(resumed ?? end, end)
        guard time(end) - time(last) < history.header.timeouts.pong.microseconds else { return false }
        let stated = sent.map(\.event).filter { $0 > stopped && $0 < last }.map(time)
        let moments = [max(time(connected), time(stopped) - length / 2)] + stated + [time(last)]
        return zip(moments, moments.dropFirst()).contains { $1 - $0 >= length }
    }
}
