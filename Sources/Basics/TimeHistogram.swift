/// Counts times in buckets whose times differ by at most 1/32, so that percentiles of any number of times need little
/// memory and can be merged.
package struct TimeHistogram: Sendable, Equatable {
    /// The number of times in each nonempty bucket.
    package private(set) var counts: [Int: Int] = [:]
    package private(set) var count = 0

    package init() {}

    /// A histogram with these buckets; invalid ones are dropped.
    package init(counts: [Int: Int]) {
        for (bucket, count) in counts where (0..<Self.buckets).contains(bucket) && (1...1 << 40).contains(count) {
            self.counts[bucket] = count
            self.count += count
        }
    }

    /// The range in microseconds ends at an hour.
    private static let buckets = bucket(of: 3_600_000_000) + 1

    /// Adds a time in microseconds.
    package mutating func add(_ time: Int) {
        counts[min(Self.bucket(of: max(0, time)), Self.buckets - 1), default: 0] += 1
        count += 1
    }

    package mutating func add(_ other: TimeHistogram) {
        counts.merge(other.counts, uniquingKeysWith: +)
        count += other.count
    }

    /// The time in microseconds that a share of all times does not exceed; nil if the histogram is empty.
    package func percentile(_ share: Double) -> Int? {
        guard count > 0 else { return nil }
        var remaining = max(1, Int((Double(count) * share).rounded(.up)))
        for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
            remaining -= count
            if remaining <= 0 { return Self.end(of: bucket) }
        }
        return nil
    }

    /// The bucket of a time: exact below 64 µs, then 32 buckets for each doubling.
    package static func bucket(of time: Int) -> Int {
        guard time >= 64 else { return time }
        let shift = Int.bitWidth - 6 - time.leadingZeroBitCount
        return (shift << 5) + (time >> shift)
    }

    static func end(of bucket: Int) -> Int {
        guard bucket >= 64 else { return bucket }
        let shift = (bucket >> 5) - 1
        return ((bucket - (shift << 5) + 1) << shift) - 1
    }
}
