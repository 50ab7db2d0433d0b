import Holdfast

/// One predicate of a clause, with additional requirements for captures.
struct Rule: Sendable {
    /// Reads a history and counts the evidence; does no I/O.
    typealias Predicate = @Sendable (Observations, inout Evidence) -> Void

    let judge: Predicate
    let needs: [CaptureNeed]

    init(_ judge: @escaping Predicate, needs: [CaptureNeed] = []) { (self.judge, self.needs) = (judge, needs) }
}

package struct Check: Sendable {
    package let clause: ClauseID
    private let rules: [Rule]

    init(_ area: Area, _ number: Int, _ rules: Rule...) {
        (clause, self.rules) = (ClauseID(area, number), rules)
    }

    init(_ area: Area, _ number: Int, _ predicates: Rule.Predicate...) {
        (clause, rules) = (ClauseID(area, number), predicates.map { Rule($0) })
    }

    /// The evidence of all rules that can judge the history, with violations in the order of the history.
    ///
    /// If `number` is given, only that rule judges; rules are counted from 1.
    func judge(_ history: Observations, rule number: Int? = nil) -> Evidence {
        var evidence = Evidence()
        for (index, rule) in rules.enumerated() where number == nil || number == index + 1 {
            guard history.history.header.capture?.lacking(anyOf: rule.needs) == nil else { continue }
            var own = Evidence()
            rule.judge(history, &own)
            evidence.add(own)
        }
        return evidence
    }
}

package enum Checks {
    package static let all: [Check] = [
        ENV.checks, ID.checks, TURN.checks, ORDER.checks, SYNC.checks, IDEM.checks, PERSIST.checks,
        REST.checks, RATE.checks, PUSH.checks, AUTH.checks, LIVE.checks, CLIENT.checks,
    ].flatMap { $0 }.sorted { $0.clause < $1.clause }

    package static func check(of clause: ClauseID) -> Check? { byClause[clause] }

    private static let byClause = Dictionary(all.map { ($0.clause, $0) }, uniquingKeysWith: { first, _ in first })
}
