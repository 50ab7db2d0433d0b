import Holdfast

/// The configuration of a server, without host, port and folder.
struct CoreRules: Sendable {
    var principalsByToken: [String: String] = [:]
    /// The owner of the data if no token is required.
    var anonymous = "anonymous"
    var requiresAuth = false
    /// The profiles it keeps, apart from those that need further setup.
    var keeps: Set<Profile> = [.sync]
    var replayFrames = 1000
    var replaySeconds = 3600
    /// More than one message can hold, so that a replay can have several pages.
    var replayBytes = 4 << 20
    var messagesPerMinute: Int?
    var rateWindowMs = 60_000
    var maxFrameBytes = 983_040
    /// In bytes; a phone closes the connection on a larger frame.
    var maxSentBytes = 1_048_576
    var heartbeatSeconds = 30
    /// In milliseconds.
    var authMs = 10_000
    var devices: [String: [String]] = [:]
    /// The fixed epoch of a wire without epochs; nil if each run has its own.
    var onlyEpoch: String?
    /// Whether frames keep their numbers across restarts, as a wire without epochs requires (SYNC-5).
    var keepsStream = false
    /// Whether a `sync` can name an epoch; otherwise it means the only one.
    var namesEpochs = true
    /// Whether the answer to a `sync` can say that more pages follow; otherwise there is one page.
    var hasPages = true
    /// Frames of a turn that the wire cannot express; they get no number and no place in a replay.
    var inexpressibleFrames: Set<String> = []
    var variations: Set<Variation> = []
    /// Whether turns of different sessions wait for each other.
    ///
    /// A setting of the core, not a layer around it, because a turn starts in the step in which another one ends.
    var sharesOneQueue = false
    /// Whether an upgrade with a bad token is refused, rather than the `auth` after it.
    var checksUpgrades = true
    var stopCode: UInt16 = 1001
    /// The timeout of a push in seconds; the real push service answers within one.
    var pushSeconds = 10

    /// Without profile `auth`, any token or none is accepted.
    func principal(token: String?) -> String? {
        guard requiresAuth else { return anonymous }
        return token.flatMap { principalsByToken[$0] }
    }

    var timeStyle: Timestamp.Style {
        variations.contains(.wholeSeconds) ? .wholeSeconds : variations.contains(.otherZone) ? .otherZone : .usual
    }

    /// The profiles beyond `core`, as listed in `connected`.
    var capabilities: [String] {
        var kept = keeps
        if messagesPerMinute != nil { kept.insert(.rateLimit) }
        if requiresAuth { kept.insert(.auth) }
        if !devices.isEmpty { kept.insert(.push) }
        return kept.sorted().map(\.rawValue)
    }
}
