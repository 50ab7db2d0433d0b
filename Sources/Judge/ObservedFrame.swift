import JSON
import Transcript

/// One message on a connection, or one replayed inside a `syncResult`.
public struct ObservedFrame: Sendable {
    /// The event that brought it.
    public let event: Int
    /// The connection it travelled on, as an index into `Observations.connections`.
    public let connection: Int
    /// The message; nil when it was binary or no JSON.
    public let value: JSONValue?
    /// Whether it was a binary message.
    public let isBinary: Bool
    /// The place in `missed` when it was replayed; nil when it came live.
    public let replayIndex: Int?

    init(event: Int, connection: Int, value: JSONValue?, isBinary: Bool = false, replayIndex: Int? = nil) {
        self.event = event
        self.connection = connection
        self.value = value
        self.isBinary = isBinary
        self.replayIndex = replayIndex
    }

    /// A field of the message; nil when it is absent or the message is no object.
    public subscript(name: String) -> JSONValue? { value?[name] }

    /// The text of a field; nil when it is absent or no string.
    public func string(_ name: String) -> String? { value?[name]?.stringValue }

    /// The message type.
    public var type: String? { string("type") }
    /// The conversation.
    public var sessionId: String? { string("sessionId") }
    /// The question and its answer.
    public var turnId: String? { string("turnId") }
    /// One stored message.
    public var messageId: String? { string("messageId") }
    /// The client's idempotency key.
    public var clientMessageId: String? { string("clientMessageId") }
    /// The text of a `done` or `message`.
    public var text: String? { string("text") }
    /// The code of an `error`.
    public var code: String? { string("code") }
    /// The stream the sequence numbers belong to.
    public var epoch: String? { string("epoch") }
    /// The position in the stream; nil also when it is no integer.
    public var seq: Int? { value?["seq"]?.intValue }
    /// Whether this is a copy that repeats an outcome.
    public var isDuplicate: Bool { value?["duplicate"]?.boolValue == true }
    /// Whether it came as a replayed frame of a `syncResult`.
    public var isReplayed: Bool { replayIndex != nil }
}
