/// A text cut at a number of characters, with its length when it was cut.
package func excerpt(_ text: some StringProtocol, limit: Int = 120) -> String {
    text.utf8.count <= limit || text.count <= limit ? String(text) : "\(text.prefix(limit))… (\(text.count) characters)"
}

/// A text in quotes, cut at a number of characters, with its length when it was cut.
package func quoted(_ text: some StringProtocol, limit: Int = 120) -> String {
    text.utf8.count <= limit || text.count <= limit
        ? "'\(text)'" : "'\(text.prefix(limit))…' (\(text.count) characters)"
}

/// A text on one line, with what would steer a terminal or has no shape as `\u{…}`.
///
/// A joiner between two emojis makes them one and stays, and so does what is to be kept.
package func visible(_ text: some StringProtocol, keeping kept: Set<Unicode.Scalar> = []) -> String {
    var shown = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
        let joinsEmojis = scalar.value == 0x200D && last.map { $0.value > 0xFF && isPartOfEmoji($0) } ?? false
        if hasNoShape(scalar), !joinsEmojis, !kept.contains(scalar) {
            shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
        } else {
            shown.append(scalar)
        }
        last = scalar
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
