/// The words of a problem: what is wrong, what was expected instead, and one step to fix it.
package struct ProblemWords: Sendable, Equatable {
    package let what: String
    package let expected: String
    package let fix: String

    package init(_ what: String, _ expected: String, _ fix: String) {
        (self.what, self.expected, self.fix) = (what, expected, fix)
    }
}
