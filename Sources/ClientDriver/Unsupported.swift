/// Thrown for what an app, its platform or its driver cannot do at all.
///
/// The suite leaves out what needs it and names the clauses that stay untested for it; they never count as passed.
public struct Unsupported: Error, Sendable, Equatable, CustomStringConvertible {
    /// Why, in words for the report.
    public let description: String

    /// Says why, in words for the report.
    public init(_ why: String) { description = why }
}
