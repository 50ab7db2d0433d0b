import Transcript

/// One WebSocket connection from its opening to its end.
struct ObservedConnection: Sendable {
    /// The letter of the device.
    let device: String
    /// Which connection of that device, from 1.
    let generation: Int
    /// Whose credentials it carries.
    private(set) var principal: String
    /// The event that asked for the upgrade; the first event of the lane when the history begins later.
    let opening: Int
    /// The event that accepted the upgrade.
    private(set) var opened: Int?
    /// The event that refused the upgrade.
    private(set) var refused: Int?
    /// The event of the first `connected` frame.
    private(set) var connected: Int?
    /// Whether nothing but the accepted upgrade says that it is connected, in a dialect without a greeting.
    private(set) var isGreetingAssumed = false
    /// The event of the client's first `auth` frame.
    private(set) var auth: Int?
    /// Frames from the server, in order.
    private(set) var received: [Frame] = []
    /// Frames to the server, in order; also those that are no JSON.
    private(set) var sent: [Frame] = []
    /// The first thing that ended it for one side; nil while it is open at the end of the history.
    private(set) var ending: Ending?
    /// Events at which the stage stopped reading, each with the one at which it read on.
    private(set) var pauses: [(stopped: Int, resumed: Int?)] = []
    /// Whether the history has the upgrade itself, and not only what followed.
    let isWhole: Bool
    /// Whether an end without a close frame is known to be the server's doing, and not the network's.
    private let endIsTold: Bool

    /// The end of a connection, with who ended it and how.
    struct Ending: Sendable, Equatable {
        /// The event.
        let event: Int
        /// Who ended it and how.
        let kind: Kind

        /// Whether it may be for silence, because a pong came late on a machine that was late.
        let mayBeSilence: Bool

        /// Whether the server closed with a code that it may use at any time: restart, or try again later.
        var isAtWill: Bool {
            if case .closed(.fromServer, let code?) = kind { code == 1012 || code == 1013 } else { false }
        }

        /// Whether nobody is to blame for it.
        var isExcused: Bool { isAtWill || mayBeSilence }

        /// The ways to end.
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
    var greeting: Frame? {
        received.first { $0.event == connected }
    }

    /// Whether the server ended it, with or without a close frame.
    var wasEndedByServer: Bool {
        switch ending?.kind {
        case .closed(.fromServer, _): true
        case .lost: endIsTold
        default: false
        }
    }

    /// Every connection of a history.
    static func all(in history: History) -> [ObservedConnection] {
        var connections: [ObservedConnection] = []
        var current: [String: Int] = [:]
        var generations: [String: Int] = [:]
        let isCapture = history.header.capture != nil
        let endIsTold = history.header.capture?.lacks.contains(.network) != true
        for (index, event) in history.events.enumerated() {
            guard case .connection(let device) = event.lane else { continue }
            let principal: String?
            if case .opening(let opening) = event.kind { principal = opening.principal } else { principal = nil }
            if principal != nil || current[device] == nil {
                if case .wait = event.kind { continue }
                generations[device, default: 0] += 1
                // Whose a connection is whose opening nobody saw has to be told (`belongs`).
                let unnamed = isCapture ? "unknown \(device)" : "p1"
                current[device] = connections.count
                connections.append(
                    ObservedConnection(
                        device: device, generation: generations[device] ?? 1, principal: principal ?? unnamed,
                        opening: index, isWhole: principal != nil, endIsTold: endIsTold))
            }
            guard let position = current[device] else { continue }
            connections[position].take(event.kind, at: index)
            if var frame = history.frames[index] {
                frame.connection = position
                connections[position].note(frame, event.kind)
            }
        }
        if !history.header.lateness.isEmpty {
            let clock = PatientClock(history.header.lateness)
            for position in connections.indices { connections[position].doubtSilence(in: history, by: clock) }
        }
        return connections
    }

    private init(
        device: String, generation: Int, principal: String, opening: Int, isWhole: Bool, endIsTold: Bool
    ) {
        self.device = device
        self.generation = generation
        self.principal = principal
        self.opening = opening
        self.isWhole = isWhole
        self.endIsTold = endIsTold
    }

    private mutating func take(_ kind: Event.Kind, at index: Int) {
        switch kind {
        case .opened: opened = opened ?? index
        case .refused: refused = refused ?? index
        case .close(let direction, let code, _): end(.closed(direction, code: code), at: index)
        case .eof: end(.lost, at: index)
        case .act(DialectView.assumedAct, _):
            connected = connected ?? index
            isGreetingAssumed = true
        case .act("cut", _): end(.cut, at: index)
        case .act("belongs", let details): principal = details["to"]?.stringValue ?? principal
        case .act("stopReading", _): pauses.append((index, nil))
        case .act("resumeReading", _):
            if let last = pauses.indices.last, pauses[last].resumed == nil { pauses[last].resumed = index }
        default: break
        }
    }

    private mutating func note(_ frame: Frame, _ kind: Event.Kind) {
        switch kind {
        case .text(.fromServer, _), .binary(.fromServer, _):
            received.append(frame)
            if connected == nil, frame.type == "connected" { connected = frame.event }
        default:
            sent.append(frame)
            if auth == nil, frame.type == "auth" { auth = frame.event }
        }
    }

    private mutating func end(_ kind: Ending.Kind, at index: Int) {
        if ending == nil { ending = Ending(event: index, kind: kind, mayBeSilence: false) }
    }

    /// Notes that an end without a word may be for silence: two heartbeats had passed, and the machine was late in the last few.
    private mutating func doubtSilence(in history: History, by clock: PatientClock) {
        guard let ending, ending.kind == .lost, let connected else { return }
        let heartbeat = 1_000_000 * min(max(greeting?["heartbeatSeconds"]?.intValue ?? 30, 1), 86_400)
        let end = history.events[ending.event].at
        guard end - history.events[connected].at >= 2 * heartbeat, clock.wasLate(from: end - 4 * heartbeat, to: end)
        else {
            return
        }
        self.ending = Ending(event: ending.event, kind: ending.kind, mayBeSilence: true)
    }
}

/// The frame as the areas call it.
typealias ObservedFrame = Frame
