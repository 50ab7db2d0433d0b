/// What stands in JSON as one value.
package protocol JSONRepresentable {
    /// The value.
    var json: JSONValue { get }
}

extension JSONValue: JSONRepresentable {
    package var json: JSONValue { self }

    /// An object of those members that have a value, in this order.
    package init(members: KeyValuePairs<String, (any JSONRepresentable)?>) {
        var object = JSONObject(capacity: members.count)
        for case (let name, let value?) in members { object.set(value.json, for: name) }
        self = .object(object)
    }

    /// An object with the members of another one behind its own.
    package func adding(_ others: JSONValue) -> JSONValue {
        .object(JSONObject([self, others].compactMap(\.objectValue).flatMap { Array($0) }))
    }
}

extension JSONObject: JSONRepresentable {
    package var json: JSONValue { .object(self) }
}

extension String: JSONRepresentable {
    package var json: JSONValue { .string(self) }
}

extension Int: JSONRepresentable {
    package var json: JSONValue { JSONValue(self) }
}

extension Double: JSONRepresentable {
    package var json: JSONValue { JSONValue(self) }
}

extension Bool: JSONRepresentable {
    package var json: JSONValue { .bool(self) }

    /// `true`; nil for `false`, which some members leave out.
    package var orAbsent: Bool? { self ? true : nil }
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
    package var json: JSONValue { .array(map { $0.json }) }
}

extension Array {
    /// The array; nil for an empty one, which some members leave out.
    package var orAbsent: [Element]? { isEmpty ? nil : self }
}
