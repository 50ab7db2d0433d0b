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
            "judgedTranscripts": JSONValue(report.judgedTranscripts), "failOn": .string(report.failOn.rawValue),
            "supported": strings(report.supported),
            "findings": .array(report.entries.map(finding)), "notes": strings(report.notes),
        ]
    }

    /// An object of the members that there are.
    private func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(JSONObject(members.compactMap { key, value in value.map { (key: key, value: $0) } }))
    }

    private func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    private func state(_ state: ProtocolState) -> JSONValue {
        ["name": .string(state.name), "version": .string(state.version.description)]
    }

    private func party(_ party: GateParty) -> JSONValue {
        object(["role": .string(party.role.rawValue), "profile": party.profile.map { .string($0) }])
    }

    private func finding(_ entry: GateEntry) -> JSONValue {
        let finding = entry.finding
        return object([
            "rule": .string(finding.rule), "severity": .string(finding.severity.rawValue),
            "kind": .string(entry.kind.rawValue), "fingerprint": .string(finding.fingerprint),
            "fails": .bool(entry.fails), "direction": finding.direction.map { .string($0.rawValue) },
            "messages": strings(finding.messages), "breaks": .array(entry.breaks.map(party)),
            "first": entry.first.map { .string($0.rawValue) }, "shown": entry.shown.map { .string($0) },
            "rise": .string(entry.rise.name), "old": finding.old.map { place($0, finding.oldValue) },
            "new": finding.new.map { place($0, finding.newValue) }, "why": .string(finding.why),
            "witness": finding.witness.map { witness in
                [
                    "message": .string(witness.message), "json": .string(witness.json),
                    "validBy": .string(witness.validBy.rawValue), "invalidBy": .string(witness.invalidBy.rawValue),
                    "complaint": .string(witness.complaint),
                ]
            },
            "occurrences": entry.occurrences.isEmpty ? nil : .array(entry.occurrences.map(occurrence)),
            "announced": entry.standing == .announced ? true : nil, "waived": waived(entry.standing),
        ])
    }

    private func waived(_ standing: GateEntry.Standing) -> JSONValue? {
        guard case .waived(let reason, let until) = standing else { return nil }
        return ["reason": .string(reason), "expires": .string(until.description)]
    }

    private func place(_ place: GatePlace, _ value: JSONValue?) -> JSONValue {
        object([
            "file": .string(place.path), "pointer": .string(place.pointer.description),
            "line": place.line.map { JSONValue($0) }, "value": value,
        ])
    }

    private func occurrence(_ occurrence: GateOccurrence) -> JSONValue {
        object([
            "transcript": .string(occurrence.transcript), "subject": .string(occurrence.subject),
            "event": .string(occurrence.event), "what": .string(occurrence.what),
            "line": occurrence.line.map { JSONValue($0) }, "before": occurrence.before.map { .string($0.rawValue) },
            "after": occurrence.after.map { .string($0.rawValue) },
        ])
    }
}
