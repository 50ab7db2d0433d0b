import Holdfast
import HoldfastTransport

package struct ReferenceConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    package var port = 0
    /// The folder for the records; it is created if missing, and only one server may use it at a time.
    package var dataFolder: String
    /// The principals and their tokens; without profile `auth`, the first one owns all data.
    package var principals: [(name: String, token: String)]
    /// Whether the server keeps profile `auth`: without a valid token, it runs and shows nothing.
    package var requiresAuth: Bool
    /// The profiles it keeps, apart from those that need further setup.
    package var keeps: Set<Profile> = [.sync]
    package var replayFrames = 1000
    /// The time for which a frame is kept for replay.
    var replaySeconds = 3600
    /// The questions a principal may ask per minute; nil for no limit and no profile `rate-limit`.
    package var messagesPerMinute: Int?
    /// The length of that window in seconds, announced as `windowMs`; less than a minute is for tests only.
    package var rateWindowSeconds = 60
    /// The largest message to accept, in bytes.
    ///
    /// The default is less than the 1 MiB that a server may send, because the largest question is echoed to other
    /// devices with ids around it.
    package var maxFrameBytes = 983_040
    /// After two and a half intervals without a sign of life, a peer counts as gone.
    package var heartbeatSeconds = 30
    /// The time in which a connection must authenticate, in seconds.
    package var authSeconds = 10
    package var dialect = Dialect.canonical
    package var defects: Set<Defect>
    package var variations: Set<Variation> = []
    /// Receives the notices for answers that no device received live; nil for no profile `push`.
    package var push: PushService?
    /// The agent's replies; without one, it echoes.
    package var replies = Replies()
    /// Sees all traffic, and may interfere.
    package var watcher: (any ServerWatcher)?
    /// Ends this process, for defects that need it; without it, the server only falls silent.
    package var endsProcess: (@Sendable () -> Void)?
    /// Receives human-readable log lines, which contain no tokens and no conversations.
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

    package var messageLimit: Int { variations.contains(.smallMessages) ? min(2048, maxFrameBytes) : maxFrameBytes }

    /// Translates the wire of its dialect; nil if the wire is the specification's own.
    var edge: WireEdge? { dialect.isCanonical ? nil : WireEdge(dialect: dialect) }

    var rules: CoreRules {
        let devices = Dictionary(grouping: push?.devices ?? [], by: \.principal).mapValues { $0.map(\.token) }
        return CoreRules(
            principalsByToken: Dictionary(
                principals.map { ($0.token, $0.name) }, uniquingKeysWith: { first, _ in first }),
            anonymous: principals.first?.name ?? "anonymous",
            // A wire without a place for a credential cannot require one.
            requiresAuth: requiresAuth && dialect.credential != .none, keeps: keeps,
            replayFrames: variations.contains(.noReplay) ? 0 : replayFrames,
            replaySeconds: replaySeconds, messagesPerMinute: messagesPerMinute,
            rateWindowMs: max(1, rateWindowSeconds) * 1000, maxFrameBytes: messageLimit,
            heartbeatSeconds: heartbeatSeconds, authMs: authSeconds * 1000, devices: devices,
            onlyEpoch: dialect.onlyEpoch, keepsStream: dialect.onlyEpoch != nil, namesEpochs: edge?.namesEpochs ?? true,
            hasPages: edge?.hasPages ?? true,
            inexpressibleFrames: edge?.inexpressibleFrames ?? [], variations: variations,
            // Defects of the handshake need an accepted upgrade.
            checksUpgrades: defects.isEmpty && !variations.contains(.refusesAfterUpgrade),
            stopCode: variations.contains(.restartCode) ? 1012 : 1001
        ).broken(by: defects)
    }
}
