/// The body of `POST /api/chat`: the same question as a chat frame.
public struct ChatRequest: MessageObject {
    /// The conversation as the client knows it, oldest first; the last message is the question and comes from the user.
    public var messages: [ChatMessage] = []
    /// The conversation to continue; absent to start a new one.
    public var sessionId: String?
    /// The client's idempotency key for the question, usually a UUID.
    public var clientMessageId = ""
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("messages", \.messages), optional("sessionId", \.sessionId),
        required("clientMessageId", \.clientMessageId),
    ]
}

/// The body of a successful answer to `POST /api/chat`, sent after the answer is stored.
public struct ChatResponse: MessageObject {
    /// The whole answer, equal to the stored one.
    public var text = ""
    /// The conversation with the answer.
    public var sessionId = ""
    /// The turn of the question.
    public var turnId = ""
    /// The stored answer.
    public var messageId = ""
    /// True if the question was already accepted, and this is the outcome of its turn.
    public var duplicate: Bool?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("text", \.text), required("sessionId", \.sessionId), required("turnId", \.turnId),
        required("messageId", \.messageId), optional("duplicate", \.duplicate),
    ]
}

/// The body of every REST error.
public struct RestError: MessageObject {
    /// The human-readable message.
    public var error = ""
    /// The machine-readable code.
    public var code: ErrorCode?
    /// The affected conversation.
    public var sessionId: String?
    /// The turn that failed.
    public var turnId: String?
    /// The key of the question that failed or was refused.
    public var clientMessageId: String?
    /// True if the same request may succeed later.
    public var retryable: Bool?
    /// The wait before a retry, in milliseconds.
    public var retryAfterMs: Int64?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("error", \.error), optional("code", \.code), optional("sessionId", \.sessionId),
        optional("turnId", \.turnId), optional("clientMessageId", \.clientMessageId),
        optional("retryable", \.retryable), optional("retryAfterMs", \.retryAfterMs),
    ]
}

/// The body of `GET /api/health`, the one path without a token.
public struct Health: MessageObject {
    /// The server accepts requests.
    public var ok = true
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [required("ok", \.ok)]
}

/// The body of `GET /api/sessions/{id}`: a stored conversation, which clients recover from.
public struct SessionResponse: MessageObject {
    /// The conversation.
    public var session = Session()
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [required("session", \.session)]
}

/// The conversation.
public struct Session: MessageObject {
    /// The server's id of the conversation, stable for its whole life.
    public var id = ""
    /// A human-readable name.
    public var title: String?
    /// When it started.
    public var createdAt = ""
    /// When its last message was stored.
    public var updatedAt = ""
    /// All messages, oldest first.
    public var messages: [StoredMessage] = []
    /// The turns, oldest first.
    public var turns: [Turn] = []
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("id", \.id), optional("title", \.title), required("createdAt", \.createdAt),
        required("updatedAt", \.updatedAt), required("messages", \.messages), required("turns", \.turns),
    ]
}

/// A stored message.
public struct StoredMessage: MessageObject {
    /// The id of the message; the same over the socket, REST and push.
    public var id = ""
    /// The author.
    public var role = Role.user
    /// The text or parts.
    public var content = MessageContent.text("")
    /// When it was stored.
    public var timestamp = ""
    /// The turn of the message.
    public var turnId: String?
    /// The idempotency key of the question.
    public var clientMessageId: String?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("id", \.id), required("role", \.role), required("content", \.content),
        required("timestamp", \.timestamp), optional("turnId", \.turnId),
        optional("clientMessageId", \.clientMessageId),
    ]
}

/// One turn and its status.
public struct Turn: MessageObject {
    /// The id of the turn.
    public var turnId = ""
    /// Its status; no turn stays `running` once its server is gone.
    public var status = TurnStatus.running
    /// The key of its question; absent if no client asked.
    public var clientMessageId: String?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("turnId", \.turnId), required("status", \.status), optional("clientMessageId", \.clientMessageId),
    ]
}

/// The body of `GET /api/sessions`, newest `updatedAt` first.
public struct SessionList: MessageObject {
    /// The conversations of the principal.
    public var sessions: [SessionSummary] = []
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [required("sessions", \.sessions)]
}

/// A summary of one conversation.
public struct SessionSummary: MessageObject {
    /// The server's id of the conversation, stable for its whole life.
    public var id = ""
    /// A human-readable name.
    public var title: String?
    /// When its last message was stored.
    public var updatedAt = ""
    /// The number of messages in it.
    public var messageCount: Int64 = 0
    /// The start of the last message, cut between characters.
    public var lastMessage: String?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("id", \.id), optional("title", \.title), required("updatedAt", \.updatedAt),
        required("messageCount", \.messageCount), optional("lastMessage", \.lastMessage),
    ]
}
