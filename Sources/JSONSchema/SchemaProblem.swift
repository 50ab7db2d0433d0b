import HoldfastJSON

/// The reason why a schema cannot be used, and the keyword at fault.
public struct SchemaProblem: Error, Sendable, Hashable {
    /// The kind of problem.
    public enum Kind: Sendable, Hashable {
        /// A keyword outside the dialect that does not start with `x-`.
        case unknownKeyword(String, nearest: String?)
        /// An unknown format.
        case unknownFormat(String, nearest: String?)
        /// A keyword whose value has the wrong shape.
        case badValue(keyword: String, found: String, expected: String)
        /// A schema that is neither object nor boolean.
        case notASchema(found: String)
        /// A pattern that cannot be compiled.
        case badPattern(String, reason: String)
        /// A reference to a missing document or place.
        case unresolved(String, reason: String)
        /// A chain of references that returns to its start without entering the instance.
        case endless(String)
        /// Two different schemas under one URI, or two anchors of one name.
        case duplicate(String)
        /// A URI that cannot name a schema.
        case badURI(String, expected: String)
        /// A `$schema` whose dialect is not known.
        case unknownDialect(String)
        /// An unknown vocabulary that a metaschema requires.
        case unknownVocabulary(String)
    }

    /// The kind of problem.
    public let kind: Kind
    /// The URI of the schema resource, empty when it has none.
    public let schemaURI: String
    /// The place inside that resource.
    public let location: JSONPointer

    init(_ kind: Kind, in schemaURI: String, at location: JSONPointer = JSONPointer()) {
        (self.kind, self.schemaURI, self.location) = (kind, schemaURI, location)
    }
}

extension SchemaProblem: CustomStringConvertible {
    /// Place, finding and expectation in one line.
    public var description: String { "\(schemaURI)#\(location): \(sentence)" }

    private var sentence: String {
        switch kind {
        case .unknownKeyword(let name, let nearest):
            "unknown keyword \(quote(name)); expected a keyword of draft 2020-12 or a name that starts with 'x-'"
                + suggestion(nearest)
        case .unknownFormat(let name, let nearest):
            "unknown format \(quote(name)); expected a format of draft 2020-12" + suggestion(nearest)
        case .badValue(let keyword, let found, let expected):
            "'\(keyword)' is \(found); expected \(expected)"
        case .notASchema(let found): "\(found) is not a schema; expected an object or a boolean"
        case .badPattern(let pattern, let reason):
            "the pattern \(quote(pattern)) cannot be used: \(reason)"
        case .unresolved(let reference, let reason): "\(quote(reference)) leads nowhere: \(reason)"
        case .endless(let reference):
            "\(quote(reference)) leads back to itself at the same place of the instance; expected an end"
        case .duplicate(let name): "\(quote(name)) names two schemas; expected one"
        case .badURI(let uri, let expected): "\(quote(uri)) cannot name a schema; expected \(expected)"
        case .unknownDialect(let uri):
            "the dialect \(quote(uri)) is not known; expected draft 2020-12 or a registered metaschema"
        case .unknownVocabulary(let uri):
            "the dialect demands the vocabulary \(quote(uri)), which is not known"
        }
    }

    private func suggestion(_ nearest: String?) -> String {
        nearest.map { "; did you mean '\($0)'?" } ?? ""
    }

    private func quote(_ text: String) -> String { "'\(Excerpt.cut(text))'" }
}
