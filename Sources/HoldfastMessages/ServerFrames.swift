/// What a server sends over the socket, and what a `syncResult` replays.
public enum ServerFrame: Codable, Sendable, Hashable {
    case connected(ConnectedFrame)
    case ack(AckFrame)
    case message(MessageFrame)
    case toolUse(ToolUseFrame)
    case done(DoneFrame)
    case error(ErrorFrame)
    case syncResult(SyncResultFrame)
    case pong(PongFrame)
    /// A frame of a type that this version does not define, with all of its members.
    case unknown(type: String, members: [String: MessageValue])

    /// Reads a frame by its type.
    public init(from decoder: any Decoder) throws {
        let type = try decoder.container(keyedBy: MemberName.self).decode(String.self, forKey: "type")
        self =
            switch type {
            case "connected": .connected(try ConnectedFrame(from: decoder))
            case "ack": .ack(try AckFrame(from: decoder))
            case "message": .message(try MessageFrame(from: decoder))
            case "toolUse": .toolUse(try ToolUseFrame(from: decoder))
            case "done": .done(try DoneFrame(from: decoder))
            case "error": .error(try ErrorFrame(from: decoder))
            case "syncResult": .syncResult(try SyncResultFrame(from: decoder))
            case "pong": .pong(try PongFrame(from: decoder))
            default: .unknown(type: type, members: try .init(from: decoder))
            }
    }

    /// Writes what was read.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .connected(let frame): try frame.encode(to: encoder)
        case .ack(let frame): try frame.encode(to: encoder)
        case .message(let frame): try frame.encode(to: encoder)
        case .toolUse(let frame): try frame.encode(to: encoder)
        case .done(let frame): try frame.encode(to: encoder)
        case .error(let frame): try frame.encode(to: encoder)
        case .syncResult(let frame): try frame.encode(to: encoder)
        case .pong(let frame): try frame.encode(to: encoder)
        case .unknown(_, let members): try members.encode(to: encoder)
        }
    }
}

/// The answer to auth: from here on the connection may be used.
public struct ConnectedFrame: MessageObject {
    /// The major version that the server chose.
    public var `protocol`: Int64 = 1
    /// One socket; a new connection has a new one.
    public var connectionId = ""
    /// The server's clock when it wrote the frame.
    public var serverTime = ""
    /// Optional abilities of the server.
    public var capabilities: [String] = []
    /// What the server promises to take and to keep.
    public var limits = Limits()
    /// The heartbeat, in seconds; 30 when not told.
    public var heartbeatSeconds: Int64?
    /// Names one numbering of the stream; opaque, compared for equality only.
    public var epoch: String?
    /// The last number given out in this epoch; 0 when none was.
    public var lastSeq: Int64?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        constant("type", "connected"), required("protocol", \.`protocol`), required("connectionId", \.connectionId),
        required("serverTime", \.serverTime), required("capabilities", \.capabilities), required("limits", \.limits),
        optional("heartbeatSeconds", \.heartbeatSeconds), optional("epoch", \.epoch), optional("lastSeq", \.lastSeq),
    ]
}

/// What the server promises to take and to keep.
public struct Limits: MessageObject {
    /// The largest text message that the server reads, in bytes.
    public var maxFrameBytes: Int64 = 0
    /// Questions of one principal that the server accepts in one window of 60 seconds.
    public var messagesPerMinute: Int64?
    /// How many numbered frames are kept for replay; 1000 when not told.
    public var replayMessages: Int64?
    /// For how long numbered frames are kept for replay; 3600 when not told.
    public var replaySeconds: Int64?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        required("maxFrameBytes", \.maxFrameBytes), optional("messagesPerMinute", \.messagesPerMinute),
        optional("replayMessages", \.replayMessages), optional("replaySeconds", \.replaySeconds),
    ]
}

/// The question is accepted and stored; sent before the first other frame of its turn.
public struct AckFrame: MessageObject {
    /// As the chat gave it.
    public var clientMessageId = ""
    /// The conversation, new or continued.
    public var sessionId = ""
    /// One question and its answer.
    public var turnId = ""
    /// The stored question.
    public var messageId = ""
    /// True when this question was already accepted and no new turn starts.
    public var duplicate: Bool?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        constant("type", "ack"), required("clientMessageId", \.clientMessageId), required("sessionId", \.sessionId),
        required("turnId", \.turnId), required("messageId", \.messageId), optional("duplicate", \.duplicate),
    ]
}

/// A stored message that other devices of the principal have to see.
public struct MessageFrame: MessageObject {
    /// The conversation that holds it.
    public var sessionId = ""
    /// One stored message; equal over the socket, REST and push.
    public var messageId = ""
    /// Who says it.
    public var role = Role.user
    /// What it says: of a content in parts, the texts of its text parts, in order, with nothing between.
    public var text = ""
    /// When it was stored.
    public var timestamp = ""
    /// The turn that it belongs to.
    public var turnId = ""
    /// The key of the question, so that the asking device knows its own.
    public var clientMessageId: String?
    /// Place of a frame in the stream of its principal, from 1, with holes allowed.
    public var seq: Int64 = 0
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        constant("type", "message"), required("sessionId", \.sessionId), required("messageId", \.messageId),
        required("role", \.role), required("text", \.text), required("timestamp", \.timestamp),
        required("turnId", \.turnId), optional("clientMessageId", \.clientMessageId), required("seq", \.seq),
    ]
}

/// The agent uses a tool: a sign of life within a turn.
public struct ToolUseFrame: MessageObject {
    /// The name of the tool.
    public var tool = ""
    /// The conversation that the turn belongs to.
    public var sessionId = ""
    /// One question and its answer.
    public var turnId = ""
    /// One use of one tool within a turn.
    public var toolUseId: String?
    /// How far the use is.
    public var status: ToolUseStatus?
    /// What the tool was given: any JSON value.
    public var input: MessageValue?
    /// Place of a frame in the stream of its principal, from 1, with holes allowed.
    public var seq: Int64?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        constant("type", "toolUse"), required("tool", \.tool), required("sessionId", \.sessionId),
        required("turnId", \.turnId), optional("toolUseId", \.toolUseId), optional("status", \.status),
        optional("input", \.input), optional("seq", \.seq),
    ]
}

/// The answer, stored before this frame leaves.
public struct DoneFrame: MessageObject {
    /// The whole answer, equal to what is stored.
    public var text = ""
    /// The conversation that holds the answer.
    public var sessionId = ""
    /// One question and its answer.
    public var turnId = ""
    /// The stored answer.
    public var messageId = ""
    /// The key of the question.
    public var clientMessageId: String?
    /// Figures about the turn, for people.
    public var stats: Statistics?
    /// True on a copy that answers a repeated question.
    public var duplicate: Bool?
    /// Place of a frame in the stream of its principal, from 1, with holes allowed.
    public var seq: Int64?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        constant("type", "done"), required("text", \.text), required("sessionId", \.sessionId),
        required("turnId", \.turnId), required("messageId", \.messageId),
        optional("clientMessageId", \.clientMessageId), optional("stats", \.stats), optional("duplicate", \.duplicate),
        optional("seq", \.seq),
    ]
}

/// Figures about a turn, for people; no rule depends on them.
public struct Statistics: MessageObject {
    /// The model that answered.
    public var model: String?
    /// Tokens read.
    public var inputTokens: Int64?
    /// Tokens written.
    public var outputTokens: Int64?
    /// From acceptance to answer, in milliseconds.
    public var durationMs: Int64?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        optional("model", \.model), optional("inputTokens", \.inputTokens), optional("outputTokens", \.outputTokens),
        optional("durationMs", \.durationMs),
    ]
}

/// Something failed: a frame, a question or a turn.
public struct ErrorFrame: MessageObject {
    /// What went wrong, for people.
    public var error = ""
    /// What went wrong, for a program.
    public var code: ErrorCode?
    /// The conversation concerned; present on an error that ends a turn.
    public var sessionId: String?
    /// The turn that the error ends.
    public var turnId: String?
    /// The key of the question that failed or was refused.
    public var clientMessageId: String?
    /// True when the same question may succeed later.
    public var retryable: Bool?
    /// How long to wait before trying again, in milliseconds.
    public var retryAfterMs: Int64?
    /// The budget that was used up.
    public var limit: Int64?
    /// The length of the window that the budget covers, in milliseconds.
    public var windowMs: Int64?
    /// The versions that the server speaks, when it refuses one.
    public var supported: [Int64]?
    /// True on a copy that answers a repeated question whose turn had failed.
    public var duplicate: Bool?
    /// Its place in the stream, when it ends a turn.
    public var seq: Int64?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        constant("type", "error"), required("error", \.error), optional("code", \.code),
        optional("sessionId", \.sessionId), optional("turnId", \.turnId),
        optional("clientMessageId", \.clientMessageId), optional("retryable", \.retryable),
        optional("retryAfterMs", \.retryAfterMs), optional("limit", \.limit), optional("windowMs", \.windowMs),
        optional("supported", \.supported), optional("duplicate", \.duplicate), optional("seq", \.seq),
    ]
}

/// The one answer to a sync: the frames after the position, as they were first sent.
public struct SyncResultFrame: MessageObject {
    /// The epoch that all numbers of this frame belong to.
    public var epoch = ""
    /// The last number that this answer covers.
    public var lastSeq: Int64 = 0
    /// The frames with a greater number than `lastSeqSeen`, ascending.
    public var missed: [ServerFrame] = []
    /// True when nothing that this principal may see is missing.
    public var complete = false
    /// Why something is missing; present exactly when `complete` is false.
    public var reason: GapReason?
    /// True when a further sync from the last frame of this page brings more; such a page is not complete, for the
    /// reason `too_many`.
    public var more: Bool?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [
        constant("type", "syncResult"), required("epoch", \.epoch), required("lastSeq", \.lastSeq),
        required("missed", \.missed), required("complete", \.complete), optional("reason", \.reason),
        optional("more", \.more),
    ]
}

/// The answer to a ping.
public struct PongFrame: MessageObject {
    /// As the ping gave it; absent when it had none.
    public var nonce: String?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [constant("type", "pong"), optional("nonce", \.nonce)]
}
