import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The result of a clause, in one scenario or in a whole run.
public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// Exercised, and kept every time.
    case pass
    /// A MUST or MUST NOT was broken.
    case violation
    /// A SHOULD or SHOULD NOT was broken.
    case warning
    /// The subject does not declare the profile.
    case notApplicable
    /// Declared, but nothing exercised it; the run is then incomplete.
    case untested
    /// Exercised, but the evidence proves neither compliance nor a violation.
    case inconclusive
    /// The suite itself failed; says nothing about the subject.
    case harnessError
}

/// The verdict on one clause for one history.
public struct Verdict: Sendable, Equatable {
    /// The clause that was judged.
    public let clause: ClauseID
    /// The outcome; severity follows from the keyword of the clause.
    public let outcome: Outcome
    /// The number of times that the history exercised the clause.
    public let exercised: Int
    /// The findings: violations, or reasons for doubt.
    public let findings: [Finding]
    /// The strength of the evidence, if the count does not show it.
    public let remarks: [String]

    package init(
        clause: ClauseID, outcome: Outcome, exercised: Int, findings: [Finding] = [], remarks: [String] = []
    ) {
        (self.clause, self.outcome, self.exercised) = (clause, outcome, exercised)
        (self.findings, self.remarks) = (findings, remarks)
    }
}

/// One result of a check, with the events that show it.
public struct Finding: Sendable, Equatable {
    /// The problem in one sentence.
    public let what: String
    /// The values that the clause allows; several if the specification does not choose one.
    public let expected: String
    /// The observed value.
    public let actual: String
    /// The indices of the events involved, in order; the last is the one the verdict cites.
    public let events: [Int]
    /// The one of them that shows only that a bound had passed; it can be about anything.
    package let proof: Int?
    /// The missing member, if that is the problem.
    let lacking: String?

    package init(
        _ what: String, expected: String, actual: String, at events: [any HasEvent], proof: Int? = nil,
        lacking: String? = nil
    ) {
        (self.what, self.lacking) = (what, lacking)
        self.events = events.map(\.event)
        let cited = Set(events.filter { !($0 is Expiry) }.map(\.event))
        self.proof = proof ?? events.first { $0 is Expiry && !cited.contains($0.event) }?.event
        // Texts that Swift considers equal look alike; escapes show the difference.
        let isAlike = expected == actual && !exactlyEqual(expected, actual)
        self.expected = isAlike ? opaqueID(expected) : expected
        self.actual = isAlike ? opaqueID(actual) : actual
    }

    /// The event that the verdict cites; nil if no such event was recorded.
    public var cited: Int? { events.last }

    /// The events that are about the problem.
    package var evidence: [Int] { events.filter { $0 != proof } }
}
