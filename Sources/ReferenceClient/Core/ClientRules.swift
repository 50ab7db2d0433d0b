/// What one client was told to be: where its server is, who it is, and how long it waits for what.
///
/// Waits are in milliseconds of the client's own time; ``real(_:)`` divides them by the time scale. What a server tells
/// in a message (`retryAfterMs`, `Retry-After`) is not divided by anything.
package struct ClientRules: Sendable {
    /// The WebSocket.
    var url = "ws://127.0.0.1/ws"
    /// What the REST paths follow.
    var base = "http://127.0.0.1"
    /// What proves who this is.
    var token: String?
    /// How many times faster than people the client waits.
    var timeScale: Double = 1
    package var variations: Set<ClientVariation> = []
    /// Whether it keeps profile `client-sync`; without it every stream is one that nobody follows.
    package var followsStream = true
    /// The versions of the protocol that the client speaks, the one it likes best first.
    var versions: [Int] { variations.contains(.offersTheNextVersion) ? [2, 1] : [1] }

    /// From the attempt to `connected`; then it is a failed attempt.
    package var greeting = 15_000
    /// The longest first wait between attempts; each failure doubles it.
    var firstBackoff = 1_000
    /// No two attempts are further apart.
    var longestBackoff = 30_000
    /// No two attempts by themselves are closer together.
    var shortestBackoff = 100
    /// After so many attempts in a minute, each waits for at least so long after the one before, whatever they brought.
    var quickAttempts = 8
    var steadyBackoff = 5_000
    /// At most so many attempts in a minute.
    var attemptsPerMinute = 19
    /// From a question to a sign that it arrived; then its connection is dead.
    var sign = 15_000
    /// How long a server remembers the key of a question at least (IDEM-6).
    var keyMemory = 86_400_000
    /// Between two reads while an answer is awaited.
    var pollInterval = 5_000
    /// The most reads for one answer, and how long they go on.
    var pollReads = 12
    var pollTime = 60_000
    /// Between two looks at the list while there is no socket.
    var degradedInterval = 25_000
    /// For the answer to a read.
    var read = 30_000
    /// For the answer to a question over REST, which comes when the turn ends.
    var post = 300_000
    /// Without a frame of a running turn for so long, the client asks; before that nothing is called failed while its
    /// connection stands (CLIENT-31).
    var turnSilence = 65_000
    /// Without anything on the connection for so long while a turn is awaited, it is dead; after half of it a ping
    /// asks.
    var connectionSilence = 60_000

    package init(
        url: String = "ws://127.0.0.1/ws", base: String = "http://127.0.0.1", token: String? = nil,
        timeScale: Double = 1
    ) {
        (self.url, self.base, self.token, self.timeScale) = (url, base, token, timeScale)
    }

    /// Milliseconds on the wall clock for a wait of the client's own.
    package func real(_ milliseconds: Int) -> Int { max(1, Int(Double(milliseconds) / max(1, timeScale))) }
}
