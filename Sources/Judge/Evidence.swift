/// What one predicate saw in one history.
///
/// Zero evidence is never a pass: a predicate counts how often the history put its clause to the test.
public struct Evidence: Sendable, Equatable {
    /// How many times the clause was put to the test.
    public var exercised = 0
    /// Each way in which it was broken.
    public var violations: [Finding] = []
    /// Each reason why the evidence proves nothing, though the clause was exercised.
    public var doubts: [Finding] = []
    /// What a reader has to know of the strength of the evidence, one sentence each.
    public var remarks: [String] = []

    /// No evidence yet.
    public init() {}

    /// Counts one test that was passed.
    public mutating func keep() {
        exercised += 1
    }

    /// Counts one test that was failed.
    public mutating func violate(_ finding: Finding) {
        exercised += 1
        violations.append(finding)
    }

    /// Counts one test that proved nothing.
    public mutating func doubt(_ finding: Finding) {
        exercised += 1
        doubts.append(finding)
    }
}
