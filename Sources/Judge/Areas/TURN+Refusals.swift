import Holdfast
import HoldfastTranscript

extension TURN {
    /// TURN-14: "A server MUST name the `clientMessageId` of a valid `chat` of at most `limits.maxFrameBytes` bytes in
    /// an `error` that refuses it after `connected`".
    ///
    /// Tested once for each `error` with a code that only questions get; one with another code and without names leaves
    /// its question unanswered (TURN-1).
    static func refusalsNameTheirQuestion(_ history: Observations, _ evidence: inout Evidence) {
        lazy var taken = Dictionary(
            history.requests.compactMap { turn, request in
                history.acceptance(of: request, in: turn).map { (request.event, $0) }
            }, uniquingKeysWith: min)
        let codes = ErrorMeaning.ofQuestions.union(history.profiles.contains(.rateLimit) ? ["rate_limited"] : [])
        for connection in history.connections {
            // Without a greeting there is no obligation, and the refused question may be from before the capture.
            guard let greeting = connection.connected else { continue }
            var refused: Set<Int> = []
            for error in connection.received where error.kind == .error && error.turnId == nil && error.seq == nil {
                guard error.code.map(codes.contains) == true else { continue }
                let open = connection.sent.before(error.event).filter {
                    $0.kind == .chat && !refused.contains($0.event) && taken[$0.event].isOpen(at: error.event)
                }
                let own = open.first { $0.clientMessageId != nil && $0.clientMessageId == error.clientMessageId }
                if let own { refused.insert(own.event) }
                guard let asked = own ?? open.first, asked.isAfter(greeting),
                    own != nil || open.allSatisfy(history.isValid)
                else { continue }
                evidence.test(
                    own != nil && error.includes("clientMessageId"),
                    otherwise: "an error does not name the chat that it refuses",
                    expected: "the clientMessageId of an unanswered chat", actual: shown(error.clientMessageId),
                    at: [asked.event, error.event])
            }
        }
    }
}

extension Observations {
    fileprivate func isValid(_ chat: Frame) -> Bool {
        guard let value = chat.value, chat.flaws?.isEmpty == true else { return false }
        return schemas.validate(value, as: "chat", in: &tape).isEmpty
    }

    private static let excusing: Set = [
        "session_not_found", "busy", "rate_limited", "idempotency_mismatch", "agent_failed",
    ]

    /// Whether a `chat` gave no reason for a refusal with this code.
    ///
    /// A session may be gone or busy, a budget spent, a key used, and an agent may have failed.
    func isNoReason(_ code: String, to request: ObservedRequest) -> Bool {
        // Before the greeting, the principal is unknown.
        let isGreeted = request.connection.map { !connections[$0].connected.isOpen(at: request.event) } ?? true
        return !Self.excusing.contains(code) && (isGreeted || code != "not_authenticated")
            && frames[request.event].map(isValid) == true
            && !hostileFrames.contains { $0.frame.event == request.event }
    }
}
