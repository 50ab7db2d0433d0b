import Holdfast
import JSON
import Report
import SchemaDiff

/// Findings that somebody accepted, each for a reason and until a day; the shape is `Spec/schemas/files/gate-waivers.json`.
package struct Waivers: Sendable {
    /// One accepted finding.
    package struct Waiver: Sendable, Equatable {
        /// The fingerprint of the finding.
        package let fingerprint: String
        /// Why it is accepted.
        package let reason: String
        /// The last day on which it is.
        package let expires: CivilDate
        /// The rule of the finding, for those who read the file.
        package let rule: String?
        /// The line of the entry, from 1.
        package let line: Int
    }

    /// The file, as it is named in findings; empty when there is none.
    package let file: String
    /// The entries, in order.
    package let waivers: [Waiver]

    /// No waivers.
    package init() {
        file = ""
        waivers = []
    }

    /// Reads a file of waivers.
    /// - Parameters:
    ///   - text: The file.
    ///   - file: Its name.
    ///   - today: The day from which on a waiver may hold for a year at most.
    /// - Throws: Every problem of the file at once, with its line.
    package init(_ text: String, file: String, today: CivilDate) throws(InputProblems) {
        self.file = file
        waivers = try MemberReader.read(
            Array(text.utf8), file: file, expected: "a file of waivers"
        ) { Self.waivers($0, today) }
    }

    private static func waivers(_ reader: MemberReader, _ today: CivilDate) -> [Waiver] {
        reader.refuseUnknown(besides: ["format", "version", "waivers"])
        if let format = reader.string("format", required: true), format != "holdfast-gate-waivers" {
            let _: Never? = reader.wrong("format", .string(format), "'holdfast-gate-waivers'")
        }
        _ = reader.integer("version", in: 1...1, required: true)
        var waivers: [Waiver] = []
        for element in reader.array("waivers", required: true) ?? [] {
            guard let member = MemberReader(element.value, at: element.pointer, into: reader.collector),
                let waiver = waiver(
                    member, line: reader.collector.location(of: element.pointer)?.line ?? 1, today)
            else { continue }
            if let before = waivers.first(where: { $0.fingerprint == waiver.fingerprint }) {
                reader.collector.note(
                    element.pointer, "'\(waiver.fingerprint)' is waived already, in line \(before.line)",
                    expected: "each finding once", fix: "delete one of the two")
            }
            waivers.append(waiver)
        }
        return waivers
    }

    private static func waiver(_ reader: MemberReader, line: Int, _ today: CivilDate) -> Waiver? {
        reader.refuseUnknown(besides: ["fingerprint", "rule", "reason", "expires"])
        func read<Value>(_ key: String, _ expected: String, _ read: (String) -> Value?) -> Value? {
            guard let text = reader.string(key, required: true) else { return nil }
            return read(text) ?? reader.wrong(key, .string(text), expected)
        }
        let fingerprint = read("fingerprint", "the fingerprint of a finding, 16 digits of 0-9 and a-f") { text in
            text.utf8.count == 16 && text.allSatisfy { $0.isHexDigit && !$0.isUppercase } ? text : nil
        }
        let reason = read("reason", "why the finding is accepted") { $0.trimmed.isEmpty ? nil : $0 }
        let expires = reader.expiry("expires", today: today)
        let rule = reader.string("rule")
        guard let fingerprint, let reason, let expires else { return nil }
        return Waiver(fingerprint: fingerprint, reason: reason, expires: expires, rule: rule, line: line)
    }

    // MARK: Using them

    /// Marks what is waived.
    /// - Returns: What is wrong with the waivers themselves: used up, or for nothing.
    func apply(to entries: inout [GateEntry], on today: CivilDate) -> [GateEntry] {
        var complaints: [GateEntry] = []
        for waiver in waivers {
            let place = GatePlace(
                file: file.hasPrefix("/") ? file : "./\(file)",
                pointer: JSONPointer(tokens: ["waivers", waiver.fingerprint]), line: waiver.line)
            let found = entries.indices.filter { entries[$0].finding.fingerprint == waiver.fingerprint }
            func complain(_ rule: String, _ why: String) {
                complaints.append(.policy(rule, new: place, newValue: .string(waiver.fingerprint), why: why))
            }
            if found.isEmpty {
                complain(
                    "waiver-unused",
                    "no finding has this fingerprint: delete the waiver (\(waiver.rule ?? waiver.reason))")
            } else if waiver.expires < today {
                complain(
                    "waiver-expired",
                    "it held until \(waiver.expires), and today is \(today): mend the finding, or say anew until when")
            } else if !found.contains(where: { entries[$0].isGrave }) {
                complain(
                    "waiver-unused",
                    "the gate does not fail of the finding, so it needs no waiver: delete it (\(waiver.rule ?? ""))")
            } else {
                for index in found {
                    entries[index].standing = .waived(reason: waiver.reason, until: waiver.expires)
                }
            }
        }
        return complaints
    }
}
