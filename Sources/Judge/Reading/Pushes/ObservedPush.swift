import HoldfastJSON
import HoldfastTranscript

struct ObservedPush: Sendable, HasEvent {
    let event: Int
    /// The owner of the device, as named in the history.
    let principal: String
    let request: Event.Request
    let document: JSONDocument?
    /// The push service's response; nil if it is unknown.
    private(set) var outcome: Outcome?

    enum Outcome: Sendable, Equatable {
        /// It answered; a refusal has a reason.
        case answered(status: Int, reason: String?)
        /// It accepted the push and never answered.
        case hung
        /// It accepted the push and ended the connection without an answer.
        case closed
    }

    var bytes: Int { request.body?.utf8.count ?? 0 }

    subscript(name: String) -> JSONValue? { document?.root[name] }

    var sessionId: String? { document?.root.id("sessionId") }
    var messageId: String? { document?.root.id("messageId") }
    var turnId: String? { document?.root.id("turnId") }

    var status: Int? { if case .answered(let status, _) = outcome { status } else { nil } }

    var wasAccepted: Bool { (200...299).contains(status ?? 0) }

    /// Whether the answer says that the device is gone or wrong, so that a server may stop using it.
    var endsTheDevice: Bool {
        switch outcome {
        case .answered(410, _), .answered(400, "BadDeviceToken"), .answered(400, "DeviceTokenNotForTopic"): true
        default: false
        }
    }

    /// Every request to the push service, in order; an outcome belongs to the newest request without one.
    static func all(in history: History) -> [ObservedPush] {
        var pushes: [ObservedPush] = []
        for index in history.events.indices where history.events[index].lane == .push {
            let event = history.events[index]
            let outcome: Outcome
            switch event.kind {
            case .request(let request):
                pushes.append(
                    ObservedPush(
                        event: index,
                        principal: request.principal ?? String(request.path.split(separator: "/").last ?? ""),
                        request: request, document: request.body.flatMap { try? JSONParser.document($0) }))
                continue
            case .response(let response):
                let reason = (try? JSONParser.value(response.body))?.string("reason")
                outcome = .answered(status: response.status, reason: reason)
            case .act("hang", _): outcome = .hung
            case .act("close", _), .failed: outcome = .closed
            default: continue
            }
            if let last = pushes.indices.last, pushes[last].outcome == nil { pushes[last].outcome = outcome }
        }
        return pushes
    }
}
