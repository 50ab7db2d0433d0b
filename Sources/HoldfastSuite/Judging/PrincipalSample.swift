import Holdfast
import HoldfastBasics
import HoldfastCaptures
import HoldfastTranscript

/// Keeps the whole histories of one in `count` principals.
///
/// A connection may show its principal only later, in its `auth`. Until then its events wait, and all later events with
/// them, so that the order is kept.
package struct PrincipalSample {
    private let count: Int
    private var lanes: [Lane: (isKept: Bool, lastUse: Int)] = [:]
    private var waiting: [CaptureItem] = []
    private var waitingBytes = 0
    /// The number of events so far.
    private var clock = 0
    /// The maximum number of events, and roughly of bytes, that wait for a principal.
    private static let (maxItems, maxBytes) = (2000, 8 << 20)
    /// The number of lanes that are remembered: the most recently used ones.
    private static let maxLanes = 20_000

    init(oneIn count: Int) { self.count = max(1, count) }

    /// The count in a fraction such as `1/10`, from `--sample`.
    package static func count(_ text: String) throws(InputProblem) -> Int {
        guard text.hasPrefix("1/"), let count = Int(text.dropFirst(2)), (1...1_000_000).contains(count) else {
            throw InputProblem(
                "--sample", "'\(text)' is not a fraction 1/N", expected: "1/N with N from 1 to 1000000, such as 1/10",
                fix: "correct it, or remove the flag")
        }
        return count
    }

    mutating func take(_ item: CaptureItem) -> [CaptureItem] {
        switch item {
        case .header:
            defer { lanes = [:] }
            return rest() + [item]
        case .gap: break
        case .event(let event, _):
            waitingBytes += event.size
            note(event)
        }
        waiting.append(item)
        return passed(isLast: false)
    }

    mutating func rest() -> [CaptureItem] { passed(isLast: true) }

    private mutating func passed(isLast: Bool) -> [CaptureItem] {
        var passed: [CaptureItem] = []
        var done = 0
        for item in waiting {
            if case .event(let event, _) = item {
                let mustDecide = isLast || waiting.count - done > Self.maxItems || waitingBytes > Self.maxBytes
                if mustDecide, lanes[event.lane] == nil { decide(event.lane, isChosen("\(event.lane)")) }
                guard let lane = lanes[event.lane] else { break }
                waitingBytes -= event.size
                if lane.isKept { passed.append(item) }
            } else {
                passed.append(item)
            }
            done += 1
        }
        waiting.removeFirst(done)
        return passed
    }

    private mutating func note(_ event: Event) {
        clock += 1
        lanes[event.lane]?.lastUse = clock
        switch (event.lane, event.kind) {
        case (.connection, .opening(let opening)):
            lanes[event.lane] = nil
            if !opening.principal.hasPrefix("unknown") { decide(event.lane, isChosen(opening.principal)) }
        case (.connection, .act("belongs", let details)):
            guard lanes[event.lane] == nil, let owner = details["to"]?.stringValue else { break }
            decide(event.lane, isChosen(owner))
        case (.connection, .close), (.connection, .eof), (.connection, .refused):
            if lanes[event.lane] == nil { decide(event.lane, isChosen("\(event.lane)")) }
        case (.connection, _): break
        case (.exchange, .request(let request)): decide(event.lane, request.principal.map(isChosen) ?? true)
        case (.exchange, _): break
        default: decide(event.lane, true)
        }
    }

    private mutating func decide(_ lane: Lane, _ isKept: Bool) {
        lanes[lane] = (isKept, clock)
        lanes.dropOldest(beyond: Self.maxLanes, by: \.lastUse)
    }

    /// Whether a principal is in the sample: the same answer in every run.
    private func isChosen(_ name: String) -> Bool {
        // FNV-1a.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return (hash ^ hash >> 32) % UInt64(count) == 0
    }
}
