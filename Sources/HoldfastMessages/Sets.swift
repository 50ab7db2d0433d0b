/// Who speaks.
public enum Role: String, Codable, Sendable, Hashable, CaseIterable {
    case user, assistant, system
}

/// How far the use is.
public enum ToolUseStatus: String, Codable, Sendable, Hashable, CaseIterable {
    case started, finished, failed
}

/// How it stands; nothing stays running when its server is gone.
public enum TurnStatus: String, Codable, Sendable, Hashable, CaseIterable {
    case running, done, failed
}

/// Why something is missing; present exactly when `complete` is false.
public enum GapReason: String, Codable, Sendable, Hashable, CaseIterable {
    case epochChanged = "epoch_changed"
    case evicted
    case unknownPosition = "unknown_position"
    case tooMany = "too_many"
}

/// What went wrong, for a program.
///
/// The set is open: a code of a later version is one without a constant here, and means what `internal` means.
public struct ErrorCode: RawRepresentable, Codable, Sendable, Hashable {
    /// The code as it is on the wire.
    public let rawValue: String

    /// The code of that name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not JSON, or no object.
    public static let parseError = ErrorCode(rawValue: "parse_error")
    /// Known type or body, broken members.
    public static let badRequest = ErrorCode(rawValue: "bad_request")
    /// The type is not known.
    public static let unknownType = ErrorCode(rawValue: "unknown_type")
    /// Credentials refused; close 4001 follows.
    public static let authFailed = ErrorCode(rawValue: "auth_failed")
    /// No `auth` in time; close 4002 follows.
    public static let authTimeout = ErrorCode(rawValue: "auth_timeout")
    /// A frame came before `auth`.
    public static let notAuthenticated = ErrorCode(rawValue: "not_authenticated")
    /// Version refused; close 4010 follows.
    public static let unsupportedVersion = ErrorCode(rawValue: "unsupported_version")
    /// No such session for this principal.
    public static let sessionNotFound = ErrorCode(rawValue: "session_not_found")
    /// More bytes than `maxFrameBytes`.
    public static let tooLarge = ErrorCode(rawValue: "too_large")
    /// A turn of that session runs.
    public static let busy = ErrorCode(rawValue: "busy")
    /// Budget spent.
    public static let rateLimited = ErrorCode(rawValue: "rate_limited")
    /// Key used for something else.
    public static let idempotencyMismatch = ErrorCode(rawValue: "idempotency_mismatch")
    /// The answer could not be stored.
    public static let persistFailed = ErrorCode(rawValue: "persist_failed")
    /// The agent failed.
    public static let agentFailed = ErrorCode(rawValue: "agent_failed")
    /// The server stopped in the middle.
    public static let interrupted = ErrorCode(rawValue: "interrupted")
    /// Anything else.
    public static let `internal` = ErrorCode(rawValue: "internal")
}
