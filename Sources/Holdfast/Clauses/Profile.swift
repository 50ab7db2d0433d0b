/// The side of the protocol a clause binds.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// What stores the sessions and runs the turns.
    case server
    /// What a person holds.
    case client
}

/// A named set of clauses that a subject declares to keep.
public enum Profile: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Turns and their names, repeats that run once, persistence and recovery over REST.
    case core
    /// The numbered stream and its replay.
    case sync
    /// An advertised rate limit for each principal.
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
        case .core, .sync, .rateLimit, .push, .auth: .server
        case .clientCore, .clientSync, .clientPush: .client
        }
    }

    /// The profile that every subject of a side declares, because all others of the side need it.
    public static func base(of role: Role) -> Profile { role == .server ? .core : .clientCore }

    /// The profile that has to be declared together with this one; nil for one that stands alone.
    public var needed: Profile? {
        let base = Profile.base(of: role)
        return self == base ? nil : base
    }

    /// Profiles declared without the one they need, as a problem of the place that declares them; nil when none is.
    ///
    /// Nothing may be added in silence: whoever left the other one out may mean to have its clauses left out, and a profile
    /// alone promises nothing that could be tested.
    package static func problem(
        declaring declared: Set<Profile>, at location: String, fix: (Set<Profile>) -> String
    ) -> InputProblem? {
        let alone = declared.filter { $0.needed.map { !declared.contains($0) } ?? false }.sorted()
        let missing = Set(alone.compactMap(\.needed))
        guard !missing.isEmpty else { return nil }
        let names = alone.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let needed = missing.sorted().map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return InputProblem(
            location: location,
            what:
                "\(names) need\(alone.count == 1 ? "s" : "") \(needed), which \(missing.count == 1 ? "is" : "are") not declared",
            expected: declared.union(missing).sorted().map(\.rawValue).joined(separator: ", "),
            fix: fix(missing))
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
