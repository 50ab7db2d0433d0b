import HoldfastJSON

extension JSONValue {
    /// A copy with a member set at a location; containers are created as needed.
    func setting(_ location: JSONPointer, to value: JSONValue) -> JSONValue {
        guard let first = location.tokens.first else { return value }
        let rest = JSONPointer(tokens: Array(location.tokens.dropFirst()))
        var copy = objectValue == nil ? JSONValue.object(JSONObject()) : self
        copy[first] = (self[first] ?? .object(JSONObject())).setting(rest, to: value)
        return copy
    }

    /// A copy without the member at a location, and without containers that become empty.
    package func removing(_ location: JSONPointer) -> JSONValue {
        guard let first = location.tokens.first else { return self }
        let rest = JSONPointer(tokens: Array(location.tokens.dropFirst()))
        if case .array(var values) = self, let index = Int(first), values.indices.contains(index) {
            values[index] = values[index].removing(rest)
            return .array(values)
        }
        guard let member = self[first] else { return self }
        var copy = self
        if rest.isRoot {
            copy[first] = nil
        } else if member[rest] != nil {
            let smaller = member.removing(rest)
            // A literal nil would be JSON null here.
            copy[first] = smaller.objectValue?.isEmpty == true ? JSONValue?.none : smaller
        }
        return copy
    }
}

extension JSONValue {
    /// A copy with the replacements that `change` returns; if it returns nil for a value, it is called for its parts.
    package func replacing<Problem: Error>(
        _ change: (JSONValue) throws(Problem) -> JSONValue?
    ) throws(Problem) -> JSONValue {
        if let changed = try change(self) { return changed }
        switch self {
        case .array(var elements):
            for index in elements.indices { elements[index] = try elements[index].replacing(change) }
            return .array(elements)
        case .object(var object):
            for (key, value) in object { object[key] = try value.replacing(change) }
            return .object(object)
        default: return self
        }
    }

    /// The object with the missing ones of these members added, and their locations.
    package func adding(_ names: [String: String]) -> (value: JSONValue, generated: [JSONPointer]) {
        guard objectValue != nil else { return (self, []) }
        let lacking = names.filter { self[$0.key] == nil }.sorted { $0.key < $1.key }
        var value = self
        for (name, text) in lacking { value[name] = .string(text) }
        return (value, lacking.map { JSONPointer(tokens: [$0.key]) })
    }
}
