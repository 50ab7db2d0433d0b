/// The members of the specification's messages and bodies, for detecting misspelled ones.
enum CanonicalMembers {
    /// The members in the schema of a frame's type, and the ids that such a frame may have as well.
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

    /// The members of the elements of a list in a body, by the place of the list.
    static let ofElements: [String: Set<String>] = [
        "/session/messages": ["id", "role", "content", "timestamp", "turnId", "clientMessageId"],
        "/session/turns": ["turnId", "status", "clientMessageId"],
        "/sessions": ["id", "title", "updatedAt", "messageCount", "lastMessage"],
    ]
}
