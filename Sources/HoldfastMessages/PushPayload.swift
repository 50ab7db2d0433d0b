/// The payload that the push service delivers to the device: enough to show the answer and to find it again.
public struct PushPayload: MessageObject {
    /// Apple's part, including the visible alert.
    public var aps = MessageValue.object([:])
    /// The subject of the push.
    public var type: String?
    /// The conversation to open.
    public var sessionId = ""
    /// The stored answer.
    public var messageId = ""
    /// The turn that ended.
    public var turnId: String?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("aps", \.aps), optional("type", \.type), required("sessionId", \.sessionId),
        required("messageId", \.messageId), optional("turnId", \.turnId),
    ]
}
