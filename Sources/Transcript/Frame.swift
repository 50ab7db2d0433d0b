import JSON

/// One text message in canonical form beside its verbatim text.
public struct Frame: Sendable {
    /// The text as it was on the wire.
    public let text: String
    /// Whether the client or the server said it.
    public let direction: Direction
    /// The parsed text; nil when it is not JSON.
    public let document: JSONDocument?
    /// Why the text is not JSON; nil when it is.
    public let problem: JSONProblem?

    /// Its size on the wire; in a view of a dialect that is not the size of the canonical text.
    public let wireBytes: Int
    /// Members that the wire did not say and that a dialect assumes; no verdict about them may rest on them.
    public let assumed: [JSONPointer]

    /// Parses a text; one that is not JSON is kept with its problem.
    public init(_ text: String, direction: Direction) {
        self.init(text, direction: direction, wireBytes: text.utf8.count, assumed: [])
    }

    init(_ text: String, direction: Direction, wireBytes: Int, assumed: [JSONPointer]) {
        self.text = text
        self.direction = direction
        self.wireBytes = wireBytes
        self.assumed = assumed
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

    /// The member `type`; nil when it is absent or no string.
    public var type: String? { string("type") }
    /// The member `sessionId`, which names a conversation.
    public var sessionId: String? { string("sessionId") }
    /// The question and its answer.
    public var turnId: String? { string("turnId") }
    /// The member `messageId`, which names a stored message.
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
