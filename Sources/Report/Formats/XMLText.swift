import HoldfastBasics

/// Text as XML carries it.
package enum XMLText {
    /// The text for content and for attributes in double quotes.
    ///
    /// XML 1.0 has no way to write most control characters and the two non-characters at its end, so they are shown by number;
    /// line ends and tabs survive in attributes only as references.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in escapedForMarkup(text).unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: result += "&#\(scalar.value);"
            case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
