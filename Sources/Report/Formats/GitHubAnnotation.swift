/// A line by which a job of GitHub Actions marks a file: `::error file=…,line=…::words`.
package struct GitHubAnnotation: Sendable, Equatable {
    /// How it is shown.
    package enum Level: String, Sendable, Hashable {
        case error, warning, notice
    }

    package var level: Level
    /// The file, from the top of the repository; nil for none.
    package var file: String?
    /// The line, from 1.
    package var line: Int?
    /// The words in bold.
    package var title: String
    /// The words below; may have several lines.
    package var message: String

    /// Marks a file, or the run as a whole.
    package init(_ level: Level, title: String, message: String, file: String? = nil, line: Int? = nil) {
        (self.level, self.file, self.line, self.title, self.message) = (level, file, line, title, message)
    }

    /// GitHub shows so many of a kind for a step, and drops the rest in silence.
    package static let limit = 10

    /// As many as are shown, the last of which names the rest.
    ///
    /// * `annotations`: Of one level, those that matter most first.
    package static func bounded(_ annotations: [GitHubAnnotation], room: Int = limit) -> [GitHubAnnotation] {
        guard annotations.count > room, let level = annotations.first?.level else { return annotations }
        let shown = annotations.prefix(room - 1)
        let rest = annotations[shown.count...]
        let names = PlainText.line(rest.map(\.title).joined(separator: ", "))
        return shown + [GitHubAnnotation(level, title: "and \(rest.count) more", message: names)]
    }

    /// The words of a stranger, as long as an annotation may be.
    package static func words(_ text: String) -> String {
        PlainText.harmless(PlainText.cut(text, to: 4_000))
    }

    /// The line, with its line end.
    package var text: String {
        var properties: [String] = []
        if let file { properties.append("file=\(Self.property(file))") }
        if let line, file != nil { properties.append("line=\(line)") }
        properties.append("title=\(Self.property(title))")
        return "::\(level.rawValue) \(properties.joined(separator: ","))::\(Self.data(message))\n"
    }

    /// What the runner turns back in the words.
    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    /// What it turns back in properties, where commas and colons separate.
    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
