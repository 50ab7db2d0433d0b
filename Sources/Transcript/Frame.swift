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

    /// Codes of errors that refuse a frame or a question and so end no turn.
    package static let refusals: Set<String> = [
        "parse_error", "bad_request", "unknown_type", "auth_failed", "auth_timeout", "not_authenticated",
        "unsupported_version", "session_not_found", "too_large", "busy", "rate_limited", "idempotency_mismatch",
    ]

    /// What modules above read of it costs no call.
    @usableFromInline
    final class Content: Sendable {
        @usableFromInline let isBinary: Bool
        @usableFromInline let value: JSONValue?
        /// What is wrong with its text besides; nil without a text that is JSON.
        @usableFromInline let flaws: [JSONFlaw]?
        /// What few frames have; nil for most.
        @usableFromInline let rest: Rest?
        @usableFromInline let wireBytes: Int
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

        /// Why a text is not JSON, and which members a dialect assumes.
        @usableFromInline
        final class Rest: Sendable {
            @usableFromInline let problem: JSONProblem?
            @usableFromInline let assumed: [JSONPointer]

            init(problem: JSONProblem?, assumed: [JSONPointer]) { (self.problem, self.assumed) = (problem, assumed) }
        }

        init(
            _ value: JSONValue?, flaws: [JSONFlaw]? = nil, problem: JSONProblem? = nil, wireBytes: Int,
            assumed: [JSONPointer] = [], isBinary: Bool = false
        ) {
            self.value = value
            self.flaws = flaws
            rest = problem == nil && assumed.isEmpty ? nil : Rest(problem: problem, assumed: assumed)
            self.wireBytes = wireBytes
            self.isBinary = isBinary
            var (type, text, code): (String?, String?, String?)
            var (sessionId, turnId, messageId, clientMessageId, epoch): (String?, String?, String?, String?, String?)
            var (seq, isDuplicate): (Int?, Bool) = (nil, false)
            // One walk along the members; names of other lengths than these are not looked at.
            if let members = value?.objectValue {
                for (name, member) in members {
                    switch name.utf8.count {
                    case 3: if name == "seq" { seq = member.intValue }
                    case 4:
                        if name == "type" { type = member.stringValue }
                        if name == "text" { text = member.stringValue }
                        if name == "code" { code = member.stringValue }
                    case 5: if name == "epoch" { epoch = member.stringValue.map(opaqueID) }
                    case 6: if name == "turnId" { turnId = member.stringValue.map(opaqueID) }
                    case 9:
                        if name == "sessionId" { sessionId = member.stringValue.map(opaqueID) }
                        if name == "messageId" { messageId = member.stringValue.map(opaqueID) }
                        if name == "duplicate" { isDuplicate = member.boolValue == true }
                    case 15: if name == "clientMessageId" { clientMessageId = member.stringValue.map(opaqueID) }
                    default: break
                    }
                }
            }
            (self.type, self.text, self.code, self.seq, self.isDuplicate) = (type, text, code, seq, isDuplicate)
            (self.sessionId, self.turnId, self.messageId) = (sessionId, turnId, messageId)
            (self.clientMessageId, self.epoch) = (clientMessageId, epoch)
        }
    }

    /// Parses a text; one that is not JSON is kept with its problem.
    public init(_ text: String) { self.init(text, wireBytes: text.utf8.count, assumed: []) }

    init(_ text: String, wireBytes: Int, assumed: [JSONPointer]) {
        var tape = JSONTape()
        self.init(text, wireBytes: wireBytes, assumed: assumed, in: &tape)
    }

    private init(_ text: String, wireBytes: Int, assumed: [JSONPointer], in tape: inout JSONTape) {
        do {
            let document = try JSONParser.document(text, in: &tape)
            content = Content(document.root, flaws: document.flaws, wireBytes: wireBytes, assumed: assumed)
        } catch {
            content = Content(nil, problem: error, wireBytes: wireBytes)
        }
    }

    private init(_ content: Content) { self.content = content }

    /// The frame of an event; nil when it is no message.
    package init?(_ kind: Event.Kind) {
        var tape = JSONTape()
        self.init(kind, in: &tape)
    }

    /// The frame of an event, parsed in a tape that is kept for the next one; nil when it is no message.
    package init?(_ kind: Event.Kind, in tape: inout JSONTape) {
        switch kind {
        case .text(_, let text): self.init(text, wireBytes: text.utf8.count, assumed: [], in: &tape)
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
    public var document: JSONDocument? {
        content.flaws.flatMap { flaws in content.value.map { JSONDocument(root: $0, flaws: flaws) } }
    }
    /// What is wrong with its text besides; nil when it is not JSON.
    @inlinable public var flaws: [JSONFlaw]? { content.flaws }
    /// Why the text is not JSON; nil when it is.
    @inlinable public var problem: JSONProblem? { content.rest?.problem }
    /// Its size on the wire; in a view of a dialect that is not the size of the canonical text.
    @inlinable public var wireBytes: Int { content.wireBytes }
    /// Whether it was a binary message.
    @inlinable public var isBinary: Bool { content.isBinary }
    /// The members that the wire did not say.
    var assumed: [JSONPointer] { content.rest?.assumed ?? [] }
    /// Whether it came as a replayed frame of a `syncResult`.
    package var isReplayed: Bool { replayIndex != nil }

    /// The message; nil when it was binary or no JSON.
    @inlinable public var value: JSONValue? { content.value }
    /// The message without the members that the wire did not say and a dialect assumes; a verdict about a member asks this.
    package var said: JSONValue? {
        guard let rest = content.rest else { return value }
        return rest.assumed.reduce(value) { $0?.removing($1) }
    }

    /// Whether the wire itself says a member, so that no dialect assumes or makes it.
    public func says(_ name: String) -> Bool {
        self[name] != nil && content.rest?.assumed.contains(JSONPointer(tokens: [name])) != true
    }

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
