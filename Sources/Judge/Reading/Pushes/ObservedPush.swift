import JSON
import Transcript

/// One request to the push service, with what became of it.
struct ObservedPush: Sendable {
    /// The event of the request.
    let event: Int
    /// The principal whose device it went to, by its name in the history.
    let principal: String
    /// The request as it was sent.
    let request: Event.Request
    /// The payload; nil when it is no JSON.
    let document: JSONDocument?
    /// What the push service did with it; nil when nothing is known.
    private(set) var outcome: Outcome?

    /// What the push service did with one push.
    enum Outcome: Sendable, Equatable {
        /// It answered; a refusal has a reason.
        case answered(status: Int, reason: String?)
        /// It took it and never answered.
        case hung
        /// It took it and ended the connection without an answer.
        case closed
    }

    /// The payload in bytes, as it was sent.
    var bytes: Int { request.body?.utf8.count ?? 0 }

    /// A member of the payload; nil when it is absent or the payload is no object.
    subscript(name: String) -> JSONValue? { document?.root[name] }

    /// The conversation it opens.
    var sessionId: String? { self["sessionId"]?.stringValue }
    /// The answer it announces.
    var messageId: String? { self["messageId"]?.stringValue }
    /// The turn it announces the end of.
    var turnId: String? { self["turnId"]?.stringValue }
    /// What is shown of the answer.
    var alertBody: String? { self["aps"]?["alert"]?["body"]?.stringValue }
    /// The title that the notification shows.
    var alertTitle: String? { self["aps"]?["alert"]?["title"]?.stringValue }

    /// Whether the push service took it.
    var wasTaken: Bool {
        if case .answered(200...299, _) = outcome { true } else { false }
    }

    /// Whether the answer says that the device is gone or wrong, so that a server may leave it out from now on.
    var endsTheDevice: Bool {
        switch outcome {
        case .answered(410, _), .answered(400, "BadDeviceToken"), .answered(400, "DeviceTokenNotForTopic"): true
        default: false
        }
    }

    /// Whether the push service was told of a device that is gone: the one refusal with 410.
    var wasGone: Bool {
        if case .answered(410, _) = outcome { true } else { false }
    }

    /// Every request to the push service in a history.
    ///
    /// A push and what became of it stand together; an outcome belongs to the newest request without one.
    static func all(in history: History) -> [ObservedPush] {
        var pushes: [ObservedPush] = []
        for (index, event) in history.events.enumerated() where event.lane == .push {
            switch event.kind {
            case .request(let request): pushes.append(ObservedPush(request, event: index))
            case .response(let response):
                let reason = (try? JSONParser.value(response.body))?["reason"]?.stringValue
                end(.answered(status: response.status, reason: reason), in: &pushes)
            case .act("hang", _): end(.hung, in: &pushes)
            case .act("close", _), .failed: end(.closed, in: &pushes)
            default: break
            }
        }
        return pushes
    }

    private init(_ request: Event.Request, event: Int) {
        self.event = event
        self.request = request
        principal = request.principal ?? String(request.path.split(separator: "/").last ?? "")
        document = request.body.flatMap { try? JSONParser.document($0) }
    }

    private static func end(_ outcome: Outcome, in pushes: inout [ObservedPush]) {
        guard let last = pushes.indices.last, pushes[last].outcome == nil else { return }
        pushes[last].outcome = outcome
    }
}
