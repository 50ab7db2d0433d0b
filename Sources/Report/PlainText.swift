/// Texts of strangers, made harmless for the formats of machines.
package enum PlainText {
    /// The text with each control character but line feed and tab as `\u{…}`, so that no reader obeys it and none refuses it.
    package static func harmless(_ text: String, keepsLines: Bool = true) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x09: shown.append(keepsLines ? scalar : " ")
            case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE,
                0xFFFF:
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// The text in one harmless line, cut at so many characters.
    package static func line(_ text: String, limit: Int = 400) -> String {
        let line = harmless(text, keepsLines: false)
        return line.count <= limit ? line : line.prefix(limit - 1) + "…"
    }

    /// The text cut at so many characters, and told that it was.
    package static func cut(_ text: String, to limit: Int) -> String {
        text.count <= limit ? text : "\(text.prefix(limit))\n… (\(text.count) characters)"
    }
}
