import HoldfastBasics
import HoldfastPlatform

/// An instant on two clocks, in microseconds.
struct Moment: Sendable, Equatable {
    /// Time that never goes back; measures ages and waits.
    var steady: Int
    /// Time since 1970, for people.
    var wall: Int
}

/// The time of day and the time that never goes back.
struct WallClock: Sendable {
    private let start = ContinuousClock.now

    /// This instant, on both clocks.
    var now: Moment { Moment(steady: steady(at: .now), wall: SystemClock.microseconds) }

    func steady(at instant: ContinuousClock.Instant) -> Int { (instant - start).microseconds }
}
