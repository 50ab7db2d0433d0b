/// One normative sentence of the specification, with its metadata.
public struct Clause: Sendable, Equatable {
    /// The id, such as `SYNC-3`.
    public let id: ClauseID
    /// The role it binds.
    public let role: Role
    /// The profile that it applies to.
    public let profile: Profile
    /// The keyword in the sentence.
    public let keyword: Keyword
    /// The normative sentence, on one line.
    public let sentence: String
    /// The consequence of a violation, with the place in a source document.
    public let why: String
    /// The evidence for a verdict.
    public let judgedFrom: String
    /// The requirements for a verdict on a capture; nil if no capture is enough, because there is no line `Capture:`.
    public let captureNeeds: [CaptureNeed]?
    /// The reason why black-box tests cannot judge it; nil if they can.
    public let exclusion: String?
    /// Known violations in similar systems, if any.
    public let seen: String?
    /// The requirements it came from, such as `R24`.
    public let sources: [String]
    /// The version of the specification that introduced it.
    public let since: String
    /// Its file, relative to `Spec/`.
    public let file: String
    /// The line of its heading, from 1.
    public let line: Int

    /// Creates a clause; reports omit the parts that only readers of the specification need.
    package init(
        id: ClauseID, role: Role, profile: Profile, keyword: Keyword, sentence: String,
        why: String = "", judgedFrom: String = "", captureNeeds: [CaptureNeed]? = nil, exclusion: String? = nil,
        seen: String? = nil,
        sources: [String] = [], since: String = "", file: String = "", line: Int = 0
    ) {
        (self.id, self.role, self.profile) = (id, role, profile)
        (self.keyword, self.sentence, self.why, self.judgedFrom) = (keyword, sentence, why, judgedFrom)
        (self.captureNeeds, self.exclusion, self.seen, self.sources) = (captureNeeds, exclusion, seen, sources)
        (self.since, self.file, self.line) = (since, file, line)
    }

    /// The missing profile that exempts a subject from the clause; nil if the clause applies.
    public func undeclared(in profiles: Set<Profile>) -> Profile? { profiles.contains(profile) ? nil : profile }
}

/// The keyword of a clause (RFC 2119, RFC 8174), which determines the severity.
public enum Keyword: String, Sendable, Hashable, CaseIterable {
    /// Doing otherwise is a violation.
    case must = "MUST"
    /// Doing so is a violation.
    case mustNot = "MUST NOT"
    /// Doing otherwise is a warning.
    case should = "SHOULD"
    /// Doing so is a warning.
    case shouldNot = "SHOULD NOT"
    /// Doing so and doing otherwise are both allowed.
    case may = "MAY"

    /// Whether breaking the clause is a violation and not just a warning.
    public var isRequirement: Bool { self == .must || self == .mustNot }
}
