import HoldfastTranscript

/// One WebSocket connection from its opening to its end.
///
/// An object, because checks ask for it with every frame; it changes only while ``all(in:)`` goes through the events.
final class ObservedConnection: @unchecked Sendable {
    /// The letter of the device.
    let device: String
    /// Which connection of that device, from 1.
    let generation: Int
    /// Whose credentials it carries.
    private(set) var principal: String
    /// The event that asked for the upgrade; the first event of the lane when the history begins later.
    let opening: Int
    /// Whether the history has the upgrade itself, or what a capture that begins later takes for it.
    private let isOpeningTold: Bool
    private let isCaptured: Bool
    /// Whether the history has it from its beginning: notes may begin in the middle, where nobody greets any more.
    var isWhole: Bool { isOpeningTold && (!isCaptured || auth != nil || connected != nil || frames.isEmpty) }
    /// Whether an end without a close frame is known to be the server's doing, and not the network's.
    fileprivate let endIsTold: Bool
    /// Everything that happened on it, in the order of time.
    private(set) var events: [Int] = []
    private(set) var opened: Int?
    /// The event that refused it.
    private(set) var refused: Int?
    private(set) var connected: Int?
    /// Whether nothing but the accepted upgrade says that it is connected, in a dialect without a greeting.
    private(set) var isGreetingAssumed = false
    /// The event of the client's first `auth` frame.
    private(set) var auth: Int?
    private(set) var received: [Frame] = []
    /// Frames to the server, in order; also those that are no JSON.
    private(set) var sent: [Frame] = []
    /// The frames of both sides in the order of time, each with whether the client sent it.
    private(set) var frames: [(frame: Frame, isSent: Bool)] = []
    /// WebSocket pings of the client, and pongs of the server, by their events.
    private(set) var transportPings: [Int] = []
    private(set) var transportPongs: [Int] = []
    /// The first thing that ended it for one side; nil while it is open at the end of the history.
    private(set) var ending: Ending?
    /// Events at which the stage stopped reading, each with the one at which it read on.
    private(set) var pauses: [(stopped: Int, resumed: Int?)] = []
    /// Events at which the stage stopped answering pings.
    private(set) var mutes: [Int] = []

    private init(
        device: String, generation: Int, principal: String, opening: Int, isOpeningTold: Bool,
        _ capture: History.Capture?
    ) {
        (self.device, self.generation, self.principal) = (device, generation, principal)
        (self.opening, self.isOpeningTold, isCaptured) = (opening, isOpeningTold, capture != nil)
        endIsTold = capture?.lacks.contains(.network) != true
    }

    struct Ending: Sendable, Equatable {
        let event: Int
        let kind: Kind
        /// Whether it may be for silence: a pong came late on a machine that was late, or nobody read and answered pings.
        fileprivate(set) var mayBeSilence = false
        /// Whether the server is known to have gone on afterwards, so that it neither stopped nor restarted.
        fileprivate(set) var serverWentOn = false

        /// Whether the server closed with a code that it may use at any time: restart, or try again later.
        var isAtWill: Bool { isGoodbye && !isOwnStop }

        /// Whether the server told its own stop, and nobody knows better.
        var isOwnStop: Bool { isGoodbye && kind == .closed(.fromServer, code: 1001) }

        /// Whether the server told its stop, restart or overload, and nobody knows better.
        fileprivate var isGoodbye: Bool {
            guard !serverWentOn, case .closed(let direction, let code) = kind else { return false }
            return Event.Kind.close(direction, code: code, reason: "").isGoodbye
        }

        /// Whether the server told that its peer was silent.
        var isForSilence: Bool { kind == .closed(.fromServer, code: 4004) }

        /// Whether nobody is to blame for it.
        var isExcused: Bool { isAtWill || mayBeSilence }

        /// Whether it tells of something else than what was said last: the server, its peer, or the size of a message.
        var isForAnotherReason: Bool { isExcused || isOfTheServer || kind == .closed(.fromServer, code: 1009) }

        /// Whether the server says that it goes away, or that it lets this peer in no more.
        var isOfTheServer: Bool {
            guard case .closed(.fromServer, let code?) = kind else { return false }
            return isOwnStop || [4001, 4002, 4004, 4010].contains(code)
        }

        enum Kind: Sendable, Equatable {
            /// The stage cut it without a close frame.
            case cut
            /// A close frame, by the side that sent it first.
            case closed(Direction, code: Int?)
            /// The socket ended without a close frame and not by the stage.
            case lost
        }
    }

    /// The server's `connected` frame.
    var greeting: Frame? { received.first { $0.event == connected } }

    /// A limit that the greeting tells.
    func limit(_ name: String) -> Int? { greeting?["limits"]?[name]?.intValue }

    /// Whether the server ended it, with or without a close frame.
    var wasEndedByServer: Bool {
        switch ending?.kind {
        case .closed(.fromServer, _): true
        case .lost: endIsTold
        default: false
        }
    }

    /// Every connection in the order of asking, and the frames of all of them, by who sent them, in the order of time.
    static func all(
        in history: History
    ) -> (connections: [ObservedConnection], received: [Frame], sent: [Frame]) {
        var connections: [ObservedConnection] = []
        var (received, sent): ([Frame], [Frame]) = ([], [])
        var current: [String: Int] = [:]
        var generations: [String: Int] = [:]
        let capture = history.header.capture
        received.reserveCapacity(history.events.count)
        for index in history.events.indices {
            guard case .connection(let device) = history.events[index].lane else { continue }
            let principal: String?
            if case .opening(let opening) = history.events[index].kind {
                principal = opening.principal
            } else {
                principal = nil
            }
            var known = current[device]
            if principal != nil || known == nil {
                if case .wait = history.events[index].kind { continue }
                generations[device, default: 0] += 1
                known = connections.count
                current[device] = known
                // Whose a connection is whose opening nobody saw has to be told (`belongs`).
                connections.append(
                    ObservedConnection(
                        device: device, generation: generations[device] ?? 1,
                        principal: principal ?? (capture == nil ? "p1" : "unknown \(device)"), opening: index,
                        isOpeningTold: principal != nil, capture))
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
        let clock = PatientClock(history.header.lateness)
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
        case .ping(.toServer): transportPings.append(index)
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

    /// Takes a frame, and tells whether the client sent it.
    private func note(_ frame: Frame, _ kind: Event.Kind) -> Bool {
        switch kind {
        case .text(.fromServer, _), .binary(.fromServer, _):
            received.append(frame)
            frames.append((frame, false))
            if connected == nil, frame.type == "connected" { connected = frame.event }
            return false
        default:
            sent.append(frame)
            frames.append((frame, true))
            if auth == nil, frame.type == "auth" { auth = frame.event }
            return true
        }
    }

    private func end(_ kind: Ending.Kind, at index: Int) {
        ending = ending ?? Ending(event: index, kind: kind)
    }

    /// Notes that an end without a word may be for silence: two heartbeats had passed, and the machine was late in the last few,
    /// or nobody read and answered pings.
    private func doubtSilence(in history: History, by clock: PatientClock) {
        guard let ending, ending.kind == .lost, let connected else { return }
        let stated = history.header.subject.limits["heartbeatSeconds"] ?? 30
        let heartbeat = 1_000_000 * min(max(greeting?["heartbeatSeconds"]?.intValue ?? stated, 1), 86_400)
        let end = history.events[ending.event].at
        let wasLate =
            end - history.events[connected].at >= 2 * heartbeat && clock.wasLate(from: end - 4 * heartbeat, to: end)
        let wasDeaf = (pauses + mutes.map { (stopped: $0, resumed: nil) }).contains {
            isSilent(from: $0.stopped, to: $0.resumed, for: 2 * heartbeat, in: history)
        }
        self.ending?.mayBeSilence = wasLate || wasDeaf
    }

    /// Whether a peer that did not read said nothing for so long, and the end came before it read again or was met right then.
    ///
    /// The last pong may have gone out a heartbeat before it stopped.
    private func isSilent(from stopped: Int, to resumed: Int?, for length: Int, in history: History) -> Bool {
        guard let end = ending?.event, let connected, stopped < end else { return false }
        func time(_ event: Int) -> Int { history.events[event].at }
        let last = min(resumed ?? end, end)
        guard time(end) - time(last) < history.header.timeouts.pong.microseconds else { return false }
        let said = sent.map(\.event).filter { $0 > stopped && $0 < last }.map(time)
        let moments = [max(time(connected), time(stopped) - length / 2)] + said + [time(last)]
        return zip(moments, moments.dropFirst()).contains { $1 - $0 >= length }
    }
}
