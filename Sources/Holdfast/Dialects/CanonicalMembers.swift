/// The members of the specification's messages and bodies, so that a misspelled one is found where it is written.
enum CanonicalMembers {
    static func ofFrame(_ type: String) -> Set<String> {
        let turn: Set<String> = ["sessionId", "turnId", "messageId", "clientMessageId", "seq"]
        return switch type {
        case "auth": ["protocol", "token", "clientId", "capabilities"]
        case "chat": ["messages", "sessionId", "clientMessageId"]
        case "sync": ["lastSeqSeen", "epoch", "limit"]
        case "ping", "pong": ["nonce"]
        case "connected":
            [
                "protocol", "connectionId", "serverTime", "capabilities", "limits", "heartbeatSeconds", "epoch",
                "lastSeq", "sessionId",
            ]
        case "ack": turn.union(["duplicate"])
        case "message": turn.union(["role", "text", "timestamp"])
        case "toolUse": turn.union(["tool", "toolUseId", "status", "input"])
        case "done": turn.union(["text", "stats", "duplicate"])
        case "error":
            turn.union([
                "error", "code", "retryable", "retryAfterMs", "limit", "windowMs", "supported", "duplicate",
            ])
        case "syncResult": ["epoch", "lastSeq", "missed", "complete", "reason", "more"]
        default: []
        }
    }

    static let ofChatRequest: Set<String> = ["messages", "sessionId", "clientMessageId"]
    static let ofError: Set<String> = [
        "error", "code", "sessionId", "turnId", "clientMessageId", "retryable", "retryAfterMs",
    ]
    static let ofStoredMessage: Set<String> = ["id", "role", "content", "timestamp", "turnId", "clientMessageId"]
    static let ofListEntry: Set<String> = ["id", "title", "updatedAt", "messageCount", "lastMessage"]

    /// The first members of an answer.
    static func ofAnswer(_ road: RESTRoad) -> Set<String> {
        switch road {
        case .health: ["ok"]
        case .sessionList: ["sessions"]
        case .session: ["session"]
        case .chat: ["text", "sessionId", "turnId", "messageId", "duplicate"]
        }
    }

    /// The members of the elements of a list.
    static func ofElement(_ place: String) -> Set<String>? {
        switch place {
        case "/session/messages": ofStoredMessage
        case "/session/turns": ["turnId", "status", "clientMessageId"]
        case "/sessions": ofListEntry
        default: nil
        }
    }
}
