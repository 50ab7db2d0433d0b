import HoldfastJSON

/// One fault of a value: its place, the keyword that found it, and what would be valid.
public struct SchemaViolation: Sendable, Hashable {
    /// The place in the value.
    public let instanceLocation: JSONPointer
    /// The path through the schema, including references.
    public let keywordLocation: JSONPointer
    /// The URI of the schema resource with the keyword, empty if it has none.
    public let schemaURI: String
    /// The keyword's place inside that resource.
    public let schemaLocation: JSONPointer
    /// The keyword.
    public let keyword: String
    /// The problem in one sentence.
    public let message: String
    /// The valid values: a set, a range or a name.
    public let expected: String
    /// The actual value, cut at 120 characters with its size.
    public let actual: String
}

extension SchemaViolation: CustomStringConvertible {
    /// Place, fault and expectation in one line.
    public var description: String {
        let location = instanceLocation.isRoot ? "the value" : instanceLocation.description
        return "\(location): \(message) (expected \(expected))"
    }
}

/// A violation and the data behind its message.
package struct SchemaFinding: Hashable, Sendable {
    package let violation: SchemaViolation
    package let fault: Fault
}
