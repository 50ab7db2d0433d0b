import HoldfastBasics
import HoldfastJSON

enum FrameRuleReader {
    static func rules(in reader: MemberReader) -> [FrameRule] {
        var rules: [FrameRule] = []
        for own in reader.objects("frames") {
            guard let rule = rule(own) else { continue }
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
        let wire = reader.text("wire")
        guard let sender = reader.choice("sender", of: Role.self), let meaning = meaning(reader, of: sender, wire: wire)
        else { return nil }
        var members = MemberMap()
        if case .message(let type) = meaning {
            members = MemberMapReader.map(reader, names: CanonicalMembers.ofFrame(type))
        } else {
            for key in ["members", "writes"] where reader.value(key) != nil {
                reader.collector.note(
                    reader.pointer.appending(key), "members, but no message type", expected: "'is' next to them",
                    fix: "remove '\(key)'")
            }
        }
        return FrameRule(
            sender: sender, wire: wire, meaning: meaning,
            conditions: reader.members("when").map(WireConditionReader.conditions) ?? [], members: members)
    }

    private static func meaning(_ reader: MemberReader, of sender: Role, wire: String) -> FrameRule.Meaning? {
        let given = ["is", "ignored", "unknown"].filter { reader.value($0) != nil }
        if given.isEmpty {
            reader.collector.note(
                reader.pointer, "no meaning given for '\(excerpt(wire))'", expected: "one of is, ignored, unknown",
                fix: "add one")
        }
        guard given.count == 1, let key = given.first, let text = reader.string(key) else { return nil }
        let isAny = wire == FrameRule.anyType
        switch key {
        case "is":
            let known = Dialect.canonicalTypes[sender] ?? []
            guard known.contains(text) else {
                reader.collector.note(
                    reader.pointer.appending(key), "the \(sender.rawValue) sends no '\(excerpt(text))'",
                    insteadOf: text, among: known, otherwise: "choose one of these")
                return nil
            }
            if isAny {
                return reader.wrong("wire", .string(wire), "a wire type; '*' is for what is ignored or unknown")
            }
            return .message(text)
        case "ignored":
            // An unknown type from a server must not be ignored without review.
            if isAny {
                return reader.wrong("wire", .string(wire), "a wire type; '*' is for types unknown to the server")
            }
            return .ignored(text)
        default:
            if sender == .server {
                reader.collector.note(
                    reader.pointer.appending(key), "a server knows the types that it sends",
                    expected: "is or ignored", fix: "say what '\(excerpt(wire))' is")
                return nil
            }
            return .unknown(text)
        }
    }
}

enum WireConditionReader {
    static func conditions(_ reader: MemberReader) -> [WireCondition] {
        reader.object.compactMap { key, value in
            guard let location = MemberMapReader.location(key) else { return nil }
            guard let object = value.objectValue else {
                return WireCondition(location: location, values: [value], isNegated: false)
            }
            if object.count == 1, let values = object["in"]?.arrayValue, !values.isEmpty {
                return WireCondition(location: location, values: values, isNegated: false)
            }
            if object.count == 1, let value = object["not"] {
                return WireCondition(location: location, values: value.arrayValue ?? [value], isNegated: true)
            }
            return reader.wrong(key, value, "a value, {\"in\": [values]} or {\"not\": value}")
        }
    }
}
