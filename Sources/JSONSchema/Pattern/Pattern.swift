/// A regular expression of ECMA-262 in Unicode mode, matched in time proportional to the text.
///
/// All threads of the expression advance together, so no text causes backtracking. In return, back-references are
/// rejected, as are script properties, for which the standard library has no table.
package struct Pattern: Sendable {
    /// The expression as written.
    package let text: String
    package let program: PatternProgram

    /// Compiles an expression.
    package init(_ text: String) throws(PatternProblem) {
        self.text = text
        let tree = try PatternParser.parse(text)
        program = try PatternProgram(tree)
    }

    /// Whether the expression matches anywhere in the text, as JSON Schema requires.
    package func matches(_ string: String) -> Bool {
        var matcher = PatternMatcher(string)
        return matcher.finds(program)
    }

    /// Whether an expression follows the grammar, even if it cannot be compiled here.
    static func isWellFormed(_ text: String) -> Bool { (try? PatternParser.parse(text)) != nil }
}

/// Why an expression cannot be used.
package struct PatternProblem: Error, Hashable, CustomStringConvertible {
    /// The problem and its place, as part of a sentence.
    package let description: String

    init(_ reason: String, at offset: Int? = nil) {
        description = offset.map { "character \($0 + 1): \(reason)" } ?? reason
    }
}
