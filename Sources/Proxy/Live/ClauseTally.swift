import Holdfast
import HoldfastJudge

/// What each clause came to over all windows of an endless history.
package struct ClauseTally: Sendable {
    package struct Entry: Sendable, Equatable {
        /// The worst of what it came to; untested where nothing exercised it.
        package var outcome: Outcome
        /// How often it was put to the test.
        package var exercised: Int
    }

    private var past: [ClauseID: Entry] = [:]
    private var current: [ClauseID: Entry] = [:]

    package init() {}

    /// Notes what the window at hand says of a clause, in place of what it said before; what was told stays told.
    mutating func note(_ clause: ClauseID, _ outcome: Outcome, exercised: Int) {
        guard let old = current[clause], old.outcome == .violation || old.outcome == .warning else {
            current[clause] = Entry(outcome: outcome, exercised: exercised)
            return
        }
        current[clause] = Entry(
            outcome: Self.worse(old.outcome, outcome), exercised: max(old.exercised, exercised))
    }

    /// Adds the window at hand to what went before it.
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
