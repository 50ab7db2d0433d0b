import HoldfastJSON
import HoldfastJSONSchema

/// One demand on a value.
///
/// Demands on strings, arrays, objects and numbers allow all values of another kind, unless their name says that
/// something must be present.
indirect enum Literal: Hashable, Sendable {
    /// Valid under a schema, or not.
    case holds(Int)
    case fails(Int)
    /// Invalid under one keyword of a schema.
    case breaks(node: Int, keyword: Int)
    case kinds(KindSet)
    case isNot(JSONValue)
    case isOneOf([JSONValue])
    case above(JSONNumber, isOpen: Bool)
    case below(JSONNumber, isOpen: Bool)
    case minLength(Int)
    case maxLength(Int)
    case matches(ExactString)
    case notMatches(ExactString)
    case minItems(Int)
    case maxItems(Int)
    /// No two elements are equal, or two are.
    case unique
    case repeats
    case someItem([Literal])
    case everyItem([Literal])
    case present(ExactString, [Literal])
    case absent(ExactString)
    case someMember(NameClass, [Literal])
}

enum NameClass: Hashable, Sendable {
    case name(ExactString)
    /// All names except these.
    case except(Set<ExactString>)

    /// The class without some names; a single name is kept.
    func excluding(_ known: Set<ExactString>) -> NameClass {
        guard case .except(let names) = self else { return self }
        return .except(names.union(known))
    }

    var names: Set<ExactString> {
        switch self {
        case .name(let name): [name]
        case .except(let names): names
        }
    }
}
