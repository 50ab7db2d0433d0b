import Foundation
import HoldfastPlatform

/// Measures work by the processor time of this thread, which other programs do not lengthen.
enum Stopwatch {
    static var now: Double { SystemClock.threadSeconds }

    /// Repetitions of a piece of work per second: the median of seven runs of 0.2 s each.
    static func rate(of work: () -> Void) -> Double {
        work()
        var batch = 1
        let rates = (0..<7).map { _ in
            var done = 0
            let start = now
            var end = start
            while end - start < 0.2 {
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

    static func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

    static func quantile(_ values: [Double], _ part: Double) -> Double {
        values.sorted()[min(values.count - 1, Int(Double(values.count) * part))]
    }
}

/// A failure that makes measurements meaningless.
struct BenchmarkProblem: Error, CustomStringConvertible {
    let description: String
}

/// A row of a table: its name, then numbers at the right of their columns.
func row(_ name: String, width: Int, _ cells: [String]) -> String {
    name.padding(toLength: width, withPad: " ", startingAt: 0)
        + cells.map { String("            \($0)".suffix(12)) }.joined()
}
