import JSON
import Transcript

/// One conversation as `GET /api/sessions/{id}` showed it.
struct ObservedSessionRead: Sendable {
    /// The event of the response.
    let event: Int
    /// The event of the request: what was stored before it has to be in the answer.
    let request: Int
    /// Whose credentials the request carried; nil when it carried none.
    let principal: String?
    /// The id that the request named in its path.
    let sessionId: String
    /// The `session` of the body.
    let session: JSONValue
    /// The messages, oldest first.
    let messages: [StoredMessage]
    /// The turns, oldest first; empty also when the server lists none.
    let turns: [StoredTurn]

    /// One stored message.
    struct StoredMessage: Sendable, Equatable {
        /// Its id.
        let id: String?
        /// Who said it: the person, the agent, or neither.
        let role: String?
        /// What it says; the text of its parts joined, where it has parts.
        let text: String
        /// The turn it belongs to.
        let turnId: String?
        /// The key of the question.
        let clientMessageId: String?
    }

    /// One turn and how it stands.
    struct StoredTurn: Sendable, Equatable {
        /// Its id.
        let turnId: String?
        /// `running`, `done` or `failed`.
        let status: String?
        /// The key of its question.
        let clientMessageId: String?
    }

    /// Whether the body lists turns at all; a core server need not.
    var listsTurns: Bool { session["turns"]?.arrayValue != nil }

    /// The successful read in an exchange; nil for any other exchange.
    init?(_ exchange: ObservedExchange) {
        guard exchange.sent.method == "GET", case .session(let id) = exchange.route, exchange.status == 200,
            let response = exchange.response, let session = exchange.answer?.root["session"]
        else { return nil }
        event = response
        request = exchange.request
        principal = exchange.sent.principal
        sessionId = id
        self.session = session
        messages = (session["messages"]?.arrayValue ?? []).map { message in
            StoredMessage(
                id: message["id"]?.stringValue, role: message["role"]?.stringValue,
                text: plainText(of: message["content"]), turnId: message["turnId"]?.stringValue,
                clientMessageId: message["clientMessageId"]?.stringValue)
        }
        turns = (session["turns"]?.arrayValue ?? []).map { turn in
            StoredTurn(
                turnId: turn["turnId"]?.stringValue, status: turn["status"]?.stringValue,
                clientMessageId: turn["clientMessageId"]?.stringValue)
        }
    }
}

/// The list of conversations as `GET /api/sessions` showed it.
struct ObservedListRead: Sendable {
    /// The event of the response.
    let event: Int
    /// The event of the request.
    let request: Int
    /// Whose credentials the request carried; nil when it carried none.
    let principal: String?
    /// The entries, in the order of the body.
    let entries: [Entry]

    /// One conversation in short.
    struct Entry: Sendable, Equatable {
        /// Its id.
        let id: String?
        /// When its last message was stored, as written.
        let updatedAt: String?
        /// How many messages it holds.
        let messageCount: Int?
    }

    /// The ids, in the order of the body.
    var ids: [String] { entries.compactMap(\.id) }

    /// The successful read in an exchange; nil for any other exchange.
    init?(_ exchange: ObservedExchange) {
        guard exchange.isRead(of: .sessions), exchange.status == 200, let response = exchange.response,
            let entries = exchange.answer?.root["sessions"]?.arrayValue
        else { return nil }
        event = response
        request = exchange.request
        principal = exchange.sent.principal
        self.entries = entries.map { entry in
            Entry(
                id: entry["id"]?.stringValue, updatedAt: entry["updatedAt"]?.stringValue,
                messageCount: entry["messageCount"]?.intValue)
        }
    }
}

/// What a content says: the text itself, or the texts of its parts joined.
func plainText(of content: JSONValue?) -> String {
    if let text = content?.stringValue { return text }
    return (content?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }.joined()
}
