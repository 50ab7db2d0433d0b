/// A text that starts like a longer one, and whether it is cut between that one's characters.
struct ShortText {
    let value: String
    let isWhole: Bool

    /// Nil if the value does not start like the source.
    init?(_ value: String, of source: String) {
        var scalars = value.unicodeScalars[...]
        while let last = scalars.last, last == "…" || last == "." || last == "\u{FFFD}" || last.properties.isWhitespace
        {
            // Removes what a server appends; removing the source's own dot or blank also leaves a cut between
            // characters.
            scalars.removeLast()
        }
        guard !scalars.isEmpty, source.unicodeScalars.starts(with: scalars) else { return nil }
        let end = source.unicodeScalars.index(source.startIndex, offsetBy: scalars.count)
        let rest = value.unicodeScalars[scalars.endIndex...]
        self.value = value
        // A replacement character that is not in the source is half of a character.
        let isBroken = rest.contains("\u{FFFD}") && !source.unicodeScalars.contains("\u{FFFD}")
        isWhole = !isBroken && (end == source.endIndex || source.indices.contains(end))
    }
}
