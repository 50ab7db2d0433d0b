import Holdfast

/// Clauses that nothing exercised, and the one reason for all of them.
package struct Gap: Sendable, Equatable {
    /// Why, such as `it needs a scripted agent (tier 2 or 3)`.
    package let reason: String
    /// The clauses.
    package let clauses: [ClauseID]

    /// Clauses and why nothing exercises them.
    package init(reason: String, clauses: [ClauseID]) {
        self.reason = reason
        self.clauses = clauses
    }

    /// In one line, such as `7 clauses need a scripted agent (tier 2 or 3): ID-3, TURN-8`.
    package var line: String {
        let count = clauses.count
        let names = clauses.map(\.description).joined(separator: ", ")
        let start = "it needs "
        if reason.hasPrefix(start) {
            return
                "\(count) clause\(count == 1 ? " needs" : "s need") \(reason.dropFirst(start.count).replacing(", or \(start)", with: ", or ")): \(names)"
        }
        return "\(count) clause\(count == 1 ? "" : "s"), \(reason): \(names)"
    }

    /// The untested clauses by the reason for which the scenarios that were meant to exercise them did not.
    static func gaps(in untested: [ClauseID], scenarios: [ScenarioResult], intended: [String: [ClauseID]]) -> [Gap] {
        var byReason: [String: [ClauseID]] = [:]
        for clause in untested {
            let meant = scenarios.filter { intended[$0.name]?.contains(clause) ?? false }
            byReason[reason(meant), default: []].append(clause)
        }
        return byReason.map { Gap(reason: $0.key, clauses: $0.value) }.sorted { $0.reason < $1.reason }
    }

    private static func reason(_ meant: [ScenarioResult]) -> String {
        if meant.isEmpty { return "no scenario in this run is meant to exercise it" }
        let reasons = Set(meant.compactMap(\.skipped))
        if meant.contains(where: { $0.skipped == nil }) || reasons.isEmpty {
            return "though a scenario meant to exercise it was performed"
        }
        return reason(from: Array(reasons))
    }

    /// One reason from those of several scenarios; profiles that are not declared explain only what nothing else does.
    package static func reason(from reasons: [String]) -> String {
        let unique = Set(reasons).sorted()
        let others = unique.filter { !$0.hasPrefix("the subject does not declare") }
        return (others.isEmpty ? unique : others).joined(separator: ", or ")
    }
}
