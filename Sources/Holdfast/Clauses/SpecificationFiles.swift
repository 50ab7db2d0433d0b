/// The text files of a specification, by path relative to `Spec/`.
public struct SpecificationFiles: Sendable, Equatable {
    /// File texts by relative path, such as `clauses/SYNC.md`.
    public var texts: [String: String]

    /// Holds the given texts.
    public init(texts: [String: String]) {
        self.texts = texts
    }
}
