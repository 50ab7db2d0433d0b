import JSON

/// One text message in canonical form beside its verbatim text.
public struct Frame: Sendable {
    /// The text as it was on the wire.
    public let text: String
    /// Which way it travelled.
    public let direction: Direction
    /// The parsed text; nil when it is not JSON.
    public let document: JSONDocument?
    /// Why the text is not JSON; nil when it is.
    public let problem: JSONProblem?

    /// Parses a text; one that is not JSON is kept with its problem.
    public init(_ text: String, direction: Direction) {
        self.text = text
        self.direction = direction
        do {
            document = try JSONParser.document(text)
            problem = nil
        } catch {
            document = nil
            problem = error
        }
    }

    /// A field of the message; nil when it is absent or the message is no object.
    public subscript(name: String) -> JSONValue? { document?.root[name] }

    /// The text of a field; nil when it is absent or no string.
    public func string(_ name: String) -> String? { self[name]?.stringValue }

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
    /// The stream the sequence numbers belong to.
    public var epoch: String? { string("epoch") }
    /// The position in the stream; nil also when it is no integer.
    public var seq: Int? { self["seq"]?.intValue }
    /// The code of an `error`.
    public var code: String? { string("code") }
    /// Whether this is a copy that repeats an outcome.
    public var isDuplicate: Bool { self["duplicate"]?.boolValue == true }
}
