/// A type that is written as one JSON value.
package protocol JSONRepresentable {
    var json: JSONValue { get }
}

extension JSONValue: JSONRepresentable {
    package var json: JSONValue { self }

    /// An object with the non-nil members, in this order.
    package init(members: KeyValuePairs<String, (any JSONRepresentable)?>) {
        var object = JSONObject(capacity: members.count)
        for case (let name, let value?) in members { object.set(value.json, for: name) }
        self = .object(object)
    }

    /// The string of a member; nil if it is absent or no string.
    package func text(_ name: String) -> String? { self[name]?.stringValue }

    /// The `type` of a frame; empty if it has none.
    package var type: String { text("type") ?? "" }

    /// An object with another one's members appended.
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

    /// Nil for `false`, to omit a member.
    package var orAbsent: Bool? { self ? true : nil }
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
    package var json: JSONValue { .array(map { $0.json }) }
}

extension Array {
    /// Nil if it is empty, to omit a member.
    package var orAbsent: [Element]? { isEmpty ? nil : self }
}
