import HoldfastBasics
import HoldfastPlatform

/// An instant on two clocks, in microseconds.
struct Moment: Sendable, Equatable {
    /// Monotonic time, for ages and waits.
    var steady: Int
    /// Time since 1970, for timestamps.
    var wall: Int
}

struct WallClock: Sendable {
    private let start = ContinuousClock.now

    var now: Moment { Moment(steady: steady(at: .now), wall: SystemClock.microseconds) }

    func steady(at instant: ContinuousClock.Instant) -> Int { (instant - start).microseconds }
}
