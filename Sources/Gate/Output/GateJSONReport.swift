import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// The report of the gate for machines; its shape is `Spec/schemas/files/gate-report.json`, version 1.
struct GateJSONReport {
    package static let version = 1

    let report: GateReport

    var value: JSONValue {
        JSONValue(members: [
            "format": "holdfast-gate-report", "version": Self.version, "headline": report.headline,
            "passes": report.passes, "exit": Int(report.exit.rawValue), "old": state(report.old),
            "new": state(report.new), "required": report.required.name, "rise": report.bump.name,
            "requiredVersion": report.requiredVersion.map { .string($0) } ?? JSONValue.null,
            "breaks": report.broken.map(party), "judgedTranscripts": report.judgedTranscripts,
            "failOn": report.failOn.rawValue, "supported": report.supported, "findings": report.entries.map(finding),
            "notes": report.notes,
        ])
    }

    private func state(_ state: ProtocolState) -> JSONValue {
        JSONValue(members: ["name": state.name, "version": state.version.description])
    }

    private func party(_ party: GateParty) -> JSONValue {
        JSONValue(members: ["role": party.role.rawValue, "profile": party.profile])
    }

    private func finding(_ entry: GateEntry) -> JSONValue {
        let finding = entry.finding
        return JSONValue(members: [
            "rule": finding.rule, "severity": finding.severity.rawValue, "kind": entry.kind.rawValue,
            "fingerprint": finding.fingerprint, "fails": entry.fails, "direction": finding.direction?.rawValue,
            "messages": finding.messages, "breaks": entry.breaks.map(party), "first": entry.first?.rawValue,
            "shown": entry.shown, "under": entry.under, "rise": entry.bump.name,
            "old": finding.old.map { location($0, finding.oldValue) },
            "new": finding.new.map { location($0, finding.newValue) }, "why": finding.why,
            "witness": finding.witness.map { witness in
                JSONValue(members: [
                    "message": witness.message, "json": witness.json, "validBy": witness.validBy.rawValue,
                    "invalidBy": witness.invalidBy.rawValue, "complaint": witness.complaint,
                ])
            },
            "occurrences": entry.occurrences.map(occurrence).orAbsent,
            "announced": (entry.status == .announced).orAbsent, "waived": waived(entry.status),
        ])
    }

    private func waived(_ status: GateEntry.Status) -> JSONValue? {
        guard case .waived(let reason, let until) = status else { return nil }
        return JSONValue(members: ["reason": reason, "expires": until.description])
    }

    private func location(_ location: GateLocation, _ value: JSONValue?) -> JSONValue {
        JSONValue(members: [
            "file": location.path, "pointer": location.pointer.description, "line": location.line, "value": value,
        ])
    }

    private func occurrence(_ occurrence: GateOccurrence) -> JSONValue {
        JSONValue(members: [
            "transcript": occurrence.transcript, "subject": occurrence.subject, "event": occurrence.event,
            "what": occurrence.what, "line": occurrence.line, "before": occurrence.before?.rawValue,
            "after": occurrence.after?.rawValue,
        ])
    }
}
