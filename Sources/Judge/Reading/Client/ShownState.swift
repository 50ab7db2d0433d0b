import JSON

extension ObservedClient {
    /// What a client showed at one moment.
    struct State: Sendable, Equatable {
        /// The event that recorded it.
        let event: Int
        /// What it said about its connection; nil when it said nothing known.
        let connection: Connection?
        /// The session on the screen; nil for a conversation the server does not know yet.
        let sessionId: String?
        /// Whether it showed that an answer is awaited.
        let thinking: Bool
        /// The messages on the screen, in the order shown.
        let messages: [ShownMessage]
        /// The errors on the screen.
        let errors: [ShownError]
        /// How many unread messages each session had; sessions without any are left out.
        let unread: [String: Int]

        /// Reads a state leniently: what is missing is empty.
        init(_ value: JSONValue, event: Int) {
            self.event = event
            connection = value["connection"]?.stringValue.flatMap(Connection.init)
            sessionId = value["sessionId"]?.stringValue
            thinking = value["thinking"]?.boolValue == true
            messages = (value["messages"]?.arrayValue ?? []).map(ShownMessage.init)
            errors = (value["errors"]?.arrayValue ?? []).map(ShownError.init)
            var unread: [String: Int] = [:]
            for (session, count) in value["unread"]?.objectValue ?? [:] {
                if let count = count.intValue, count > 0 { unread[session] = count }
            }
            self.unread = unread
        }

        /// The ids of the messages that have one, in the order shown.
        var ids: [String] { messages.compactMap(\.id) }
    }

    /// What a client says about its connection.
    enum Connection: String, Sendable, Equatable {
        /// Not connected, and trying.
        case connecting
        /// Greeted on the connection it uses.
        case connected
        /// Asking over REST without a socket.
        case degraded
        /// Without network, or given up.
        case offline
    }

    /// A message on the screen.
    struct ShownMessage: Sendable, Equatable {
        /// The server's id; nil where the client does not know it.
        let id: String?
        /// The key of a message written on this client.
        let key: String?
        /// Who speaks.
        let role: String?
        /// As shown.
        let text: String
        /// `sending`, `sent` or `failed`.
        let status: String?

        init(_ value: JSONValue) {
            id = value["id"]?.stringValue
            key = value["clientMessageId"]?.stringValue
            role = value["role"]?.stringValue
            text = value["text"]?.stringValue ?? ""
            status = value["status"]?.stringValue
        }
    }

    /// An error on the screen.
    struct ShownError: Sendable, Equatable {
        /// The words.
        let text: String
        /// The server's code for it.
        let code: String?
        /// The key of the message it stands beside.
        let key: String?

        init(_ value: JSONValue) {
            text = value.stringValue ?? value["text"]?.stringValue ?? ""
            code = value["code"]?.stringValue
            key = value["clientMessageId"]?.stringValue
        }
    }
}
