/// One normative sentence of the specification with everything the tools need to know about it.
public struct Clause: Sendable, Equatable {
    /// The address, such as `SYNC-3`.
    public let id: ClauseID
    /// The side the sentence binds.
    public let role: Role
    /// The profile whose declaration makes it apply.
    public let profile: Profile
    /// Profiles that have to be declared beside it, because without them the clause cannot be put to the test.
    public let companions: [Profile]
    /// The only keyword in the sentence.
    public let keyword: Keyword
    /// The normative sentence, on one line.
    public let sentence: String
    /// What goes wrong without it, with the place in a source document.
    public let why: String
    /// The evidence the clause is judged from.
    public let judgedFrom: String
    /// What a capture has to hold so that the clause can be judged from it; nil where no line says it, and then from none.
    public let captureNeeds: [CaptureNeed]?
    /// Why no black box can judge it; nil when it can.
    public let exclusion: String?
    /// Where systems of this kind were seen to break it; nil when nothing is known.
    public let seen: String?
    /// The requirements it came from, such as `R24`.
    public let sources: [String]
    /// The version of the specification that introduced it.
    public let since: String
    /// The file the clause stands in, relative to `Spec/`.
    public let file: String
    /// The line of its heading, from 1.
    public let line: Int

    /// A clause; what only a reader of the chapters needs may be left out, as reports leave it out.
    package init(
        id: ClauseID, role: Role, profile: Profile, companions: [Profile] = [], keyword: Keyword, sentence: String,
        why: String = "", judgedFrom: String = "", captureNeeds: [CaptureNeed]? = nil, exclusion: String? = nil,
        seen: String? = nil,
        sources: [String] = [], since: String = "", file: String = "", line: Int = 0
    ) {
        (self.id, self.role, self.profile, self.companions) = (id, role, profile, companions)
        (self.keyword, self.sentence, self.why, self.judgedFrom) = (keyword, sentence, why, judgedFrom)
        (self.captureNeeds, self.exclusion, self.seen, self.sources) = (captureNeeds, exclusion, seen, sources)
        (self.since, self.file, self.line) = (since, file, line)
    }

    /// The profile whose absence keeps the clause from binding a subject; nil where it binds.
    public func undeclared(in profiles: Set<Profile>) -> Profile? {
        ([profile] + companions).first { !profiles.contains($0) }
    }

    /// The profiles in words, as its heading names them: `sync`, or `sync with auth`.
    public var profileNames: String { ([profile] + companions).map(\.rawValue).joined(separator: " with ") }
}

/// The one keyword of a clause (RFC 2119, RFC 8174); severity is derived from it and typed nowhere.
public enum Keyword: String, Sendable, Hashable, CaseIterable {
    /// Whoever does otherwise violates the clause.
    case must = "MUST"
    /// Whoever does so violates the clause.
    case mustNot = "MUST NOT"
    /// Whoever does otherwise is warned.
    case should = "SHOULD"
    /// Whoever does so is warned.
    case shouldNot = "SHOULD NOT"
    /// Both are legal.
    case may = "MAY"

    /// Whether breaking the clause is a violation; otherwise it is a warning.
    public var isRequirement: Bool { self == .must || self == .mustNot }
}
