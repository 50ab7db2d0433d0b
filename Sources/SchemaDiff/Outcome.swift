import JSON

/// What a search for a value came to.
enum Outcome: Sendable {
    /// A value that is as asked.
    case found(JSONValue)
    /// Proved: there is none.
    case none
    /// Neither found nor ruled out, and why.
    case unknown(String)
}
