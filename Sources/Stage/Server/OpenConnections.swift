import HoldfastPlatform

/// The connections of a whole run, across all scenarios.
///
/// A server that stops, restarts or is overloaded must end all its connections (LIVE-10). The others show whether it
/// did: if one survives, the server went on. A server that announces restarts in quick succession does not restart.
final class OpenConnections: Sendable {
    private struct Life {
        /// The time of the opening, or of the greeting once there is one.
        var began: ContinuousClock.Instant
        var isGreeted = false
        var heard: ContinuousClock.Instant
        var hasEnded = false
        /// The time at which the server announced on it that it stops, restarts or is overloaded.
        var goodbye: ContinuousClock.Instant?
    }

    private let lives = Mutex<[Life]>([])

    /// The longest time from the first to the last goodbye of a stopping server.
    static let longestStop = Duration.seconds(5)
    /// This many goodbyes within a minute, each to a connection that began after the previous one, are not restarts.
    static let maxRestarts = (count: 3, within: Duration.seconds(60))

    func add(openedAt time: ContinuousClock.Instant) -> Int {
        lives.withLock { lives in
            lives.append(Life(began: time, heard: time))
            return lives.count - 1
        }
    }

    /// Only the first greeting counts.
    func noteGreeting(_ number: Int, at time: ContinuousClock.Instant) {
        lives.withLock { lives in
            if !lives[number].isGreeted { (lives[number].began, lives[number].isGreeted) = (time, true) }
        }
    }

    /// A goodbye does not count.
    func noteHeard(_ number: Int, at time: ContinuousClock.Instant) {
        lives.withLock { $0[number].heard = max($0[number].heard, time) }
    }

    func noteEnd(_ number: Int) { lives.withLock { $0[number].hasEnded = true } }

    func noteGoodbye(_ number: Int, at time: ContinuousClock.Instant) { lives.withLock { $0[number].goodbye = time } }

    /// Whether the server went on after its goodbye to a connection: another connection, greeted before the goodbye,
    /// got a message after a stop would have been over.
    ///
    /// Waits for such a message while another connection is open, a little longer than ``longestStop``.
    ///
    /// * `ask`: Makes the server send something on connections that are still open; called repeatedly.
    func wentOn(after number: Int, asking ask: @Sendable () async -> Void = {}) async -> Bool {
        while true {
            let (goodbye, isShown, isOpen) = lives.withLock { lives in
                let goodbye = lives[number].goodbye ?? .now
                let old = lives.filter { $0.isGreeted && $0.began < goodbye }
                let isShown =
                    old.contains { $0.heard > goodbye + Self.longestStop } || Self.isOneOfMany(number, lives)
                return (goodbye, isShown, old.contains { !$0.hasEnded })
            }
            let isOver = ContinuousClock.now >= goodbye + Self.longestStop + .seconds(1)
            if isShown || isOver || !isOpen { return isShown }
            await ask()
            do { try await Task.sleep(for: .milliseconds(100), clock: .continuous) } catch { return false }
        }
    }

    /// Whether a goodbye is one of so many in a row that they cannot be restarts.
    ///
    /// A stopping server may refuse all connections that are opened meanwhile.
    private static func isOneOfMany(_ number: Int, _ lives: [Life]) -> Bool {
        guard let goodbye = lives[number].goodbye else { return false }
        var (count, first, areGreeted) = (1, lives[number], true)
        while let before = lives.filter({ $0.goodbye.map { $0 < first.began } ?? false })
            .max(by: { $0.began < $1.began }),
            let earlier = before.goodbye, goodbye - earlier < maxRestarts.within
        {
            areGreeted = areGreeted && first.isGreeted
            (count, first) = (count + 1, before)
            let isLonger = first.goodbye.map { goodbye - $0 > longestStop } ?? false
            if count >= maxRestarts.count, areGreeted || isLonger { return true }
        }
        return false
    }
}
