import HoldfastBasics
import HoldfastJSON

/// Reads `members` and `writes` of a dialect file.
enum MemberMapReader {
    /// Reads the map of a rule with canonical members among `names`; members may come from placeholders of a request.
    static func map(_ reader: MemberReader, names: Set<String>, placeholders: Set<String> = []) -> MemberMap {
        var map = MemberMap()
        if let members = reader.members("members") {
            for (key, value) in members.object {
                let pointer = members.pointer.appending(key)
                guard let canonical = location(key) else { continue }
                let name = canonical.tokens.first ?? ""
                guard names.contains(name) else {
                    reader.collector.note(
                        pointer, "the specification has no member '\(excerpt(key))' here", insteadOf: name,
                        among: names, otherwise: "remove it")
                    continue
                }
                let location = location(
                    of: canonical, value, MemberReader(value, at: pointer, into: reader.collector), placeholders)
                if let location { map.rules.append(MemberRule(canonical: canonical, location: location)) }
            }
        }
        map.writes = writes(reader)
        var taken = Set(map.writes.map(\.location))
        for rule in map.rules {
            guard let location = rule.location.wire else { continue }
            if taken.insert(location).inserted { continue }
            reader.collector.note(
                reader.pointer.appending("members"), "two members map to '\(location)'",
                expected: "a different place for each",
                fix: "correct one of them")
        }
        return map
    }

    static func writes(_ reader: MemberReader) -> [MemberMap.FixedMember] {
        (reader.value("writes")?.objectValue ?? [:]).compactMap { key, value in
            location(key).map { MemberMap.FixedMember(location: $0, value: value) }
        }
    }

    /// A location: a member name, or a JSON pointer if it starts with a slash.
    static func location(_ text: String) -> JSONPointer? {
        text.hasPrefix("/") ? JSONPointer(text) : JSONPointer(tokens: [text])
    }

    private static func location(
        of canonical: JSONPointer, _ value: JSONValue, _ reader: MemberReader?, _ placeholders: Set<String>
    ) -> MemberRule.Location? {
        if value.isNull { return .unwritten }
        if let text = value.stringValue { return location(text).map { .at($0, .same) } }
        guard let reader else { return nil }
        let kinds = ["at", "always", "assumed", "otherwise", "lastUserText", "frames", "list", "placeholder"]
        let given = kinds.filter { reader.value($0) != nil }
        guard given.count == 1, let kind = given.first, let value = reader.value(kind) else {
            reader.collector.note(
                reader.pointer,
                given.isEmpty ? "nothing says where it is" : "\(given.joined(separator: " and ")) at once",
                expected: "one of \(kinds.joined(separator: ", "))", fix: given.isEmpty ? "add one" : "keep one")
            return nil
        }
        let extras = ["at": ["values", "time"], "list": ["members", "order", "writes"]][kind] ?? []
        for key in reader.object.keys where key != kind && !extras.contains(key) {
            reader.collector.note(
                reader.pointer.appending(key), "unknown member '\(excerpt(key))'",
                expected: ([kind] + extras).sorted().joined(separator: ", "), fix: "remove it")
        }
        let text = reader.text(kind)
        switch kind {
        case "always": return .always(value)
        case "assumed": return .assumed(value)
        case "otherwise": return .otherwise(text)
        case "placeholder":
            if placeholders.contains(text) { return .request(text) }
            return reader.wrong(
                kind, .string(text),
                placeholders.isEmpty
                    ? "a path placeholder, and this is not a path" : placeholders.sorted().joined(separator: ", "))
        case "lastUserText": return location(text).map { .lastUserText($0) }
        case "frames": return location(text).map { .frames($0) }
        case "list":
            let names = CanonicalMembers.ofElements[canonical.description] ?? []
            return location(text).map {
                .list($0, map(reader, names: names), isReversed: reader.value("order") != nil)
            }
        default: return location(text).map { .at($0, vocabulary(reader)) }
        }
    }

    private static func vocabulary(_ reader: MemberReader) -> MemberRule.Vocabulary {
        if reader.value("time") != nil { return .spacedUTC }
        guard let pairs = reader.value("values")?.arrayValue else { return .same }
        return .values(
            pairs.compactMap { pair in
                guard let wire = pair[0], let canonical = pair[1] else { return nil }
                return MemberRule.Word(wire: wire, canonical: canonical)
            })
    }
}

extension MemberRule.Location {
    var wire: JSONPointer? {
        switch self {
        case .at(let location, _), .lastUserText(let location), .frames(let location), .list(let location, _, _):
            location
        case .always, .assumed, .otherwise, .unwritten, .request: nil
        }
    }
}
