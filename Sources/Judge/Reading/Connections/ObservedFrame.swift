import Holdfast
import JSON
import Transcript

/// One message on a connection, or one replayed inside a `syncResult`.
public struct ObservedFrame: Sendable {
    /// The event that brought it.
    public let event: Int
    /// The connection it travelled on, as an index into `Observations.connections`.
    public let connection: Int
    /// Whether it was a binary message.
    public let isBinary: Bool
    /// The place in `missed` when it was replayed; nil when it came live.
    public let replayIndex: Int?
    private let members: Members
    /// The message without the members that a dialect only assumes; a check about a member asks this.
    public let said: JSONValue?

    /// The message with the members that every check asks for, looked up once.
    ///
    /// Behind a reference, because frames are copied far more often than they are made.
    private final class Members: Sendable {
        let value: JSONValue?
        let type: String?
        let sessionId: String?
        let turnId: String?
        let messageId: String?
        let clientMessageId: String?
        let text: String?
        let code: String?
        let epoch: String?
        let seq: Int?
        let isDuplicate: Bool

        init(_ value: JSONValue?) {
            self.value = value
            type = value?["type"]?.stringValue
            sessionId = value?["sessionId"]?.stringValue
            turnId = value?["turnId"]?.stringValue
            messageId = value?["messageId"]?.stringValue
            clientMessageId = value?["clientMessageId"]?.stringValue
            text = value?["text"]?.stringValue
            code = value?["code"]?.stringValue
            epoch = value?["epoch"]?.stringValue
            seq = value?["seq"]?.intValue
            isDuplicate = value?["duplicate"]?.boolValue == true
        }
    }

    init(
        event: Int, connection: Int, value: JSONValue?, isBinary: Bool = false, replayIndex: Int? = nil,
        assumed: [JSONPointer] = []
    ) {
        self.event = event
        self.connection = connection
        self.isBinary = isBinary
        self.replayIndex = replayIndex
        members = Members(value)
        said = assumed.reduce(value) { $0?.removing($1) }
    }

    /// The message; nil when it was binary or no JSON.
    public var value: JSONValue? { members.value }

    /// A field of the message; nil when it is absent or the message is no object.
    public subscript(name: String) -> JSONValue? { value?[name] }

    /// The text of a field; nil when it is absent or no string.
    public func string(_ name: String) -> String? { value?[name]?.stringValue }

    /// The member `type`; nil when it is absent or no string.
    public var type: String? { members.type }
    /// The member `sessionId`, which names a conversation.
    public var sessionId: String? { members.sessionId }
    /// The question and its answer.
    public var turnId: String? { members.turnId }
    /// The member `messageId`, which names a stored message.
    public var messageId: String? { members.messageId }
    /// The client's idempotency key.
    public var clientMessageId: String? { members.clientMessageId }
    /// The text of a `done` or `message`.
    public var text: String? { members.text }
    /// The code of an `error`.
    public var code: String? { members.code }
    /// The stream the sequence numbers belong to.
    public var epoch: String? { members.epoch }
    /// The position in the stream; nil also when it is no integer.
    public var seq: Int? { members.seq }
    /// Whether this is a copy that repeats an outcome.
    public var isDuplicate: Bool { members.isDuplicate }
    /// Whether it came as a replayed frame of a `syncResult`.
    public var isReplayed: Bool { replayIndex != nil }
}
