import HoldfastBasics

/// Something a person gave the tools that they cannot use: a file, a line, a flag.
public struct InputProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where it is: `file:line:column`, a file with a JSON pointer, or a flag.
    public let location: String
    /// What is wrong, with the value as found.
    public let what: String
    /// What would be accepted.
    public let expected: String
    /// One step that mends it.
    public let fix: String

    /// Names a place, what is wrong there, what would be right, and how to mend it.
    public init(location: String, what: String, expected: String, fix: String) {
        (self.location, self.what, self.expected, self.fix) = (location, what, expected, fix)
    }

    /// The four parts, in the order a reader needs them.
    public var description: String {
        var text = "\(location): \(what)"
        if !expected.isEmpty { text += "\n  expected: \(expected)" }
        if !fix.isEmpty { text += "\n  fix: \(fix)" }
        return text
    }
}

/// Several problems found in one reading, so that a person mends them in one go.
public struct InputProblems: Error, Sendable, Equatable, CustomStringConvertible {
    /// At least one problem, in the order of the input.
    public let problems: [InputProblem]

    /// Holds the given problems.
    public init(_ problems: [InputProblem]) { self.problems = problems }

    /// All problems, one after the other.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension InputProblem {
    /// Names a place, what is wrong there, what would be right, and how to mend it.
    package init(_ location: String, _ what: String, expected: String, fix: String) {
        self.init(location: location, what: what, expected: expected, fix: fix)
    }

    /// A name that is none of the known ones, with the one that was probably meant.
    package init(
        _ location: String, _ what: String, insteadOf name: String, among known: [String], expected: String? = nil,
        otherwise fix: String
    ) {
        self.init(
            location, what, expected: expected ?? known.joined(separator: ", "),
            fix: nearestName(to: name, among: known).map { "did you mean '\($0)'?" } ?? fix)
    }
}

extension [InputProblem] {
    /// Adds a problem: its place, what is wrong there, what would be right, and how to mend it.
    package mutating func note(_ location: String, _ what: String, expected: String, fix: String) {
        append(InputProblem(location, what, expected: expected, fix: fix))
    }

    /// Ends what was begun, unless nothing is wrong.
    package func throwAll() throws(InputProblems) {
        if !isEmpty { throw InputProblems(self) }
    }
}
