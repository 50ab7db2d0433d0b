/// How long a run still takes, told from how long that took which is done.
///
/// Items are of kinds that take alike: a scenario that kills its server says nothing about one that asks a question. All
/// times are counted from the beginning of the run.
package struct TimeLeft: Sendable {
    /// What can be said.
    package enum Estimate: Sendable, Equatable {
        /// Everything that is left has been measured by its like.
        case about(Duration)
        /// Some of what is left is of a kind of which nothing is done yet.
        case moreThan(Duration)
    }

    private struct Kind {
        var waiting = 0
        var running: [String: Duration] = [:]
        var done = 0
        var spent = Duration.zero
        var began: Duration?
    }

    /// What is done before anything is said.
    private static let least = 3

    private let kindOf: [String: Int]
    private var kinds: [Int: Kind] = [:]

    /// Everything there is to do, by name, with its kind.
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

    /// An item has ended; one that never began was left out and took no time.
    package mutating func end(_ name: String, at now: Duration) {
        guard let kind = kindOf[name] else { return }
        guard let began = kinds[kind]?.running.removeValue(forKey: name) else {
            kinds[kind]?.waiting -= 1
            return
        }
        kinds[kind]?.done += 1
        kinds[kind]?.spent += now - began
    }

    /// An item has ended and waits to be done again; what it took counts for nothing.
    package mutating func repeatLater(_ name: String) {
        guard let kind = kindOf[name], kinds[kind]?.running.removeValue(forKey: name) != nil else { return }
        kinds[kind]?.waiting += 1
    }

    /// How long it still takes; nil while too little is known.
    package func estimate(at now: Duration) -> Estimate? {
        guard kinds.values.reduce(0, { $0 + $1.done }) >= Self.least else { return nil }
        let open = kinds.values.filter { $0.waiting + $0.running.count > 0 }
        let known = open.filter { $0.done > 0 }.compactMap { left($0, now) }
        guard let longest = known.max() ?? (open.isEmpty ? .zero : nil) else { return nil }
        return known.count == open.count ? .about(longest) : .moreThan(longest)
    }

    /// Kinds run side by side, each as many at a time as were seen to; nil when all that runs takes longer than its like did.
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
