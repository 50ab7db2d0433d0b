/// The body of `POST /api/chat`: the same question as a chat frame.
public struct ChatRequest: MessageObject {
    /// The conversation as the client knows it, oldest first; the last one is the question and comes from the user.
    public var messages: [ChatMessage] = []
    /// The conversation to continue; a new one starts when absent.
    public var sessionId: String?
    /// The client's idempotency key for one question, usually a UUID.
    public var clientMessageId = ""
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("messages", \.messages), optional("sessionId", \.sessionId),
        required("clientMessageId", \.clientMessageId),
    ]
}

/// The body of a successful answer to `POST /api/chat`, sent after the answer is stored.
public struct ChatResponse: MessageObject {
    /// The whole answer, equal to what is stored.
    public var text = ""
    /// The conversation that holds the answer.
    public var sessionId = ""
    /// One question and its answer.
    public var turnId = ""
    /// The stored answer.
    public var messageId = ""
    /// True when the question was already accepted and this is the outcome of its one turn.
    public var duplicate: Bool?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("text", \.text), required("sessionId", \.sessionId), required("turnId", \.turnId),
        required("messageId", \.messageId), optional("duplicate", \.duplicate),
    ]
}

/// The body of every REST answer that is no success.
public struct RestError: MessageObject {
    /// What went wrong, for people.
    public var error = ""
    /// What went wrong, for a program.
    public var code: ErrorCode?
    /// The conversation concerned.
    public var sessionId: String?
    /// The turn that failed.
    public var turnId: String?
    /// The key of the question that failed or was refused.
    public var clientMessageId: String?
    /// True when the same request may succeed later.
    public var retryable: Bool?
    /// How long to wait before trying again, in milliseconds.
    public var retryAfterMs: Int64?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("error", \.error), optional("code", \.code), optional("sessionId", \.sessionId),
        optional("turnId", \.turnId), optional("clientMessageId", \.clientMessageId),
        optional("retryable", \.retryable), optional("retryAfterMs", \.retryAfterMs),
    ]
}

/// The body of `GET /api/health`, the one path without a token.
public struct Health: MessageObject {
    /// The server takes requests.
    public var ok = true
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [required("ok", \.ok)]
}

/// The body of `GET /api/sessions/{id}`: a conversation as it is stored, the truth that clients recover from.
public struct SessionResponse: MessageObject {
    /// The conversation.
    public var session = Session()
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [required("session", \.session)]
}

/// The conversation.
public struct Session: MessageObject {
    /// A conversation as its server names it, stable for its whole life.
    public var id = ""
    /// A name for people.
    public var title: String?
    /// When it began.
    public var createdAt = ""
    /// When its last message was stored.
    public var updatedAt = ""
    /// All messages, oldest first.
    public var messages: [StoredMessage] = []
    /// The turns, oldest first.
    public var turns: [Turn] = []
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("id", \.id), optional("title", \.title), required("createdAt", \.createdAt),
        required("updatedAt", \.updatedAt), required("messages", \.messages), required("turns", \.turns),
    ]
}

/// A stored message.
public struct StoredMessage: MessageObject {
    /// One stored message; equal over the socket, REST and push.
    public var id = ""
    /// Who says it.
    public var role = Role.user
    /// What is said.
    public var content = MessageContent.text("")
    /// When it was stored.
    public var timestamp = ""
    /// The turn that it belongs to.
    public var turnId: String?
    /// The key that the question came with.
    public var clientMessageId: String?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("id", \.id), required("role", \.role), required("content", \.content),
        required("timestamp", \.timestamp), optional("turnId", \.turnId),
        optional("clientMessageId", \.clientMessageId),
    ]
}

/// One turn and how it stands.
public struct Turn: MessageObject {
    /// One question and its answer.
    public var turnId = ""
    /// How it stands; nothing stays running when its server is gone.
    public var status = TurnStatus.running
    /// The key of its question; absent when no client asked.
    public var clientMessageId: String?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("turnId", \.turnId), required("status", \.status), optional("clientMessageId", \.clientMessageId),
    ]
}

/// The body of `GET /api/sessions`, newest `updatedAt` first.
public struct SessionList: MessageObject {
    /// The conversations of the principal.
    public var sessions: [SessionSummary] = []
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [required("sessions", \.sessions)]
}

/// One conversation in short.
public struct SessionSummary: MessageObject {
    /// A conversation as its server names it, stable for its whole life.
    public var id = ""
    /// A name for people.
    public var title: String?
    /// When its last message was stored.
    public var updatedAt = ""
    /// How many messages it holds.
    public var messageCount: Int64 = 0
    /// The beginning of the last message, cut between characters.
    public var lastMessage: String?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("id", \.id), optional("title", \.title), required("updatedAt", \.updatedAt),
        required("messageCount", \.messageCount), optional("lastMessage", \.lastMessage),
    ]
}
