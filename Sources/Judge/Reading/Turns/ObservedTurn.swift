import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// One question, every request that carried it, and everything the server said about it.
///
/// Requests with the same `clientMessageId` are one turn. `acks`, `frames`, `endings` and `copies` hold what every
/// connection of the principal saw, in time order.
struct ObservedTurn: Sendable {
    /// Behind a reference, because turns are looked at far more often than they are changed.
    private var facts: Facts

    private final class Facts: @unchecked Sendable {
        var requests: [ObservedRequest]
        var turnId: String?
        var sessionId: String?
        var acks: [Frame] = []
        var frames: [Frame] = []
        var endings: [Frame] = []
        var copies: [Frame] = []
        var replayed: [Frame] = []
        var nameless: [Frame] = []
        var isOfBefore = false
        var setAside: [Frame] = []

        init(requests: [ObservedRequest]) { self.requests = requests }

        init(copying other: Facts) {
            (requests, turnId, sessionId) = (other.requests, other.turnId, other.sessionId)
            (acks, frames, endings) = (other.acks, other.frames, other.endings)
            (copies, replayed) = (other.copies, other.replayed)
            (nameless, isOfBefore, setAside) = (other.nameless, other.isOfBefore, other.setAside)
        }
    }

    init(requests: [ObservedRequest]) { facts = Facts(requests: requests) }

    /// The facts, to be changed: other holders of them keep what they had.
    private var ownFacts: Facts {
        mutating get {
            if !isKnownUniquelyReferenced(&facts) { facts = Facts(copying: facts) }
            return facts
        }
    }

    /// The requests, in order; at least one.
    var requests: [ObservedRequest] {
        get { facts.requests }
        _modify { yield &ownFacts.requests }
    }
    /// The server's name for the turn, once learnt from any frame, response or read.
    var turnId: String? {
        get { facts.turnId }
        _modify { yield &ownFacts.turnId }
    }
    /// The conversation, once learnt from the server; see ``sessionAsked`` for what was asked.
    var sessionId: String? {
        get { facts.sessionId }
        _modify { yield &ownFacts.sessionId }
    }
    /// Acks, also those that say `duplicate`.
    var acks: [Frame] {
        get { facts.acks }
        _modify { yield &ownFacts.acks }
    }
    /// `toolUse` and `message` frames.
    var frames: [Frame] {
        get { facts.frames }
        _modify { yield &ownFacts.frames }
    }
    /// Frames that end the turn: `done` without `duplicate`, or an `error` that ends it; one a connection if all is well.
    var endings: [Frame] {
        get { facts.endings }
        _modify { yield &ownFacts.endings }
    }
    /// Copies of the outcome with `duplicate: true`; they end nothing.
    var copies: [Frame] {
        get { facts.copies }
        _modify { yield &ownFacts.copies }
    }
    /// Frames of the turn inside `syncResult.missed`.
    var replayed: [Frame] {
        get { facts.replayed }
        _modify { yield &ownFacts.replayed }
    }
    /// Errors with its key and without its name, of codes that may end it, that refuse no request.
    var nameless: [Frame] {
        get { facts.nameless }
        _modify { yield &ownFacts.nameless }
    }

    /// Whether the server answered it as a repeat of a question that was asked before the capture began.
    var isOfBefore: Bool {
        get { facts.isOfBefore }
        _modify { yield &ownFacts.isOfBefore }
    }

    /// What names a turn of which a capture does not show that it was asked there first: told, and no ground for a verdict.
    var setAside: [Frame] {
        get { facts.setAside }
        _modify { yield &ownFacts.setAside }
    }

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
        let (ending, outcome) = (ending?.event, requests.lazy.compactMap(\.outcome).first)
        return ending.map { min($0, outcome ?? $0) } ?? outcome
    }

    func endings(on connection: Int) -> [Frame] { endings.filter { $0.connection == connection } }
}

/// One request that carried a question: a `chat` frame or `POST /api/chat`.
struct ObservedRequest: Sendable {
    /// What was asked, which does not change; behind a reference like the facts of a turn.
    private let question: Question
    /// The ack on its own connection that answers it.
    var ack: Frame?
    /// The event that refused it without starting a turn: an `error` frame or a response outside 200…299.
    var refusal: Int?
    var refusalCode: String?
    /// The event of the successful response, over REST.
    var success: Int?
    /// The event of a response over REST that tells the failure of the turn itself.
    var failure: Int?

    private final class Question: Sendable {
        let event: Int
        let origin: Origin
        let principal: String
        let clientMessageId: String?
        let sessionAsked: String?
        let prompt: String
        let content: JSONValue?
        let script: [JSONValue]

        init(_ value: JSONValue, content: JSONValue?, event: Int, origin: Origin, principal: String) {
            (self.event, self.origin, self.principal, self.content) = (event, origin, principal, content)
            clientMessageId = value.id("clientMessageId")
            sessionAsked = value.id("sessionId")
            prompt = MessageContent.text(of: content)
            // Only an object can hold a script, and most questions are words.
            let mayBeScript = prompt.utf8.first { $0 > 0x20 } == UInt8(ascii: "{")
            script = mayBeScript ? (try? JSONParser.document(prompt))?.root["script"]?.arrayValue ?? [] : []
        }
    }

    var event: Int { question.event }
    var origin: Origin { question.origin }
    var principal: String { question.principal }
    var clientMessageId: String? { question.clientMessageId }
    /// The conversation named; nil when it asks for a new one.
    var sessionAsked: String? { question.sessionAsked }
    /// The question as text; the texts of its parts joined.
    var prompt: String { question.prompt }
    /// The content of its last message as it was written.
    var content: JSONValue? { question.content }
    /// The steps of a scripted question; empty for one in plain words.
    var script: [JSONValue] { question.script }

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
    ///
    /// In a capture a made key ties nothing to a question, so there it is left out.
    static func all(
        on connections: [ObservedConnection], in exchanges: [ObservedExchange], isCapture: Bool = false
    ) -> [ObservedRequest] {
        let chats = connections.enumerated().flatMap { index, connection in
            connection.sent.filter { $0.type == "chat" }.compactMap { frame in
                ObservedRequest(
                    isCapture ? frame.said : frame.value, event: frame.event, origin: .connection(index),
                    principal: connection.principal)
            }
        }
        let posts = exchanges.enumerated().filter { $0.element.isChat }.compactMap { index, exchange in
            ObservedRequest(
                isCapture ? exchange.saidBody : exchange.body, event: exchange.request, origin: .exchange(index),
                principal: exchange.sent.principal ?? "")
        }
        return (chats + posts).sorted { $0.event < $1.event }
    }

    /// The request in a message; nil when it is no question that could be accepted.
    private init?(_ value: JSONValue?, event: Int, origin: Origin, principal: String) {
        guard let value, let messages = value["messages"]?.arrayValue, let last = messages.last,
            last.string("role") == "user"
        else { return nil }
        for name in ["sessionId", "clientMessageId"] {
            if let field = value[name], field.stringValue == nil { return nil }
        }
        question = Question(value, content: last["content"], event: event, origin: origin, principal: principal)
    }

    /// How long the script itself makes the turn last.
    var scriptedWait: Duration {
        .milliseconds(script.compactMap { $0["wait"]?.intValue }.reduce(0) { $0 &+ max(0, min($1, 3_600_000)) })
    }
}
