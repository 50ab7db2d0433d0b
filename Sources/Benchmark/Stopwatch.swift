import HoldfastPlatform

/// Measures work by the processor time of this thread, which other programs do not lengthen.
enum Stopwatch {
    /// Processor time of this thread, in seconds.
    static var now: Double { SystemClock.threadSeconds }

    /// How often per second a piece of work can be done: the median of some runs, each as long as said.
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
