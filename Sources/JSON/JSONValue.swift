/// Any JSON value, without loss: number text, member order and every scalar of a string are kept.
///
/// Equality is that of JSON: `1`, `1.0` and `1e0` are one number, strings are compared scalar by scalar (so `"é"`
/// differs from `"e\u{301}"`), and the order of members does not matter.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, with its digits as written.
    case number(JSONNumber)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by name.
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// Compares by the equality of JSON.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): exactlyEqual(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes in line with equality.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value ? 2 : 1)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(ExactString(value))
        case .array(let values):
            hasher.combine(3)
            hasher.combine(values)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONValue {
    /// A JSON integer.
    public init(_ value: Int) { self = .number(JSONNumber(value)) }

    /// A JSON number; see ``JSONNumber/init(_:)-(Double)`` for non-finite values.
    public init(_ value: Double) { self = .number(JSONNumber(value)) }

    /// A JSON string.
    public init(_ value: String) { self = .string(value) }

    /// A JSON boolean.
    public init(_ value: Bool) { self = .bool(value) }
}

extension JSONValue {
    /// The type as JSON Schema names it: `null`, `boolean`, `number`, `string`, `array` or `object`.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// Whether this is `null`.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The string, or nil for other types.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    /// The boolean, or nil for other types.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number, or nil for other types.
    public var numberValue: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// The number if it is an integer that fits an `Int`, in any notation (`1000`, `1000.0`, `1e3`).
    public var intValue: Int? { numberValue?.int }

    /// The number as the nearest `Double`, or nil for other types.
    public var doubleValue: Double? { numberValue?.double }

    /// The elements, or nil for other types.
    public var arrayValue: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// The members, or nil for other types.
    public var objectValue: JSONObject? { if case .object(let object) = self { object } else { nil } }
}

extension JSONValue {
    /// The member with that name; nil if it is absent or this is not an object.
    ///
    /// Setting nil removes the member. Setting a member of anything but an object makes it an object.
    public subscript(_ key: String) -> JSONValue? {
        get {
            if case .object(let object) = self { object[key] } else { nil }
        }
        set {
            var object = objectValue ?? JSONObject()
            // Releases the old copy first, so that the object is changed in place.
            self = .null
            object[key] = newValue
            self = .object(object)
        }
    }

    /// Whether this is an object with a member of that name.
    package func has(_ key: String) -> Bool {
        if case .object(let object) = self { object.contains(key) } else { false }
    }

    /// The element at that index, from 0; nil if it is absent or this is not an array.
    public subscript(_ index: Int) -> JSONValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// The value that a pointer refers to, or nil if there is none.
    public subscript(_ pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            switch value {
            case .object(let object):
                guard let next = object[token] else { return nil }
                value = next
            case .array(let values):
                guard let index = JSONPointer.index(token), index < values.count else { return nil }
                value = values[index]
            default: return nil
            }
        }
        return value
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`.
    public init(nilLiteral: ()) { self = .null }

    /// A boolean, from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A whole number, from a literal.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

    /// A number, from a literal.
    public init(floatLiteral value: Double) { self = .number(JSONNumber(value)) }

    /// A string, from a literal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An array, from a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object, from a literal; the order of its members is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(literal: elements))
    }
}

extension JSONValue: CustomStringConvertible {
    /// The compact text.
    public var description: String { text() }
}
