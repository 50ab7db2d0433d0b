/// The one keyword of a clause (RFC 2119, RFC 8174); severity is derived from it and typed nowhere.
public enum Keyword: String, Sendable, Hashable, CaseIterable {
    case must = "MUST"
    case mustNot = "MUST NOT"
    case should = "SHOULD"
    case shouldNot = "SHOULD NOT"
    case may = "MAY"

    /// Whether breaking the clause is a violation; otherwise it is a warning.
    public var isRequirement: Bool { self == .must || self == .mustNot }
}
