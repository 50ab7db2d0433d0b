import HoldfastBasics

/// A piece of HTML; a text that is put into it is escaped, and only HTML itself goes in as it is.
///
/// What a subject sent can so reach a page as text alone, wherever it stands.
struct Markup: ExpressibleByStringInterpolation, Equatable {
    /// The HTML.
    private(set) var source: String

    init(stringLiteral literal: String) { source = literal }
    init(stringInterpolation: Interpolation) { source = stringInterpolation.source }

    private init(_ source: String) { self.source = source }

    static func + (left: Markup, right: Markup) -> Markup { Markup(left.source + right.source) }
    static func += (left: inout Markup, right: Markup) { left.source += right.source }

    /// All pieces, one after the other.
    static func joined(_ pieces: some Sequence<Markup>, by separator: Markup = "") -> Markup {
        var all = ""
        for (index, piece) in pieces.enumerated() {
            if index > 0 { all += separator.source }
            all += piece.source
        }
        return Markup(all)
    }

    /// How values go into a piece of HTML.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) { source.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { source += literal }
        mutating func appendInterpolation(_ markup: Markup) { source += markup.source }
        mutating func appendInterpolation(_ markup: Markup?) { source += markup?.source ?? "" }
        mutating func appendInterpolation(_ pieces: [Markup]) { for piece in pieces { source += piece.source } }
        mutating func appendInterpolation(_ number: Int) { source += String(number) }

        /// A text, for content and for attributes in double quotes.
        mutating func appendInterpolation(_ text: String) { Markup.escape(text, quotes: true, into: &source) }

        /// A text for the content of an element; its quotes stay, which halves the size of verbatim JSON.
        mutating func appendInterpolation(content text: String) {
            Markup.escape(text, quotes: false, into: &source)
        }
    }

    /// A sentence in which words between backticks are set as code.
    static func prose(_ text: String) -> Markup {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        // An odd one out is no pair, and stays as it is.
        guard parts.count > 2, parts.count % 2 == 1 else { return "\(text)" }
        return joined(
            parts.enumerated().map { index, part in
                index % 2 == 0 ? "\(String(part))" : "<code class=\"prose\">\(String(part))</code>"
            })
    }

    /// Control characters, and those that turn the direction of writing, are shown by their number.
    private static func escape(_ text: String, quotes: Bool, into source: inout String) {
        source += escapedForMarkup(PlainText.harmless(text), quotes: quotes)
    }
}
