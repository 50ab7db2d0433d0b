import HoldfastBasics

/// A piece of HTML; interpolated text is escaped, and only other HTML is inserted unchanged.
///
/// So text from a subject can never become HTML.
struct Markup: ExpressibleByStringInterpolation, Equatable {
    private(set) var source: String

    init(stringLiteral literal: String) { source = literal }
    init(stringInterpolation: Interpolation) { source = stringInterpolation.source }

    private init(_ source: String) { self.source = source }

    static func + (left: Markup, right: Markup) -> Markup { Markup(left.source + right.source) }
    static func += (left: inout Markup, right: Markup) { left.source += right.source }

    static func joined(_ pieces: some Sequence<Markup>, by separator: Markup = "") -> Markup {
        var all = ""
        for (index, piece) in pieces.enumerated() {
            if index > 0 { all += separator.source }
            all += piece.source
        }
        return Markup(all)
    }

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

        /// A text for the content of an element; quotes are not escaped, which halves the size of verbatim JSON.
        mutating func appendInterpolation(content text: String) {
            Markup.escape(text, quotes: false, into: &source)
        }
    }

    /// A sentence in which text between backticks becomes code.
    static func prose(_ text: String) -> Markup {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        // An unpaired backtick stays unchanged.
        guard parts.count > 2, parts.count % 2 == 1 else { return "\(text)" }
        return joined(
            parts.enumerated().map { index, part in
                index % 2 == 0 ? "\(String(part))" : "<code class=\"prose\">\(String(part))</code>"
            })
    }

    /// Shows control characters and changes of writing direction by number.
    private static func escape(_ text: String, quotes: Bool, into source: inout String) {
        source += escapedForMarkup(PlainText.harmless(text), quotes: quotes)
    }
}
