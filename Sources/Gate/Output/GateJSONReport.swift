import Holdfast
import JSON
import SchemaDiff

/// The report of the gate for machines; its shape is `Spec/schemas/files/gate-report.json`, version 1.
package struct GateJSONReport {
    /// The version of the shape.
    package static let version = 1

    private let report: GateReport

    /// The report of a comparison.
    package init(_ report: GateReport) {
        self.report = report
    }

    /// The whole report.
    package var value: JSONValue {
        [
            "format": "holdfast-gate-report", "version": JSONValue(Self.version), "headline": .string(report.headline),
            "passes": .bool(report.passes), "exit": JSONValue(Int(report.exit.rawValue)),
            "old": state(report.old), "new": state(report.new), "required": .string(report.required.name),
            "rise": .string(report.rise.name),
            "requiredVersion": report.requiredVersion.map { .string($0) } ?? .null,
            "breaks": .array(report.broken.map(party)),
            "judgedTranscripts": JSONValue(report.judgedTranscripts),
            "supported": .array(report.supported.map { .string($0) }),
            "findings": .array(report.entries.map(finding)), "notes": .array(report.notes.map { .string($0) }),
        ]
    }

    private func state(_ state: GateReport.State) -> JSONValue {
        ["name": .string(state.name), "version": .string(state.version)]
    }

    private func party(_ party: GateParty) -> JSONValue {
        var object: JSONObject = ["role": .string(party.role.rawValue)]
        object["profile"] = party.profile.map { .string($0) }
        return .object(object)
    }

    private func finding(_ entry: GateEntry) -> JSONValue {
        let finding = entry.finding
        var object: JSONObject = [
            "rule": .string(finding.rule), "severity": .string(finding.severity.rawValue),
            "kind": .string(entry.kind.rawValue), "fingerprint": .string(finding.fingerprint),
            "fails": .bool(entry.fails),
        ]
        object["direction"] = finding.direction.map { .string($0.rawValue) }
        object["messages"] = .array(finding.messages.map { .string($0) })
        object["breaks"] = .array(entry.breaks.map(party))
        object["rise"] = .string(entry.rise.name)
        object["old"] = finding.old.map { place($0, finding.oldValue) }
        object["new"] = finding.new.map { place($0, finding.newValue) }
        object["why"] = .string(finding.why)
        if let witness = finding.witness {
            object["witness"] = [
                "message": .string(witness.message), "json": .string(witness.json),
                "validBy": .string(witness.validBy.rawValue), "invalidBy": .string(witness.invalidBy.rawValue),
                "complaint": .string(witness.complaint),
            ]
        }
        if !entry.occurrences.isEmpty { object["occurrences"] = .array(entry.occurrences.map(occurrence)) }
        switch entry.standing {
        case .counts: break
        case .announced: object["announced"] = true
        case .waived(let reason, let until):
            object["waived"] = ["reason": .string(reason), "expires": .string(until.description)]
        }
        return .object(object)
    }

    private func place(_ place: GatePlace, _ value: JSONValue?) -> JSONValue {
        var object: JSONObject = ["file": .string(place.path), "pointer": .string(place.pointer.description)]
        object["line"] = place.line.map { JSONValue($0) }
        object["value"] = value
        return .object(object)
    }

    private func occurrence(_ occurrence: GateOccurrence) -> JSONValue {
        var object: JSONObject = [
            "transcript": .string(occurrence.transcript), "subject": .string(occurrence.subject),
            "event": .string(occurrence.event), "what": .string(occurrence.what),
        ]
        object["line"] = occurrence.line.map { JSONValue($0) }
        object["before"] = occurrence.before.map { .string($0.rawValue) }
        object["after"] = occurrence.after.map { .string($0.rawValue) }
        return .object(object)
    }
}
