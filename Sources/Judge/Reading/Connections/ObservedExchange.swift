import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// One HTTP request with what came of it.
///
/// An object, because checks ask for it again and again; it changes only while ``all(in:)`` goes through the events.
final class ObservedExchange {
    let request: Int
    let sent: Event.Request
    /// Which of the requests of the specification it is.
    let route: Route
    let body: JSONValue?
    /// That body without a key that the wire did not say.
    let saidBody: JSONValue?
    private(set) var response: Int?
    private(set) var received: Event.Response?
    /// The status of the response; stored, because the optimizer of Swift 6.3 fails on it as a computed property.
    private(set) var status: Int?
    /// The body of the response; nil when it is no JSON.
    private(set) var answer: JSONDocument?
    /// The members of that body that the wire did not say and a dialect made.
    private var made: [JSONPointer] = []
    /// The event that ended the exchange without a response.
    private(set) var failure: Int?
    /// Whether the stage ended it by leaving before the response.
    private(set) var wasLeft = false
    /// The event at which the stage stopped reading a response that was too large for it: then nothing is known of it.
    private(set) var unread: Int?

    private init(request: Int, sent: Event.Request, route: Route, body: JSONValue?, made: [JSONPointer]) {
        (self.request, self.sent, self.route, self.body) = (request, sent, route, body)
        saidBody = made.reduce(body) { $0?.removing($1) }
    }

    /// What a path means to the protocol.
    enum Route: Sendable, Hashable {
        /// `/api/health`, `/api/sessions` and `/api/chat`
        case health, sessions, chat
        /// `/api/sessions/{id}`, with the id decoded.
        case session(String)
        /// Any other path.
        case other
    }

    /// The body of the response as far as the wire says it; a verdict about a name asks this.
    var said: JSONValue? { made.reduce(answer?.root) { $0?.removing($1) } }

    func isRead(of route: Route) -> Bool { sent.method == "GET" && self.route == route }

    /// The conversation that it reads: the id in the path of a GET.
    var sessionRead: String? {
        if case .session(let id) = route, sent.method == "GET" { id } else { nil }
    }

    /// Whether this version says what it gets; other paths and methods are outside.
    var isRESTRequest: Bool { isChat || route != .chat && route != .other && sent.method == "GET" }

    /// Whether it asks a question: a POST to `/api/chat`.
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
                        made: history.made[index] ?? []))
            }
            guard let position = current[number] else { continue }
            switch event.kind {
            case .response(let response) where exchanges[position].response == nil:
                exchanges[position].response = index
                exchanges[position].received = response
                exchanges[position].status = response.status
                exchanges[position].answer = try? JSONParser.document(response.body)
                exchanges[position].made = history.made[index] ?? []
            case .failed("too_large"): exchanges[position].unread = index
            case .act("cut", _) where exchanges[position].response == nil && exchanges[position].failure == nil:
                exchanges[position].failure = index
                exchanges[position].wasLeft = true
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
            // A path that climbs out was meant as an id that does.
            return .session(opaqueID(percentDecoded(segments.dropFirst(2).joined(separator: "/"))))
        default: return .other
        }
    }
}
