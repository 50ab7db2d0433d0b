import HoldfastJSON

/// One message of a connection in canonical form: live, or replayed in a `syncResult`.
///
/// It is parsed once, and common members are looked up once.
public struct Frame: Sendable {
    /// The index of its event in its history; 0 without a history.
    public internal(set) var event = 0
    /// The index of its connection in its history, once connections are counted.
    package var connection = 0
    /// The index in `missed` if it was replayed; nil if it was live.
    package private(set) var replayIndex: Int?
    /// A reference, because frames are copied far more often than created.
    @usableFromInline let content: Content

    /// Error codes that refuse a frame or a question, and so end no turn.
    package static let refusalCodes: Set<String> = [
        "parse_error", "bad_request", "unknown_type", "auth_failed", "auth_timeout", "not_authenticated",
        "unsupported_version", "session_not_found", "too_large", "busy", "rate_limited", "idempotency_mismatch",
    ]

    /// The types of this version: comparing them is faster than comparing texts.
    @usableFromInline
    package enum Kind: String, Sendable {
        case toolUse, done, ack, chat, message, error, connected, auth, ping, pong, sync, syncResult, other
    }

    /// Usable from inline, so that other modules read it without a call.
    @usableFromInline
    final class Content: Sendable {
        @usableFromInline let isBinary: Bool
        @usableFromInline let value: JSONValue?
        /// Flaws of its text; nil if it is not JSON.
        @usableFromInline let flaws: [JSONFlaw]?
        /// Rare parts; nil for most frames.
        @usableFromInline let rest: Rest?
        @usableFromInline let wireBytes: Int
        @usableFromInline let type: String?
        @usableFromInline let kind: Kind
        @usableFromInline let sessionId: String?
        @usableFromInline let turnId: String?
        @usableFromInline let messageId: String?
        @usableFromInline let clientMessageId: String?
        @usableFromInline let text: String?
        @usableFromInline let code: String?
        @usableFromInline let epoch: String?
        @usableFromInline let seq: Int?
        @usableFromInline let isDuplicate: Bool

        /// The parse problem, and the members that a dialect assumes.
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
            // One pass over the members; only names of these lengths are compared.
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
            kind = type.flatMap { Kind(rawValue: $0) } ?? .other
            (self.type, self.text, self.code, self.seq, self.isDuplicate) = (type, text, code, seq, isDuplicate)
            (self.sessionId, self.turnId, self.messageId) = (sessionId, turnId, messageId)
            (self.clientMessageId, self.epoch) = (clientMessageId, epoch)
        }
    }

    /// Parses a text; if it is not JSON, keeps the problem.
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

    package init?(_ kind: Event.Kind) {
        var tape = JSONTape()
        self.init(kind, in: &tape)
    }

    /// The frame of an event, parsed in a reusable tape; nil if it is not a message.
    package init?(_ kind: Event.Kind, in tape: inout JSONTape) {
        switch kind {
        case .text(_, let text): self.init(text, wireBytes: text.utf8.count, assumed: [], in: &tape)
        case .binary(_, let bytes): self.init(Content(nil, wireBytes: bytes.count, isBinary: true))
        default: return nil
        }
    }

    package init(_ value: JSONValue, replayedBy answer: Frame, at index: Int) {
        event = answer.event
        connection = answer.connection
        replayIndex = index
        content = Content(value, wireBytes: 0)
    }

    /// The parsed text; nil if it is not JSON.
    public var document: JSONDocument? {
        content.flaws.flatMap { flaws in content.value.map { JSONDocument(root: $0, flaws: flaws) } }
    }
    /// The flaws of its text; nil if it is not JSON.
    @inlinable public var flaws: [JSONFlaw]? { content.flaws }
    /// Why the text is not JSON; nil if it is.
    @inlinable public var problem: JSONProblem? { content.rest?.problem }
    /// Its size on the wire, which in a dialect differs from that of the canonical text.
    @inlinable public var wireBytes: Int { content.wireBytes }
    /// Whether it was a binary message.
    @inlinable public var isBinary: Bool { content.isBinary }
    /// The members that are not on the wire.
    var assumed: [JSONPointer] { content.rest?.assumed ?? [] }
    package var isReplayed: Bool { replayIndex != nil }

    /// The message; nil if it was binary or not JSON.
    @inlinable public var value: JSONValue? { content.value }
    /// The message without assumed members; a verdict about a member uses this.
    package var stated: JSONValue? {
        guard let rest = content.rest else { return value }
        return rest.assumed.reduce(value) { $0?.removing($1) }
    }

    /// Whether a member is on the wire, and not assumed or generated by a dialect.
    public func includes(_ name: String) -> Bool {
        content.value?.has(name) == true && content.rest?.assumed.contains(JSONPointer(tokens: [name])) != true
    }

    /// A field of the message; nil if it is absent or the message is not an object.
    @inlinable public subscript(name: String) -> JSONValue? { content.value?[name] }
    /// The text of a field; nil if it is absent or not a string.
    @inlinable public func string(_ name: String) -> String? { self[name]?.stringValue }

    /// The member `type`; nil if it is absent or not a string.
    @inlinable public var type: String? { content.type }
    /// The kind of its type; `other` if it has no type or an unknown one.
    @inlinable package var kind: Kind { content.kind }
    /// The member `sessionId`, which names a conversation.
    @inlinable public var sessionId: String? { content.sessionId }
    /// The member `turnId`, which names a question and its answer.
    @inlinable public var turnId: String? { content.turnId }
    /// The member `messageId`, which names a stored message.
    @inlinable public var messageId: String? { content.messageId }
    /// The key of the question.
    @inlinable public var clientMessageId: String? { content.clientMessageId }
    /// The text of a `done` or `message`.
    @inlinable public var text: String? { content.text }
    /// The code of an `error`.
    @inlinable public var code: String? { content.code }
    /// The stream the sequence numbers belong to.
    @inlinable public var epoch: String? { content.epoch }
    /// The position in the stream; nil if it is absent or not an integer.
    @inlinable public var seq: Int? { content.seq }
    /// Whether this is a copy that repeats an outcome.
    @inlinable public var isDuplicate: Bool { content.isDuplicate }
}
