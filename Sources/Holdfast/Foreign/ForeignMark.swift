import HoldfastJSON

/// The characteristics of another protocol; with the table of all recognized ones.
struct ForeignMark: Sendable {
    let name: String
    let way: ForeignProtocol.Way
    /// Whether one message is enough; otherwise most messages must match.
    var isStrong = true
    /// How a message starts.
    var begins: [String] = []
    /// Parts of an address.
    var paths: [String] = []
    /// A further condition on a message if the address matches; nil if the address is enough.
    var besidesPath: (@Sendable (JSONValue) -> Bool)?
    /// Whether a JSON message matches.
    var isSaid: @Sendable (JSONValue) -> Bool = { _ in false }

    func marks(_ text: String, _ value: JSONValue?) -> Bool {
        begins.contains(where: text.hasPrefix) || value.map(isSaid) == true
    }

    func marksPath(_ path: String) -> Bool { paths.contains(where: path.contains) }

    /// All protocols, the most characteristic first.
    static let all: [ForeignMark] =
        chatProtocols + [
            ForeignMark(
                name: "Socket.IO", way: .bridge, begins: ["0{\"sid\":", "40{\"sid\":", "42[", "42/", "43[", "451-["],
                paths: ["/socket.io/", "EIO=4", "EIO=3"]),
            ForeignMark(
                name: "SignalR", way: .bridge, begins: ["{\"protocol\":\"json\",\"version\":1}\u{1E}"],
                isSaid: { $0["target"]?.stringValue != nil && $0["arguments"]?.arrayValue != nil }),
            ForeignMark(name: "STOMP", way: .bridge, begins: ["CONNECT\n", "STOMP\n", "CONNECTED\n", "SUBSCRIBE\n"]),
            ForeignMark(
                name: "Phoenix Channels", way: .bridge,
                isSaid: { value in
                    if let parts = value.arrayValue { return parts.count == 5 && parts[2].isText && parts[3].isText }
                    return value.hasTexts("topic", "event") && value["payload"] != nil && value["ref"] != nil
                }),
            ForeignMark(
                name: "GraphQL over WebSocket", way: .newDialect, paths: ["/graphql"],
                isSaid: { value in
                    let type = value["type"]?.stringValue ?? ""
                    let isOpening = [
                        "connection_init", "connection_ack", "connection_error", "connection_terminate", "ka",
                    ]
                    .contains(type)
                    let isOperation = ["subscribe", "start", "next", "data"].contains(type) && value["id"] != nil
                    return isOpening || isOperation && value["payload"]?.objectValue != nil
                }),
            ForeignMark(
                name: "MCP (Model Context Protocol)", way: .newDialect, paths: ["/mcp"],
                besidesPath: { $0["jsonrpc"] == "2.0" },
                isSaid: { value in
                    guard value["jsonrpc"] == "2.0" else { return false }
                    let method = value["method"]?.stringValue ?? ""
                    // A language server has this method too, with these members.
                    if value["params"]?["processId"] ?? value["params"]?["rootUri"] != nil { return false }
                    let words = [
                        "initialize", "notifications", "tools", "resources", "prompts", "sampling", "elicitation",
                    ]
                    let text = value["error"]?["message"]?.stringValue?.uppercased() ?? ""
                    return words.contains { method == $0 || method.hasPrefix("\($0)/") }
                        || value["result"]?["protocolVersion"] != nil || text.contains("MCP")
                }),
            ForeignMark(
                name: "JSON-RPC 2.0, which MCP uses", way: .newDialect, isSaid: { $0["jsonrpc"] == "2.0" }),
            ForeignMark(
                name: "Pusher", way: .newDialect, isSaid: { $0["event"]?.stringValue?.hasPrefix("pusher") == true }),
            ForeignMark(
                name: "Action Cable", way: .newDialect,
                isSaid: { value in
                    value.hasTexts("command", "identifier")
                        || ["confirm_subscription", "reject_subscription"].contains(value["type"]?.stringValue)
                }),
            ForeignMark(
                name: "the OpenAI Realtime API", way: .newDialect,
                isSaid: { value in
                    let type = value["type"]?.stringValue ?? ""
                    return ["session.", "response.", "conversation.", "input_audio_buffer."].contains(
                        where: type.hasPrefix)
                }),
            ForeignMark(
                name: "JSON with 'event' for its types", way: .newDialect, isStrong: false,
                isSaid: { $0.isTyped(by: "event") }),
            ForeignMark(
                name: "JSON with another member for its types", way: .newDialect, isStrong: false,
                isSaid: { value in
                    ["op", "action", "method", "cmd", "command", "kind", "t", "state", "msg"].contains(
                        where: value.isTyped)
                }),
        ]

    /// Protocols for chats, agents and messages, which share terms with this one.
    private static let chatProtocols: [ForeignMark] = [
        ForeignMark(
            name: "server-sent events, a stream of one direction over HTTP", way: .bridge,
            begins: ["data: ", "data:{", "event: ", "event:", "retry: ", ": keep-alive"]),
        ForeignMark(
            name: "the gateway protocol of OpenClaw", way: .newDialect,
            isSaid: { value in
                switch value["type"]?.stringValue {
                case "req": value.hasTexts("id", "method")
                case "res": value.hasTexts("id") && value["ok"]?.boolValue != nil
                case "event": value.hasTexts("event") && value["payload"] != nil
                default: false
                }
            }),
        ForeignMark(
            name: "AG-UI (Agent User Interaction)", way: .newDialect,
            isSaid: { value in
                let type = value["type"]?.stringValue ?? ""
                return ["RUN_", "TEXT_MESSAGE_", "TOOL_CALL_", "STATE_", "STEP_", "MESSAGES_SNAPSHOT", "THINKING_"]
                    .contains(where: type.hasPrefix)
            }),
        ForeignMark(
            name: "the WebSocket API of Home Assistant", way: .newDialect,
            isSaid: { value in
                switch value["type"]?.stringValue {
                case "auth_required", "auth_ok", "auth_invalid": value["ha_version"] != nil
                case "auth": value.hasTexts("access_token")
                case "result": value["success"]?.boolValue != nil && value["id"]?.intValue != nil
                case "event": value["id"]?.intValue != nil && value["event"]?.objectValue != nil
                default: false
                }
            }),
        ForeignMark(
            name: "Centrifugo", way: .bridge,
            isSaid: { value in
                let isCommand = value["id"]?.intValue != nil && value["type"] == nil && value["method"] == nil
                return isCommand && ["connect", "subscribe"].contains { value[$0]?.objectValue != nil }
                    || value["push"]?["channel"]?.stringValue != nil
            }),
        ForeignMark(
            name: "Matrix", way: .bridge, paths: ["/_matrix/"],
            isSaid: { value in
                let isEvent = value.hasTexts("event_id") && value["type"]?.stringValue?.hasPrefix("m.") == true
                return isEvent || value.hasTexts("next_batch") && value["rooms"] != nil
            }),
        ForeignMark(
            name: "Mattermost", way: .newDialect,
            isSaid: { $0.hasTexts("event") && $0["broadcast"]?.objectValue != nil && $0["data"] != nil }),
        ForeignMark(
            name: "Slack", way: .newDialect,
            isSaid: {
                $0.hasTexts("envelope_id") && $0["payload"] != nil
                    || $0["type"] == "hello" && $0["num_connections"] != nil
            }),
        ForeignMark(
            name: "the gateway of Discord", way: .newDialect,
            isSaid: { $0["op"]?.intValue != nil && $0["d"] != nil && $0["type"] == nil }),
        ForeignMark(
            name: "DDP (Meteor, Rocket.Chat)", way: .newDialect,
            isSaid: { value in
                ["connect", "connected", "sub", "nosub", "added", "changed", "ready", "result", "updated"]
                    .contains(value["msg"]?.stringValue) && value["type"] == nil
                    && (value["session"] ?? value["version"] ?? value["id"] ?? value["collection"] ?? value["subs"])
                        != nil
            }),
        ForeignMark(
            name: "Gemini Live", way: .newDialect,
            isSaid: { value in
                ["setup", "setupComplete", "serverContent", "clientContent", "realtimeInput"].contains {
                    value[$0]?.objectValue != nil && value["type"] == nil
                }
            }),
        ForeignMark(
            name: "a stream of the Anthropic Messages API", way: .newDialect,
            isSaid: { value in
                ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"]
                    .contains(value["type"]?.stringValue)
            }),
        ForeignMark(
            name: "a stream of the OpenAI Chat Completions API", way: .newDialect,
            isSaid: { $0["object"] == "chat.completion.chunk" }),
        ForeignMark(
            name: "Bot Framework Direct Line", way: .newDialect,
            isSaid: { $0["activities"]?.arrayValue != nil && $0["watermark"] != nil }),
        ForeignMark(
            name: "XMPP", way: .bridge, begins: ["<open ", "<stream:", "<iq ", "<message ", "<presence"]),
        ForeignMark(name: "NATS", way: .bridge, begins: ["INFO {\"server_id\"", "CONNECT {", "MSG ", "HMSG "]),
        ForeignMark(name: "MQTT", way: .bridge, paths: ["/mqtt"]),
    ]
}

extension JSONValue {
    fileprivate var isText: Bool { stringValue != nil }

    fileprivate func hasTexts(_ names: String...) -> Bool { names.allSatisfy { self[$0]?.stringValue != nil } }

    /// Whether a member of this name, and not `type`, states the kind of object.
    fileprivate func isTyped(by name: String) -> Bool {
        objectValue != nil && self["type"] == nil && self[name]?.stringValue != nil
    }
}
