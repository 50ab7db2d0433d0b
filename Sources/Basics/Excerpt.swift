/// A text cut at a number of characters; a cut text includes its length.
package func excerpt(_ text: some StringProtocol, limit: Int = 120) -> String {
    text.utf8.count <= limit || text.count <= limit ? String(text) : "\(text.prefix(limit))… (\(text.count) characters)"
}

/// A text in quotes, cut at a number of characters; a cut text includes its length.
package func quoted(_ text: some StringProtocol, limit: Int = 120) -> String {
    text.utf8.count <= limit || text.count <= limit
        ? "'\(text)'" : "'\(text.prefix(limit))…' (\(text.count) characters)"
}

/// A text on one line; invisible and terminal control characters become `\u{…}`.
///
/// A joiner between two emojis stays, and so do the scalars in `kept`.
package func visible(_ text: some StringProtocol, keeping kept: Set<Unicode.Scalar> = []) -> String {
    var shown = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
        let joinsEmojis = scalar.value == 0x200D && previous.map { $0.value > 0xFF && isPartOfEmoji($0) } ?? false
        if hasNoShape(scalar), !joinsEmojis, !kept.contains(scalar) {
            shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
        } else {
            shown.append(scalar)
        }
        previous = scalar
    }
    return String(shown)
}

private func isPartOfEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isEmoji || scalar.properties.isVariationSelector
}

private func hasNoShape(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20...0x7E).contains(scalar.value) { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return scalar.properties.isNoncharacterCodePoint
    }
}
