/// A text that begins like a longer one, and whether it ends where a character of that one ends.
struct ShortText {
    let value: String
    let isWhole: Bool

    /// nil when the value does not begin like the source.
    init?(_ value: String, of source: String) {
        var scalars = value.unicodeScalars[...]
        while let last = scalars.last, last == "…" || last == "." || last == "\u{FFFD}" || last.properties.isWhitespace
        {
            // What a server appends; a dot or blank of the source itself falls between characters as well.
            scalars.removeLast()
        }
        guard !scalars.isEmpty, source.unicodeScalars.starts(with: scalars) else { return nil }
        let end = source.unicodeScalars.index(source.startIndex, offsetBy: scalars.count)
        let rest = value.unicodeScalars[scalars.endIndex...]
        self.value = value
        // A replacement character that the source does not have is the other half of a character.
        let isBroken = rest.contains("\u{FFFD}") && !source.unicodeScalars.contains("\u{FFFD}")
        isWhole = !isBroken && (end == source.endIndex || source.indices.contains(end))
    }
}
