/// What both versions promise about things a reader does not know.
public struct ComparisonPolicy: Sendable, Hashable {
    /// What becomes of members that a schema does not name.
    public enum UnknownMembers: String, Sendable, Hashable {
        /// What the schema says: open objects take them, closed ones refuse them.
        case asWritten
        /// Readers ignore them, and writers send none: the reader's view is open, the writer's view is closed.
        case ignored
    }

    /// What becomes of members that a schema does not name.
    public var unknownMembers: UnknownMembers
    /// Whether readers ignore messages of a kind they do not know.
    public var ignoresUnknownMessages: Bool
    /// Steps that one question about one message may cost before the answer is "not proven".
    public var stepLimit: Int

    /// A policy; as it stands, schemas mean what they say.
    public init(
        unknownMembers: UnknownMembers = .asWritten, ignoresUnknownMessages: Bool = false,
        stepLimit: Int = 20_000
    ) {
        self.unknownMembers = unknownMembers
        self.ignoresUnknownMessages = ignoresUnknownMessages
        self.stepLimit = stepLimit
    }

    /// What this specification promises: members that a reader does not know are ignored.
    public static let holdfast = ComparisonPolicy(unknownMembers: .ignored)
}
