/// A regular expression of ECMA-262 in its Unicode mode, matched in time proportional to the text.
///
/// All threads of the expression advance together, so no text can make it backtrack. The price is that back-references cannot be
/// followed; they are refused, as are script properties, for which the standard library has no table.
package struct Pattern: Sendable {
    /// The expression as it was written.
    package let text: String
    package let program: PatternProgram

    /// Compiles an expression.
    package init(_ text: String) throws(PatternProblem) {
        self.text = text
        let tree = try PatternParser.parse(text)
        program = try PatternProgram(tree)
    }

    /// Whether the expression matches anywhere in the text, as JSON Schema wants it.
    package func matches(_ string: String) -> Bool {
        var matcher = PatternMatcher(string)
        return matcher.finds(program)
    }

    /// Whether an expression obeys the grammar, also when it cannot be compiled here.
    static func isWellFormed(_ text: String) -> Bool { (try? PatternParser.parse(text)) != nil }
}

/// Why an expression cannot be used.
package struct PatternProblem: Error, Hashable, CustomStringConvertible {
    /// What is wrong, and where, as part of a sentence.
    package let description: String

    init(_ reason: String, at offset: Int? = nil) {
        description = offset.map { "character \($0 + 1): \(reason)" } ?? reason
    }
}
