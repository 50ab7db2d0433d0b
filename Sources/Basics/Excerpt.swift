/// A text cut at a number of characters, with its length when it was cut.
package func excerpt(_ text: some StringProtocol, limit: Int = 120) -> String {
    text.utf8.count <= limit || text.count <= limit ? String(text) : "\(text.prefix(limit))… (\(text.count) characters)"
}

/// A text in quotes, cut at a number of characters, with its length when it was cut.
package func quoted(_ text: some StringProtocol, limit: Int = 120) -> String {
    text.utf8.count <= limit || text.count <= limit
        ? "'\(text)'" : "'\(text.prefix(limit))…' (\(text.count) characters)"
}

/// A text on one line, without what would steer a terminal: each control character as `\u{…}`.
package func visible(_ text: some StringProtocol) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
        } else {
            shown.append(scalar)
        }
    }
    return String(shown)
}
