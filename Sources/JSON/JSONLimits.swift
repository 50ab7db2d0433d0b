/// What a parser takes from a stranger before it refuses.
public struct JSONLimits: Sendable, Hashable {
    /// The most containers inside one another; values above 1,024 count as 1,024, because values are walked recursively.
    public var maxDepth: Int
    /// The most bytes of a text.
    public var maxBytes: Int
    /// The most flaws a document lists; later ones are not listed, so that a hostile text cannot buy memory with them.
    public var maxFlaws: Int

    /// 512 containers deep, 64 MiB, 100 flaws.
    public static let standard = JSONLimits()

    /// Limits that differ from the standard ones where said.
    public init(maxDepth: Int = 512, maxBytes: Int = 64 << 20, maxFlaws: Int = 100) {
        (self.maxDepth, self.maxBytes, self.maxFlaws) = (maxDepth, maxBytes, maxFlaws)
    }

    /// The depth that is really kept.
    var depth: Int { min(maxDepth, 1024) }
}
