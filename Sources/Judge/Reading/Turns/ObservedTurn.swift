import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// One question, all its requests, and all the server's frames about it.
///
/// Requests with the same `clientMessageId` are one turn. `acks`, `frames`, `endings` and `copies` come from all
/// connections of the principal, in time order. A class, because checks access it repeatedly; it changes only during
/// reconstruction.
final class ObservedTurn: HasEvent {
    /// The requests, in order; at least one.
    var requests: [ObservedRequest]
    /// The server's id of the turn, once any frame, response or read named it.
    var turnId: String?
    /// The session, once the server named it; see ``sessionAsked`` for the requested one.
    var sessionId: String?
    /// All acks, including those with `duplicate`.
    var acks: [Frame] = []
    /// `toolUse` and `message` frames.
    var frames: [Frame] = []
    /// Frames that end the turn: `done` without `duplicate`, or an `error`; normally one per connection.
    var endings: [Frame] = []
    /// Copies of the outcome with `duplicate: true`, which end nothing.
    var copies: [Frame] = []
    /// Frames of the turn inside `syncResult.missed`.
    var replayed: [Frame] = []
    /// Errors with its key but without its id that refuse no request, and so may end it.
    var nameless: [Frame] = []
    /// Whether it repeats a question from before the capture.
    var isFromBeforeCapture = false
    /// Whether its question or its frames are a guess.
    var isGuessed = false
    /// In a capture, frames with the ids of a turn that may have been asked before it began; not used for verdicts.
    var doubtfulFrames: [Frame] = []
    /// The first event that shows the end of a turn whose frames were set aside; not used for verdicts.
    var doubtfulEnd: Int?

    init(requests: [ObservedRequest]) { self.requests = requests }

    var request: ObservedRequest { requests[0] }
    /// The request that started it: the first one not refused.
    var original: ObservedRequest? { requests.first { $0.refusal == nil } }
    var event: Int { requests[0].event }
    var principal: String { requests[0].principal }
    var clientMessageId: String? { requests[0].clientMessageId }
    /// The session in the first request that was not refused, else in the first one; nil for a new session.
    var sessionAsked: String? { (original ?? request).sessionAsked }
    var ack: Frame? { acks.first { !$0.isDuplicate } }
    var ending: Frame? { endings.first }
    var response: Int? { requests.lazy.compactMap(\.success).first }

    var isAccepted: Bool {
        !acks.isEmpty || !frames.isEmpty || !endings.isEmpty || !replayed.isEmpty || response != nil
    }

    var isRefused: Bool { !isAccepted && requests.allSatisfy { $0.refusal != nil } }

    /// The first event that shows its end: an ending on any connection, or the REST response.
    var ended: Int? { earliest(ending?.event, requests.lazy.compactMap(\.outcome).first) }

    func endings(on connection: Int) -> [Frame] { endings.filter { $0.connection == connection } }
}

final class ObservedRequest: @unchecked Sendable, HasEvent {
    let event: Int
    let origin: Origin
    let principal: String
    let clientMessageId: String?
    /// The requested session; nil for a new one.
    let sessionAsked: String?
    /// The question as text; for parts, their joined texts.
    let prompt: String
    /// The content of its last message as written.
    let content: JSONValue?
    /// The script; empty for a question in plain text.
    let script: [JSONValue]
    /// The answering ack on its own connection.
    var ack: Frame?
    /// The event that refused it without starting a turn: an `error` frame or an error response.
    var refusal: Int?
    var refusalCode: String?
    var success: Int?
    /// The event of a REST response with the failure of the turn itself.
    var failure: Int?

    /// The transport, as an index of the history's connections or exchanges.
    enum Origin: Sendable, Equatable {
        case connection(Int)
        case exchange(Int)
    }

    var connection: Int? { if case .connection(let index) = origin { index } else { nil } }

    var outcome: Int? { success ?? failure }

    func differs(from other: ObservedRequest) -> Bool {
        !MessageContent.isSame(content, as: other.content) || sessionAsked != other.sessionAsked
    }

    var transportName: String { connection == nil ? "a POST" : "a chat" }

    /// Every acceptable question, on either transport, in order.
    ///
    /// In a capture, a generated key identifies nothing, so it is omitted there.
    static func all(
        on connections: [ObservedConnection], in exchanges: [ObservedExchange], isCapture: Bool = false
    ) -> [ObservedRequest] {
        let chats = connections.enumerated().flatMap { index, connection in
            connection.sent.filter { $0.kind == .chat }.compactMap { frame in
                ObservedRequest(
                    isCapture ? frame.stated : frame.value, event: frame.event, origin: .connection(index),
                    principal: connection.principal)
            }
        }
        let posts = exchanges.enumerated().filter { $0.element.isChat }.compactMap { index, exchange in
            ObservedRequest(
                isCapture ? exchange.statedBody : exchange.body, event: exchange.request, origin: .exchange(index),
                principal: exchange.sent.principal ?? "")
        }
        return (chats + posts).sorted { $0.event < $1.event }
    }

    private init?(_ value: JSONValue?, event: Int, origin: Origin, principal: String) {
        guard let value, let messages = value["messages"]?.arrayValue, let last = messages.last,
            last.string("role") == "user"
        else { return nil }
        for name in ["sessionId", "clientMessageId"] {
            if let field = value[name], field.stringValue == nil { return nil }
        }
        (self.event, self.origin, self.principal) = (event, origin, principal)
        (clientMessageId, sessionAsked) = (value.id("clientMessageId"), value.id("sessionId"))
        content = last["content"]
        prompt = MessageContent.text(of: content)
        // Only an object can contain a script, and most questions are plain text.
        let mayBeScript = prompt.utf8.first { $0 > 0x20 } == UInt8(ascii: "{")
        script = mayBeScript ? (try? JSONParser.document(prompt))?.root["script"]?.arrayValue ?? [] : []
    }

    var scriptedWait: Duration {
        .milliseconds(script.compactMap { $0["wait"]?.intValue }.reduce(0) { $0 &+ max(0, min($1, 3_600_000)) })
    }
}
