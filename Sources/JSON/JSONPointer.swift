/// A path into a JSON value, as in RFC 6901: `/messages/0/role`; the empty pointer is the whole value.
public struct JSONPointer: Sendable {
    /// The unescaped reference tokens, outermost first.
    public var tokens: [String]

    /// The pointer to the whole value.
    public init() { tokens = [] }

    /// A pointer with these unescaped tokens.
    public init(tokens: [String]) { self.tokens = tokens }

    /// Reads the string form, in which `~0` stands for `~` and `~1` for `/`.
    ///
    /// - Throws: ``JSONProblem`` if a pointer does not start with `/`, or a `~` is followed by anything but 0 or 1.
    public init(parsing text: String) throws(JSONProblem) {
        tokens = []
        guard !text.isEmpty else { return }
        var token = ""
        var isEscape = false
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            if offset == 0 {
                guard scalar == "/" else {
                    throw JSONProblem(
                        .pointerWithoutSlash(JSONProblem.name(of: scalar)), in: text, scalarOffset: offset)
                }
                continue
            }
            if isEscape {
                guard scalar == "0" || scalar == "1" else {
                    throw JSONProblem(.pointerEscape(JSONProblem.name(of: scalar)), in: text, scalarOffset: offset)
                }
                token.unicodeScalars.append(scalar == "0" ? "~" : "/")
                isEscape = false
            } else if scalar == "~" {
                isEscape = true
            } else if scalar == "/" {
                tokens.append(token)
                token = ""
            } else {
                token.unicodeScalars.append(scalar)
            }
        }
        guard !isEscape else {
            throw JSONProblem(.pointerEscape("the end"), in: text, scalarOffset: text.unicodeScalars.count)
        }
        tokens.append(token)
    }

    /// Reads the string form; nil if RFC 6901 does not allow it.
    public init?(_ text: String) {
        guard let pointer = try? JSONPointer(parsing: text) else { return nil }
        self = pointer
    }

    /// Whether this points to the whole value.
    public var isRoot: Bool { tokens.isEmpty }

    /// The last token, or nil for the whole value.
    public var lastToken: String? { tokens.last }

    /// The pointer to the value around this one, or nil for the whole value.
    public var parent: JSONPointer? { tokens.isEmpty ? nil : JSONPointer(tokens: Array(tokens.dropLast())) }

    /// The pointer to a member of this value.
    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

    /// The pointer to an element of this value, from 0.
    public func appending(_ index: Int) -> JSONPointer { JSONPointer(tokens: tokens + [String(index)]) }

    /// The pointer that continues with `other`.
    public func appending(_ other: JSONPointer) -> JSONPointer { JSONPointer(tokens: tokens + other.tokens) }

    /// Whether this is `other` or inside it.
    public func starts(with other: JSONPointer) -> Bool {
        tokens.count >= other.tokens.count && zip(tokens, other.tokens).allSatisfy { exactlyEqual($0, $1) }
    }

    /// The array index that a token spells in digits without a leading zero; otherwise nil.
    static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy(NumberGrammar.isDigit) else { return nil }
        guard token.utf8.count == 1 || token.utf8.first != UInt8(ascii: "0") else { return nil }
        return Int(token)
    }
}

extension JSONPointer: Hashable {
    /// Compares tokens scalar by scalar.
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.count == right.tokens.count && left.starts(with: right)
    }

    /// Hashes in line with equality.
    public func hash(into hasher: inout Hasher) {
        for token in tokens {
            hasher.combine(ExactString(token))
        }
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The string form, empty for the whole value.
    public var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }
}
