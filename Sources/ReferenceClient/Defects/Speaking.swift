import Holdfast
import HoldfastJSON

extension ClientDefect {
    static let speaking = list {
        ClientDefect(
            "client-writes-one-message-not-a-list", .ENV, 12, "Sends its question as 'message' instead of 'messages'.",
            .sends("chat") { chat, _ in
                chat["message"] = chat["messages"]
                chat["messages"] = nil
                return [chat.text()]
            })
        ClientDefect(
            "client-sends-two-objects-in-a-frame", .ENV, 12,
            "Sends a question and a ping in one text message.",
            .sends("chat") { chat, _ in [chat.text() + #"{"type":"ping"}"#] })
        ClientDefect(
            "client-refuses-unknown-members", .ENV, 13, "Drops a frame with an unknown member.",
            .drops { frame, _ in !isKnown(frame) },
            .hears { frame, _ in
                if let missed = frame["missed"]?.arrayValue { frame["missed"] = .array(missed.filter(isKnown)) }
            })
        ClientDefect(
            "client-drops-unexpected-values", .ENV, 13, "Drops a frame with an unexpected nested object.",
            .drops { frame, _ in
                guard members(of: frame)?.contains("seq") == true, let object = frame.objectValue else { return false }
                return object.contains { $0.key != "stats" && $0.value.objectValue != nil }
            })
        ClientDefect(
            "client-shows-unknown-types-as-errors", .ENV, 13, "Shows an error for a frame of an unknown type.",
            .unknown { type, core in core.showError("Unknown message type '\(type)'.", code: "unknown_type") })
        ClientDefect(
            "client-closes-on-unknown-types", .ENV, 13, "Closes its connection on a frame of an unknown type.",
            .unknown { _, core in core.giveUpConnection() })
        ClientDefect(
            "client-leaves-out-the-version", .AUTH, 10, "Sends auth without a protocol version.",
            .sends("auth") { auth, _ in
                auth["protocol"] = nil
                return [auth.text()]
            })
        ClientDefect(
            "client-sends-before-connected", .AUTH, 10, "Sends a ping after auth, before connected.",
            .sends("auth") { auth, _ in [auth.text(), #"{"type":"ping"}"#] })
        ClientDefect(
            "client-puts-the-token-into-the-url", .AUTH, 11, "Sends its token in the query of the WebSocket's URL.",
            .effects { effect, _, client in
                guard case .open(let socket, let url) = effect, let token = client.core.rules.token else { return nil }
                return [.open(socket: socket, url: url + (url.contains("?") ? "&" : "?") + "token=" + token)]
            })
        ClientDefect(
            "client-puts-the-token-into-requests", .AUTH, 11, "Sends its token in the query of every REST request.",
            .effects { effect, _, client in
                guard case .request(let number, var request, let limit) = effect, let token = client.core.rules.token
                else { return nil }
                request.url += "?token=" + token
                return [.request(number, request, limit: limit)]
            })
    }

    private static func isKnown(_ frame: JSONValue) -> Bool {
        guard let known = members(of: frame) else { return true }
        return frame.objectValue?.keys.allSatisfy(known.contains) ?? true
    }

    private static func members(of frame: JSONValue) -> Set<String>? {
        ["connected", "error", "pong"].contains(frame.type)
            ? nil : MessageMembers.ofFrame(frame.type, sentBy: .server)
    }
}

extension ClientFault {
    fileprivate static func unknown(_ body: @escaping @Sendable (String, inout ClientCore) -> Void) -> ClientFault {
        .layer { input, client, next in
            let type = client.core.link.live == nil ? nil : client.frame(in: input)?.type
            let effects = next(input, &client)
            let known = ["ack", "message", "toolUse", "done", "error", "pong", "connected", "syncResult", ""]
            guard let type, !known.contains(type) else { return effects }
            return effects + client.core.collecting { body(type, &$0) }
        }
    }
}
