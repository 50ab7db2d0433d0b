import HoldfastBasics

extension LinkResolver {
    /// A JSON file, whose references are links.
    func html(ofJSON text: String, in file: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line($0, in: file) }
        return
            "<h1>\(escapedForMarkup(file))</h1>\n<pre tabindex=\"0\"><code>\(lines.joined(separator: "\n"))</code></pre>"
    }

    private func line(_ line: Substring, in file: String) -> String {
        var html = ""
        var rest = line
        let mark = "\"$ref\": \""
        while let start = rest.firstRange(of: mark) {
            html += escapedForMarkup(rest[..<start.upperBound])
            rest = rest[start.upperBound...]
            let reference = rest.prefix { $0 != "\"" }
            let path = reference.prefix { $0 != "#" }
            let address = path.isEmpty ? nil : self.address(of: String(path), from: file)
            let words = escapedForMarkup(reference)
            html += address.map { "<a href=\"\(escapedForMarkup($0))\">\(words)</a>" } ?? words
            rest = rest[reference.endIndex...]
        }
        return html + escapedForMarkup(rest)
    }
}
