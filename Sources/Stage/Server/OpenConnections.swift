import HoldfastPlatform

/// The connections of a whole run, across all scenarios.
///
/// A server that stops, restarts or is overloaded must end all its connections (LIVE-10). The others show whether it
/// did: if one survives, the server went on. A server that announces restarts in quick succession does not restart.
final class OpenConnections: Sendable {
    private struct Connection {
        /// The time of the opening, or of the greeting once there is one.
        var began: ContinuousClock.Instant
        var isGreeted = false
        var lastHeard: ContinuousClock.Instant
        var hasEnded = false
        /// The time at which the server announced on it that it stops, restarts or is overloaded.
        var goodbye: ContinuousClock.Instant?
    }

    private let all = Mutex<[Connection]>([])

    /// The longest time from the first to the last goodbye of a stopping server.
    static let longestStop = Duration.seconds(5)
    /// This many goodbyes within a minute, each to a connection that began after the previous one, are not restarts.
    static let maxRestarts = (count: 3, within: Duration.seconds(60))

    func add(openedAt time: ContinuousClock.Instant) -> Int {
        all.withLock { all in
            all.append(Connection(began: time, lastHeard: time))
            return all.count - 1
        }
    }

    /// Only the first greeting counts.
    func noteGreeting(_ number: Int, at time: ContinuousClock.Instant) {
        all.withLock { all in
            if !all[number].isGreeted { (all[number].began, all[number].isGreeted) = (time, true) }
        }
    }

    /// A goodbye does not count.
    func noteHeard(_ number: Int, at time: ContinuousClock.Instant) {
        all.withLock { $0[number].lastHeard = max($0[number].lastHeard, time) }
    }

    func noteEnd(_ number: Int) { all.withLock { $0[number].hasEnded = true } }

    func noteGoodbye(_ number: Int, at time: ContinuousClock.Instant) { all.withLock { $0[number].goodbye = time } }

    /// Whether the server went on after its goodbye to a connection: another connection, greeted before the goodbye,
    /// got a message after a stop would have been over.
    ///
    /// Waits for such a message while another connection is open, a little longer than ``longestStop``.
    ///
    /// * `ask`: Makes the server send something on connections that are still open; called repeatedly.
    func wentOn(after number: Int, asking ask: @Sendable () async -> Void = {}) async -> Bool {
        while true {
            let (goodbye, isShown, isOpen) = all.withLock { all in
                let goodbye = all[number].goodbye ?? .now
                let old = all.filter { $0.isGreeted && $0.began < goodbye }
                let isShown =
                    old.contains { $0.lastHeard > goodbye + Self.longestStop } || Self.isOneOfMany(number, all)
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
    private static func isOneOfMany(_ number: Int, _ all: [Connection]) -> Bool {
        guard let goodbye = all[number].goodbye else { return false }
        var (count, first, areGreeted) = (1, all[number], true)
        while let before = all.filter({ $0.goodbye.map { $0 < first.began } ?? false })
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
