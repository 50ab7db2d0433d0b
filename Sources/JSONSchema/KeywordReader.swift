import HoldfastJSON

/// Reads the keywords of one schema object and rejects values of the wrong shape.
struct KeywordReader {
    let object: JSONObject
    let uri: String
    let location: JSONPointer

    func problem(_ kind: SchemaProblem.Kind, _ keyword: String) -> SchemaProblem {
        SchemaProblem(kind, in: uri, at: location.appending(keyword))
    }

    func bad(_ keyword: String, _ expected: String) -> SchemaProblem {
        let found = object[keyword].map { Excerpt.of($0) } ?? "absent"
        return problem(.badValue(keyword: keyword, found: found, expected: expected), keyword)
    }

    func string(_ keyword: String) throws(SchemaProblem) -> String? {
        guard let value = object[keyword] else { return nil }
        guard case .string(let string) = value else { throw bad(keyword, "a string") }
        return string
    }

    func count(_ keyword: String) throws(SchemaProblem) -> Int? {
        guard let value = object[keyword] else { return nil }
        guard case .number(let number) = value, number.isInteger, number >= JSONNumber(0) else {
            throw bad(keyword, "a whole number from 0")
        }
        return number.int ?? .max
    }

    func number(_ keyword: String) throws(SchemaProblem) -> JSONNumber? {
        guard let value = object[keyword] else { return nil }
        guard case .number(let number) = value else { throw bad(keyword, "a number") }
        return number
    }

    func names(_ value: JSONValue, _ keyword: String) throws(SchemaProblem) -> [String] {
        guard case .array(let values) = value else { throw bad(keyword, "a list of names") }
        var names: [String] = []
        for value in values {
            guard case .string(let name) = value else { throw bad(keyword, "a list of names") }
            names.append(name)
        }
        guard Set(names.map { ExactString($0) }).count == names.count else {
            throw bad(keyword, "a list of names that are all different")
        }
        return names
    }

    func types() throws(SchemaProblem) -> TypeSet? {
        guard let value = object["type"] else { return nil }
        let expected = "one of " + TypeSet.names.map(\.name).joined(separator: ", ") + ", or a list of them"
        let values = value.arrayValue ?? [value]
        guard !values.isEmpty else { throw bad("type", expected) }
        var types: TypeSet = []
        for value in values {
            guard let name = value.stringValue, let type = TypeSet.names.first(where: { $0.name == name })?.type,
                types.insert(type).inserted
            else { throw bad("type", expected) }
        }
        return types
    }
}
