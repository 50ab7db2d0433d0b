/// Estimates the remaining time of a run from the durations so far.
///
/// Items of one kind take similar times: a scenario that kills its server says nothing about one that asks a question.
/// All times count from the start of the run.
package struct TimeLeft: Sendable {
    package enum Estimate: Sendable, Equatable {
        /// All remaining kinds have been measured.
        case about(Duration)
        /// Some remaining kinds have not been measured.
        case moreThan(Duration)
    }

    private struct Kind {
        var waiting = 0
        var running: [String: Duration] = [:]
        var done = 0
        var spent = Duration.zero
        var began: Duration?
    }

    /// The minimum number of completed items for an estimate.
    private static let least = 3

    private let kindOf: [String: Int]
    private var kinds: [Int: Kind] = [:]

    package init(_ items: [String: Int]) {
        kindOf = items
        for kind in items.values { kinds[kind, default: Kind()].waiting += 1 }
    }

    package mutating func begin(_ name: String, at now: Duration) {
        guard let kind = kindOf[name], kinds[kind]?.running[name] == nil else { return }
        kinds[kind]?.waiting -= 1
        kinds[kind]?.running[name] = now
        if kinds[kind]?.began == nil { kinds[kind]?.began = now }
    }

    /// An item ended; one that never started was skipped.
    package mutating func end(_ name: String, at now: Duration) {
        guard let kind = kindOf[name] else { return }
        guard let began = kinds[kind]?.running.removeValue(forKey: name) else {
            kinds[kind]?.waiting -= 1
            return
        }
        kinds[kind]?.done += 1
        kinds[kind]?.spent += now - began
    }

    /// An item ended and will be repeated; its time does not count.
    package mutating func repeatLater(_ name: String) {
        guard let kind = kindOf[name], kinds[kind]?.running.removeValue(forKey: name) != nil else { return }
        kinds[kind]?.waiting += 1
    }

    /// The estimated time left; nil if there is too little data.
    package func estimate(at now: Duration) -> Estimate? {
        guard kinds.values.reduce(0, { $0 + $1.done }) >= Self.least else { return nil }
        let open = kinds.values.filter { $0.waiting + $0.running.count > 0 }
        let known = open.filter { $0.done > 0 }.compactMap { left($0, now) }
        guard let longest = known.max() ?? (open.isEmpty ? .zero : nil) else { return nil }
        return known.count == open.count ? .about(longest) : .moreThan(longest)
    }

    /// The time for a kind, assuming its observed concurrency; nil if all running items take longer than usual.
    private func left(_ kind: Kind, _ now: Duration) -> Duration? {
        let mean = kind.spent / kind.done
        let rests = kind.running.values.map { max(.zero, mean - (now - $0)) }
        guard kind.waiting > 0 else { return rests.max().flatMap { $0 > .zero ? $0 : nil } }
        let worked = kind.spent + kind.running.values.reduce(.zero) { $0 + (now - $1) }
        let passed = now - (kind.began ?? .zero)
        let atOnce = passed > .zero ? max(1, worked / passed) : 1
        return (mean * kind.waiting + rests.reduce(.zero, +)) / atOnce
    }
}
