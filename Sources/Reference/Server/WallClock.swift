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
        let steady = start.duration(to: .now).components
        return Moment(
            steady: Int(steady.seconds) * 1_000_000 + Int(steady.attoseconds / 1_000_000_000_000),
            wall: Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000)
    }
}
