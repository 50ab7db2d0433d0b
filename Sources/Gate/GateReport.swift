import Holdfast
import HoldfastBasics
import HoldfastReport
import HoldfastSchemaDiff

package struct GateReport: Sendable {
    package let old: ProtocolState
    package let new: ProtocolState
    /// All findings: failures first, then by severity.
    package let entries: [GateEntry]
    package let required: Bump
    let judgedTranscripts: Int
    let failOn: GateSeverity
    package let supported: [String]
    /// Remarks about the comparison itself.
    package let notes: [String]

    var bump: Bump { new.version.bump(from: old.version) }

    /// The lowest version that announces the change; nil if the old one does.
    var requiredVersion: String? { old.version.bumped(by: required) }

    package var failures: [GateEntry] { entries.filter(\.fails) }

    /// The breaking changes, whether or not they are announced or waived.
    package var breaking: [GateEntry] { entries.filter { $0.finding.severity == .error && $0.kind == .change } }

    package var passes: Bool { failures.isEmpty }

    package var exit: ExitStatus { passes ? .conforms : .violation }

    /// The findings for an author: each edit once, and failures below an edit that passes.
    package var heads: [GateEntry] {
        let failing = Set(failures.map(\.finding.fingerprint))
        return entries.filter { entry in
            entry.under.map { entry.fails && !failing.contains($0) } ?? true
        }
    }

    package func folded(under head: GateEntry) -> [GateEntry] {
        let name = head.finding.fingerprint
        return entries.filter { $0.under == name && (!$0.fails || head.fails) }
    }

    /// All peers that break in a failing finding, servers first.
    package var broken: [GateParty] {
        let all = Set(failures.flatMap(\.breaks))
        // If all of a side break, so do those with a profile.
        return all.filter { $0.profile == nil || !all.contains(GateParty($0.role)) }.sorted()
    }

    package var headline: String {
        let versions = old.version == new.version ? "version \(new.version)" : "\(old.version) → \(new.version)"
        let states = "\(old.name) → \(new.name), \(versions)"
        if !passes {
            let changes = Dictionary(grouping: failures.filter { $0.kind == .change }) { $0.finding.severity }
            let policies = heads.count { $0.fails && $0.kind == .policy }
            var parts: [String] = []
            if let errors = changes[.error] {
                let whom = broken.map(\.description).joined(separator: ", ")
                parts.append(counted(Self.count(errors), "breaking change") + (whom.isEmpty ? "" : " for \(whom)"))
            }
            if let warnings = changes[.warning] { parts.append(counted(Self.count(warnings), "warning")) }
            if policies > 0 { parts.append(counted(policies, "versioning rule") + " broken") }
            return "NOT COMPATIBLE: \(states): \(parts.joined(separator: "; "))"
        }
        let rest = [
            (Self.count(breaking.filter { $0.status == .announced }), "breaking change", " announced by the version"),
            (entries.count(where: \.isWaived), "finding", " waived"),
            (heads.count { $0.finding.severity == .warning }, "warning", ""),
            (heads.count { $0.finding.severity == .information }, "other change", ""),
        ].filter { $0.0 > 0 }.map { counted($0.0, $0.1) + $0.2 }
        let verdict = breaking.contains { $0.status == .announced } ? "ALLOWED" : "COMPATIBLE"
        return "\(verdict): \(states): \(rest.isEmpty ? "nothing changed" : rest.joined(separator: ", "))"
    }

    /// The number of changes: an example of a change counts only if no other finding reports that change.
    static func count(_ entries: [GateEntry]) -> Int {
        let known = Set(entries.map(\.finding.fingerprint))
        let own = entries.filter { !($0.under.map(known.contains) ?? false) }
        let edits = own.count { !$0.isEvidence }
        return edits > 0 ? edits : own.count
    }
}
