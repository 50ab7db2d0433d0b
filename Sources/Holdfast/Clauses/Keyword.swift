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
