/// A frame that a server sends on the socket, or replays in a `syncResult`.
public enum ServerFrame: Codable, Sendable, Hashable {
    case connected(ConnectedFrame)
    case ack(AckFrame)
    case message(MessageFrame)
    case toolUse(ToolUseFrame)
    case done(DoneFrame)
    case error(ErrorFrame)
    case syncResult(SyncResultFrame)
    case pong(PongFrame)
    /// A frame of a type outside this version, with all its members.
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

    /// Writes the frame in the form it was read in.
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

/// The answer to auth: the connection may be used from here on.
public struct ConnectedFrame: MessageObject {
    /// The major version that the server chose.
    public var `protocol`: Int64 = 1
    /// The id of the socket; each connection has a new one.
    public var connectionId = ""
    /// The server's clock when it wrote the frame.
    public var serverTime = ""
    /// Optional features of the server.
    public var capabilities: [String] = []
    /// The limits that the server promises to keep.
    public var limits = Limits()
    /// The heartbeat, in seconds; 30 if absent.
    public var heartbeatSeconds: Int64?
    /// The id of one numbering of the stream; opaque, compared for equality only.
    public var epoch: String?
    /// The last number used in this epoch; 0 if there is none.
    public var lastSeq: Int64?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "connected"), required("protocol", \.`protocol`), required("connectionId", \.connectionId),
        required("serverTime", \.serverTime), required("capabilities", \.capabilities), required("limits", \.limits),
        optional("heartbeatSeconds", \.heartbeatSeconds), optional("epoch", \.epoch), optional("lastSeq", \.lastSeq),
    ]
}

/// The limits that the server promises to keep.
public struct Limits: MessageObject {
    /// The largest text message that the server reads, in bytes.
    public var maxFrameBytes: Int64 = 0
    /// The number of questions that the server accepts from one principal in 60 seconds.
    public var messagesPerMinute: Int64?
    /// The number of frames kept for replay; 1000 if absent.
    public var replayMessages: Int64?
    /// The time for which frames are kept for replay, in seconds; 3600 if absent.
    public var replaySeconds: Int64?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        required("maxFrameBytes", \.maxFrameBytes), optional("messagesPerMinute", \.messagesPerMinute),
        optional("replayMessages", \.replayMessages), optional("replaySeconds", \.replaySeconds),
    ]
}

/// The question is accepted and stored; sent before any other frame of its turn.
public struct AckFrame: MessageObject {
    /// The key in the chat frame.
    public var clientMessageId = ""
    /// The conversation, new or continued.
    public var sessionId = ""
    /// The turn of the question.
    public var turnId = ""
    /// The stored question.
    public var messageId = ""
    /// True if this question was already accepted, and no new turn starts.
    public var duplicate: Bool?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "ack"), required("clientMessageId", \.clientMessageId), required("sessionId", \.sessionId),
        required("turnId", \.turnId), required("messageId", \.messageId), optional("duplicate", \.duplicate),
    ]
}

/// A stored message that the principal's other devices must show.
public struct MessageFrame: MessageObject {
    /// Its conversation.
    public var sessionId = ""
    /// The id of the message; the same over the socket, REST and push.
    public var messageId = ""
    /// The author.
    public var role = Role.user
    /// The text; for parts, the texts of all text parts joined.
    public var text = ""
    /// When it was stored.
    public var timestamp = ""
    /// The turn of the message.
    public var turnId = ""
    /// The key of the question, so that the asking device recognizes its own.
    public var clientMessageId: String?
    /// The frame's position in the principal's stream, from 1, possibly with gaps.
    public var seq: Int64 = 0
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "message"), required("sessionId", \.sessionId), required("messageId", \.messageId),
        required("role", \.role), required("text", \.text), required("timestamp", \.timestamp),
        required("turnId", \.turnId), optional("clientMessageId", \.clientMessageId), required("seq", \.seq),
    ]
}

/// The agent uses a tool: a sign of life during a turn.
public struct ToolUseFrame: MessageObject {
    /// The name of the tool.
    public var tool = ""
    /// The conversation that the turn belongs to.
    public var sessionId = ""
    /// The turn of the question.
    public var turnId = ""
    /// The id of this use of the tool.
    public var toolUseId: String?
    /// The progress of the use.
    public var status: ToolUseStatus?
    /// The tool's input: any JSON value.
    public var input: MessageValue?
    /// The frame's position in the principal's stream, from 1, possibly with gaps.
    public var seq: Int64?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "toolUse"), required("tool", \.tool), required("sessionId", \.sessionId),
        required("turnId", \.turnId), optional("toolUseId", \.toolUseId), optional("status", \.status),
        optional("input", \.input), optional("seq", \.seq),
    ]
}

/// The answer, stored before this frame is sent.
public struct DoneFrame: MessageObject {
    /// The whole answer, equal to the stored one.
    public var text = ""
    /// The conversation with the answer.
    public var sessionId = ""
    /// The turn of the question.
    public var turnId = ""
    /// The stored answer.
    public var messageId = ""
    /// The key of the question.
    public var clientMessageId: String?
    /// Statistics about the turn.
    public var stats: Statistics?
    /// True on a copy that answers a repeated question.
    public var duplicate: Bool?
    /// The frame's position in the principal's stream, from 1, possibly with gaps.
    public var seq: Int64?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "done"), required("text", \.text), required("sessionId", \.sessionId),
        required("turnId", \.turnId), required("messageId", \.messageId),
        optional("clientMessageId", \.clientMessageId), optional("stats", \.stats), optional("duplicate", \.duplicate),
        optional("seq", \.seq),
    ]
}

/// Statistics about a turn; no rule depends on them.
public struct Statistics: MessageObject {
    /// The model that answered.
    public var model: String?
    /// Tokens read.
    public var inputTokens: Int64?
    /// Tokens written.
    public var outputTokens: Int64?
    /// The time from acceptance to answer, in milliseconds.
    public var durationMs: Int64?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        optional("model", \.model), optional("inputTokens", \.inputTokens), optional("outputTokens", \.outputTokens),
        optional("durationMs", \.durationMs),
    ]
}

/// Something failed: a frame, a question or a turn.
public struct ErrorFrame: MessageObject {
    /// The human-readable message.
    public var error = ""
    /// The machine-readable code.
    public var code: ErrorCode?
    /// The affected conversation; present if the error ends a turn.
    public var sessionId: String?
    /// The turn that the error ends.
    public var turnId: String?
    /// The key of the question that failed or was refused.
    public var clientMessageId: String?
    /// True if the same question may succeed later.
    public var retryable: Bool?
    /// The wait before a retry, in milliseconds.
    public var retryAfterMs: Int64?
    /// The exceeded budget.
    public var limit: Int64?
    /// The length of the budget's window, in milliseconds.
    public var windowMs: Int64?
    /// The versions that the server speaks, if it refuses one.
    public var supported: [Int64]?
    /// True on a copy that answers a repeated question whose turn had failed.
    public var duplicate: Bool?
    /// The error's position in the stream, if it ends a turn.
    public var seq: Int64?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "error"), required("error", \.error), optional("code", \.code),
        optional("sessionId", \.sessionId), optional("turnId", \.turnId),
        optional("clientMessageId", \.clientMessageId), optional("retryable", \.retryable),
        optional("retryAfterMs", \.retryAfterMs), optional("limit", \.limit), optional("windowMs", \.windowMs),
        optional("supported", \.supported), optional("duplicate", \.duplicate), optional("seq", \.seq),
    ]
}

/// The answer to a sync: the frames after the position, as first sent.
public struct SyncResultFrame: MessageObject {
    /// The epoch of all numbers in this frame.
    public var epoch = ""
    /// The last number that this answer covers.
    public var lastSeq: Int64 = 0
    /// The frames with a greater number than `lastSeqSeen`, ascending.
    public var missed: [ServerFrame] = []
    /// True if nothing that this principal may see is missing.
    public var complete = false
    /// The reason for missing frames; present exactly if `complete` is false.
    public var reason: GapReason?
    /// True if a further sync from the last frame of this page returns more; the page is then incomplete, for the
    /// reason `too_many`.
    public var more: Bool?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "syncResult"), required("epoch", \.epoch), required("lastSeq", \.lastSeq),
        required("missed", \.missed), required("complete", \.complete), optional("reason", \.reason),
        optional("more", \.more),
    ]
}

/// The answer to a ping.
public struct PongFrame: MessageObject {
    /// The nonce of the ping; absent if it had none.
    public var nonce: String?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [constant("type", "pong"), optional("nonce", \.nonce)]
}
