import HoldfastBasics

/// A problem with a user's input: a file, a line, a flag.
public struct InputProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The place: `file:line:column`, a file with a JSON pointer, or a flag.
    public let location: String
    /// The problem, with the actual value.
    public let what: String
    /// The accepted input.
    public let expected: String
    /// One step to fix it.
    public let fix: String

    /// Creates a problem.
    public init(location: String, what: String, expected: String, fix: String) {
        (self.location, self.what, self.expected, self.fix) = (location, what, expected, fix)
    }

    /// The four parts, in order.
    public var description: String {
        var text = "\(location): \(what)"
        if !expected.isEmpty { text += "\n  expected: \(expected)" }
        if !fix.isEmpty { text += "\n  fix: \(fix)" }
        return text
    }
}

/// Several problems, so that all can be fixed at once.
public struct InputProblems: Error, Sendable, Equatable, CustomStringConvertible {
    /// At least one problem, in input order.
    public let problems: [InputProblem]

    /// Wraps problems.
    public init(_ problems: [InputProblem]) { self.problems = problems }

    /// All problems, one by one.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension InputProblem {
    package init(_ location: String, _ what: String, expected: String, fix: String) {
        self.init(location: location, what: what, expected: expected, fix: fix)
    }

    /// A problem for a number outside its range; nil for one inside.
    package init?(_ location: String, _ number: Int, outside range: ClosedRange<Int>, fix: String) {
        guard !range.contains(number) else { return nil }
        self.init(
            location, "'\(number)' is out of range",
            expected: "a number from \(range.lowerBound)" + (range.upperBound == .max ? "" : " to \(range.upperBound)"),
            fix: fix)
    }

    /// The number, if it is within its range.
    @discardableResult
    package static func checked(
        _ location: String, _ number: Int, within range: ClosedRange<Int>, fix: String
    ) throws(InputProblem) -> Int {
        if let problem = InputProblem(location, number, outside: range, fix: fix) { throw problem }
        return number
    }

    /// A problem for an unknown name, suggesting the nearest known one.
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
    package mutating func note(_ location: String, _ what: String, expected: String, fix: String) {
        append(InputProblem(location, what, expected: expected, fix: fix))
    }

    /// Reads a value; on failure, adds its problems and returns nil.
    package mutating func take<Value>(_ reading: () throws(InputProblems) -> Value) -> Value? {
        do {
            return try reading()
        } catch {
            self += error.problems
            return nil
        }
    }

    package func throwAll() throws(InputProblems) {
        if !isEmpty { throw InputProblems(self) }
    }
}
