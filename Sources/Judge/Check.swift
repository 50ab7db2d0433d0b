import Holdfast

/// The predicate of one clause.
package struct Check: Sendable {
    /// The clause it judges.
    package let clause: ClauseID
    /// Reads a history and counts the evidence; does no I/O.
    let judge: @Sendable (Observations) -> Evidence

    /// The predicate for a clause of an area.
    init(_ area: Area, _ number: Int, _ add: @escaping @Sendable (Observations, inout Evidence) -> Void) {
        clause = ClauseID(area, number)
        judge = { history in
            var evidence = Evidence()
            add(history, &evidence)
            return evidence
        }
    }
}

/// Every check there is, by area.
package enum Checks {
    /// All checks, in the order of their clauses.
    package static let all: [Check] = [
        ENV.checks, ID.checks, TURN.checks, ORDER.checks, SYNC.checks, IDEM.checks, PERSIST.checks,
        REST.checks, RATE.checks, PUSH.checks, AUTH.checks, LIVE.checks, CLIENT.checks,
    ].flatMap { $0 }.sorted { $0.clause < $1.clause }

    /// The check of a clause; nil while there is none.
    package static func check(of clause: ClauseID) -> Check? { byClause[clause] }

    private static let byClause = Dictionary(all.map { ($0.clause, $0) }, uniquingKeysWith: { first, _ in first })
}
