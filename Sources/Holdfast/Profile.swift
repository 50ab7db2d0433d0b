/// The side of the protocol a clause binds.
public enum Role: String, Sendable, Hashable, CaseIterable {
    case server, client
}

/// A named set of clauses that a subject declares to keep.
public enum Profile: String, Sendable, Hashable, CaseIterable, Comparable {
    case core
    case idempotency
    case sync
    case rateLimit = "rate-limit"
    case push
    case auth
    case clientCore = "client-core"
    case clientSync = "client-sync"
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
