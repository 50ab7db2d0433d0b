import HoldfastPlatform

/// Measures work by the processor time of this thread, which other programs do not lengthen.
enum Stopwatch {
    static var now: Double { SystemClock.threadSeconds }

    /// Repetitions of a piece of work per second: the median of the runs, each of which takes `seconds`.
    static func rate(runs: Int = 7, seconds: Double = 0.2, of work: () -> Void) -> Double {
        work()
        var batch = 1
        let rates = (0..<runs).map { _ in
            var done = 0
            let start = now
            var end = start
            while end - start < seconds {
                for _ in 0..<batch { work() }
                done += batch
                end = now
                // Looking at the clock costs as much as a small message: look rarely.
                if (end - start) / Double(done) * Double(batch) < 0.002 { batch *= 2 }
            }
            return Double(done) / (end - start)
        }
        return median(rates)
    }

    static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}
