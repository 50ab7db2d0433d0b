import Basics
import Report
import Synchronization

/// How far a run of many items is, as a line of progress, whatever the items are.
final class Meter: Sendable {
    /// How something wrong is called: one, and several.
    struct Flaw {
        let one: String
        let many: String

        static let violation = Flaw(one: "violation", many: "violations")
        static let misjudged = Flaw(one: "peer misjudged", many: "peers misjudged")

        /// How many there are, in words; nil for none.
        func words(_ count: Int) -> String? {
            count == 0 ? nil : "\(readable(count)) \(count == 1 ? one : many)"
        }
    }

    private let count: Count
    private let line: ProgressLine

    /// A run of items, each with its kind: items of a kind take about as long.
    init(_ items: [String: Int], flaw: Flaw, isShown: Bool, wipesWhenInterrupted: Bool = false) {
        let count = Count(items, flaw)
        self.count = count
        line = ProgressLine(isShown: isShown, wipesWhenInterrupted: wipesWhenInterrupted) { count.content }
    }

    /// An item begins.
    func begin(_ name: String) { count.begin(name) }

    /// An item has ended.
    func end(_ name: String, isFlawed: Bool = false) {
        if isFlawed { count.addFlaw() }
        count.end(name)
    }

    /// An item has ended and has to be done again.
    func repeatLater(_ name: String) { count.repeatLater(name) }

    /// So much is wrong by now.
    func note(flaws: Int) { count.note(flaws: flaws) }

    /// All items are done, and something else is still to do.
    func note(activity: String) { count.note(activity: activity) }

    /// Shows a name for as long as the body takes; what it returns may be wrong.
    func counting<Result>(
        _ name: String, isFlawed: (Result) -> Bool = { _ in false }, _ body: () async throws -> Result
    ) async throws -> Result {
        begin(name)
        defer { end(name) }
        let result = try await body()
        if isFlawed(result) { count.addFlaw() }
        return result
    }

    /// Wipes the line; nothing is drawn any more.
    func close() { line.end() }
}

/// What a meter has counted.
private final class Count: Sendable {
    private struct State {
        var left: TimeLeft
        var done = 0
        var running: [String] = []
        var flaws = 0
        var activity: String?
    }

    private let total: Int
    private let flaw: Meter.Flaw
    private let began = ContinuousClock.now
    private let state: Mutex<State>

    init(_ items: [String: Int], _ flaw: Meter.Flaw) {
        total = items.count
        self.flaw = flaw
        state = Mutex(State(left: TimeLeft(items)))
    }

    func begin(_ name: String) {
        change { state, now in
            state.running.append(name)
            state.left.begin(name, at: now)
        }
    }

    func end(_ name: String) {
        change { state, now in
            state.done += 1
            state.running.removeAll { $0 == name }
            state.left.end(name, at: now)
        }
    }

    func repeatLater(_ name: String) {
        change { state, _ in
            state.running.removeAll { $0 == name }
            state.left.repeatLater(name)
        }
    }

    func note(flaws: Int) { change { state, _ in state.flaws = flaws } }

    func note(activity: String) { change { state, _ in state.activity = activity } }

    func addFlaw() { change { state, _ in state.flaws += 1 } }

    var content: TextProgress {
        let now = ContinuousClock.now - began
        return state.withLock { state in
            TextProgress(
                done: "\(state.done)/\(total)", flaws: flaw.words(state.flaws),
                left: state.activity == nil ? state.left.estimate(at: now) : nil,
                running: state.activity.map { [$0] } ?? state.running)
        }
    }

    private func change(_ change: (inout State, Duration) -> Void) {
        let now = ContinuousClock.now - began
        state.withLock { change(&$0, now) }
    }
}
