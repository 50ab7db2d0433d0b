package enum TextWidth {
    /// The columns of a text without control characters; wide characters take two.
    package static func columns(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// The longest prefix that fits, with a mark if it was cut.
    package static func cut(_ text: String, to limit: Int, mark: String = "…") -> String {
        guard columns(text) > limit else { return text }
        let room = max(0, limit - columns(mark))
        var width = 0
        let start = text.prefix { character in
            width += columns(character)
            return width <= room
        }
        return start + mark
    }

    private static func columns(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first, first.value >= 0x300 else { return 1 }
        let isPicture = character.unicodeScalars.contains { $0.value == 0xFE0F || $0.properties.isEmojiPresentation }
        return isPicture || wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// Wide characters of East Asia (Unicode, annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
