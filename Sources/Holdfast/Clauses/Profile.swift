/// The side of the protocol that a clause binds.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// The program that stores sessions and runs turns.
    case server
    /// The app of a user.
    case client
}

/// A named set of clauses that a subject claims to satisfy.
public enum Profile: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Turns and their ids, idempotent repeats, persistence, and recovery over REST.
    case core
    /// The numbered stream and its replay.
    case sync
    /// An advertised rate limit for each principal.
    case rateLimit = "rate-limit"
    /// Notifications.
    case push
    /// Token checks, and separation of principals.
    case auth
    /// Reconnecting, resending, recovering over REST, and display.
    case clientCore = "client-core"
    /// Keeping a position, and requesting replays.
    case clientSync = "client-sync"
    /// Receiving and tapping notifications.
    case clientPush = "client-push"

    /// The role that declares this profile.
    public var role: Role {
        switch self {
        case .core, .sync, .rateLimit, .push, .auth: .server
        case .clientCore, .clientSync, .clientPush: .client
        }
    }

    /// The base profile of a role, which all its subjects declare.
    public static func base(of role: Role) -> Profile { role == .server ? .core : .clientCore }

    /// The profile that this one requires, if any.
    public var needed: Profile? {
        let base = Profile.base(of: role)
        return self == base ? nil : base
    }

    /// In specification order.
    public static func < (left: Profile, right: Profile) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }

    /// All profiles of one role.
    public static func all(of role: Role) -> Set<Profile> { Set(allCases.filter { $0.role == role }) }
}
