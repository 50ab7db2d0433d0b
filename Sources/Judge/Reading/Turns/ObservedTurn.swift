import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// One question, every request that carried it, and everything the server said about it.
///
/// Where the subject declares `idempotency`, requests with the same `clientMessageId` are one turn; elsewhere each request
/// is its own. `acks`, `frames`, `endings` and `copies` hold what every connection of the principal saw, in time order.
struct ObservedTurn: Sendable {
    /// The requests, in order; at least one.
    var requests: [ObservedRequest]
    /// The server's name for the turn, once learnt from any frame, response or read.
    var turnId: String?
    /// The conversation, once learnt from the server; see ``sessionAsked`` for what was asked.
    var sessionId: String?
    /// Acks, also those that say `duplicate`.
    var acks: [Frame] = []
    /// `toolUse` and `message` frames.
    var frames: [Frame] = []
    /// Frames that end the turn: `done` without `duplicate`, or an `error` that ends it; one a connection when all is well.
    var endings: [Frame] = []
    /// Copies of the outcome with `duplicate: true`; they end nothing.
    var copies: [Frame] = []
    /// Frames of the turn inside `syncResult.missed`.
    var replayed: [Frame] = []

    /// The first question that started it, whichever transport it took.
    var request: ObservedRequest { requests[0] }
    var event: Int { requests[0].event }
    var principal: String { requests[0].principal }
    var clientMessageId: String? { requests[0].clientMessageId }
    /// The conversation that was named by the first request that was not refused, or else by the first; nil when that
    /// asked for a new one.
    var sessionAsked: String? { (requests.first { $0.refusal == nil } ?? requests[0]).sessionAsked }
    /// The first ack that is no duplicate.
    var ack: Frame? { acks.first { !$0.isDuplicate } }
    var ending: Frame? { endings.first }
    /// The successful response to a question over REST.
    var response: Int? { requests.lazy.compactMap(\.success).first }

    /// Whether the server took it on: by an ack, a frame, an ending or a successful response.
    var isAccepted: Bool {
        !acks.isEmpty || !frames.isEmpty || !endings.isEmpty || !replayed.isEmpty || response != nil
    }

    /// Whether every request was refused and nothing else is known of it.
    var isRefused: Bool { !isAccepted && requests.allSatisfy { $0.refusal != nil } }

    /// The first event that shows it ended: an ending on any connection, or the response to the request over REST.
    var ended: Int? {
        [ending?.event, requests.lazy.compactMap(\.outcome).first].compactMap { $0 }.min()
    }

    func endings(on connection: Int) -> [Frame] { endings.filter { $0.connection == connection } }
}

/// One request that carried a question: a `chat` frame or `POST /api/chat`.
struct ObservedRequest: Sendable {
    let event: Int
    let origin: Origin
    let principal: String
    let clientMessageId: String?
    /// The conversation named; nil when it asks for a new one.
    let sessionAsked: String?
    /// The question as text; the texts of its parts joined.
    let prompt: String
    /// The content of its last message as it was written.
    let content: JSONValue?
    /// The steps of a scripted question; empty for one in plain words.
    let script: [JSONValue]
    /// The ack on its own connection that answers it.
    var ack: Frame?
    /// The event that refused it without starting a turn: an `error` frame or a response outside 200…299.
    var refusal: Int?
    var refusalCode: String?
    /// The event of the successful response, over REST.
    var success: Int?
    /// The event of a response over REST that tells the failure of the turn itself.
    var failure: Int?

    /// The transport, as an index into the connections or exchanges of the history.
    enum Origin: Sendable, Equatable {
        case connection(Int)
        case exchange(Int)
    }

    /// The connection it went over; nil for REST.
    var connection: Int? {
        if case .connection(let index) = origin { index } else { nil }
    }

    /// The response over REST that tells how the turn ended.
    var outcome: Int? { success ?? failure }

    /// Whether it asks something else than another one, or in another conversation.
    func asksOther(than other: ObservedRequest) -> Bool {
        !MessageContent.isSame(content, as: other.content) || sessionAsked != other.sessionAsked
    }

    /// What the request is called in findings.
    var road: String { connection == nil ? "a POST" : "a chat" }

    /// Every question that could be accepted, whichever transport it took, in the order of asking.
    static func all(on connections: [ObservedConnection], in exchanges: [ObservedExchange]) -> [ObservedRequest] {
        let chats = connections.enumerated().flatMap { index, connection in
            connection.sent.filter { $0.type == "chat" }.compactMap { frame in
                ObservedRequest(
                    frame.value, event: frame.event, origin: .connection(index), principal: connection.principal)
            }
        }
        let posts = exchanges.enumerated().filter { $0.element.isChat }.compactMap { index, exchange in
            ObservedRequest(
                exchange.body, event: exchange.request, origin: .exchange(index),
                principal: exchange.sent.principal ?? "")
        }
        return (chats + posts).sorted { $0.event < $1.event }
    }

    /// The request in a message; nil when it is no question that could be accepted.
    private init?(_ value: JSONValue?, event: Int, origin: Origin, principal: String) {
        guard let messages = value?["messages"]?.arrayValue, let last = messages.last, last.string("role") == "user"
        else { return nil }
        for name in ["sessionId", "clientMessageId"] {
            if let field = value?[name], field.stringValue == nil { return nil }
        }
        self.event = event
        self.origin = origin
        self.principal = principal
        clientMessageId = value?.string("clientMessageId")
        sessionAsked = value?.string("sessionId")
        prompt = plainText(of: last["content"])
        content = last["content"]
        script = (try? JSONParser.document(prompt))?.root["script"]?.arrayValue ?? []
    }

    /// How long the script itself makes the turn last.
    var scriptedWait: Duration {
        .milliseconds(script.compactMap { $0["wait"]?.intValue }.reduce(0) { $0 &+ max(0, min($1, 3_600_000)) })
    }
}
