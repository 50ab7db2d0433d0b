/// The time that counts for a bound: it passes more slowly while the machine is late.
///
/// What a subject does in time on an idle machine, it does in time by this clock on a busy one.
public struct PatientClock: Sendable {
    private let stretches: [History.Lateness]
    /// What had not counted by the end of each of them, in microseconds.
    private let spared: [Int]

    /// A clock for these stretches of time, which do not overlap and come in order.
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

    /// How much counts of the time up to a moment, both in microseconds since recording began.
    public func time(at moment: Int) -> Int {
        let begun = stretches.boundary { $0.from >= moment }
        guard begun > 0 else { return moment }
        let before = begun > 1 ? spared[begun - 2] : 0
        return moment - before - stretches[begun - 1].spared(upTo: moment)
    }

    /// Whether the machine was late at some time between two moments.
    public func wasLate(from start: Int, to end: Int) -> Bool {
        end - start > time(at: end) - time(at: start)
    }
}

extension History.Header {
    /// How long the machine was late in all.
    public var timeLate: Duration { .microseconds(lateness.reduce(0) { $0 + $1.to - $1.from }) }
}

extension History {
    /// A stretch of time in which the machine was late.
    public struct Lateness: Sendable, Equatable {
        /// Its beginning, in microseconds since recording began.
        public var from: Int
        /// Its end.
        public var to: Int
        /// How many times more slowly bounds pass in it.
        public var slowness: Int

        /// A stretch with how slow it was.
        public init(from: Int, to: Int, slowness: Int) { (self.from, self.to, self.slowness) = (from, to, slowness) }

        /// A stretch with the share of it that the process waited to be woken; nil where that is as usual.
        ///
        /// Whatever a subject does takes many such steps, one after the other, and so it is later than the share alone says.
        public init?(from: Int, to: Int, lost: Double) {
            guard lost >= 0.05 else { return nil }
            self.init(from: from, to: to, slowness: min(Self.most, Int((1 + 10 * lost).rounded())))
        }

        /// The most that bounds are stretched.
        public static let most = 10

        /// What of it does not count, up to a moment.
        func spared(upTo moment: Int) -> Int {
            let length = max(0, min(moment, to) - from)
            return length - length / max(1, slowness)
        }
    }
}
