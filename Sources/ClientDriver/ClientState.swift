/// An app's screen at one moment.
public struct ClientState: Sendable, Equatable {
    /// The connection status that the app shows.
    public enum Connection: String, Sendable, Equatable, CaseIterable {
        /// Not connected, and trying to connect.
        case connecting
        /// Connected, and greeted by the server on the connection in use.
        case connected
        /// Without a socket, polling over REST.
        case degraded
        /// Without a network, or after giving up.
        case offline
    }

    /// The connection status that the app shows.
    public var connection: Connection
    /// The visible session; nil for a conversation without a session on the server.
    public var sessionId: String?
    /// Whether the app shows that it awaits an answer.
    public var isThinking: Bool
    /// The messages of the visible session, in display order.
    public var messages: [ShownMessage]
    /// The visible errors.
    public var errors: [ShownError]
    /// The number of unread messages by session; sessions without any may be omitted.
    public var unread: [String: Int]

    /// An empty screen by default.
    public init(
        connection: Connection = .connecting, sessionId: String? = nil, isThinking: Bool = false,
        messages: [ShownMessage] = [], errors: [ShownError] = [], unread: [String: Int] = [:]
    ) {
        (self.connection, self.sessionId, self.isThinking) = (connection, sessionId, isThinking)
        (self.messages, self.errors, self.unread) = (messages, errors, unread)
    }
}

extension ClientState: Encodable {
    private enum Key: String, CodingKey {
        case connection, sessionId, thinking, messages, errors, unread
    }

    /// Writes the state in the form of the driver protocol.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(connection.rawValue, forKey: .connection)
        // Nil is written as null, because it states that there is no session.
        try object.encode(sessionId, forKey: .sessionId)
        try object.encode(isThinking, forKey: .thinking)
        try object.encode(messages, forKey: .messages)
        try object.encode(errors, forKey: .errors)
        try object.encode(unread, forKey: .unread)
    }
}

/// A message on the screen.
public struct ShownMessage: Sendable, Equatable, Encodable {
    /// The author.
    public enum Role: String, Sendable, Equatable, Encodable {
        /// The user.
        case user
        /// The agent.
        case assistant
    }

    /// The delivery status.
    public enum Status: String, Sendable, Equatable, Encodable {
        /// Not yet confirmed by the server.
        case sending
        /// The server has it. Everything from the server is `sent`.
        case sent
        /// The message failed, and the app shows that.
        case failed
    }

    /// The server's id, if the app knows it.
    public var id: String?
    /// The key (`clientMessageId`) of a message written in this app.
    public var clientMessageId: String?
    /// The author.
    public var role: Role
    /// The text as shown.
    public var text: String
    /// The delivery status; everything from the server is `sent`.
    public var status: Status

    /// By default, a message from the server.
    public init(
        id: String? = nil, clientMessageId: String? = nil, role: Role, text: String, status: Status = .sent
    ) {
        (self.id, self.clientMessageId, self.role, self.text, self.status) = (id, clientMessageId, role, text, status)
    }
}

/// A visible error, anywhere on the screen.
public struct ShownError: Sendable, Equatable, Encodable {
    /// The text shown.
    public var text: String
    /// The server's code, if there is one.
    public var code: String?
    /// The key of the message beside it, if there is one.
    public var clientMessageId: String?

    /// An error on the screen; only its text is required.
    public init(text: String, code: String? = nil, clientMessageId: String? = nil) {
        (self.text, self.code, self.clientMessageId) = (text, code, clientMessageId)
    }
}
