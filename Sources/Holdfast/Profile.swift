/// The side of the protocol a clause binds.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// What stores the sessions and runs the turns.
    case server
    /// What a person holds.
    case client
}

/// A named set of clauses that a subject declares to keep.
public enum Profile: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Turns, session identity, persistence and recovery over REST.
    case core
    /// Acknowledgement, ids of turns and messages, and repeats that run once.
    case idempotency
    /// The numbered stream and its replay.
    case sync
    /// A told budget for each principal.
    case rateLimit = "rate-limit"
    /// Notifications.
    case push
    /// Tokens that are checked, and principals that are kept apart.
    case auth
    /// Reconnecting, resending, recovering over REST, and showing.
    case clientCore = "client-core"
    /// A position and replay.
    case clientSync = "client-sync"
    /// Notifications received and tapped.
    case clientPush = "client-push"

    /// The side that declares this profile.
    public var role: Role {
        switch self {
        case .core, .idempotency, .sync, .rateLimit, .push, .auth: .server
        case .clientCore, .clientSync, .clientPush: .client
        }
    }

    /// In the order of the specification.
    public static func < (left: Profile, right: Profile) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }

    /// Every profile of one side.
    public static func all(of role: Role) -> Set<Profile> {
        Set(allCases.filter { $0.role == role })
    }
}
