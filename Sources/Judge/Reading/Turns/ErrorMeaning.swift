import Transcript

/// What an `error` frame means for a turn.
enum ErrorMeaning {
    /// Codes that refuse a frame or a question and so start no turn.
    static let refusals: Set<String> = [
        "parse_error", "bad_request", "unknown_type", "auth_failed", "auth_timeout", "not_authenticated",
        "unsupported_version", "session_not_found", "too_large", "busy", "rate_limited", "idempotency_mismatch",
    ]

    /// Codes that refuse a message for its form or its size.
    static let formal: Set<String> = ["parse_error", "bad_request", "unknown_type", "too_large"]

    /// Codes that only the failure of a running turn has.
    static let failures: Set<String> = ["agent_failed", "interrupted"]

    /// Whether an `error` ends a turn rather than refusing a frame.
    ///
    /// `persist_failed`, `internal`, an unknown code and none at all can be either: then a `turnId`, a `seq` or the session
    /// tells, and where questions are acked, that the question was.
    static func endsTurn(_ frame: Frame, acksAreSent: Bool, wasAcked: Bool) -> Bool {
        guard frame.type == "error" else { return false }
        if frame.turnId != nil { return true }
        if let code = frame.code {
            if failures.contains(code) { return true }
            if refusals.contains(code) { return false }
        }
        if frame.seq != nil { return true }
        return acksAreSent ? wasAcked : frame.sessionId != nil
    }
}

/// Messages that a server has to answer with an `error`, by connection, in the order in which it reads them.
struct ErrorQueue {
    private var waiting: [Int: [(event: Int, hasIllFormedSession: Bool)]] = [:]

    init() {}

    /// Hostile messages, and questions whose session id no server would give.
    init(hostile: [Int: HostileFrame.Kind], turns: [ObservedTurn], connections: [ObservedConnection]) {
        let illFormed = Set(
            turns.flatMap(\.requests).filter { $0.sessionAsked.map { !isSessionID($0) } ?? false }.map(\.event))
        for (index, connection) in connections.enumerated() {
            waiting[index] = connection.sent.compactMap { frame in
                if let kind = hostile[frame.event] { return kind == .free ? nil : (frame.event, false) }
                return illFormed.contains(frame.event) ? (frame.event, true) : nil
            }
        }
    }

    /// The event that an error without a name answers; nil when nothing waits that it could answer.
    func next(for error: Frame) -> Int? {
        guard error.seq == nil, error.turnId == nil, let code = error.code,
            let first = waiting[error.connection]?.first, first.event < error.event
        else { return nil }
        if code == "session_not_found" { return first.hasIllFormedSession ? first.event : nil }
        return ErrorMeaning.formal.contains(code) ? first.event : nil
    }

    mutating func remove(_ event: Int, on connection: Int) {
        waiting[connection]?.removeAll { $0.event == event }
    }
}
