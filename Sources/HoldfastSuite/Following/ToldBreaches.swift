import Holdfast
import HoldfastPlatform

/// The number of reports of each clause that is violated repeatedly: the first few are explained, the others counted.
package final class ToldBreaches: Sendable {
    /// How much of a finding to report.
    package enum Telling: Sendable, Equatable {
        case explained
        /// One line a minute for a clause that was explained, with how many findings were left out since the last.
        case brief(leftOut: Int)
        case counted
    }

    private struct Count {
        var all = 0
        var leftOut = 0
        var toldAt: ContinuousClock.Instant
    }

    private static let most = 3
    private let counts = Mutex<[ClauseID: Count]>([:])

    package init() {}

    /// Takes one more finding.
    package func take(_ clause: ClauseID, at now: ContinuousClock.Instant = .now) -> Telling {
        counts.withLock { counts in
            var count = counts[clause] ?? Count(toldAt: now)
            defer { counts[clause] = count }
            count.all += 1
            let isExplained = count.all <= Self.most
            guard isExplained || now - count.toldAt >= .seconds(60) else {
                count.leftOut += 1
                return .counted
            }
            defer { (count.leftOut, count.toldAt) = (0, now) }
            return isExplained ? .explained : .brief(leftOut: count.leftOut)
        }
    }

    /// How many findings of each clause were not shown.
    package var rest: [ClauseID: Int] {
        counts.withLock { $0.filter { $0.value.all > Self.most }.mapValues { $0.all - Self.most } }
    }
}
