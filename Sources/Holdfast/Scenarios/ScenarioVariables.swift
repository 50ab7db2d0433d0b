import HoldfastBasics
import HoldfastJSON

/// The values for `${name}` during a scenario.
///
/// `${name}` stands for a saved value, `${name.part}` for one saved under a dotted name, and `${name+1}` or `${name-1}`
/// for an adjacent number. A text that is only a reference becomes the value with its type. Inside other text, a string
/// is inserted unquoted, and other values as JSON.
public struct ScenarioVariables: Sendable, Equatable {
    private var values: [String: JSONValue] = [:]

    /// No values yet.
    public init() {}

    /// The value of a name, if it has one.
    public subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// These values, overridden by others.
    public func overlaid(by other: ScenarioVariables) -> ScenarioVariables {
        var both = self
        both.values.merge(other.values) { $1 }
        return both
    }

    /// The reason why a text cannot be filled in.
    public enum Problem: Error, Sendable, Equatable {
        /// The name has no value.
        case unknown(name: String, near: String?)
        /// The value is not a number, so nothing can be added.
        case notANumber(name: String)
        /// A `${` without `}` or without a name.
        case malformed(String)
    }

    /// Fills in all references in a text.
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

    /// Fills in all strings of a value, except keys.
    public func value(_ template: JSONValue) throws(Problem) -> JSONValue {
        try template.replacing { part throws(Problem) in
            guard case .string(let text) = part else { return nil }
            let parts = try Self.parts(of: text)
            if parts.count == 1, case .reference(let reference) = parts[0] { return try value(of: reference) }
            return .string(try self.text(text))
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

    struct Reference: Equatable {
        let name: String
        let offset: Int
    }

    enum Part: Equatable {
        case literal(String)
        case reference(Reference)
    }

    package static func refers(_ template: String) -> Bool { template.utf8.contains(UInt8(ascii: "$")) }

    static func parts(of template: String) throws(Problem) -> [Part] {
        // Most texts have no references.
        guard refers(template) else { return [.literal(template)] }
        var parts: [Part] = []
        var literal = ""
        // Scan bytes, which is faster; this is safe because references are ASCII.
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
