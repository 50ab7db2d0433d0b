import HoldfastJSON

extension JSONValue {
    /// A copy with a member at a place, whose containers are made as needed.
    func setting(_ location: JSONPointer, to value: JSONValue) -> JSONValue {
        guard let first = location.tokens.first else { return value }
        let rest = JSONPointer(tokens: Array(location.tokens.dropFirst()))
        var copy = objectValue == nil ? JSONValue.object(JSONObject()) : self
        copy[first] = (self[first] ?? .object(JSONObject())).setting(rest, to: value)
        return copy
    }

    /// A copy without the member at a place, and without containers that this leaves empty.
    package func removing(_ location: JSONPointer) -> JSONValue {
        guard let first = location.tokens.first, let member = self[first] else { return self }
        var copy = self
        let rest = JSONPointer(tokens: Array(location.tokens.dropFirst()))
        if rest.isRoot {
            copy[first] = nil
        } else if member[rest] != nil {
            let smaller = member.removing(rest)
            // A literal nil would be a JSON null here.
            copy[first] = smaller.objectValue?.isEmpty == true ? JSONValue?.none : smaller
        }
        return copy
    }
}
