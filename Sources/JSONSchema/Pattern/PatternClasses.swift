extension PatternParser {
    /// A class, after its opening bracket.
    mutating func characterClass() throws(PatternProblem) -> PatternSet {
        let isNegated = take("^")
        var items: [PatternSet.Item] = []
        while !take("]") {
            guard current != nil else { throw problem("a class is not closed") }
            let first = try classAtom()
            // A dash before the bracket is literal.
            guard current == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                items.append(first)
                continue
            }
            position += 1
            let last = try classAtom()
            guard case .range(let low, _) = first, case .range(_, let high) = last else {
                throw problem("a class stands at the end of a range")
            }
            guard low <= high else { throw problem("a range that runs backwards") }
            items.append(.range(low, high))
        }
        return PatternSet(items, isNegated: isNegated)
    }

    private mutating func classAtom() throws(PatternProblem) -> PatternSet.Item {
        guard let scalar = current else { throw problem("a class is not closed") }
        position += 1
        guard scalar == "\\" else { return .range(scalar.value, scalar.value) }
        if take("b") { return .range(8, 8) }
        if let set = try classEscape() { return .nested(set) }
        let value = try characterEscape(inClass: true)
        return .range(value, value)
    }

    /// `\d`, `\w`, `\s`, `\p{…}` and their negations.
    mutating func classEscape() throws(PatternProblem) -> PatternSet? {
        guard let scalar = current else { return nil }
        switch scalar {
        case "d", "D", "w", "W", "s", "S":
            position += 1
            let set: PatternSet =
                switch scalar {
                case "d", "D": .digit
                case "w", "W": .word
                default: .space
                }
            return scalar.properties.isUppercase ? set.negated : set
        case "p", "P":
            position += 1
            return PatternSet([.property(try property(), isNegated: scalar == "P")])
        default: return nil
        }
    }

    private mutating func property() throws(PatternProblem) -> PatternProperty {
        guard take("{") else { throw problem("'\\p' needs a property in braces") }
        let start = position
        var name = ""
        while let scalar = current, scalar != "}" {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take("}") else { throw problem("a property is not closed") }
        guard let property = PatternProperty(name) else {
            throw PatternProblem("'\(name)' is not a general category, and no other property is supported", at: start)
        }
        return property
    }

    /// An escape for one scalar, after its backslash.
    mutating func characterEscape(inClass: Bool) throws(PatternProblem) -> UInt32 {
        guard let scalar = current else { throw problem("a backslash at the end") }
        position += 1
        switch scalar {
        case "t": return 0x09
        case "n": return 0x0A
        case "v": return 0x0B
        case "f": return 0x0C
        case "r": return 0x0D
        case "0":
            if let next = current, ("0"..."9").contains(next) { throw problem("an octal escape") }
            return 0
        case "c":
            guard let letter = current, letter.isASCII, letter.properties.isAlphabetic else {
                throw problem("'\\c' needs a letter")
            }
            position += 1
            return letter.value & 0x1F
        case "x": return try hexadecimal(2)
        case "u": return try unicodeEscape()
        case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/": return scalar.value
        case "-" where inClass: return scalar.value
        default:
            position -= 1
            throw problem("an unknown escape '\\\(scalar)'")
        }
    }

    private mutating func unicodeEscape() throws(PatternProblem) -> UInt32 {
        if take("{") {
            var value: UInt32 = 0
            let start = position
            while let digit = current.flatMap({ Self.digit($0) }) {
                value = value << 4 | digit
                guard value <= 0x10FFFF else { throw problem("a code point above 10FFFF") }
                position += 1
            }
            guard position > start, take("}") else { throw problem("'\\u{' needs hexadecimal digits and '}'") }
            return value
        }
        let unit = try hexadecimal(4)
        guard (0xD800...0xDBFF).contains(unit) else { return unit }
        let afterUnit = position
        if take("\\u"), let second = try? hexadecimal(4), (0xDC00...0xDFFF).contains(second) {
            return 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
        }
        position = afterUnit
        return unit
    }

    private mutating func hexadecimal(_ count: Int) throws(PatternProblem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = current.flatMap({ Self.digit($0) }) else {
                throw problem("\(count) hexadecimal digits are needed")
            }
            value = value << 4 | digit
            position += 1
        }
        return value
    }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt32? {
        guard scalar.isASCII else { return nil }
        return Character(scalar).hexDigitValue.map { UInt32($0) }
    }
}
