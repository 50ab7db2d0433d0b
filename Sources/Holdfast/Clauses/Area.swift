/// A chapter of clauses; its name is in every path that belongs to it.
public enum Area: String, Sendable, Hashable, CaseIterable, Comparable {
    /// The form of each message, and the answer to a malformed one.
    case ENV
    /// Connections, sessions, turns and messages, and their names.
    case ID
    /// From an accepted question to exactly one ending.
    case TURN
    /// The order of messages in the history, and of frames in the stream.
    case ORDER
    /// Position, replay, and reported gaps.
    case SYNC
    /// Resending without repeating.
    case IDEM
    /// Stored before it is sent.
    case PERSIST
    /// Reading stored sessions for recovery.
    case REST
    /// Advertised rate limits.
    case RATE
    /// Notifications.
    case PUSH
    /// Authentication and visibility.
    case AUTH
    /// Heartbeats, closing, and versions.
    case LIVE
    /// Recovery, as the user sees it.
    case CLIENT

    /// The chapter of a scenario, from its name.
    package init?(ofScenario name: String) {
        let parts = name.split(separator: "/")
        guard parts.count == 3 else { return nil }
        self.init(rawValue: String(parts[1]))
    }

    /// The order of the chapters in the specification.
    public static func < (left: Area, right: Area) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

extension Area {
    /// The subject of its clauses, in a few words.
    package var meaning: String {
        switch self {
        case .ENV: "frames and their limits"
        case .ID: "the four ids"
        case .TURN: "a question and its answer"
        case .ORDER: "the order of frames"
        case .SYNC: "catching up after a disconnect"
        case .IDEM: "resends without duplicates"
        case .PERSIST: "stored before it is announced"
        case .REST: "reading stored sessions"
        case .RATE: "rate limits"
        case .PUSH: "notifications"
        case .AUTH: "tokens and who may see what"
        case .LIVE: "staying connected and closing cleanly"
        case .CLIENT: "what the app does and shows"
        }
    }
}
