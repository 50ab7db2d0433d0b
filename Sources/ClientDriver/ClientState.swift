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
