/// An annotation of a file in GitHub Actions: `::error file=…,line=…::words`.
package struct GitHubAnnotation: Sendable, Equatable {
    package enum Level: String, Sendable, Hashable {
        case error, warning, notice
    }

    package var level: Level
    /// The file, relative to the root of the repository; nil for none.
    package var file: String?
    /// The line, from 1.
    package var line: Int?
    package var title: String
    package var message: String

    package init(_ level: Level, title: String, message: String, file: String? = nil, line: Int? = nil) {
        (self.level, self.file, self.line, self.title, self.message) = (level, file, line, title, message)
    }

    /// The maximum number of annotations of a level that GitHub shows per step; it silently drops the rest.
    package static let limit = 10

    /// The annotations within the limit; the last one summarizes the rest.
    ///
    /// * `annotations`: All of one level, most important first.
    package static func bounded(_ annotations: [GitHubAnnotation], to limit: Int = Self.limit) -> [GitHubAnnotation] {
        guard annotations.count > limit, let level = annotations.first?.level else { return annotations }
        let shown = annotations.prefix(limit - 1)
        let rest = annotations[shown.count...]
        let names = PlainText.line(rest.map(\.title).joined(separator: ", "))
        return shown + [GitHubAnnotation(level, title: "and \(rest.count) more", message: names)]
    }

    /// Untrusted text, within the limit for an annotation.
    package static func words(_ text: String) -> String { PlainText.harmless(PlainText.cut(text, to: 4_000)) }

    package var text: String {
        var properties: [String] = []
        if let file { properties.append("file=\(Self.property(file))") }
        if let line, file != nil { properties.append("line=\(line)") }
        properties.append("title=\(Self.property(title))")
        return "::\(level.rawValue) \(properties.joined(separator: ","))::\(Self.data(message))\n"
    }

    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    /// Escapes a property, in which commas and colons are separators.
    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
