import Holdfast
import HoldfastJSON

/// The frames a server sends, without their numbers.
enum Frames {
    static func connected(_ connection: String, wall: Int, _ rules: CoreRules, epoch: String, lastSeq: Int) -> JSONValue
    {
        JSONValue(members: [
            "type": "connected", "protocol": 1, "connectionId": connection,
            "serverTime": Timestamp.text(wall, rules.timeStyle), "capabilities": rules.capabilities,
            "limits": JSONValue(members: [
                "maxFrameBytes": rules.maxFrameBytes, "messagesPerMinute": rules.messagesPerMinute,
                "replayMessages": rules.replayFrames, "replaySeconds": rules.replaySeconds,
            ]),
            "heartbeatSeconds": rules.heartbeatSeconds, "epoch": epoch, "lastSeq": lastSeq,
        ])
    }

    static func ack(_ turn: TurnNames, duplicate: Bool) -> JSONValue {
        JSONValue(members: [
            "type": "ack", "clientMessageId": turn.key, "sessionId": turn.session, "turnId": turn.turn,
            "messageId": turn.question, "duplicate": duplicate.orAbsent,
        ])
    }

    static func message(_ post: StoredRecord.Post, role: String, at time: String) -> JSONValue {
        JSONValue(members: [
            "type": "message", "sessionId": post.names.session, "messageId": post.names.question, "role": role,
            "text": MessageContent.text(of: post.content), "timestamp": time, "turnId": post.names.turn,
            "clientMessageId": role == "user" ? post.names.key : nil,
        ])
    }

    static func toolUse(
        _ turn: TurnNames, tool: String, id: String, status: String = "started", input: JSONValue?
    ) -> JSONValue {
        JSONValue(members: [
            "type": "toolUse", "tool": tool, "sessionId": turn.session, "turnId": turn.turn, "toolUseId": id,
            "status": status, "input": input,
        ])
    }

    static func done(_ turn: TurnNames, message: String, text: String, duplicate: Bool = false) -> JSONValue {
        JSONValue(members: [
            "type": "done", "text": text, "sessionId": turn.session, "turnId": turn.turn, "messageId": message,
            "clientMessageId": turn.key, "duplicate": duplicate.orAbsent,
        ])
    }

    static func failed(_ turn: TurnNames, code: ErrorCode, text: String, duplicate: Bool = false) -> JSONValue {
        JSONValue(members: [
            "type": "error", "error": text, "code": code.rawValue, "sessionId": turn.session, "turnId": turn.turn,
            "clientMessageId": turn.key, "retryable": code.isRetryable, "duplicate": duplicate.orAbsent,
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

    static func refused(_ refusal: Refusal) -> JSONValue { JSONValue(members: ["type": "error"]).adding(body(refusal)) }

    static func body(_ refusal: Refusal) -> JSONValue {
        JSONValue(members: [
            "error": refusal.text, "code": refusal.code.rawValue, "clientMessageId": refusal.clientMessageId,
            "retryable": refusal.code.isRetryable, "retryAfterMs": refusal.retryAfterMs, "limit": refusal.limit,
            "windowMs": refusal.windowMs, "supported": (refusal.code == .unsupportedVersion ? [1] : []).orAbsent,
        ])
    }

    static func pong(nonce: String?) -> JSONValue { JSONValue(members: ["type": "pong", "nonce": nonce]) }

    static func syncResult(_ answer: SyncAnswer, epoch: String) -> JSONValue {
        JSONValue(members: [
            "type": "syncResult", "epoch": epoch, "lastSeq": answer.lastSeq, "missed": answer.missed,
            "complete": answer.reason == nil, "reason": answer.reason?.rawValue, "more": answer.hasMore.orAbsent,
        ])
    }
}

struct SyncAnswer: Sendable {
    enum Reason: String, Sendable {
        case epochChanged = "epoch_changed"
        case evicted
        case unknownPosition = "unknown_position"
        case tooMany = "too_many"
    }

    var lastSeq: Int
    var missed: [JSONValue] = []
    /// Nil if nothing is missing.
    var reason: Reason?
    var hasMore = false
}
