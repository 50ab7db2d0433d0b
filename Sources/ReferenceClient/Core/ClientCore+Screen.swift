import HoldfastJSON

package struct Screen: Sendable, Equatable {
    enum Connection: String, Sendable { case connecting, connected, degraded, offline }

    var connection: Connection
    var session: String?
    var isThinking: Bool
    var messages: [Message]
    var errors: [ScreenError]
    var unread: [String: Int]
}

extension ClientCore {
    var screen: Screen {
        let conversation = conversations[shown]
        let unread = conversations.values.compactMap { other in
            other.session.flatMap { other.unread > 0 ? ($0, other.unread) : nil }
        }
        return Screen(
            connection: connection, session: conversation?.session, isThinking: isThinking,
            messages: conversation?.messages.filter { $0.role != .system } ?? [],
            errors: errors + (conversation?.errors ?? []),
            unread: Dictionary(unread, uniquingKeysWith: max))
    }

    /// Only the frame `connected` counts; neither polling nor connecting counts as offline.
    private var connection: Screen.Connection {
        guard hasNetwork, link.phase != .refused else { return .offline }
        if link.live != nil { return .connected }
        return link.failures > 0 && link.restWorks ? .degraded : .connecting
    }

    private var isThinking: Bool {
        guard hasNetwork, link.phase != .refused else { return false }
        return outbox.contains { $0.conversation == shown && $0.isAwaited }
    }
}

extension Screen {
    package var state: JSONValue {
        JSONValue(members: [
            "connection": connection.rawValue, "sessionId": session.map { .string($0) } ?? JSONValue.null,
            "thinking": isThinking,
            "messages": messages.map { message in
                JSONValue(members: [
                    "id": message.id, "clientMessageId": message.key, "role": message.role.rawValue,
                    "text": message.text, "status": message.status.rawValue,
                ])
            },
            "errors": errors.map {
                JSONValue(members: ["text": $0.text, "code": $0.code, "clientMessageId": $0.key])
            },
            "unread": JSONValue.object(
                JSONObject(unread.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSONValue($0.value)) })),
        ])
    }
}
