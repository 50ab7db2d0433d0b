/// URI templates of RFC 6570, section 2.
enum URITemplateFormat {
    static func accepts(_ string: String) -> Bool {
        var rest = string.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{":
                guard let end = rest.firstIndex(of: "}"), isExpression(String(rest[..<end])) else { return false }
                rest = rest[rest.index(after: end)...]
            case "%":
                guard let first = rest.popFirst(), let second = rest.popFirst(),
                    first.properties.isASCIIHexDigit, second.properties.isASCIIHexDigit
                else { return false }
            case "}", "\"", "<", ">", "\\", "^", "`", "|", "\u{0}"..."\u{20}", "\u{7F}"..."\u{9F}": return false
            default: break
            }
        }
        return true
    }

    private static func isExpression(_ text: String) -> Bool {
        var text = Substring(text)
        if let first = text.first, "+#./;?&=,!@|".contains(first) { text = text.dropFirst() }
        return text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { isVariable($0) }
    }

    /// A name, perhaps cut to a prefix or exploded.
    private static func isVariable(_ text: Substring) -> Bool {
        var name = text
        if name.hasSuffix("*") {
            name = name.dropLast()
        } else if let colon = name.firstIndex(of: ":") {
            let length = name[colon...].dropFirst()
            guard (1...4).contains(length.count), length.utf8.allSatisfy(CharacterTests.isDigit), length.first != "0"
            else {
                return false
            }
            name = name[..<colon]
        }
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isName($0) }
    }

    private static func isName(_ text: Substring) -> Bool {
        var rest = text.utf8
        guard !rest.isEmpty else { return false }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let first = rest.popFirst(), let second = rest.popFirst(), CharacterTests.isHexDigit(first),
                    CharacterTests.isHexDigit(second)
                else { return false }
            } else if !CharacterTests.isLetter(byte), !CharacterTests.isDigit(byte), byte != UInt8(ascii: "_") {
                return false
            }
        }
        return true
    }
}
