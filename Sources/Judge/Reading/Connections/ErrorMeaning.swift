import HoldfastTranscript

/// What the codes of errors say.
enum ErrorMeaning {
    /// Codes that refuse a frame or a question and so start no turn.
    static let refusals = Frame.refusals

    /// Codes that refuse nothing but a question.
    static let ofQuestions: Set<String> = ["session_not_found", "busy", "idempotency_mismatch"]

    /// Codes that refuse a message for its form or its size.
    static let formal: Set<String> = ["parse_error", "bad_request", "unknown_type", "too_large"]

    /// Codes that only the failure of a running turn has.
    static let failures: Set<String> = ["agent_failed", "interrupted"]
}
