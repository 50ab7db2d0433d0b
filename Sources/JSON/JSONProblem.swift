import HoldfastBasics

/// The reason why a text is not JSON, or not the expected JSON, and its place.
public struct JSONProblem: Error, Sendable, Hashable {
    /// The kind of problem.
    public enum Kind: Sendable, Hashable {
        /// The text is only white space.
        case empty
        /// Something that is not allowed here.
        case unexpected(found: String, expected: String)
        /// A byte order mark before the value.
        case byteOrderMark
        /// A second value, or anything else, after the value.
        case trailing(found: String)
        /// A string without a closing quote.
        case unterminatedString
        /// An unescaped control character in a string.
        case controlCharacter(UInt8)
        /// A backslash before something that starts no escape.
        case escape(found: String, expected: String)
        /// Bytes that are not UTF-8.
        case utf8(found: String)
        /// Deeper nesting than allowed.
        case tooDeep(limit: Int)
        /// More bytes than allowed.
        case tooLarge(limit: Int)
        /// A flaw in a strict parse.
        case flaw(JSONFlaw.Kind)
        /// A pointer that does not start with `/`.
        case pointerWithoutSlash(String)
        /// A `~` in a pointer without a 0 or 1 after it.
        case pointerEscape(String)
    }

    /// The kind of problem.
    public let kind: Kind
    /// The place of the problem.
    public let location: JSONLocation

    init(_ kind: Kind, at location: JSONLocation) { (self.kind, self.location) = (kind, location) }

    /// A problem in a string that is not JSON text, located by scalar.
    init(_ kind: Kind, in text: String, scalarOffset: Int) {
        let bytes = String(String.UnicodeScalarView(text.unicodeScalars.prefix(scalarOffset))).utf8.count
        self.init(kind, at: JSONLocation(byteOffset: bytes, line: 1, column: scalarOffset + 1))
    }
}

extension JSONProblem: CustomStringConvertible {
    /// Place, finding and expectation in one line.
    public var description: String { "\(location): \(sentence)" }

    /// Finding and expectation, without the place.
    package var sentence: String {
        switch kind {
        case .empty: "nothing but white space; expected a value"
        case .unexpected(let found, let expected): "found \(found); expected \(expected)"
        case .byteOrderMark: "a byte order mark; expected the value to start at once"
        case .trailing(let found): "found \(found) after the value; expected the end of the text"
        case .unterminatedString: "the string is not closed; expected '\"' before the end of the text"
        case .controlCharacter(let byte):
            "a bare control character \(Self.codePoint(UInt32(byte))) in a string; expected its escape, \(Self.escape(byte))"
        case .escape(let found, let expected): "found \(found) in an escape; expected \(expected)"
        case .utf8(let found): "the bytes \(found) are not UTF-8; expected UTF-8 throughout"
        case .tooDeep(let limit): "more than \(limit) arrays and objects inside one another; expected at most \(limit)"
        case .tooLarge(let limit): "the text is longer than \(limit) bytes; expected at most \(limit) bytes"
        case .flaw(.duplicateKey(let key)):
            "the key \(Self.quote(key)) comes twice in one object; expected each key once"
        case .flaw(.loneSurrogate):
            "an unpaired surrogate escape; expected a pair such as \\ud83d\\ude00"
        case .pointerWithoutSlash(let found): "the pointer starts with \(found); expected '/', or nothing at all"
        case .pointerEscape(let found): "found \(found) after '~' in a pointer; expected ~0 for '~' or ~1 for '/'"
        }
    }
}

extension JSONProblem {
    /// A value in quotes, cut at 120 characters with its length.
    static func quote(_ text: String) -> String { visible(quoted(text)) }

    /// A scalar for display: in quotes, or by number if it is invisible.
    static func name(of scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate,
            .nonspacingMark, .enclosingMark, .spacingMark:
            return codePoint(scalar.value)
        case .spaceSeparator where scalar != " ": return codePoint(scalar.value)
        default: return "'\(scalar)'"
        }
    }

    static func codePoint(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func escape(_ byte: UInt8) -> String {
        var bytes: [UInt8] = []
        JSONWriter.appendEscape(of: byte, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A place in a text.
public struct JSONLocation: Sendable, Hashable {
    /// The number of bytes before it.
    public let byteOffset: Int
    /// The line, from 1; only a line feed ends a line.
    public let line: Int
    /// The column, from 1, in Unicode scalars.
    public let column: Int

    /// A place by all three counts.
    public init(byteOffset: Int, line: Int, column: Int) {
        (self.byteOffset, self.line, self.column) = (byteOffset, line, column)
    }

    static let start = JSONLocation(byteOffset: 0, line: 1, column: 1)
}

extension JSONLocation: CustomStringConvertible {
    /// `line:column`, as compilers print it.
    public var description: String { "\(line):\(column)" }
}
