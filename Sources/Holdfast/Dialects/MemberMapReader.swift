import Basics
import JSON

/// Reads `members` and `writes` of a dialect file.
enum MemberMapReader {
    /// The map of a rule, whose canonical members are among `names`; placeholders of a request may be taken for members.
    static func map(_ reader: MemberReader, names: Set<String>, placeholders: Set<String> = []) -> MemberMap {
        var map = MemberMap()
        if let members = reader.members("members") {
            for (key, value) in members.object {
                let pointer = members.pointer.appending(key)
                guard let canonical = place(key, at: pointer, into: reader.collector) else { continue }
                guard names.contains(canonical.tokens.first ?? "") else {
                    let near = nearestName(to: canonical.tokens.first ?? "", among: names)
                    reader.collector.note(
                        pointer, "the specification has no member '\(clipped(key))' here",
                        expected: names.sorted().joined(separator: ", "),
                        fix: near.map { "did you mean '\($0)'?" } ?? "remove it")
                    continue
                }
                let own = Entry(
                    canonical: canonical, value: value, pointer: pointer, collector: reader.collector,
                    placeholders: placeholders)
                if let place = own.place() { map.rules.append(MemberRule(canonical: canonical, place: place)) }
            }
        }
        map.writes = writes(reader)
        refuseSharedPlaces(map, reader)
        return map
    }

    static func writes(_ reader: MemberReader) -> [MemberMap.FixedMember] {
        guard let writes = reader.members("writes") else { return [] }
        return writes.object.compactMap { key, value in
            place(key, at: writes.pointer.appending(key), into: reader.collector).map {
                MemberMap.FixedMember(place: $0, value: value)
            }
        }
    }

    /// A place: a member name, or a JSON pointer when it starts with a slash.
    static func place(_ text: String, at pointer: JSONPointer, into collector: ProblemCollector) -> JSONPointer? {
        if !text.hasPrefix("/"), !text.isEmpty { return JSONPointer(tokens: [text]) }
        if let place = JSONPointer(text), !place.isRoot { return place }
        collector.note(
            pointer, "'\(clipped(text))' is no place", expected: "a member name, or a JSON pointer such as /data/items",
            fix: "correct it")
        return nil
    }

    /// Two members at one place could not be told apart.
    private static func refuseSharedPlaces(_ map: MemberMap, _ reader: MemberReader) {
        var taken = Set(map.writes.map(\.place))
        for rule in map.rules {
            guard let place = rule.place.wire else { continue }
            if taken.insert(place).inserted { continue }
            reader.collector.note(
                reader.pointer.appending("members"), "two members stand at '\(place)'", expected: "a place for each",
                fix: "correct one of them")
        }
    }

    private struct Entry {
        let canonical: JSONPointer
        let value: JSONValue
        let pointer: JSONPointer
        let collector: ProblemCollector
        let placeholders: Set<String>

        func place() -> MemberRule.Place? {
            switch value {
            case .null: return .unsaid
            case .string(let text):
                return MemberMapReader.place(text, at: pointer, into: collector).map { .at($0, .same) }
            case .object:
                return MemberReader(value, at: pointer, into: collector).flatMap(place)
            default:
                collector.note(
                    pointer, "found \(MemberReader.shown(value))", expected: "a place, null or an object",
                    fix: "correct the value")
                return nil
            }
        }

        private func place(_ reader: MemberReader) -> MemberRule.Place? {
            let kinds = [
                "at", "always", "assumed", "otherwise", "lastUserText", "frames", "list", "placeholder",
            ]
            let extras = ["at": ["values", "time"], "list": ["members", "writes"]]
            let given = kinds.filter { reader.value($0) != nil }
            guard given.count == 1, let kind = given.first else {
                collector.note(
                    pointer, given.isEmpty ? "nothing says where it is" : "\(given.joined(separator: " and ")) at once",
                    expected: "one of \(kinds.joined(separator: ", "))", fix: given.isEmpty ? "add one" : "keep one")
                return nil
            }
            reader.refuseUnknown(besides: [kind] + (extras[kind] ?? []))
            if kind == "always" { return reader.value(kind).map { .always($0) } }
            if kind == "assumed" { return reader.value(kind).map { .assumed($0) } }
            guard let text = reader.string(kind) else { return nil }
            if kind == "otherwise" { return .otherwise(text) }
            if kind == "placeholder" {
                guard placeholders.contains(text) else {
                    return reader.wrong(
                        kind, .string(text),
                        placeholders.isEmpty
                            ? "a placeholder of a path; there is none here"
                            : placeholders.sorted().joined(separator: ", "))
                }
                return .request(text)
            }
            guard let place = MemberMapReader.place(text, at: pointer.appending(kind), into: collector) else {
                return nil
            }
            switch kind {
            case "lastUserText": return .lastUserText(place)
            case "frames": return .frames(place)
            case "list":
                let names = CanonicalMembers.ofElement(canonical.description) ?? []
                return .list(place, MemberMapReader.map(reader, names: names))
            default: return vocabulary(reader).map { .at(place, $0) }
            }
        }

        private func vocabulary(_ reader: MemberReader) -> MemberRule.Vocabulary? {
            if let time = reader.string("time") {
                guard time == "spaced-utc" else { return reader.wrong("time", .string(time), "spaced-utc") }
                return .spacedUTC
            }
            guard let pairs = reader.array("values") else { return reader.value("values") == nil ? .same : nil }
            return .values(
                pairs.compactMap { pair in
                    guard let both = pair.value.arrayValue, both.count == 2 else {
                        collector.note(
                            pair.pointer, "found \(MemberReader.shown(pair.value))",
                            expected: "two values: on the wire, and what it means", fix: "correct the value")
                        return nil
                    }
                    return MemberRule.Word(wire: both[0], canonical: both[1])
                })
        }
    }
}

extension MemberRule.Place {
    /// The place on the wire; nil for what has none.
    var wire: JSONPointer? {
        switch self {
        case .at(let place, _), .lastUserText(let place), .frames(let place), .list(let place, _): place
        case .always, .assumed, .otherwise, .unsaid, .request: nil
        }
    }
}
