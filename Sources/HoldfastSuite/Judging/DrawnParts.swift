import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastReport

/// The parts of captures that a page draws: as many as fit, those with findings first.
struct DrawnParts: Sendable {
    private struct Entry {
        let order: (rank: Int, file: Int, number: Int)
        let result: ScenarioResult
    }

    private var entries: [Entry] = []
    private var events = 0
    private(set) var count = 0
    /// The maximum number of events that are kept, unless one part alone has more.
    private static let maxEvents = 40_000

    var results: [ScenarioResult] {
        entries.sorted { ($0.order.file, $0.order.number) < ($1.order.file, $1.order.number) }.map(\.result)
    }

    static func name(of number: Int, in file: String) -> String { number == 1 ? file : "\(file), part \(number)" }

    mutating func add(_ unit: JudgeSource.Unit, name: String, _ verdicts: [Verdict], isOfInterest: Bool) {
        count += 1
        let found = Set(verdicts.filter { !$0.findings.isEmpty }.map(\.outcome))
        let rank = found.contains(.violation) ? 0 : !found.isEmpty || isOfInterest ? 1 : 2
        let result = ScenarioResult(
            name: Self.name(of: unit.number, in: name), history: unit.history, verdicts: verdicts)
        entries.append(Entry(order: (rank, unit.file, unit.number), result: result))
        entries.sort { $0.order < $1.order }
        events += unit.history.events.count
        while events > Self.maxEvents, entries.count > 1, let last = entries.popLast() {
            events -= last.result.history.events.count
        }
    }
}
