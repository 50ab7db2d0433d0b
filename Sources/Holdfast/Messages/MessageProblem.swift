import HoldfastJSON
import HoldfastJSONSchema

/// One thing wrong with a message: the place, the expectation, and the violated clause.
public struct MessageProblem: Sendable, Equatable {
    /// The message's own type, such as `done`, if it states one.
    public let type: String?
    /// The place in the message.
    public let instance: JSONPointer
    /// The place in the text, if there is a text.
    public let location: JSONLocation?
    /// The problem, with the actual value.
    public let what: String
    /// The valid values.
    public let expected: String
    /// The violated clause; nil if the schemas name none.
    public let clause: ClauseID?
    /// The schema file in `schemas/` and its keyword, such as `messages/done.json#/allOf/1/required`.
    public let keyword: String?
    /// The parser's finding; nil for a finding of a schema.
    public let flaw: Flaw?

    /// Faults below the schema level, as named in `Fixtures/index.json`.
    public enum Flaw: String, Sendable, Hashable, CaseIterable {
        /// Invalid JSON.
        case syntax
        /// Invalid UTF-8.
        case encoding
        /// Two members with one name in an object.
        case duplicateKey
        /// The escape of half a surrogate pair.
        case loneSurrogate
        /// An integer with a fraction or an exponent where the schema requires an integer.
        case integerToken
    }
}

extension MessageProblem: CustomStringConvertible {
    /// Place, fault, expectation and clause, one per line.
    public var description: String {
        var text = location.map { "\($0): " } ?? ""
        text += "\(type ?? "message") \(instance.isRoot ? "as a whole" : instance.description): \(what)"
        text += "\n  expected: \(expected)"
        if let clause { text += "\n  clause: \(clause)" }
        if let keyword { text += "\n  schema: \(keyword)" }
        return text
    }
}
