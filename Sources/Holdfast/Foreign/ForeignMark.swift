import HoldfastJSON

/// What shows one protocol on its wire; the table of all that are recognized.
struct ForeignMark: Sendable {
    let name: String
    let way: ForeignProtocol.Way
    /// Whether one message tells; others have to be most of what was said.
    var isStrong = true
    /// What the text of a message begins with.
    var begins: [String] = []
    /// What an address holds.
    var paths: [String] = []
    /// What a message must be as well for an address to tell; nil where the address is enough.
    var besidesPath: (@Sendable (JSONValue) -> Bool)?
    /// What a message is as JSON.
    var isSaid: @Sendable (JSONValue) -> Bool = { _ in false }

    func marks(_ text: String, _ value: JSONValue?) -> Bool {
        begins.contains(where: text.hasPrefix) || value.map(isSaid) == true
    }

    func marksPath(_ path: String) -> Bool { paths.contains(where: path.contains) }

    /// The ones that tell most come first.
    static let all: [ForeignMark] = [
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
                let isOpening = ["connection_init", "connection_ack", "connection_error", "connection_terminate", "ka"]
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
                // A language server has the method too, with these members.
                if value["params"]?["processId"] ?? value["params"]?["rootUri"] != nil { return false }
                let words = ["initialize", "notifications", "tools", "resources", "prompts", "sampling", "elicitation"]
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
                return ["session.", "response.", "conversation.", "input_audio_buffer."].contains(where: type.hasPrefix)
            }),
        ForeignMark(
            name: "JSON with 'event' for its types", way: .newDialect, isStrong: false,
            isSaid: { $0.isTyped(by: "event") }),
        ForeignMark(
            name: "JSON with another member for its types", way: .newDialect, isStrong: false,
            isSaid: { value in ["op", "action", "method", "cmd", "command", "kind", "t"].contains(where: value.isTyped)
            }),
    ]
}

extension JSONValue {
    fileprivate var isText: Bool { stringValue != nil }

    fileprivate func hasTexts(_ names: String...) -> Bool { names.allSatisfy { self[$0]?.stringValue != nil } }

    /// Whether a member of this name says what the object is, and `type` does not.
    fileprivate func isTyped(by name: String) -> Bool {
        objectValue != nil && self["type"] == nil && self[name]?.stringValue != nil
    }
}
