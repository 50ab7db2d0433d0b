/// A part of a page, between blank lines.
package enum MarkdownBlock: Equatable, Sendable {
    case heading(level: Int, [MarkdownInline])
    case paragraph([MarkdownInline])
    /// What stands between two fences, as it is; the word after the first fence says what it is.
    case code(language: String, String)
    /// Points, each one paragraph.
    case list(ordered: Bool, [[MarkdownInline]])
    case quote([MarkdownInline])
    /// A table; each row has as many cells as the header.
    case table(header: [[MarkdownInline]], rows: [[[MarkdownInline]]])
}

/// A piece of text with one meaning.
package indirect enum MarkdownInline: Equatable, Sendable {
    case text(String)
    /// Verbatim text.
    case code(String)
    case emphasis([MarkdownInline])
    case strong([MarkdownInline])
    /// A link, with its destination as written.
    case link(text: [MarkdownInline], destination: String)
    /// A picture, with the words that stand for it.
    case image(words: String, destination: String)

    /// The text alone, as it is read aloud.
    package var plain: String {
        switch self {
        case .text(let text), .code(let text): text
        case .emphasis(let parts), .strong(let parts), .link(let parts, _): parts.plain
        case .image(let words, _): words
        }
    }
}

extension [MarkdownInline] {
    /// The text alone, as it is read aloud.
    package var plain: String { map(\.plain).joined() }
}
