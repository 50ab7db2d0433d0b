import Holdfast

/// What one server was told to be, without host, port and folder.
struct CoreRules: Sendable {
    var principalsByToken: [String: String] = [:]
    /// Whose the data is when nobody is asked for a token.
    var anonymous = "anonymous"
    var requiresAuth = false
    /// The profiles it keeps of those that nothing else has to be set up for.
    var keeps: Set<Profile> = [.sync]
    var replayFrames = 1000
    var replaySeconds = 3600
    /// More than is promised, so that there is a replay that does not fit into one message.
    var replayBytes = 4 << 20
    var messagesPerMinute: Int?
    /// The window that the budget holds for, in milliseconds.
    var rateWindowMs = 60_000
    var maxFrameBytes = 983_040
    /// The most bytes of a frame that is sent; what is larger, a phone refuses by closing.
    var maxSentBytes = 1_048_576
    var heartbeatSeconds = 30
    /// How long a socket may take to say who it is, in milliseconds.
    var authMs = 10_000
    /// Device tokens by the principal whose devices they are.
    var devices: [String: [String]] = [:]
    /// The one epoch there can be, where the wire has no word for epochs; nil where each run names its own.
    var onlyEpoch: String?
    /// Whether frames keep their numbers over a start, which a wire without epochs asks for (SYNC-5).
    var keepsStream = false
    /// Whether a `sync` can name an epoch; where it cannot, it is about the one there is.
    var namesEpochs = true
    /// Whether an answer to a `sync` can say that it is one page of several; where it cannot, there is one page.
    var hasPages = true
    /// The frames of a turn that the wire has no word for; they take no number and no place in a replay.
    var unsaidFrames: Set<String> = []
    var variations: Set<Variation> = []
    /// Whether turns of different sessions wait for each other; no healthy server has that, and nothing around it can bring it
    /// about, because a turn starts in the same step in which another one ends.
    var hasOneLine = false
    /// Whether a bad token in an upgrade is refused there, and not in `auth` alone.
    var checksUpgrades = true
    /// What a connection is closed with when the server stops.
    var goodbye: UInt16 = 1001
    /// How long the push service may take, in seconds; the real one answers within one.
    var pushSeconds = 10

    /// The principal a token proves; without profile `auth` any token, or none, will do.
    func principal(token: String?) -> String? {
        guard requiresAuth else { return anonymous }
        return token.flatMap { principalsByToken[$0] }
    }

    /// How times are written.
    var timeStyle: Timestamp.Style {
        variations.contains(.wholeSeconds) ? .wholeSeconds : variations.contains(.otherZone) ? .otherZone : .usual
    }

    /// The profiles beyond `core`, as `connected` lists them.
    var capabilities: [String] {
        var kept = keeps
        if messagesPerMinute != nil { kept.insert(.rateLimit) }
        if requiresAuth { kept.insert(.auth) }
        if !devices.isEmpty { kept.insert(.push) }
        return kept.sorted().map(\.rawValue)
    }
}
