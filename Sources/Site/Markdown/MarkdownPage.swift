import Holdfast

/// A page in the project's subset of Markdown.
///
/// The subset is small on purpose, and everything outside it is rejected with its line: a construct that two Markdown
/// readers interpret differently is a sentence that two people read differently. It has headings, paragraphs, fenced
/// code, flat lists, quotations, tables, links with their definitions, pictures, `code`, *emphasis* and **strong
/// emphasis**.
package struct MarkdownPage: Equatable, Sendable {
    /// Its blocks in order, each with its first line, from 1.
    package let blocks: [(line: Int, block: MarkdownBlock)]

    /// `file` is the name in problems, such as `Spec/README.md`.
    ///
    /// - Throws: All problems of the page.
    package init(_ text: String, file: String) throws(InputProblems) {
        var reader = BlockReader(text, file: file)
        blocks = reader.read()
        guard reader.problems.isEmpty else { throw InputProblems(reader.problems) }
    }

    /// The text of the first heading, or an empty string.
    package var title: String {
        for (_, block) in blocks {
            if case .heading(_, let words) = block { return words.plain }
        }
        return ""
    }

    /// The anchors of the headings, as common repository hosts form them.
    package var anchors: [String] {
        var used: [String: Int] = [:]
        return blocks.compactMap { _, block in
            guard case .heading(_, let words) = block else { return nil }
            return Self.anchor(of: words.plain, &used)
        }
    }

    /// The anchor of a heading: lowercase, no punctuation, hyphens for spaces, and a number if it was used before.
    static func anchor(of heading: String, _ used: inout [String: Int]) -> String {
        let base = String(
            heading.lowercased().compactMap { character -> Character? in
                if character == " " { return "-" }
                return character.isLetter || character.isNumber || character == "-" || character == "_"
                    ? character : nil
            })
        let count = used[base, default: 0]
        used[base] = count + 1
        return count == 0 ? base : "\(base)-\(count)"
    }

    /// Every link and picture, with the first line of its block.
    package var links: [(line: Int, destination: String)] {
        blocks.flatMap { line, block in block.inlines.flatMap(\.destinations).map { (line, $0) } }
    }

    package static func == (left: MarkdownPage, right: MarkdownPage) -> Bool {
        left.blocks.map(\.line) == right.blocks.map(\.line) && left.blocks.map(\.block) == right.blocks.map(\.block)
    }
}

extension MarkdownBlock {
    fileprivate var inlines: [MarkdownInline] {
        switch self {
        case .heading(_, let words), .paragraph(let words), .quote(let words): words
        case .code: []
        case .list(_, let items): items.flatMap { $0 }
        case .table(let header, let rows): (header + rows.flatMap { $0 }).flatMap { $0 }
        }
    }
}

extension MarkdownInline {
    fileprivate var destinations: [String] {
        switch self {
        case .text, .code: []
        case .emphasis(let parts), .strong(let parts): parts.flatMap(\.destinations)
        case .link(let parts, let destination): [destination] + parts.flatMap(\.destinations)
        case .image(_, let destination): [destination]
        }
    }
}
