#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The time of day and the time that never goes back.
struct WallClock: Sendable {
    private let start = ContinuousClock.now

    /// This instant, on both clocks.
    var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Moment(steady: steady(at: .now), wall: Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000)
    }

    /// An instant on the clock that never goes back.
    func steady(at instant: ContinuousClock.Instant) -> Int {
        let passed = start.duration(to: instant).components
        return Int(passed.seconds) * 1_000_000 + Int(passed.attoseconds / 1_000_000_000_000)
    }
}
