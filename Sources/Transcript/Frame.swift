import HoldfastJSON

/// One message of a connection in canonical form: live, or replayed inside a `syncResult`.
///
/// It is parsed once, and the members that every reader asks for are looked up once.
public struct Frame: Sendable {
    /// The event that brought it, as an index into the events of its history; 0 for a frame of no history.
    public internal(set) var event = 0
    /// The connection it travelled on, as an index into those of its history, once somebody has counted them.
    package var connection = 0
    /// The index in `missed` when it was replayed; nil when it came live.
    package private(set) var replayIndex: Int?
    /// Behind a reference, because frames are copied far more often than they are made.
    @usableFromInline let content: Content

    /// What modules above read of it costs no call.
    @usableFromInline
    final class Content: Sendable {
        @usableFromInline let isBinary: Bool
        @usableFromInline let value: JSONValue?
        @usableFromInline let document: JSONDocument?
        @usableFromInline let problem: JSONProblem?
        @usableFromInline let wireBytes: Int
        @usableFromInline let assumed: [JSONPointer]
        @usableFromInline let type: String?
        @usableFromInline let sessionId: String?
        @usableFromInline let turnId: String?
        @usableFromInline let messageId: String?
        @usableFromInline let clientMessageId: String?
        @usableFromInline let text: String?
        @usableFromInline let code: String?
        @usableFromInline let epoch: String?
        @usableFromInline let seq: Int?
        @usableFromInline let isDuplicate: Bool

        init(
            _ value: JSONValue?, document: JSONDocument? = nil, problem: JSONProblem? = nil, wireBytes: Int,
            assumed: [JSONPointer] = [], isBinary: Bool = false
        ) {
            self.value = value
            self.document = document
            self.problem = problem
            self.wireBytes = wireBytes
            self.assumed = assumed
            self.isBinary = isBinary
            let members = value?.objectValue
            type = members?["type"]?.stringValue
            sessionId = members?.id("sessionId")
            turnId = members?.id("turnId")
            messageId = members?.id("messageId")
            clientMessageId = members?.id("clientMessageId")
            text = members?["text"]?.stringValue
            code = members?["code"]?.stringValue
            epoch = members?.id("epoch")
            seq = members?["seq"]?.intValue
            isDuplicate = members?["duplicate"]?.boolValue == true
        }
    }

    /// Parses a text; one that is not JSON is kept with its problem.
    public init(_ text: String) { self.init(text, wireBytes: text.utf8.count, assumed: []) }

    init(_ text: String, wireBytes: Int, assumed: [JSONPointer]) {
        do {
            let document = try JSONParser.document(text)
            content = Content(document.root, document: document, wireBytes: wireBytes, assumed: assumed)
        } catch {
            content = Content(nil, problem: error, wireBytes: wireBytes)
        }
    }

    private init(_ content: Content) { self.content = content }

    /// The frame of an event; nil when it is no message.
    package init?(_ kind: Event.Kind) {
        switch kind {
        case .text(_, let text): self.init(text)
        case .binary(_, let bytes): self.init(Content(nil, wireBytes: bytes.count, isBinary: true))
        default: return nil
        }
    }

    /// A frame that the list of an answer holds.
    package init(_ value: JSONValue, replayedBy answer: Frame, at index: Int) {
        event = answer.event
        connection = answer.connection
        replayIndex = index
        content = Content(value, wireBytes: 0)
    }

    /// The parsed text; nil when it is not JSON.
    @inlinable public var document: JSONDocument? { content.document }
    /// What is wrong with its text besides; nil when it is not JSON.
    @inlinable public var flaws: [JSONFlaw]? { content.document?.flaws }
    /// Why the text is not JSON; nil when it is.
    @inlinable public var problem: JSONProblem? { content.problem }
    /// Its size on the wire; in a view of a dialect that is not the size of the canonical text.
    @inlinable public var wireBytes: Int { content.wireBytes }
    /// Whether it was a binary message.
    @inlinable public var isBinary: Bool { content.isBinary }
    /// Whether it came as a replayed frame of a `syncResult`.
    package var isReplayed: Bool { replayIndex != nil }

    /// The message; nil when it was binary or no JSON.
    @inlinable public var value: JSONValue? { content.value }
    /// The message without the members that the wire did not say and a dialect assumes; a verdict about a member asks this.
    package var said: JSONValue? { content.assumed.reduce(value) { $0?.removing($1) } }

    /// A field of the message; nil when it is absent or the message is no object.
    @inlinable public subscript(name: String) -> JSONValue? { content.value?[name] }
    /// The text of a field; nil when it is absent or no string.
    @inlinable public func string(_ name: String) -> String? { self[name]?.stringValue }

    /// The member `type`; nil when it is absent or no string.
    @inlinable public var type: String? { content.type }
    /// The member `sessionId`, which names a conversation.
    @inlinable public var sessionId: String? { content.sessionId }
    /// The question and its answer.
    @inlinable public var turnId: String? { content.turnId }
    /// The member `messageId`, which names a stored message.
    @inlinable public var messageId: String? { content.messageId }
    /// The client's idempotency key.
    @inlinable public var clientMessageId: String? { content.clientMessageId }
    /// The text of a `done` or `message`.
    @inlinable public var text: String? { content.text }
    /// The code of an `error`.
    @inlinable public var code: String? { content.code }
    /// The stream the sequence numbers belong to.
    @inlinable public var epoch: String? { content.epoch }
    /// The position in the stream; nil also when it is no integer.
    @inlinable public var seq: Int? { content.seq }
    /// Whether this is a copy that repeats an outcome.
    @inlinable public var isDuplicate: Bool { content.isDuplicate }
}
