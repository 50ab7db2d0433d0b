import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastSchemaDiff

/// A team's own severities for some rules; the format is `Spec/schemas/files/gate-severities.json`.
package struct Severities: Sendable {
    let weights: [String: GateSeverity]

    /// Every rule with its default severity.
    package init() { weights = [:] }

    /// Reads a file of severities.
    /// - Throws: Every problem of the file at once, with its line.
    package init(_ text: String, file: String) throws(InputProblems) {
        weights = try MemberReader.read(
            Array(text.utf8), file: file, schema: .gateSeverities, expected: "a file of severities"
        ) { reader in
            guard let members = reader.members("severities") else { return [:] }
            let rules = RuleBook.all.map(\.id)
            for rule in members.object.keys where !rules.contains(rule) {
                members.collector.note(
                    members.pointer.appending(rule), "unknown member '\(clipped(rule))'", insteadOf: rule,
                    among: rules, otherwise: "remove it")
            }
            return rules.keyed(by: \.self).compactMapValues { members.choice($0, of: GateSeverity.self) }
        }
    }

    func weighed(_ entry: GateEntry) -> GateEntry {
        guard let weight = weights[entry.finding.rule], weight != entry.finding.severity else { return entry }
        return entry.weighing(weight)
    }
}
