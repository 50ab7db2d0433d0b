import Basics
import Holdfast
import JSON
import Transcript

/// One HTTP request with what came of it.
struct ObservedExchange: Sendable {
    /// The event of the request.
    let request: Int
    /// The request as it was sent.
    let sent: Event.Request
    /// Which of the requests of the specification it is.
    let route: Route
    /// The body of the request; nil when it had none or it is no JSON.
    let body: JSONValue?
    /// The event of the response.
    private(set) var response: Int?
    /// The response as it was received.
    private(set) var received: Event.Response?
    /// The body of the response; nil when it is no JSON.
    private(set) var answer: JSONDocument?
    /// The event that ended the exchange without a response.
    private(set) var failure: Int?

    /// What a path means to the protocol.
    enum Route: Sendable, Equatable {
        /// `/api/health`
        case health
        /// `/api/sessions`
        case sessions
        /// `/api/sessions/{id}`, with the id decoded.
        case session(String)
        /// `/api/chat`
        case chat
        /// Any other path.
        case other
    }

    /// The status of the response; nil without one.
    var status: Int? { received?.status }

    /// Whether it is a read of that route: a GET.
    func isRead(of route: Route) -> Bool { sent.method == "GET" && self.route == route }

    /// Whether it asks a question: a POST to `/api/chat`.
    var isChat: Bool { sent.method == "POST" && route == .chat }

    /// Every exchange of a history.
    static func all(in history: History) -> [ObservedExchange] {
        var exchanges: [ObservedExchange] = []
        var current: [Int: Int] = [:]
        for (index, event) in history.events.enumerated() {
            guard case .exchange(let number) = event.lane else { continue }
            if case .request(let request) = event.kind {
                current[number] = exchanges.count
                exchanges.append(ObservedExchange(request: index, sent: request))
                continue
            }
            guard let position = current[number] else { continue }
            switch event.kind {
            case .response(let response): exchanges[position].take(response, at: index)
            case .failed: exchanges[position].failure = exchanges[position].failure ?? index
            default: break
            }
        }
        return exchanges
    }

    private init(request: Int, sent: Event.Request) {
        self.request = request
        self.sent = sent
        self.route = Self.route(of: sent.path)
        self.body = sent.body.flatMap { try? JSONParser.document($0).root }
    }

    private mutating func take(_ response: Event.Response, at index: Int) {
        guard self.response == nil else { return }
        self.response = index
        received = response
        answer = try? JSONParser.document(response.body)
    }

    private static func route(of path: String) -> Route {
        let path = path.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard path.first == "/", segments.first == "api" else { return .other }
        switch (segments.count, segments.dropFirst().first) {
        case (2, "health"): return .health
        case (2, "sessions"): return .sessions
        case (2, "chat"): return .chat
        case (3, "sessions"): return segments[2].isEmpty ? .sessions : .session(percentDecoded(segments[2]))
        case (_, "sessions") where segments.contains(where: { [".", ".."].contains(percentDecoded($0)) }):
            // A path that climbs out was meant as an id that does.
            return .session(percentDecoded(segments.dropFirst(2).joined(separator: "/")))
        default: return .other
        }
    }
}
