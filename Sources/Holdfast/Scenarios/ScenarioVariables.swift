import HoldfastBasics
import HoldfastJSON

/// The values behind `${name}` while a scenario is performed.
///
/// `${name}` is a value saved before, `${name.part}` one that belongs to something named, `${name+1}` and `${name-1}` a number beside it. A text that is nothing but one such
/// reference becomes the value itself, with its type; within other text a string stands as it is and the rest as JSON.
public struct ScenarioVariables: Sendable, Equatable {
    private var values: [String: JSONValue] = [:]

    /// No values yet.
    public init() {}

    /// The value of a name; nil when none was given.
    public subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// The same with other values over these.
    public func overlaid(by other: ScenarioVariables) -> ScenarioVariables {
        var both = self
        both.values.merge(other.values) { $1 }
        return both
    }

    /// Why a text cannot be filled in.
    public enum Problem: Error, Sendable, Equatable {
        /// Nothing has this name.
        case unknown(name: String, near: String?)
        /// The value of this name is no number, and a number was to be added.
        case notANumber(name: String)
        /// A `${` that no `}` ends, or that holds no name.
        case malformed(String)
    }

    /// Fills in all references of a text.
    public func text(_ template: String) throws(Problem) -> String {
        var result = ""
        for part in try Self.parts(of: template) {
            switch part {
            case .literal(let text): result += text
            case .reference(let reference):
                let value = try value(of: reference)
                result += value.stringValue ?? value.text()
            }
        }
        return result
    }

    /// Fills in all strings of a value, keys excepted.
    public func value(_ template: JSONValue) throws(Problem) -> JSONValue {
        switch template {
        case .string(let text):
            let parts = try Self.parts(of: text)
            if parts.count == 1, case .reference(let reference) = parts[0] { return try value(of: reference) }
            return .string(try self.text(text))
        case .array(let elements):
            var filled: [JSONValue] = []
            for element in elements { filled.append(try value(element)) }
            return .array(filled)
        case .object(let object):
            var filled = JSONObject()
            for member in object { filled[member.key] = try value(member.value) }
            return .object(filled)
        default: return template
        }
    }

    private func value(of reference: Reference) throws(Problem) -> JSONValue {
        guard let value = values[reference.name] else {
            throw .unknown(name: reference.name, near: nearestName(to: reference.name, among: values.keys))
        }
        guard reference.offset != 0 else { return value }
        guard let number = value.intValue else { throw .notANumber(name: reference.name) }
        let (sum, overflow) = number.addingReportingOverflow(reference.offset)
        guard !overflow else { throw .notANumber(name: reference.name) }
        return JSONValue(sum)
    }

    /// A name with what is added to it.
    struct Reference: Equatable {
        let name: String
        let offset: Int
    }

    enum Part: Equatable {
        case literal(String)
        case reference(Reference)
    }

    /// Whether a text may refer to something.
    package static func refers(_ template: String) -> Bool { template.utf8.contains(UInt8(ascii: "$")) }

    /// Takes a text apart.
    static func parts(of template: String) throws(Problem) -> [Part] {
        // Most texts refer to nothing.
        guard refers(template) else { return [.literal(template)] }
        var parts: [Part] = []
        var literal = ""
        // By bytes: what refers is ASCII, and characters take their time.
        var rest = template.utf8[...]
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            literal += template[rest.startIndex..<dollar]
            rest = rest[rest.index(after: dollar)...]
            guard rest.first == UInt8(ascii: "{") else {
                literal += "$"
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")), let reference = reference(rest[..<end].dropFirst())
            else { throw .malformed(template) }
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = ""
            parts.append(.reference(reference))
            rest = rest[rest.index(after: end)...]
        }
        literal += template[rest.startIndex...]
        if !literal.isEmpty || parts.isEmpty { parts.append(.literal(literal)) }
        return parts
    }

    private static func reference(_ text: Substring.UTF8View) -> Reference? {
        let dot = UInt8(ascii: ".")
        let name = text.prefix { isLetter($0) || isDigit($0) || $0 == dot }
        guard name.first.map(isLetter) == true, name.last != dot,
            !zip(name, name.dropFirst()).contains(where: { $0 == dot && $1 == dot })
        else { return nil }
        let tail = text[name.endIndex...]
        guard let sign = tail.first else { return Reference(name: String(Substring(name)), offset: 0) }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), tail.dropFirst().allSatisfy(isDigit),
            let offset = Int(Substring(tail.dropFirst()))
        else { return nil }
        return Reference(name: String(Substring(name)), offset: sign == UInt8(ascii: "-") ? -offset : offset)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte >= 0x40
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
