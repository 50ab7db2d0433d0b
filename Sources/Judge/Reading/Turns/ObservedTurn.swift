import JSON
import Transcript

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

    /// The first question that started it, on whichever road.
    var request: ObservedRequest { requests[0] }
    /// The event of the first request.
    var event: Int { requests[0].event }
    /// The principal who asked, by its name in the history.
    var principal: String { requests[0].principal }
    /// The client's idempotency key.
    var clientMessageId: String? { requests[0].clientMessageId }
    /// The conversation that the first request named; nil when it asked for a new one.
    var sessionAsked: String? { requests[0].sessionAsked }
    /// The first ack that is no duplicate.
    var ack: Frame? { acks.first { !$0.isDuplicate } }
    /// The first frame on any connection that ended it.
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

    /// The endings on one connection.
    func endings(on connection: Int) -> [Frame] { endings.filter { $0.connection == connection } }
}

/// One request that carried a question: a `chat` frame or `POST /api/chat`.
struct ObservedRequest: Sendable {
    /// The event of the frame or of the HTTP request.
    let event: Int
    /// The road on which the question came.
    let origin: Origin
    /// The principal who asked, by its name in the history.
    let principal: String
    /// The client's idempotency key.
    let clientMessageId: String?
    /// The conversation named; nil when it asks for a new one.
    let sessionAsked: String?
    /// The question as text; the texts of its parts joined.
    let prompt: String
    /// The content of its last message as it was written.
    let content: JSONValue?
    /// The ack on its own connection that answers it.
    var ack: Frame?
    /// The event that refused it without starting a turn: an `error` frame or a response outside 200…299.
    var refusal: Int?
    /// The code of the refusal.
    var refusalCode: String?
    /// The event of the successful response, over REST.
    var success: Int?
    /// The event of a response over REST that tells the failure of the turn itself.
    var failure: Int?

    /// The roads.
    enum Origin: Sendable, Equatable {
        /// A WebSocket connection, as an index into `Observations.connections`.
        case connection(Int)
        /// An HTTP exchange, as an index into `Observations.exchanges`.
        case exchange(Int)
    }

    /// The connection it went over; nil for REST.
    var connection: Int? {
        if case .connection(let index) = origin { index } else { nil }
    }

    /// The response over REST that tells how the turn ended.
    var outcome: Int? { success ?? failure }

    /// The request in a message; nil when it is no question that could be accepted.
    init?(_ value: JSONValue?, event: Int, origin: Origin, principal: String) {
        guard let messages = value?["messages"]?.arrayValue, let last = messages.last,
            last["role"]?.stringValue == "user"
        else { return nil }
        for name in ["sessionId", "clientMessageId"] {
            if let field = value?[name], field.stringValue == nil { return nil }
        }
        self.event = event
        self.origin = origin
        self.principal = principal
        clientMessageId = value?["clientMessageId"]?.stringValue
        sessionAsked = value?["sessionId"]?.stringValue
        prompt = plainText(of: last["content"])
        content = last["content"]
    }

    /// The steps of a scripted question; empty for one in plain words.
    var script: [JSONValue] {
        (try? JSONParser.document(prompt))?.root["script"]?.arrayValue ?? []
    }

    /// How long the script itself makes the turn last.
    var scriptedWait: Duration {
        .milliseconds(script.compactMap { $0["wait"]?.intValue }.reduce(0) { $0 &+ max(0, min($1, 3_600_000)) })
    }
}
