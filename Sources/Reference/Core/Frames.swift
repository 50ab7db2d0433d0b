import JSON

/// The frames a server sends, before they get their number.
enum Frames {
    static func connected(_ it: Connected) -> JSONValue {
        members([
            ("type", "connected"), ("protocol", 1), ("connectionId", .string(it.connection)),
            ("serverTime", .string(Timestamp.text(it.wall, it.rules.timeStyle))),
            ("capabilities", .array(it.capabilities.map(JSONValue.string))),
            (
                "limits",
                members([
                    ("maxFrameBytes", JSONValue(it.rules.maxFrameBytes)),
                    ("messagesPerMinute", it.rules.messagesPerMinute.map { JSONValue($0) }),
                    ("replayMessages", JSONValue(it.rules.replayFrames)),
                    ("replaySeconds", JSONValue(it.rules.replaySeconds)),
                ])
            ), ("heartbeatSeconds", JSONValue(it.rules.heartbeatSeconds)), ("epoch", .string(it.epoch)),
            ("lastSeq", JSONValue(it.lastSeq)),
        ])
    }

    /// What `connected` tells.
    struct Connected {
        var connection: String
        var wall: Int
        var capabilities: [String]
        var rules: CoreRules
        var epoch: String
        var lastSeq: Int
    }

    static func ack(_ turn: TurnNames, duplicate: Bool) -> JSONValue {
        members([
            ("type", "ack"), ("clientMessageId", turn.key.map(JSONValue.string)), ("sessionId", .string(turn.session)),
            ("turnId", .string(turn.turn)), ("messageId", .string(turn.question)),
            ("duplicate", duplicate ? true : nil),
        ])
    }

    static func message(_ turn: TurnNames, content: JSONValue, at time: String) -> JSONValue {
        members([
            ("type", "message"), ("sessionId", .string(turn.session)), ("messageId", .string(turn.question)),
            ("role", "user"), ("text", .string(Content.text(content))), ("timestamp", .string(time)),
            ("turnId", .string(turn.turn)), ("clientMessageId", turn.key.map(JSONValue.string)),
        ])
    }

    /// A message of the agent that belongs to no turn.
    static func remark(_ it: StoredRecord.Remark, at time: String) -> JSONValue {
        members([
            ("type", "message"), ("sessionId", .string(it.session)), ("messageId", .string(it.message)),
            ("role", "assistant"), ("text", .string(it.text)), ("timestamp", .string(time)),
        ])
    }

    static func toolUse(
        _ turn: TurnNames, tool: String, id: String, status: String = "started", input: JSONValue?
    ) -> JSONValue {
        members([
            ("type", "toolUse"), ("tool", .string(tool)), ("sessionId", .string(turn.session)),
            ("turnId", .string(turn.turn)), ("toolUseId", .string(id)), ("status", .string(status)), ("input", input),
        ])
    }

    static func done(_ turn: TurnNames, message: String, text: String, duplicate: Bool = false) -> JSONValue {
        members([
            ("type", "done"), ("text", .string(text)), ("sessionId", .string(turn.session)),
            ("turnId", .string(turn.turn)),
            ("messageId", .string(message)), ("clientMessageId", turn.key.map(JSONValue.string)),
            ("duplicate", duplicate ? true : nil),
        ])
    }

    /// The error that ends a turn.
    static func failed(_ turn: TurnNames, code: ErrorCode, text: String, duplicate: Bool = false) -> JSONValue {
        members([
            ("type", "error"), ("error", .string(text)), ("code", .string(code.rawValue)),
            ("sessionId", .string(turn.session)), ("turnId", .string(turn.turn)),
            ("clientMessageId", turn.key.map(JSONValue.string)), ("retryable", .bool(code.isRetryable)),
            ("duplicate", duplicate ? true : nil),
        ])
    }

    /// The frame that ends a turn, or a copy of it.
    static func ending(_ ending: TurnEnding, of turn: TurnNames, duplicate: Bool = false) -> JSONValue {
        switch ending {
        case .answered(let message, let text): done(turn, message: message, text: text, duplicate: duplicate)
        case .failed(let code, let text):
            failed(turn, code: ErrorCode(rawValue: code) ?? .internal, text: text, duplicate: duplicate)
        }
    }

    /// An error that ends no turn.
    static func refused(_ refusal: Refusal) -> JSONValue {
        members([("type", "error")] + errorMembers(refusal))
    }

    /// The body of a REST answer that is no success.
    static func body(_ refusal: Refusal) -> JSONValue {
        members(errorMembers(refusal))
    }

    private static func errorMembers(_ refusal: Refusal) -> [(String, JSONValue?)] {
        [
            ("error", .string(refusal.text)), ("code", .string(refusal.code.rawValue)),
            ("clientMessageId", refusal.clientMessageId.map(JSONValue.string)),
            ("retryable", .bool(refusal.code.isRetryable)),
            ("retryAfterMs", refusal.retryAfterMs.map { JSONValue($0) }),
            ("limit", refusal.limit.map { JSONValue($0) }),
            ("windowMs", refusal.windowMs.map { JSONValue($0) }),
            ("supported", refusal.code == .unsupportedVersion ? [1] : nil),
        ]
    }

    static func pong(nonce: String?) -> JSONValue {
        members([("type", "pong"), ("nonce", nonce.map(JSONValue.string))])
    }

    static func syncResult(_ it: SyncAnswer, epoch: String) -> JSONValue {
        members([
            ("type", "syncResult"), ("epoch", .string(epoch)), ("lastSeq", JSONValue(it.lastSeq)),
            ("missed", .array(it.missed)), ("complete", .bool(it.reason == nil)),
            ("reason", it.reason.map { .string($0.rawValue) }), ("more", it.hasMore ? true : nil),
        ])
    }
}

/// The four names by which a turn is known.
struct TurnNames: Sendable, Equatable {
    var session: String
    var turn: String
    /// The id of the stored question.
    var question: String
    var key: String?
}

/// What is answered to a `sync`.
struct SyncAnswer: Sendable {
    /// Why something is missing.
    enum Reason: String, Sendable {
        case epochChanged = "epoch_changed"
        case evicted
        case unknownPosition = "unknown_position"
        case tooMany = "too_many"
    }

    var lastSeq: Int
    var missed: [JSONValue] = []
    /// Nil when nothing is missing.
    var reason: Reason?
    var hasMore = false
}
