/// What an app shows at one moment.
public struct ClientState: Sendable, Equatable {
    /// What it says about its connection.
    public enum Connection: String, Sendable, Equatable, CaseIterable {
        /// It is not connected, and tries to be.
        case connecting
        /// The server has greeted it on the connection it uses.
        case connected
        /// Without a socket; it asks over REST from time to time.
        case degraded
        /// Without network, or given up.
        case offline
    }

    /// What it says about its connection.
    public var connection: Connection
    /// The session on the screen; nil for a conversation the server does not know yet.
    public var sessionId: String?
    /// Whether it shows that an answer is awaited.
    public var isThinking: Bool
    /// The messages of the session on the screen, in the order shown.
    public var messages: [ShownMessage]
    /// The errors on the screen.
    public var errors: [ShownError]
    /// How many unread messages each session has; those without any may be left out.
    public var unread: [String: Int]

    /// An empty screen, unless told otherwise.
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

    /// Writes the state as the driver protocol spells it.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(connection.rawValue, forKey: .connection)
        // "No session" is a statement, so it is written.
        try object.encode(sessionId, forKey: .sessionId)
        try object.encode(isThinking, forKey: .thinking)
        try object.encode(messages, forKey: .messages)
        try object.encode(errors, forKey: .errors)
        try object.encode(unread, forKey: .unread)
    }
}

/// A message on the screen.
public struct ShownMessage: Sendable, Equatable, Encodable {
    /// Who wrote it.
    public enum Role: String, Sendable, Equatable, Encodable {
        /// The person.
        case user
        /// The agent.
        case assistant
    }

    /// Where it is on its way.
    public enum Status: String, Sendable, Equatable, Encodable {
        /// The server has not confirmed it yet.
        case sending
        /// The server has it. Everything that came from the server is `sent`.
        case sent
        /// It failed, and the app says so.
        case failed
    }

    /// The server's id of it, where the app knows it.
    public var id: String?
    /// The key the app gave it, for messages written here.
    public var clientMessageId: String?
    /// Who wrote it.
    public var role: Role
    /// The text as shown.
    public var text: String
    /// Where it is on its way.
    public var status: Status

    /// A message that came from the server, unless told otherwise.
    public init(
        id: String? = nil, clientMessageId: String? = nil, role: Role, text: String, status: Status = .sent
    ) {
        (self.id, self.clientMessageId, self.role, self.text, self.status) = (id, clientMessageId, role, text, status)
    }
}

/// An error that a person sees, wherever the screen shows it.
public struct ShownError: Sendable, Equatable, Encodable {
    /// The words shown.
    public var text: String
    /// The server's code for it, where there is one.
    public var code: String?
    /// The key of the message it stands beside, where it does.
    public var clientMessageId: String?

    /// An error on the screen; its words are enough.
    public init(text: String, code: String? = nil, clientMessageId: String? = nil) {
        (self.text, self.code, self.clientMessageId) = (text, code, clientMessageId)
    }
}
