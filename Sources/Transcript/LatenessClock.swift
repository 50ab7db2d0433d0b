/// A clock for timeouts that slows down while the machine is late.
///
/// A subject that meets a deadline on an idle machine also meets it on a busy one, by this clock.
public struct LatenessClock: Sendable {
    private let stretches: [History.Lateness]
    /// The total time skipped up to the end of each stretch, in microseconds.
    private let spared: [Int]

    /// A clock for these periods, given in order; it ignores a period that overlaps an earlier one.
    public init(_ stretches: [History.Lateness]) {
        var end = 0
        let inOrder = stretches.filter { stretch in
            defer { end = max(end, stretch.to) }
            return stretch.from >= end && stretch.to > stretch.from
        }
        var sum = 0
        spared = inOrder.map { stretch in
            sum += stretch.spared(upTo: stretch.to)
            return sum
        }
        self.stretches = inOrder
    }

    /// The counted time up to a moment, both in microseconds since recording began.
    public func time(at moment: Int) -> Int {
        let begun = stretches.boundary { $0.from >= moment }
        guard begun > 0 else { return moment }
        let before = begun > 1 ? spared[begun - 2] : 0
        return moment - before - stretches[begun - 1].spared(upTo: moment)
    }

    /// Whether the machine was late at any time between two moments.
    public func wasLate(from start: Int, to end: Int) -> Bool { end - start > time(at: end) - time(at: start) }
}

extension History.Header {
    /// The total time during which the machine was late.
    public var timeLate: Duration { .microseconds(lateness.reduce(0) { $0 + $1.to - $1.from }) }
}

extension History {
    /// A period in which the machine was late.
    public struct Lateness: Sendable, Equatable {
        /// Its start, in microseconds since recording began.
        public var from: Int
        /// Its end.
        public var to: Int
        /// The factor by which the clock slows down.
        public var slowness: Int

        /// A period with its factor.
        public init(from: Int, to: Int, slowness: Int) { (self.from, self.to, self.slowness) = (from, to, slowness) }

        /// The factor for a period of which the process spent a share waiting to be scheduled; 1 if that is normal.
        ///
        /// A subject needs to be scheduled many times in a row, so the delay is larger than the share suggests.
        public static func slowness(losing share: Double) -> Int {
            share < 0.05 ? 1 : min(maxSlowness, Int((1 + 10 * share).rounded()))
        }

        /// The largest factor.
        public static let maxSlowness = 10

        /// The time skipped up to a moment.
        func spared(upTo moment: Int) -> Int {
            let length = max(0, min(moment, to) - from)
            return length - length / max(1, slowness)
        }
    }
}
