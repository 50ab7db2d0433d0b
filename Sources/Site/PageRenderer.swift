import Holdfast
import HoldfastBasics

/// Renders Markdown blocks as HTML for one page.
struct PageRenderer {
    let links: LinkResolver
    /// The page, relative to the root of the site.
    let page: String
    var pictures: [String: String] = [:]

    /// Renders blocks; headings get the anchors that other pages link to.
    func html(_ blocks: [MarkdownBlock]) -> String {
        var used: [String: Int] = [:]
        return blocks.map { html($0, &used) }.joined(separator: "\n")
    }

    func html(_ inlines: [MarkdownInline]) -> String { inlines.map { html($0, inLink: false) }.joined() }

    private func html(_ block: MarkdownBlock, _ used: inout [String: Int]) -> String {
        switch block {
        case .heading(let level, let words):
            let anchor = MarkdownPage.anchor(of: words.plain, &used)
            return "<h\(level) id=\"\(escapedForMarkup(anchor))\">\(html(words))</h\(level)>"
        case .paragraph(let words): return "<p>\(html(words))</p>"
        case .quote(let words): return "<blockquote><p>\(html(words))</p></blockquote>"
        case .code(let language, let text):
            if language == "mermaid", let diagram = SequenceDiagram(text) { return diagram.html }
            return SiteMarkup.code(text)
        case .list(let ordered, let items):
            let name = ordered ? "ol" : "ul"
            return "<\(name)>\n" + items.map { "<li>\(html($0))</li>" }.joined(separator: "\n") + "\n</\(name)>"
        case .table(let header, let rows):
            return SiteMarkup.table(header.map { html($0) }, rows.map { $0.map { html($0) } })
        }
    }

    private func html(_ inline: MarkdownInline, inLink: Bool) -> String {
        switch inline {
        case .text(let text): inLink ? escapedForMarkup(text) : withClauses(text)
        case .code(let text):
            // The style keeps a flag on one line: a line break after a hyphen would make it look like two words.
            "<code\(text.hasPrefix("-") && text.count < 24 ? " class=\"flag\"" : "")>\(escapedForMarkup(text))</code>"
        case .emphasis(let parts): "<em>\(parts.map { html($0, inLink: inLink) }.joined())</em>"
        case .strong(let parts): "<strong>\(parts.map { html($0, inLink: inLink) }.joined())</strong>"
        case .image(let words, let destination):
            "<img src=\"\(escapedForMarkup(pictures[destination] ?? destination))\" alt=\"\(escapedForMarkup(words))\">"
        case .link(let parts, let destination):
            link(parts.map { html($0, inLink: true) }.joined(), links.address(of: destination, from: page))
        }
    }

    private func link(_ words: String, _ address: String?) -> String {
        guard let address else { return words }
        return "<a href=\"\(escapedForMarkup(address))\">\(words)</a>"
    }

    /// Links each clause id in a text.
    func withClauses(_ text: String) -> String {
        var html = ""
        var rest = text[...]
        while let dash = rest.firstIndex(of: "-") {
            let before = rest[..<dash]
            let area = before.suffix { $0.isUppercase && $0.isASCII }
            let digits = rest[rest.index(after: dash)...].prefix { $0.isNumber && $0.isASCII }
            let isWord = area.startIndex > before.startIndex && before[before.index(before: area.startIndex)].isLetter
            if !isWord, let id = ClauseID("\(area)-\(digits)"), links.clauses.contains(id) {
                html += escapedForMarkup(before[..<area.startIndex])
                html += link(escapedForMarkup(id.description), links.address(of: id, from: page))
                rest = rest[digits.endIndex...]
            } else {
                html += escapedForMarkup(rest[...dash])
                rest = rest[rest.index(after: dash)...]
            }
        }
        return html + escapedForMarkup(rest)
    }
}

extension Substring {
    fileprivate func suffix(while fits: (Character) -> Bool) -> Substring {
        var start = endIndex
        while start > startIndex, fits(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}
