import HoldfastJSON
import HoldfastJSONSchema

/// One thing that is wrong with a message: where it is, what was expected, and the clause that says so.
public struct MessageProblem: Sendable, Equatable {
    /// What the message claims to be, such as `done`; nil when it does not say.
    public let type: String?
    /// The place in the message.
    public let instance: JSONPointer
    /// The place in the text; nil when the message was given as a value.
    public let location: JSONLocation?
    /// What is wrong, with the value as it was found.
    public let what: String
    /// What would have been right.
    public let expected: String
    /// The clause it breaks; nil when the schemas name none.
    public let clause: ClauseID?
    /// The schema file below `schemas/` and the keyword in it, such as `messages/done.json#/allOf/1/required`.
    public let keyword: String?
    /// What a parser sees before any schema does; nil for what a schema found.
    public let flaw: Flaw?

    /// Faults below the level of schemas, as `Fixtures/index.json` names them.
    public enum Flaw: String, Sendable, Hashable, CaseIterable {
        /// No JSON.
        case syntax
        /// No UTF-8.
        case encoding
        /// Two members of one name in one object.
        case duplicateKey
        /// Half of a surrogate pair, as an escape.
        case loneSurrogate
        /// A whole number spelled with a fraction or an exponent where the schema asks for an integer.
        case integerToken
    }
}

extension MessageProblem: CustomStringConvertible {
    /// Place, fault, expectation and clause, one line each.
    public var description: String {
        var text = location.map { "\($0): " } ?? ""
        text += "\(type ?? "message") \(instance.isRoot ? "as a whole" : instance.description): \(what)"
        text += "\n  expected: \(expected)"
        if let clause { text += "\n  clause: \(clause)" }
        if let keyword { text += "\n  schema: \(keyword)" }
        return text
    }
}
