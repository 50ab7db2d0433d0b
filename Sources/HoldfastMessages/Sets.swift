/// The author of a message.
public enum Role: String, Codable, Sendable, Hashable, CaseIterable {
    case user, assistant, system
}

/// The progress of a tool's use.
public enum ToolUseStatus: String, Codable, Sendable, Hashable, CaseIterable {
    case started, finished, failed
}

/// The status of a turn; no turn stays `running` once its server is gone.
public enum TurnStatus: String, Codable, Sendable, Hashable, CaseIterable {
    case running, done, failed
}

/// The reason for missing frames.
public enum GapReason: String, Codable, Sendable, Hashable, CaseIterable {
    case epochChanged = "epoch_changed"
    case evicted
    case unknownPosition = "unknown_position"
    case tooMany = "too_many"
}

/// An error code, for programs.
///
/// The set is open: treat a code without a constant here like `internal`.
public struct ErrorCode: RawRepresentable, Codable, Sendable, Hashable {
    /// The code on the wire.
    public let rawValue: String

    /// A code by name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not JSON, or not an object.
    public static let parseError = ErrorCode(rawValue: "parse_error")
    /// A known type or body with invalid members.
    public static let badRequest = ErrorCode(rawValue: "bad_request")
    /// An unknown type.
    public static let unknownType = ErrorCode(rawValue: "unknown_type")
    /// Credentials refused; close 4001 follows.
    public static let authFailed = ErrorCode(rawValue: "auth_failed")
    /// No `auth` in time; close 4002 follows.
    public static let authTimeout = ErrorCode(rawValue: "auth_timeout")
    /// A frame before `auth`.
    public static let notAuthenticated = ErrorCode(rawValue: "not_authenticated")
    /// Version refused; close 4010 follows.
    public static let unsupportedVersion = ErrorCode(rawValue: "unsupported_version")
    /// No such session for this principal.
    public static let sessionNotFound = ErrorCode(rawValue: "session_not_found")
    /// A frame larger than `maxFrameBytes`.
    public static let tooLarge = ErrorCode(rawValue: "too_large")
    /// A turn of the session is running.
    public static let busy = ErrorCode(rawValue: "busy")
    /// The budget is spent.
    public static let rateLimited = ErrorCode(rawValue: "rate_limited")
    /// The key was used for another question.
    public static let idempotencyMismatch = ErrorCode(rawValue: "idempotency_mismatch")
    /// The answer could not be stored.
    public static let persistFailed = ErrorCode(rawValue: "persist_failed")
    /// The agent failed.
    public static let agentFailed = ErrorCode(rawValue: "agent_failed")
    /// The server stopped during the turn.
    public static let interrupted = ErrorCode(rawValue: "interrupted")
    /// Anything else.
    public static let `internal` = ErrorCode(rawValue: "internal")
}
