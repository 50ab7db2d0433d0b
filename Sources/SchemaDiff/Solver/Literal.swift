import JSON
import JSONSchema

/// One demand on a value.
///
/// Demands on strings, arrays, objects and numbers say nothing about values of another kind, unless their
/// name says that something must be there.
indirect enum Literal: Hashable, Sendable {
    /// Valid under a schema, or not.
    case holds(Int)
    case fails(Int)
    /// Valid under one keyword of a schema, or not.
    case keeps(node: Int, keyword: Int)
    case breaks(node: Int, keyword: Int)
    case kinds(KindSet)
    case isNot(JSONValue)
    case isOneOf([JSONValue])
    case above(JSONNumber, isOpen: Bool)
    case below(JSONNumber, isOpen: Bool)
    case notMultiple(JSONNumber)
    case minLength(Int)
    case maxLength(Int)
    case matches(ExactString)
    case notMatches(ExactString)
    case notFormat(Format)
    case minItems(Int)
    case maxItems(Int)
    /// Two elements are equal.
    case repeats
    /// Some element from one place up to another, or to the end.
    case someItem(from: Int, to: Int?, [Literal])
    case everyItem(from: Int, [Literal])
    case contains(Int, min: Int, max: Int?)
    case minMembers(Int)
    case maxMembers(Int)
    case present(ExactString, [Literal])
    case absent(ExactString)
    /// Some member of a class.
    case someMember(NameClass, [Literal])
    case everyMember(NameClass, [Literal])
    /// The name of some member.
    case someName([Literal])
}

/// A class of member names.
enum NameClass: Hashable, Sendable {
    case name(ExactString)
    case pattern(ExactString)
    /// All names but these, and but those that match one of the patterns.
    case except(Set<ExactString>, patterns: Set<ExactString>)

    /// Whether a name belongs to it, given the patterns by their text.
    func contains(_ name: ExactString, _ matches: (ExactString, ExactString) -> Bool) -> Bool {
        switch self {
        case .name(let own): own == name
        case .pattern(let pattern): matches(pattern, name)
        case .except(let names, let patterns):
            !names.contains(name) && !patterns.contains { matches($0, name) }
        }
    }

    /// The patterns it speaks of.
    var patterns: Set<ExactString> {
        switch self {
        case .name: []
        case .pattern(let pattern): [pattern]
        case .except(_, let patterns): patterns
        }
    }

    /// The names it speaks of.
    var names: Set<ExactString> {
        switch self {
        case .name(let name): [name]
        case .pattern: []
        case .except(let names, _): names
        }
    }
}
