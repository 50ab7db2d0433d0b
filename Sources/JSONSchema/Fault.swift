import HoldfastBasics
import HoldfastJSON

/// Everything that can be wrong with a value, with all the messages.
package enum Fault: Hashable, Sendable {
    case type(found: String, TypeSet)
    case const(JSONValue)
    case enumeration([JSONValue], nearest: String?)
    case range(String, JSONNumber)
    case multipleOf(JSONNumber)
    case count(String, found: Int, limit: Int)
    case pattern(String)
    case format(Format)
    case notUnique(first: Int, second: Int)
    case missing(String, because: String?)
    case unknownProperty(String, nearest: String?, known: [String])
    case forbiddenProperty(String)
    case unwantedItem(index: Int, allowed: Int?)
    case forbidden
    case contains(found: Int, min: Int, max: Int?)
    case not
    case notTogether([String])
    case excluded([JSONValue])
    case severalMatch([Int], of: Int)
    case noneMatches([String])
    case missingDiscriminator(String, known: [String])
    case unknownDiscriminator(found: JSONValue, known: [String], nearest: String?)
    case propertyName(String, reason: String)
    case tooDeep
    case endless
}

extension TypeSet: Hashable {}

extension Fault {
    func message(_ value: JSONValue) -> String {
        switch self {
        case .type(let found, let types): "found \(found) instead of \(Self.either(types.names))"
        case .const: "\(Self.shown(value)) is not the one allowed value"
        case .enumeration(_, let nearest): "\(Self.shown(value)) is not one of the allowed values" + Self.meant(nearest)
        case .range(let relation, _):
            "\(Excerpt.of(value)) is too \(relation == "at least" || relation == "above" ? "small" : "large")"
        case .multipleOf(let unit): "\(Excerpt.of(value)) is not a multiple of \(unit)"
        case .count(_, found: 0, _): "it is empty"
        case .count(let what, let found, let limit):
            "\(Self.counted(found, what)) \(found == 1 ? "is" : "are") too \(found < limit ? "few" : "many")"
        case .pattern: "\(Self.shown(value)) does not match the pattern"
        case .format(let format): "\(Self.shown(value)) is not \(format.article) \(format.rawValue)"
        case .notUnique(let first, let second): "elements \(first) and \(second) are equal"
        case .missing(let name, nil): "missing '\(Excerpt.cut(name))'"
        case .missing(let name, .some(let cause)):
            "missing '\(Excerpt.cut(name))', which '\(Excerpt.cut(cause))' requires"
        case .unknownProperty(let name, let nearest, _):
            "'\(Excerpt.cut(name))' is not a known property" + Self.meant(nearest)
        case .forbiddenProperty(let name): "'\(Excerpt.cut(name))' is not allowed here"
        case .unwantedItem(let index, _): "element \(index) is one too many"
        case .forbidden: "no value is allowed here"
        case .contains(let found, let min, _):
            found < min
                ? "\(Self.counted(found, "matching elements")) \(found == 1 ? "is" : "are") too few"
                : "\(Self.counted(found, "matching elements")) \(found == 1 ? "is" : "are") too many"
        case .not: "\(Self.shown(value)) is what the schema under 'not' forbids"
        case .notTogether(let names):
            "\(names.map { "'\(Excerpt.cut($0))'" }.joined(separator: " and ")) "
                + (names.count == 1 ? "is not allowed here" : "are not allowed together")
        case .excluded: "\(Self.shown(value)) is not allowed here"
        case .severalMatch(let matches, _):
            "matches alternatives \(matches.map(String.init).joined(separator: " and ")) at once"
        case .noneMatches(let reasons): "matches none of \(reasons.count) alternatives"
        case .missingDiscriminator(let name, _): "missing '\(name)'"
        case .unknownDiscriminator(let found, _, let nearest):
            "\(Self.shown(found)) is not a known value" + Self.meant(nearest)
        case .propertyName(let name, let reason): "the name '\(Excerpt.cut(name))' is not allowed: \(reason)"
        case .tooDeep: "nested too deeply to be checked"
        case .endless: "the schema refers to itself without end here"
        }
    }

    var expected: String {
        switch self {
        case .type(_, let types): Self.either(types.names)
        case .const(let value): Excerpt.of(value)
        case .enumeration(let values, _):
            values.isEmpty ? "nothing: the list of values is empty" : Self.list(values)
        case .range(let relation, let bound): "\(relation) \(bound)"
        case .multipleOf(let unit): "a multiple of \(unit)"
        case .count(let what, let found, let limit):
            "at \(found < limit ? "least" : "most") \(Self.counted(limit, what))"
        case .pattern(let pattern): "text that matches \(Excerpt.cut(pattern))"
        case .format(let format): format.expectation
        case .notUnique: "elements that are all different"
        case .missing(let name, _): "the member '\(Excerpt.cut(name))'"
        case .unknownProperty(_, _, let known):
            known.isEmpty ? "no other member" : "one of " + Excerpt.cut(known.joined(separator: ", "))
        case .forbiddenProperty: "no member of that name"
        case .unwantedItem(_, let allowed):
            allowed.map { "at most \(Self.counted($0, "elements"))" } ?? "no further element"
        case .forbidden: "nothing"
        case .contains(let found, let min, let max):
            found < min
                ? "at least \(Self.counted(min, "matching elements"))"
                : "at most \(Self.counted(max ?? found, "matching elements"))"
        case .not: "anything else"
        case .notTogether(let names): names.count == 1 ? "no member of that name" : "not all of them"
        case .excluded(let values): "anything but \(Self.list(values))"
        case .severalMatch(_, let count): "exactly one of \(count) alternatives"
        case .noneMatches(let reasons): Excerpt.cut(reasons.joined(separator: " — or — "))
        case .missingDiscriminator(let name, let known): "'\(name)' with one of \(known.joined(separator: ", "))"
        case .unknownDiscriminator(_, let known, _): "one of \(known.joined(separator: ", "))"
        case .propertyName: "another name"
        case .tooDeep: "fewer values inside one another"
        case .endless: "a schema that ends"
        }
    }

    private static func list(_ values: [JSONValue]) -> String {
        Excerpt.cut(values.map { Excerpt.of($0) }.joined(separator: ", "))
    }

    private static func either(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.last ?? "nothing" }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }

    private static func meant(_ nearest: String?) -> String {
        nearest.map { "; did you mean '\($0)'?" } ?? ""
    }

    private static func counted(_ count: Int, _ plural: String) -> String {
        guard count == 1 else { return "\(count) \(plural)" }
        return "1 " + (singulars[plural] ?? plural)
    }

    private static let singulars = [
        "characters": "character", "elements": "element", "members": "member", "matching elements": "matching element",
    ]

    private static func shown(_ value: JSONValue) -> String {
        guard case .string(let string) = value else { return Excerpt.of(value) }
        return "'\(Excerpt.cut(string))'"
    }
}

/// Shows a value of any size, cut after 120 characters.
enum Excerpt {
    static let limit = 120

    /// A value as JSON text, cut with its size given.
    static func of(_ value: JSONValue) -> String {
        let (cut, isWhole) = value.text(limit: limit)
        let text = visible(cut)
        if isWhole { return text }
        switch value {
        case .string(let string): return "\(text)… (\(string.unicodeScalars.count) characters)"
        case .array(let values): return "\(text)… (\(values.count) elements)"
        case .object(let object): return "\(text)… (\(object.count) members)"
        default: return text + "…"
        }
    }

    static func cut(_ text: String) -> String { visible(excerpt(text, limit: limit)) }
}
