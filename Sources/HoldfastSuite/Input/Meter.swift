import HoldfastBasics
import HoldfastPlatform
import HoldfastReport

/// Starts to show progress repeatedly, and returns a function that stops it.
package typealias ProgressDisplay =
    @Sendable (_ content: @escaping @Sendable () -> TextProgress) -> @Sendable () -> Void

final class Meter: Sendable {
    enum Flaw {
        case violation, misjudged

        func words(_ count: Int) -> String? {
            guard count > 0 else { return nil }
            return switch self {
            case .violation: "\(readable(count)) violation\(count == 1 ? "" : "s")"
            case .misjudged: "\(readable(count)) peer\(count == 1 ? "" : "s") misjudged"
            }
        }
    }

    private struct State {
        var left: TimeLeft
        var done = 0
        var running: [String] = []
        var flaws = 0
        var activity: String?
        var end: (@Sendable () -> Void)?
    }

    private let total: Int
    private let flaw: Flaw
    private let began = ContinuousClock.now
    private let state: Mutex<State>

    /// A run of items by name, each with its kind; items of one kind take about equally long.
    init(_ items: [String: Int], flaw: Flaw, showing show: ProgressDisplay?) {
        total = items.count
        self.flaw = flaw
        state = Mutex(State(left: TimeLeft(items)))
        guard let show else { return }
        let end = show { [weak self] in self?.content ?? TextProgress(done: "") }
        state.withLock { $0.end = end }
    }

    func begin(_ name: String) {
        change { state, now in
            state.running.append(name)
            state.left.begin(name, at: now)
        }
    }

    func end(_ name: String, isFlawed: Bool = false) {
        change { state, now in
            state.done += 1
            if isFlawed { state.flaws += 1 }
            state.running.removeAll { $0 == name }
            state.left.end(name, at: now)
        }
    }

    /// Notes that an item has ended but must be repeated.
    func repeatLater(_ name: String) {
        change { state, _ in
            state.running.removeAll { $0 == name }
            state.left.repeatLater(name)
        }
    }

    func note(flaws: Int) { change { state, _ in state.flaws = flaws } }

    /// Notes that all items are done, and something else remains to be done.
    func note(activity: String) { change { state, _ in state.activity = activity } }

    func close() { state.withLock { $0.end.take() }?() }

    private var content: TextProgress {
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
