/// The configuration of a client: its server, its identity, and its waits.
///
/// Waits are in milliseconds of the client's own time; ``real(_:)`` divides them by the time scale. Times from the
/// server (`retryAfterMs`, `Retry-After`) are not scaled.
package struct ClientRules: Sendable {
    var url = "ws://127.0.0.1/ws"
    var base = "http://127.0.0.1"
    var token: String?
    var timeScale: Double = 1
    package var variations: Set<ClientVariation> = []
    /// Whether it keeps profile `client-sync`; otherwise it ignores the stream of every server.
    package var followsStream = true
    /// The protocol versions it speaks, most preferred first.
    var versions: [Int] { variations.contains(.offersTheNextVersion) ? [2, 1] : [1] }

    /// The time from an attempt to `connected`; after that, the attempt has failed.
    package var greeting = 15_000
    /// The upper limit of the first wait between attempts; it doubles after each failure.
    var firstBackoff = 1_000
    var longestBackoff = 30_000
    var shortestBackoff = 100
    /// The number of attempts in a minute after which they are spaced evenly, whatever their outcome.
    var quickAttempts = 8
    var steadyBackoff = 5_000
    var attemptsPerMinute = 19
    /// The time in which the server must confirm a question; after that, its connection counts as dead.
    var confirmation = 15_000
    /// The shortest time for which a server remembers a question's key (IDEM-6).
    var keyMemory = 86_400_000
    /// The interval between reads while an answer is awaited.
    var pollInterval = 5_000
    /// The maximum number of reads for one answer, and their total time.
    var pollReads = 12
    var pollTime = 60_000
    /// The interval between reads of the list while there is no socket.
    var degradedInterval = 25_000
    var read = 30_000
    /// The timeout of a question over REST, which is answered when its turn ends.
    var post = 300_000
    /// The silence of a running turn after which the client reads; before that, it shows no failure while the
    /// connection lasts (CLIENT-31).
    var turnSilence = 65_000
    /// A connection silent for this long while a turn is awaited counts as dead; after half of it, a ping is sent.
    var connectionSilence = 60_000

    package init(
        url: String = "ws://127.0.0.1/ws", base: String = "http://127.0.0.1", token: String? = nil,
        timeScale: Double = 1
    ) {
        (self.url, self.base, self.token, self.timeScale) = (url, base, token, timeScale)
    }

    package func real(_ milliseconds: Int) -> Int { max(1, Int(Double(milliseconds) / max(1, timeScale))) }
}
