enum ErrorCode: String, Sendable {
    case parseError = "parse_error"
    case badRequest = "bad_request"
    case unknownType = "unknown_type"
    case authFailed = "auth_failed"
    case authTimeout = "auth_timeout"
    case notAuthenticated = "not_authenticated"
    case unsupportedVersion = "unsupported_version"
    case sessionNotFound = "session_not_found"
    case tooLarge = "too_large"
    case busy
    case rateLimited = "rate_limited"
    case idempotencyMismatch = "idempotency_mismatch"
    case persistFailed = "persist_failed"
    case agentFailed = "agent_failed"
    case interrupted
    case `internal`

    var isRetryable: Bool {
        switch self {
        case .authTimeout, .busy, .rateLimited, .persistFailed, .agentFailed, .interrupted, .internal: true
        default: false
        }
    }

    var status: Int {
        switch self {
        case .parseError, .badRequest, .unknownType, .unsupportedVersion: 400
        case .authFailed, .authTimeout, .notAuthenticated: 401
        case .sessionNotFound: 404
        case .busy: 409
        case .tooLarge: 413
        case .idempotencyMismatch: 422
        case .rateLimited: 429
        case .agentFailed: 502
        case .persistFailed, .interrupted: 503
        case .internal: 500
        }
    }
}

/// The reason for refusing a request, as a code and as text for people.
struct Refusal: Error, Sendable, Equatable {
    var code: ErrorCode
    var text: String
    /// The key of the refused question, if it had one.
    var clientMessageId: String?
    var retryAfterMs: Int?
    /// The budget that the question exceeded.
    var limit: Int?
    var windowMs: Int?
    /// The status over REST, if it differs from the code's own.
    var status: Int?

    init(
        _ code: ErrorCode, _ text: String, clientMessageId: String? = nil, retryAfterMs: Int? = nil, limit: Int? = nil,
        windowMs: Int? = nil, status: Int? = nil
    ) {
        (self.code, self.text, self.clientMessageId, self.retryAfterMs) = (code, text, clientMessageId, retryAfterMs)
        (self.limit, self.windowMs, self.status) = (limit, windowMs, status)
    }
}
