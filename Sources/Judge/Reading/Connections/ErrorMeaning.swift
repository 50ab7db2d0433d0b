import HoldfastTranscript

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
