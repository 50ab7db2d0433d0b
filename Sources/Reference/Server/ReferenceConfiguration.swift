import Holdfast
import HoldfastTransport

/// Everything a reference server can be told.
package struct ReferenceConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    package var port = 0
    /// The folder for the records; it is created when it does not exist, and one server at a time uses it.
    package var dataFolder: String
    /// Who may come, and what proves it; the first is whose data it is when nobody is asked for a token.
    package var principals: [(name: String, token: String)]
    /// Whether the server keeps profile `auth`: without a valid token nothing is run and nothing is shown.
    package var requiresAuth: Bool
    /// The profiles it keeps of those that nothing else has to be set up for.
    package var keeps: Set<Profile> = [.sync]
    /// The most frames kept for replay, for each principal.
    package var replayFrames = 1000
    /// How long a frame is kept for replay, in seconds.
    var replaySeconds = 3600
    /// The questions a principal may ask in any minute; nil for no bound, and then profile `rate-limit` is not kept.
    package var messagesPerMinute: Int?
    /// The window that this holds for, in seconds; less than a minute for tests only, and told as `windowMs`.
    package var rateWindowSeconds = 60
    /// The largest message taken, in bytes.
    ///
    /// The default stays below one MiB, the most a server may send, because a question of the largest size comes back to the
    /// other devices with its ids around it.
    package var maxFrameBytes = 983_040
    /// How often a silent peer is asked for a sign of life, in seconds; after two and a half of these without one
    /// it is gone.
    package var heartbeatSeconds = 30
    /// How long a connection may take to say who it is, in seconds.
    package var authSeconds = 10
    package var dialect = Dialect.canonical
    package var defects: Set<Defect>
    /// What this server does differently and rightly.
    package var variations: Set<Variation> = []
    /// Takes the notices for answers that nobody took live; nil when there is none, and then profile `push` is not kept.
    package var push: PushService?
    /// What the agent says, where that is not an echo.
    package var replies = Replies()
    /// Sees everything on the wire, and may interfere.
    package var watcher: (any ServerWatcher)?
    /// Ends this process, for defects that do; without it the server falls silent like one whose process ended.
    package var endsProcess: (@Sendable () -> Void)?
    /// Takes lines for people; they hold no tokens and no texts of conversations.
    package var log: (@Sendable (String) -> Void)?

    /// A healthy server for one principal without a token.
    package init(
        dataFolder: String, principals: [(name: String, token: String)] = [], requiresAuth: Bool = false,
        defects: Set<Defect> = []
    ) {
        (self.dataFolder, self.principals) = (dataFolder, principals)
        (self.requiresAuth, self.defects) = (requiresAuth, defects)
    }

    package var socketPath: String { dialect.socketPath ?? "/ws" }

    /// The largest message that this server takes, in bytes.
    package var messageLimit: Int { variations.contains(.smallMessages) ? min(2048, maxFrameBytes) : maxFrameBytes }

    /// The edge to the wire of its dialect; nil where the wire is the specification's own.
    var edge: WireEdge? { dialect.isCanonical ? nil : WireEdge(dialect: dialect) }

    var rules: CoreRules {
        let devices = Dictionary(grouping: push?.devices ?? [], by: \.principal).mapValues { $0.map(\.token) }
        return CoreRules(
            principalsByToken: Dictionary(
                principals.map { ($0.token, $0.name) }, uniquingKeysWith: { first, _ in first }),
            anonymous: principals.first?.name ?? "anonymous",
            // Where a wire has no place for a key, nobody can be asked for one.
            requiresAuth: requiresAuth && dialect.credential != .none, keeps: keeps,
            replayFrames: variations.contains(.noReplay) ? 0 : replayFrames,
            replaySeconds: replaySeconds, messagesPerMinute: messagesPerMinute,
            rateWindowMs: max(1, rateWindowSeconds) * 1000, maxFrameBytes: messageLimit,
            heartbeatSeconds: heartbeatSeconds, authMs: authSeconds * 1000, devices: devices,
            onlyEpoch: edge?.onlyEpoch, keepsStream: edge?.onlyEpoch != nil, namesEpochs: edge?.namesEpochs ?? true,
            hasPages: edge?.hasPages ?? true,
            unsaidFrames: edge?.unsaidFrames ?? [], variations: variations,
            // Who breaks the handshake has to come to it.
            checksUpgrades: defects.isEmpty && !variations.contains(.refusesAfterUpgrade),
            goodbye: variations.contains(.restartCode) ? 1012 : 1001
        ).broken(by: defects)
    }
}
