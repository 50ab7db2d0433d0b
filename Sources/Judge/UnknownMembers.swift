import JSON

/// Members that version 1 does not define, in what clients send.
enum UnknownMembers {
    private static let known: [String: Set<String>] = [
        "chat": ["type", "messages", "sessionId", "clientMessageId"],
        "sync": ["type", "lastSeqSeen", "epoch", "limit"],
        "ping": ["type", "nonce"],
        "chatRequest": ["messages", "sessionId", "clientMessageId"],
    ]

    /// Whether a frame or body holds such a member, also inside its messages and their parts.
    static func exist(in value: JSONValue, as name: String) -> Bool {
        guard let object = value.objectValue, let known = known[name] else { return false }
        if object.keys.contains(where: { !known.contains($0) }) { return true }
        for message in value["messages"]?.arrayValue ?? [] {
            if message.objectValue?.keys.contains(where: { $0 != "role" && $0 != "content" }) == true { return true }
            for part in message["content"]?.arrayValue ?? [] {
                if part.objectValue?.keys.contains(where: { !["type", "text", "image"].contains($0) }) == true {
                    return true
                }
            }
        }
        return false
    }
}
