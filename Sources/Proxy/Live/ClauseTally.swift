import Holdfast
import HoldfastJudge

/// The result of each clause over all windows of an unbounded history.
package struct ClauseTally: Sendable {
    package struct Entry: Sendable, Equatable {
        /// The worst outcome; untested if no window exercised it.
        package var outcome: Outcome
        /// How often it was exercised.
        package var exercised: Int
    }

    private var past: [ClauseID: Entry] = [:]
    private var current: [ClauseID: Entry] = [:]

    package init() {}

    /// Replaces the current window's result for a clause; reported violations stay.
    mutating func note(_ clause: ClauseID, _ outcome: Outcome, exercised: Int) {
        guard let old = current[clause], old.outcome == .violation || old.outcome == .warning else {
            current[clause] = Entry(outcome: outcome, exercised: exercised)
            return
        }
        current[clause] = Entry(
            outcome: Self.worse(old.outcome, outcome), exercised: max(old.exercised, exercised))
    }

    /// Adds the current window to the total.
    mutating func closeWindow() {
        past = entries
        current = [:]
    }

    package var entries: [ClauseID: Entry] {
        past.merging(current) { old, new in
            Entry(outcome: Self.worse(old.outcome, new.outcome), exercised: old.exercised + new.exercised)
        }
    }

    private static let order: [Outcome] = [.violation, .warning, .pass, .inconclusive]

    private static func worse(_ one: Outcome, _ other: Outcome) -> Outcome {
        order.first { $0 == one || $0 == other } ?? .untested
    }
}
