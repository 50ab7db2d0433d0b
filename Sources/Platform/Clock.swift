import HoldfastCLibrary

/// Clocks missing from the standard library.
package enum SystemClock {
    /// The time of day, in microseconds since 1970.
    package static var microseconds: Int {
        let time = time(of: CLOCK_REALTIME)
        return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
    }

    /// The local time of day with milliseconds, such as `09:41:07.250`.
    package static var timeOfDay: String {
        let now = time(of: CLOCK_REALTIME)
        var (seconds, parts) = (now.tv_sec, tm())
        localtime_r(&seconds, &parts)
        let digits = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(digits.joined(separator: ":")).\(String(now.tv_nsec / 1_000_000 + 1000).dropFirst())"
    }

    /// The processor time of this thread, in seconds.
    package static var threadSeconds: Double {
        let time = time(of: CLOCK_THREAD_CPUTIME_ID)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time of this process, in milliseconds.
    package static var processMilliseconds: Int {
        let time = time(of: CLOCK_PROCESS_CPUTIME_ID)
        return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
    }

    private static func time(of clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
