/// A JSON number as written, compared by its exact value.
///
/// No number is ever rounded: 9007199254740993 stays itself, and 0.1 is one tenth.
public struct JSONNumber: Sendable {
    /// The characters of the number.
    public let text: String

    /// A whole number.
    public init(_ value: Int) { text = String(value) }

    /// The shortest decimal that reads back as the same `Double`.
    ///
    /// JSON has only finite numbers: infinities become the largest finite `Double`, and not-a-number becomes 0.
    public init(_ value: Double) {
        if value.isFinite {
            text = value.description
        } else if value.isNaN {
            text = "0"
        } else {
            text = (value < 0 ? -Double.greatestFiniteMagnitude : Double.greatestFiniteMagnitude).description
        }
    }

    /// A number in JSON notation; nil if RFC 8259 does not allow it.
    public init?(text: String) {
        guard NumberGrammar.accepts(text) else { return nil }
        self.text = text
    }

    init(checked text: String) { self.text = text }

    /// The value if it is an integer and fits, in any notation (`12`, `12.0`, `1.2e1`).
    public var int: Int? { Int(text) ?? Decimal(text).int }

    /// The nearest `Double`; infinity if the number is out of range.
    public var double: Double { Double(text) ?? .nan }

    /// Whether the value is an integer, in any notation: true for `1`, `1.0` and `10e-1`.
    public var isInteger: Bool { isIntegerToken || Decimal(text).isInteger }

    /// Whether it is written without fraction and exponent: true for `1`, false for `1.0` and `1e3`.
    public var isIntegerToken: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || NumberGrammar.isDigit($0) } }

    /// Whether this is an exact multiple of `other`; false if `other` is zero.
    public func isMultiple(of other: JSONNumber) -> Bool {
        if let left = Int(text), let right = Int(other.text) {
            guard right != 0 else { return false }
            return right == -1 || left % right == 0
        }
        return Decimal(text).isMultiple(of: Decimal(other.text))
    }
}

extension JSONNumber: Hashable, Comparable {
    /// Compares exact values.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        if let left = Int(left.text), let right = Int(right.text) { return left == right }
        return Decimal(left.text) == Decimal(right.text)
    }

    /// Orders exact values.
    public static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        if let left = Int(left.text), let right = Int(right.text) { return left < right }
        return Decimal(left.text) < Decimal(right.text)
    }

    /// Hashes the exact value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(5)
        hasher.combine(Decimal(text))
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The characters of the number.
    public var description: String { text }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// A whole number, from a literal.
    public init(integerLiteral value: Int) { self.init(value) }

    /// A number, from a literal.
    public init(floatLiteral value: Double) { self.init(value) }
}
