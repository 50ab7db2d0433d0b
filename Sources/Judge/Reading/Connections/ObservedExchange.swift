import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// One HTTP request and its outcome.
///
/// A class, because checks access it repeatedly; it changes only during ``all(in:)``.
final class ObservedExchange: HasRequest {
    let request: Int
    let sent: Event.Request
    let route: Route
    let body: JSONValue?
    /// The body without a generated key.
    let statedBody: JSONValue?
    private(set) var response: Int?
    private(set) var received: Event.Response?
    /// The status of the response; stored, because the optimizer of Swift 6.3 crashes on a computed property.
    private(set) var status: Int?
    private(set) var answer: JSONDocument?
    /// The members of the answer that a dialect generated.
    private var generated: [JSONPointer] = []
    /// The event that ended the exchange without a response.
    private(set) var failure: Int?
    /// Whether the stage disconnected before the response.
    private(set) var wasAbandoned = false
    /// The event at which the stage stopped reading a response because of its size, so that its content is unknown.
    private(set) var unread: Int?

    private init(request: Int, sent: Event.Request, route: Route, body: JSONValue?, generated: [JSONPointer]) {
        (self.request, self.sent, self.route, self.body) = (request, sent, route, body)
        statedBody = generated.reduce(body) { $0?.removing($1) }
    }

    enum Route: Sendable, Hashable {
        /// `/api/health`, `/api/sessions` and `/api/chat`
        case health, sessions, chat
        /// `/api/sessions/{id}`, with the decoded id.
        case session(String)
        case other
    }

    /// The body of the response without generated members; a verdict about an id uses this.
    var stated: JSONValue? { generated.reduce(answer?.root) { $0?.removing($1) } }

    func isRead(of route: Route) -> Bool { sent.method == "GET" && self.route == route }

    var sessionRead: String? { if case .session(let id) = route, sent.method == "GET" { id } else { nil } }

    /// Whether this version defines the request.
    var isRESTRequest: Bool { isChat || route != .chat && route != .other && sent.method == "GET" }

    var isChat: Bool { sent.method == "POST" && route == .chat }

    static func all(in history: History) -> [ObservedExchange] {
        var exchanges: [ObservedExchange] = []
        var current: [Int: Int] = [:]
        for index in history.events.indices {
            guard case .exchange(let number) = history.events[index].lane else { continue }
            let event = history.events[index]
            if case .request(let request) = event.kind {
                current[number] = exchanges.count
                let body = request.body.flatMap { try? JSONParser.document($0).root }
                exchanges.append(
                    ObservedExchange(
                        request: index, sent: request, route: route(of: request.path), body: body,
                        generated: history.generated[index] ?? []))
            }
            guard let position = current[number] else { continue }
            switch event.kind {
            case .response(let response) where exchanges[position].response == nil:
                exchanges[position].response = index
                exchanges[position].received = response
                exchanges[position].status = response.status
                exchanges[position].answer = try? JSONParser.document(response.body)
                exchanges[position].generated = history.generated[index] ?? []
            case .failed("too_large"): exchanges[position].unread = index
            case .act("cut", _) where exchanges[position].response == nil && exchanges[position].failure == nil:
                exchanges[position].failure = index
                exchanges[position].wasAbandoned = true
            case .failed: exchanges[position].failure = exchanges[position].failure ?? index
            default: break
            }
        }
        return exchanges
    }

    private static func route(of path: String) -> Route {
        let path = path.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard path.first == "/", segments.first == "api" else { return .other }
        switch (segments.count, segments.dropFirst().first) {
        case (2, "health"): return .health
        case (2, "sessions"): return .sessions
        case (2, "chat"): return .chat
        case (3, "sessions"): return segments[2].isEmpty ? .sessions : .session(opaqueID(percentDecoded(segments[2])))
        case (_, "sessions") where segments.contains(where: { [".", ".."].contains(percentDecoded($0)) }):
            // A path with dot segments was sent as a session id that contains them.
            return .session(opaqueID(percentDecoded(segments.dropFirst(2).joined(separator: "/"))))
        default: return .other
        }
    }
}
