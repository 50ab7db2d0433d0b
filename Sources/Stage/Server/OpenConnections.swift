import HoldfastPlatform

/// The connections of a whole run, over all of its scenarios.
///
/// A server that stops, restarts or is overloaded ends all of its connections (LIVE-10). Whether it did is seen by the others:
/// one that lives on shows that the server went on, and no server restarts again and again.
final class OpenConnections: Sendable {
    private struct Life {
        /// When it was opened, and from its greeting on when it was greeted.
        var began: ContinuousClock.Instant
        var isGreeted = false
        var heard: ContinuousClock.Instant
        var hasEnded = false
        /// When the server said on it that it stops, restarts or is overloaded.
        var goodbye: ContinuousClock.Instant?
    }

    private let lives = Mutex<[Life]>([])

    /// How long a server that stops may take from its first goodbye to its last.
    static let longestStop = Duration.seconds(5)
    /// So many goodbyes within a minute, each to a connection that began after the one before, are no restarts.
    static let mostRestarts = (count: 3, within: Duration.seconds(60))

    /// Takes a connection that was opened at a moment, and gives it a number.
    func add(openedAt time: ContinuousClock.Instant) -> Int {
        lives.withLock { lives in
            lives.append(Life(began: time, heard: time))
            return lives.count - 1
        }
    }

    /// Notes that the server greeted a connection at a moment; only the first time counts.
    func noteGreeting(_ number: Int, at time: ContinuousClock.Instant) {
        lives.withLock { lives in
            if !lives[number].isGreeted { (lives[number].began, lives[number].isGreeted) = (time, true) }
        }
    }

    /// Notes that the server said something on a connection at a moment; its goodbye is nothing.
    func noteHeard(_ number: Int, at time: ContinuousClock.Instant) {
        lives.withLock { $0[number].heard = max($0[number].heard, time) }
    }

    /// Notes that nothing more is read from a connection.
    func noteEnd(_ number: Int) { lives.withLock { $0[number].hasEnded = true } }

    /// Notes that the server said goodbye on a connection.
    func noteGoodbye(_ number: Int, at time: ContinuousClock.Instant) { lives.withLock { $0[number].goodbye = time } }

    /// Whether the server went on after it had said goodbye to a connection: another one that it had greeted before spoke when
    /// a stop would have been over.
    ///
    /// Waits for such a sign while another connection is open, a little longer than ``longestStop``.
    ///
    /// * `ask`: Makes the server say something on connections that are still open; called again and again.
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

    /// Whether a goodbye is one of so many, one after the other, that no server restarts so often.
    ///
    /// A server that stops may turn away all who come meanwhile.
    private static func isOneOfMany(_ number: Int, _ lives: [Life]) -> Bool {
        guard let goodbye = lives[number].goodbye else { return false }
        var (count, first, areGreeted) = (1, lives[number], true)
        while let before = lives.filter({ $0.goodbye.map { $0 < first.began } ?? false })
            .max(by: { $0.began < $1.began }),
            let earlier = before.goodbye, goodbye - earlier < mostRestarts.within
        {
            areGreeted = areGreeted && first.isGreeted
            (count, first) = (count + 1, before)
            let isLonger = first.goodbye.map { goodbye - $0 > longestStop } ?? false
            if count >= mostRestarts.count, areGreeted || isLonger { return true }
        }
        return false
    }
}
