import HoldfastBasics

/// Texts of strangers, made harmless for the formats of machines.
package enum PlainText {
    /// The text with what has no shape, but line feed and tab, as `\u{…}`, so that no reader obeys it and none refuses it.
    package static func harmless(_ text: String, keepsLines: Bool = true) -> String {
        guard !keepsLines else { return visible(text, keeping: ["\n", "\t"]) }
        var line = String.UnicodeScalarView()
        line.append(contentsOf: text.unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 })
        return visible(String(line))
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
