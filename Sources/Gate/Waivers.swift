import Holdfast
import JSON

/// Findings that somebody accepted, each for a reason and until a day; the shape is `Spec/schemas/files/gate-waivers.json`.
public struct Waivers: Sendable {
    /// One accepted finding.
    public struct Waiver: Sendable, Equatable {
        /// The fingerprint of the finding.
        public let fingerprint: String
        /// Why it is accepted.
        public let reason: String
        /// The last day on which it is.
        public let expires: CalendarDay
        /// The rule of the finding, for those who read the file.
        public let rule: String?
        /// The line of the entry, from 1.
        public let line: Int
    }

    /// The file, as it is named in findings; empty when there is none.
    public let file: String
    /// The entries, in order.
    public let waivers: [Waiver]

    /// No waivers.
    public init() {
        file = ""
        waivers = []
    }

    /// Reads a file of waivers.
    /// - Throws: Every problem of the file at once, with its line.
    public init(_ text: String, file: String) throws(InputProblems) {
        let root: JSONValue
        do {
            root = try JSONParser.value(text)
        } catch {
            throw InputProblems([
                InputProblem(
                    place: "\(file):\(error.location)", what: error.sentence, expected: "a file of waivers",
                    fix: "correct the file")
            ])
        }
        var reader = Reader(text: text, file: file)
        reader.members(of: root, at: JSONPointer(), among: ["$schema", "format", "version", "waivers"])
        if root["format"] != "holdfast-gate-waivers" {
            reader.note(JSONPointer(), "this is no file of waivers", #""format": "holdfast-gate-waivers""#)
        }
        if root["version"] != 1 { reader.note(JSONPointer(), "the version is not known", #""version": 1"#) }
        var waivers: [Waiver] = []
        if let entries = root["waivers"]?.arrayValue {
            for (index, entry) in entries.enumerated() {
                if let waiver = reader.waiver(entry, index) { waivers.append(waiver) }
            }
        } else {
            reader.note(JSONPointer(), "there is no list 'waivers'", "an array of waivers")
        }
        for (index, waiver) in waivers.enumerated()
        where waivers[..<index].contains(where: { $0.fingerprint == waiver.fingerprint }) {
            reader.problems.append(
                InputProblem(
                    place: "\(file):\(waiver.line)", what: "'\(waiver.fingerprint)' is waived already",
                    expected: "each finding once", fix: "delete one of the two"))
        }
        guard reader.problems.isEmpty else { throw InputProblems(reader.problems) }
        self.file = file
        self.waivers = waivers
    }

    private struct Reader {
        let text: String
        let file: String
        var problems: [InputProblem] = []

        init(text: String, file: String) {
            self.text = text
            self.file = file
        }

        mutating func waiver(_ entry: JSONValue, _ index: Int) -> Waiver? {
            let place = JSONPointer(tokens: ["waivers", "\(index)"])
            guard entry.objectValue != nil else {
                note(place, "the entry is \(entry.typeName)", "an object")
                return nil
            }
            members(of: entry, at: place, among: ["fingerprint", "rule", "reason", "expires"])
            let fingerprint = string("fingerprint", of: entry, at: place, "the fingerprint of a finding") { text in
                text.utf8.count == 16 && text.allSatisfy { $0.isHexDigit && !$0.isUppercase } ? text : nil
            }
            let reason = string("reason", of: entry, at: place, "why the finding is accepted") {
                $0.trimmed.isEmpty ? nil : $0
            }
            let expires = string("expires", of: entry, at: place, "a day such as 2026-12-31") { CalendarDay($0) }
            guard let fingerprint, let reason, let expires else { return nil }
            return Waiver(
                fingerprint: fingerprint, reason: reason, expires: expires, rule: entry["rule"]?.stringValue,
                line: JSONParser.location(of: place, in: text)?.line ?? 1)
        }

        private mutating func string<Value>(
            _ name: String, of entry: JSONValue, at place: JSONPointer, _ expected: String,
            _ read: (String) -> Value?
        ) -> Value? {
            guard let value = entry[name] else {
                note(place, "'\(name)' is missing", expected)
                return nil
            }
            if let text = value.stringValue, let read = read(text) { return read }
            note(JSONPointer(tokens: place.tokens + [name]), "'\(name)' is \(value.text())", expected)
            return nil
        }

        mutating func members(of value: JSONValue, at place: JSONPointer, among known: [String]) {
            for name in (value.objectValue ?? [:]).keys where !known.contains(name) {
                let near = nearestName(to: name, among: known).map { "did you mean '\($0)'?" }
                note(
                    JSONPointer(tokens: place.tokens + [name]), "unknown member '\(name)'",
                    known.joined(separator: ", "), near)
            }
        }

        mutating func note(_ pointer: JSONPointer, _ what: String, _ expected: String, _ fix: String? = nil) {
            let location = JSONParser.location(of: pointer, in: text).map { ":\($0)" } ?? ""
            problems.append(
                InputProblem(
                    place: "\(file)\(location)", what: what, expected: expected, fix: fix ?? "correct the entry"))
        }
    }

    // MARK: Using them

    /// Marks what is waived.
    /// - Returns: What is wrong with the waivers themselves: used up, or for nothing.
    func apply(to entries: inout [GateEntry], on today: CalendarDay) -> [GateEntry] {
        var complaints: [GateEntry] = []
        for waiver in waivers {
            let place = GatePlace(
                file: file.hasPrefix("/") ? file : "./\(file)",
                pointer: JSONPointer(tokens: ["waivers", waiver.fingerprint]), line: waiver.line)
            let found = entries.indices.filter { entries[$0].finding.fingerprint == waiver.fingerprint }
            func complain(_ rule: String, _ why: String) {
                complaints.append(
                    GateEntry(
                        GateFinding(
                            rule: rule, severity: .error, direction: nil, new: place,
                            newValue: .string(waiver.fingerprint), why: why), kind: .policy, rise: .none))
            }
            if found.isEmpty {
                complain(
                    "waiver-unused",
                    "no finding has this fingerprint: delete the waiver (\(waiver.rule ?? waiver.reason))")
            } else if waiver.expires < today {
                complain(
                    "waiver-expired",
                    "it held until \(waiver.expires), and today is \(today): mend the finding, or say anew until when")
            } else if found.allSatisfy({ entries[$0].finding.severity != .error }) {
                complain(
                    "waiver-unused", "the finding is no error and needs no waiver: delete it (\(waiver.rule ?? ""))")
            } else {
                for index in found {
                    entries[index].standing = .waived(reason: waiver.reason, until: waiver.expires)
                }
            }
        }
        return complaints
    }
}
