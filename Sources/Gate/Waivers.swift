import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReport
import HoldfastSchemaDiff

/// Accepted findings, each with a reason and an expiry date; the format is `Spec/schemas/files/gate-waivers.json`.
package struct Waivers: Sendable {
    package struct Waiver: Sendable, Equatable {
        package let fingerprint: String
        package let reason: String
        /// The last day of its validity.
        package let expires: CivilDate
        /// The rule of the finding, for those who read the file.
        package let rule: String?
        /// The line of the entry, from 1.
        package let line: Int
    }

    /// The file, as it is named in findings; empty when there is none.
    package let file: String
    package let waivers: [Waiver]

    package init() {
        file = ""
        waivers = []
    }

    /// Reads a file of waivers.
    ///
    /// * `today`: The date from which a waiver may last at most a year.
    package init(_ text: String, file: String, today: CivilDate) throws(InputProblems) {
        self.file = file
        waivers = try MemberReader.read(
            Array(text.utf8), file: file, schema: .gateWaivers, expected: "a file of waivers"
        ) { Self.waivers($0, today) }
    }

    private static func waivers(_ reader: MemberReader, _ today: CivilDate) -> [Waiver] {
        var waivers: [Waiver] = []
        for member in reader.objects("waivers") {
            guard let expires = member.expiry("expires", today: today) else { continue }
            let waiver = Waiver(
                fingerprint: member.text("fingerprint"), reason: member.text("reason"), expires: expires,
                rule: member.string("rule"), line: reader.collector.location(of: member.pointer)?.line ?? 1)
            if let before = waivers.first(where: { $0.fingerprint == waiver.fingerprint }) {
                reader.collector.note(
                    member.pointer, "'\(waiver.fingerprint)' is already waived, in line \(before.line)",
                    expected: "each finding once", fix: "delete one of the two")
            }
            waivers.append(waiver)
        }
        return waivers
    }

    // MARK: Using them

    /// Marks waived findings.
    /// - Returns: Problems with the waivers themselves: expired, or matching nothing.
    func apply(to entries: inout [GateEntry], on today: CivilDate) -> [GateEntry] {
        var complaints: [GateEntry] = []
        for waiver in waivers {
            let location = GateLocation(
                file: file.hasPrefix("/") ? file : "./\(file)",
                pointer: JSONPointer(tokens: ["waivers", waiver.fingerprint]), line: waiver.line)
            let found = entries.indices.filter { entries[$0].finding.fingerprint == waiver.fingerprint }
            func complain(_ rule: String, _ why: String) {
                complaints.append(.policy(rule, new: location, newValue: .string(waiver.fingerprint), why: why))
            }
            if found.isEmpty {
                complain(
                    "waiver-unused",
                    "no finding has this fingerprint: delete the waiver (\(waiver.rule ?? waiver.reason))")
            } else if waiver.expires < today {
                complain(
                    "waiver-expired",
                    "it expired on \(waiver.expires), and today is \(today): fix the finding, or set a new date")
            } else if !found.contains(where: { entries[$0].reachesThreshold }) {
                complain(
                    "waiver-unused",
                    "the gate does not fail on this finding: delete the waiver (\(waiver.rule ?? ""))")
            } else {
                // Findings that follow from an edit are waived with it; a change made in the wrong way is not.
                let below = entries.indices.filter {
                    entries[$0].under == waiver.fingerprint && entries[$0].kind == .change
                }
                for index in found + below {
                    entries[index].status = .waived(reason: waiver.reason, until: waiver.expires)
                }
            }
        }
        return complaints
    }
}
