import HoldfastBasics

/// Makes untrusted text harmless for machine-readable formats.
package enum PlainText {
    /// The text with invisible characters other than line feed and tab as `\u{…}`: readers neither obey nor reject it.
    package static func harmless(_ text: String, keepsLines: Bool = true) -> String {
        guard !keepsLines else { return visible(text, keeping: ["\n", "\t"]) }
        var line = String.UnicodeScalarView()
        line.append(contentsOf: text.unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 })
        return visible(String(line))
    }

    /// The text as one harmless line, cut at a number of characters.
    package static func line(_ text: String, limit: Int = 400) -> String {
        let line = harmless(text, keepsLines: false)
        return line.count <= limit ? line : line.prefix(limit - 1) + "…"
    }

    package static func cut(_ text: String, to limit: Int) -> String {
        text.count <= limit ? text : "\(text.prefix(limit))\n… (\(text.count) characters)"
    }
}
