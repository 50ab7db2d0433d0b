import HoldfastTranscript

extension Frame {
    /// Whether it is an error that ends no turn, and so refuses a message.
    var isRefusal: Bool { kind == .error && turnId == nil && seq == nil }
}

enum ErrorMeaning {
    /// Codes that only refuse questions.
    static let ofQuestions: Set<String> = ["session_not_found", "busy", "idempotency_mismatch"]

    static let malformed: Set<String> = ["parse_error", "bad_request", "unknown_type"]

    static let general = malformed.union(["too_large"])

    /// Codes that only report the failure of a running turn.
    static let failures: Set<String> = ["agent_failed", "interrupted"]
}
