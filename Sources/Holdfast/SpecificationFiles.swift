/// The text files of a specification, by path relative to `Spec/`.
public struct SpecificationFiles: Sendable, Equatable {
    /// File texts by relative path, such as `clauses/SYNC.md`.
    public var texts: [String: String]

    /// Holds the given texts.
    public init(texts: [String: String]) { self.texts = texts }

    /// Whether every file of them is known to be what its schema asks for.
    ///
    /// What this program carries was held against the schemas by a test, so that no start has to.
    var areSound: Bool { self == .embedded }
}
