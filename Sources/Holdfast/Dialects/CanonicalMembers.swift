/// The members of the specification's messages and bodies, for detecting misspelled ones.
enum CanonicalMembers {
    /// The members of a frame, and members of other frames of its type.
    static func ofFrame(_ type: String) -> Set<String> {
        let names: Set<String> =
            switch type {
            case "ack", "message", "toolUse", "done", "error":
                ["sessionId", "turnId", "messageId", "clientMessageId", "seq"]
            case "connected": ["sessionId"]
            default: []
            }
        let known = [Role.client, .server].compactMap { MessageMembers.ofFrame(type, sentBy: $0) }.first ?? []
        return known.union(names).subtracting(["type"])
    }

    static let ofStoredMessage: Set<String> = ["id", "role", "content", "timestamp", "turnId", "clientMessageId"]
    static let ofListEntry: Set<String> = ["id", "title", "updatedAt", "messageCount", "lastMessage"]

    static func ofAnswer(_ road: RESTRoad) -> Set<String> {
        MessageMembers.ofBody(road == .chat ? "chatResponse" : road.rawValue)
    }

    static func ofElement(_ location: String) -> Set<String>? {
        switch location {
        case "/session/messages": ofStoredMessage
        case "/session/turns": ["turnId", "status", "clientMessageId"]
        case "/sessions": ofListEntry
        default: nil
        }
    }
}
