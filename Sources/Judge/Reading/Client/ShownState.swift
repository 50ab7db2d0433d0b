import HoldfastJSON
import HoldfastTranscript

extension ObservedClient {
    /// The screen at one moment; a class, so that checks can share it.
    final class State: Sendable, HasEvent {
        let event: Int
        /// The connection state as shown; nil if it is not a known one.
        let connection: Connection?
        /// The session on the screen; nil for a conversation the server does not know yet.
        let sessionId: String?
        let thinking: Bool
        let messages: [ShownMessage]
        let ids: [String]
        let idSet: Set<String>
        let errors: [ShownError]
        /// The number of unread messages in each session; sessions without any are omitted.
        let unread: [String: Int]

        /// Reads a state leniently: missing parts are empty.
        ///
        /// Most states show the messages of the previous one, which are then reused.
        init(_ value: JSONValue, event: Int, after last: (value: JSONValue, state: State)?) {
            self.event = event
            connection = value.string("connection").flatMap(Connection.init)
            sessionId = value.id("sessionId")
            thinking = value["thinking"]?.boolValue == true
            if let last, last.value["messages"] == value["messages"] {
                (messages, ids, idSet) = (last.state.messages, last.state.ids, last.state.idSet)
            } else {
                messages = (value["messages"]?.arrayValue ?? []).map(ShownMessage.init)
                ids = messages.compactMap(\.id)
                idSet = Set(ids)
            }
            errors = (value["errors"]?.arrayValue ?? []).map(ShownError.init)
            var unread: [String: Int] = [:]
            for (session, count) in value["unread"]?.objectValue ?? [:] {
                if let count = count.intValue, count > 0 { unread[opaqueID(session)] = count }
            }
            self.unread = unread
        }
    }

    enum Connection: String, Sendable, Equatable {
        /// Not connected, but trying.
        case connecting
        /// Greeted on the current connection.
        case connected
        /// Reading over REST without a socket.
        case degraded
        /// Without network, or given up.
        case offline
    }

    struct ShownMessage: Sendable, Equatable {
        /// The server's id; nil if the client does not know it.
        let id: String?
        let key: String?
        let role: String?
        let text: String
        /// `sending`, `sent` or `failed`.
        let status: String?

        init(_ value: JSONValue) {
            id = value.id("id")
            key = value.id("clientMessageId")
            role = value.string("role")
            text = value.string("text") ?? ""
            status = value.string("status")
        }
    }

    struct ShownError: Sendable, Equatable {
        let text: String
        let code: String?
        let key: String?

        init(_ value: JSONValue) {
            text = value.stringValue ?? value.string("text") ?? ""
            code = value.string("code")
            key = value.id("clientMessageId")
        }
    }
}
