import Holdfast
import JSON
import SchemaDiff

/// Whether what is gone was announced before: `deprecated` in the old version, and not sooner than its `x-sunset`.
struct DeprecationPolicy {
    private static let removals: Set<String> = [
        "message-removed", "property-removed-required", "property-removed-optional", "request-removed",
    ]

    /// What was taken away without a word.
    static func entries(_ old: ProtocolState, _ new: ProtocolState, after entries: [GateEntry]) -> [GateEntry] {
        var told: Set<GatePlace> = []
        return entries.compactMap { entry -> GateEntry? in
            let finding = entry.finding
            guard removals.contains(finding.rule), let place = finding.old, told.insert(place).inserted,
                let text = old.text(place.file), let root = try? JSONParser.value(text)
            else { return nil }
            let subject = root[place.pointer]
            guard subject?["deprecated"] == true else {
                return policy(
                    "removal-without-deprecation", finding,
                    "it was not marked \"deprecated\": true in \(old.version), so nobody was warned")
            }
            if let sunset = subject?["x-sunset"]?.stringValue, let due = ProtocolVersion(sunset), new.version < due {
                return policy(
                    "sunset-too-soon", finding, "it was promised until \(due), and is gone in \(new.version)",
                    value: .string(sunset))
            }
            return nil
        }
    }

    private static func policy(
        _ rule: String, _ finding: GateFinding, _ why: String, value: JSONValue? = nil
    ) -> GateEntry {
        GateEntry(
            GateFinding(
                rule: rule, severity: .error, direction: nil, messages: finding.messages, old: finding.old,
                new: finding.new, oldValue: value, why: why), kind: .policy, rise: .none)
    }
}
