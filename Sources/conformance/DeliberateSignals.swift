import Synchronization

/// Tells a signal that somebody meant from the echo of the one before.
final class DeliberateSignals: Sendable {
    /// What a signal means.
    enum Meaning {
        /// End in order.
        case first
        /// The same once more: it came so soon that nobody can have waited for the first one.
        case echo
        /// End at once.
        case second
    }

    /// For so long after the first one, others are its echo.
    static let echo = Duration.seconds(1)

    private let first = Mutex<ContinuousClock.Instant?>(nil)

    /// Notes a signal that came at a moment.
    func note(at now: ContinuousClock.Instant) -> Meaning {
        first.withLock { first in
            guard let begin = first else {
                first = now
                return .first
            }
            return now - begin < Self.echo ? .echo : .second
        }
    }
}
