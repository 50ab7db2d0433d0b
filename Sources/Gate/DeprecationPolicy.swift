import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// Checks that a removed part was `deprecated` in the old version, and is not removed before its `x-sunset`.
struct DeprecationPolicy {
    private static let removals: Set<String> = [
        "message-removed", "property-removed-required", "property-removed-optional", "request-removed",
    ]

    static func entries(_ old: ProtocolState, _ new: ProtocolState, after entries: [GateEntry]) -> [GateEntry] {
        var seen: Set<GateLocation> = []
        return entries.map(\.finding).compactMap { finding in
            guard removals.contains(finding.rule), let location = finding.old, seen.insert(location).inserted,
                let root = old.json(location.file)
            else { return nil }
            let subject = root[location.pointer]
            guard subject?["deprecated"] == true else {
                return .policy(
                    "removal-without-deprecation", messages: finding.messages, old: location, new: finding.new,
                    why: "it was not marked \"deprecated\": true in \(old.version), so its users had no warning")
            }
            guard let sunset = subject?["x-sunset"]?.stringValue, let due = ProtocolVersion(sunset), new.version < due
            else { return nil }
            return .policy(
                "sunset-too-soon", messages: finding.messages, old: location, new: finding.new,
                oldValue: .string(sunset),
                why: "it was promised until \(due), and is gone in \(new.version)")
        }
    }
}
