import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// One session as shown by `GET /api/sessions/{id}`.
struct ObservedSessionRead: Sendable {
    let event: Int
    /// The event of the request: the answer must contain everything stored before it.
    let request: Int
    /// The owner of the request's credentials; nil for none.
    let principal: String?
    let sessionId: String
    let session: JSONValue
    let messages: [StoredMessage]
    /// The turns, oldest first; empty if the body has no such member.
    let turns: [StoredTurn]
    /// The first place of each id and key in them.
    let turnPlaces: (byID: [String: Int], byKey: [String: Int])

    struct StoredMessage: Sendable, Equatable {
        let id: String?
        /// The author: user, agent, or neither.
        let role: String?
        /// The text; for parts, their joined texts.
        let text: String
        let turnId: String?
        /// The key of the question.
        let clientMessageId: String?
        /// Whether the key and the turn are on the wire itself.
        let (saysKey, saysTurn): (Bool, Bool)
        /// The time of storage, as written.
        var timestamp: String?

        /// The key as the server wrote it.
        var saidKey: String? { saysKey ? clientMessageId : nil }
        /// The turn as the server wrote it.
        var saidTurn: String? { saysTurn ? turnId : nil }

        /// Whether both were certainly stored within a day.
        func isOfOneDay(as other: Self) -> Bool {
            let instants = [timestamp, other.timestamp].compactMap { $0.flatMap { Instant($0) }?.seconds }
            return instants.count == 2 && abs(instants[0] - instants[1]) < 86_400
        }
    }

    struct StoredTurn: Sendable, Equatable {
        let turnId: String?
        /// `running`, `done` or `failed`.
        let status: String?
        /// The key of its question.
        let clientMessageId: String?
    }

    /// The session as its reader knows it; nil without credentials.
    var name: OwnName? { principal.map { OwnName(sessionId, of: $0) } }
    var listsTurns: Bool { session["turns"]?.arrayValue != nil }

    /// The successful read in an exchange, if it is one.
    init?(_ exchange: ObservedExchange) {
        guard let id = exchange.sessionRead, exchange.status == 200, let response = exchange.response,
            let session = exchange.answer?.root["session"]
        else { return nil }
        event = response
        request = exchange.request
        principal = exchange.sent.principal
        sessionId = id
        self.session = session
        let said = exchange.said?["session"]?["messages"]
        messages = (session["messages"]?.arrayValue ?? []).enumerated().map { place, message in
            StoredMessage(
                id: message.id("id"), role: message.string("role"), text: MessageContent.text(of: message["content"]),
                turnId: message.id("turnId"), clientMessageId: message.id("clientMessageId"),
                saysKey: said?[place]?["clientMessageId"] != nil, saysTurn: said?[place]?["turnId"] != nil,
                timestamp: message["timestamp"]?.stringValue)
        }
        let turns = (session["turns"]?.arrayValue ?? []).map { turn in
            StoredTurn(
                turnId: turn.id("turnId"), status: turn.string("status"),
                clientMessageId: turn.id("clientMessageId"))
        }
        func places(_ name: KeyPath<StoredTurn, String?>) -> [String: Int] {
            let named = turns.indices.compactMap { place in turns[place][keyPath: name].map { ($0, place) } }
            return Dictionary(named) { first, _ in first }
        }
        self.turns = turns
        turnPlaces = (byID: places(\.turnId), byKey: places(\.clientMessageId))
    }
}

/// The list of sessions as shown by `GET /api/sessions`.
struct ObservedListRead: Sendable {
    let event: Int
    let request: Int
    /// The owner of the request's credentials; nil for none.
    let principal: String?
    let entries: [Entry]

    struct Entry: Sendable, Equatable {
        let id: String?
        /// The time when its last message was stored, as written.
        let updatedAt: String?
        let messageCount: Int?
    }

    var ids: [String] { entries.compactMap(\.id) }

    /// The successful read in an exchange, if it is one.
    init?(_ exchange: ObservedExchange) {
        guard exchange.isRead(of: .sessions), exchange.status == 200, let response = exchange.response,
            let entries = exchange.answer?.root["sessions"]?.arrayValue
        else { return nil }
        event = response
        request = exchange.request
        principal = exchange.sent.principal
        self.entries = entries.map { entry in
            Entry(
                id: entry.id("id"), updatedAt: entry.string("updatedAt"),
                messageCount: entry["messageCount"]?.intValue)
        }
    }
}
