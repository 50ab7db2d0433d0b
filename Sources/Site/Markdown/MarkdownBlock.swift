package enum MarkdownBlock: Equatable, Sendable {
    case heading(level: Int, [MarkdownInline])
    case paragraph([MarkdownInline])
    /// Fenced code; the word after the first fence is its language.
    case code(language: String, String)
    /// A list whose items are one paragraph each.
    case list(ordered: Bool, [[MarkdownInline]])
    case quote([MarkdownInline])
    /// A table; all rows have as many cells as the header.
    case table(header: [[MarkdownInline]], rows: [[[MarkdownInline]]])
}

package indirect enum MarkdownInline: Equatable, Sendable {
    case text(String)
    case code(String)
    case emphasis([MarkdownInline])
    case strong([MarkdownInline])
    /// A link with its destination as written.
    case link(text: [MarkdownInline], destination: String)
    case image(words: String, destination: String)

    package var plain: String {
        switch self {
        case .text(let text), .code(let text): text
        case .emphasis(let parts), .strong(let parts), .link(let parts, _): parts.plain
        case .image(let words, _): words
        }
    }
}

extension [MarkdownInline] {
    package var plain: String { map(\.plain).joined() }
}
