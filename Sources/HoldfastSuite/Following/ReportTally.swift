import Holdfast
import HoldfastPlatform

/// Counts the reports of each clause that is violated repeatedly: the first few are explained, the others only counted.
package final class ReportTally: Sendable {
    package enum Detail: Sendable, Equatable {
        case explained
        /// One line a minute for a clause that was already explained, with the number left out since its last report.
        case brief(leftOut: Int)
        case counted
    }

    private struct Count {
        var all = 0
        var withdrawn = 0
        var leftOut = 0
        var reportedAt: ContinuousClock.Instant
    }

    private static let maxExplained = 3
    private let counts = Mutex<[ClauseID: Count]>([:])

    package init() {}

    /// Counts one more finding, and decides how to report it.
    package func take(_ clause: ClauseID, at now: ContinuousClock.Instant = .now) -> Detail {
        counts.withLock { counts in
            var count = counts[clause] ?? Count(reportedAt: now)
            defer { counts[clause] = count }
            count.all += 1
            let isExplained = count.all <= Self.maxExplained
            guard isExplained || now - count.reportedAt >= .seconds(60) else {
                count.leftOut += 1
                return .counted
            }
            defer { (count.leftOut, count.reportedAt) = (0, now) }
            return isExplained ? .explained : .brief(leftOut: count.leftOut)
        }
    }

    /// Withdraws a finding that later events cleared; the withdrawal is always reported.
    package func withdraw(_ clause: ClauseID) -> Detail {
        counts.withLock { $0[clause]?.withdrawn += 1 }
        return .explained
    }

    /// The number of findings not withdrawn, for each clause with more findings than were explained.
    package var totals: [ClauseID: Int] {
        let many = counts.withLock { $0.filter { $0.value.all > Self.maxExplained } }
        return many.mapValues { $0.all - $0.withdrawn }.filter { $0.value > 0 }
    }
}
