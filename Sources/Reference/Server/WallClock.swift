import Platform

/// The time of day and the time that never goes back.
struct WallClock: Sendable {
    private let start = ContinuousClock.now

    /// This instant, on both clocks.
    var now: Moment { Moment(steady: steady(at: .now), wall: SystemClock.microseconds) }

    /// An instant on the clock that never goes back.
    func steady(at instant: ContinuousClock.Instant) -> Int {
        let passed = start.duration(to: instant).components
        return Int(passed.seconds) * 1_000_000 + Int(passed.attoseconds / 1_000_000_000_000)
    }
}
