/// What the push service hands to the device: enough to show the answer and to find it again.
public struct PushPayload: MessageObject {
    /// Apple's part, with what is shown.
    public var aps = MessageValue.object([:])
    /// What the push is about.
    public var type: String?
    /// The conversation to open.
    public var sessionId = ""
    /// The stored answer.
    public var messageId = ""
    /// One question and its answer.
    public var turnId: String?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("aps", \.aps), optional("type", \.type), required("sessionId", \.sessionId),
        required("messageId", \.messageId), optional("turnId", \.turnId),
    ]
}
