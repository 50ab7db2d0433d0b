import Holdfast
import HoldfastJudge

/// The result of each clause over all parts of an unbounded history.
package struct ClauseTally: Sendable {
    package struct Entry: Sendable, Equatable {
        /// The worst outcome; untested if no part exercised it.
        package var outcome: Outcome
        package var exercised: Int
    }

    package private(set) var entries: [ClauseID: Entry] = [:]

    /// From the worst outcome to the least informative one.
    private static let order: [Outcome] = [.violation, .warning, .pass, .inconclusive, .untested]

    mutating func add(_ verdicts: [Verdict]) {
        for verdict in verdicts where verdict.outcome != .notApplicable {
            let old = entries[verdict.clause] ?? Entry(outcome: .untested, exercised: 0)
            entries[verdict.clause] = Entry(
                outcome: Self.order.first { [old.outcome, verdict.outcome].contains($0) } ?? .untested,
                exercised: old.exercised + verdict.exercised)
        }
    }
}
