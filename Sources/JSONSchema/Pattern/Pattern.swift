/// A regular expression of ECMA-262 in Unicode mode, matched in time proportional to the text.
///
/// All threads of the expression advance together, so no text causes backtracking. In return, back-references,
/// lookaround and word boundaries are rejected, as are properties other than the general category.
package struct Pattern: Sendable {
    package let text: String
    package let program: PatternProgram

    package init(_ text: String) throws(PatternProblem) {
        self.text = text
        let tree = try PatternParser.parse(text)
        program = try PatternProgram(tree)
    }

    /// Whether the expression matches anywhere in the text, as JSON Schema requires.
    package func matches(_ string: String) -> Bool {
        var work = 0
        var threads = program.closure([0], isFirst: true, isEnd: false, &work)
        for scalar in string.unicodeScalars {
            if threads.isMatch || (threads.steps.isEmpty && program.isAnchored) { return threads.isMatch }
            threads = program.closure(after: scalar.value, from: threads.steps, &work)
        }
        return threads.isMatch
            || program.closure(threads.steps, isFirst: string.isEmpty, isEnd: true, &work).isMatch
    }
}

/// The reason why an expression cannot be used.
package struct PatternProblem: Error, Hashable, CustomStringConvertible {
    /// The problem and its place, as part of a sentence.
    package let description: String

    init(_ reason: String, at offset: Int? = nil) {
        description = offset.map { "character \($0 + 1): \(reason)" } ?? reason
    }
}
