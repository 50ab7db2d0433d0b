import HoldfastJSON

/// One fault of a value: where it is, which keyword found it, and what would have been right.
public struct SchemaViolation: Sendable, Hashable {
    /// The place in the value.
    public let instanceLocation: JSONPointer
    /// The way through the schema, references included.
    public let keywordLocation: JSONPointer
    /// The URI of the schema resource that holds the keyword, empty when it has none.
    public let schemaURI: String
    /// The keyword's place inside that resource.
    public let schemaLocation: JSONPointer
    /// The keyword.
    public let keyword: String
    /// What is wrong, in one sentence.
    public let message: String
    /// What would have been right: a set, a range or a name.
    public let expected: String
    /// The value as found, cut at 120 characters with its size given.
    public let actual: String
}

extension SchemaViolation: CustomStringConvertible {
    /// Place, fault and expectation in one line.
    public var description: String {
        let location = instanceLocation.isRoot ? "the value" : instanceLocation.description
        return "\(location): \(message) (expected \(expected))"
    }
}

/// A violation and the facts behind its words.
package struct SchemaFinding: Hashable, Sendable {
    package let violation: SchemaViolation
    package let fault: Fault
}
