import Basics
import JSON

/// Reads `frames` of a dialect file.
enum FrameRuleReader {
    static func rules(in reader: MemberReader) -> [FrameRule] {
        var rules: [FrameRule] = []
        for element in reader.array("frames", required: true) ?? [] {
            guard let own = MemberReader(element.value, at: element.pointer, into: reader.collector),
                let rule = rule(own)
            else { continue }
            if rules.contains(where: { $0.sender == rule.sender && $0.wire == rule.wire && $0.conditions.isEmpty }) {
                own.collector.note(
                    own.pointer, "this rule for '\(rule.wire)' is never reached",
                    expected: "a rule without 'when' after all others of its type", fix: "move it up, or remove it")
            }
            rules.append(rule)
        }
        return rules
    }

    private static func rule(_ reader: MemberReader) -> FrameRule? {
        reader.refuseUnknown(besides: ["sender", "wire", "is", "ignored", "unknown", "when", "members", "writes"])
        guard let sender = reader.choice("sender", of: Role.self, required: true),
            let wire = reader.string("wire", required: true), let meaning = meaning(reader, of: sender, wire: wire)
        else { return nil }
        let conditions = reader.members("when").map(WireConditionReader.conditions) ?? []
        var members = MemberMap()
        if case .message(let type) = meaning {
            members = MemberMapReader.map(reader, names: CanonicalMembers.ofFrame(type))
        } else {
            for key in ["members", "writes"] where reader.value(key) != nil {
                reader.collector.note(
                    reader.pointer.appending(key), "members of what is no message", expected: "'is' beside them",
                    fix: "remove '\(key)'")
            }
        }
        return FrameRule(sender: sender, wire: wire, meaning: meaning, conditions: conditions, members: members)
    }

    private static func meaning(_ reader: MemberReader, of sender: Role, wire: String) -> FrameRule.Meaning? {
        let given = ["is", "ignored", "unknown"].filter { reader.value($0) != nil }
        guard given.count == 1, let key = given.first else {
            reader.collector.note(
                reader.pointer,
                given.isEmpty
                    ? "nothing says what '\(clipped(wire))' is" : "\(given.joined(separator: " and ")) at once",
                expected: "one of is, ignored, unknown", fix: given.isEmpty ? "add one" : "keep one")
            return nil
        }
        guard let text = reader.string(key) else { return nil }
        let isAny = wire == FrameRule.anyType
        switch key {
        case "is":
            let known = Dialect.canonicalTypes[sender] ?? []
            guard known.contains(text) else {
                let near = nearestName(to: text, among: known)
                reader.collector.note(
                    reader.pointer.appending(key), "the \(sender.rawValue) sends no '\(clipped(text))'",
                    expected: known.sorted().joined(separator: ", "),
                    fix: near.map { "did you mean '\($0)'?" } ?? "choose one of these")
                return nil
            }
            if isAny {
                return reader.wrong("wire", .string(wire), "a wire type; '*' is for what is ignored or unknown")
            }
            return .message(text)
        case "ignored":
            // A type of the server that nobody has looked at is no type to pass over.
            if isAny {
                return reader.wrong("wire", .string(wire), "a wire type; '*' is for types unknown to the server")
            }
            return .ignored(text)
        default:
            if sender == .server {
                reader.collector.note(
                    reader.pointer.appending(key), "a server knows the types that it sends",
                    expected: "is or ignored", fix: "say what '\(clipped(wire))' is")
                return nil
            }
            return .unknown(text)
        }
    }
}

/// Reads `when`.
enum WireConditionReader {
    static func conditions(_ reader: MemberReader) -> [WireCondition] {
        reader.object.compactMap { key, value in
            guard let place = MemberMapReader.place(key, at: reader.pointer.appending(key), into: reader.collector)
            else { return nil }
            guard value.objectValue != nil else {
                return WireCondition(place: place, values: [value], isNegated: false)
            }
            guard let own = MemberReader(value, at: reader.pointer.appending(key), into: reader.collector) else {
                return nil
            }
            own.refuseUnknown(besides: ["in", "not"])
            if let values = own.value("in")?.arrayValue, !values.isEmpty, own.value("not") == nil {
                return WireCondition(place: place, values: values, isNegated: false)
            }
            if let value = own.value("not"), own.value("in") == nil {
                return WireCondition(place: place, values: value.arrayValue ?? [value], isNegated: true)
            }
            return reader.wrong(key, value, "a value, {\"in\": [values]} or {\"not\": value}")
        }
    }
}
