package struct ConsoleStyle: Sendable {
    package var hasColor: Bool
    /// In columns.
    package var width: Int
    package var hasUnicode: Bool

    package init(hasColor: Bool = false, width: Int = 80, hasUnicode: Bool = true) {
        self.hasColor = hasColor
        self.width = max(Self.narrowest, width)
        self.hasUnicode = hasUnicode
    }

    /// The minimum width for wrapped text.
    private static let narrowest = 30

    package func red(_ text: String) -> String { paint(text, "31") }
    package func green(_ text: String) -> String { paint(text, "32") }
    package func yellow(_ text: String) -> String { paint(text, "33") }
    package func bold(_ text: String) -> String { paint(text, "1") }
    package func dim(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// The text on one line of at most `limit` columns.
    package func cut(_ text: String, to limit: Int) -> String { TextWidth.cut(text, to: max(2, limit)) }

    /// The text with this program's symbols replaced by ASCII if necessary.
    package func spelled(_ text: String) -> String {
        hasUnicode ? text : String(text.map { Self.ascii[$0] ?? $0 })
    }

    private static let ascii: [Character: Character] = [
        "·": "-", "…": "~", "×": "x", "“": "\"", "”": "\"", "’": "'", "–": "-", "→": ">", "←": "<", "‹": "<", "›": ">",
    ]

    /// Wraps the text at the style's width with an indent; `hanging` is added from the second line on.
    ///
    /// The first `keepingSpaces` characters stay unchanged, because they are padded columns.
    package func wrapped(_ text: String, indent: Int, hanging: Int = 0, keepingSpaces: Int = 0) -> String {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent) + text.prefix(keepingSpaces)
        var isLineStart = true
        for word in text.dropFirst(keepingSpaces).split(separator: " ") {
            if !isLineStart, TextWidth.columns(line) + 1 + TextWidth.columns(word) > width {
                lines.append(line)
                line = String(repeating: " ", count: indent + hanging)
                isLineStart = true
            }
            line += (isLineStart ? "" : " ") + word
            isLineStart = false
        }
        lines.append(line)
        return lines.joined(separator: "\n")
    }
}

/// Pads a text on the right.
package func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// Pads a text on the left.
package func aligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
