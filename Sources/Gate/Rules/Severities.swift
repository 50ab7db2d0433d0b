import Holdfast
import JSON
import SchemaDiff

/// What a team makes of rules: a weight of its own for some; the shape is `Spec/schemas/files/gate-severities.json`.
package struct Severities: Sendable {
    /// The weights, by rule.
    let weights: [String: GateSeverity]

    /// Every rule as it weighs by itself.
    package init() { weights = [:] }

    /// Reads a file of weights.
    /// - Throws: Every problem of the file at once, with its line.
    package init(_ text: String, file: String) throws(InputProblems) {
        weights = try MemberReader.read(
            Array(text.utf8), file: file, expected: "a file of severities"
        ) { reader in
            reader.refuseUnknown(besides: ["$schema", "format", "version", "severities"])
            if let format = reader.string("format", required: true), format != "holdfast-gate-severities" {
                let _: Never? = reader.wrong("format", .string(format), "'holdfast-gate-severities'")
            }
            _ = reader.integer("version", in: 1...1, required: true)
            guard let members = reader.members("severities", required: true) else { return [:] }
            let rules = RuleBook.all.map(\.id)
            members.refuseUnknown(besides: rules)
            return Dictionary(
                rules.compactMap { id in members.choice(id, of: GateSeverity.self).map { (id, $0) } },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// A finding with the weight that its rule has here.
    func weighed(_ entry: GateEntry) -> GateEntry {
        guard let weight = weights[entry.finding.rule], weight != entry.finding.severity else { return entry }
        return entry.weighing(weight)
    }
}
