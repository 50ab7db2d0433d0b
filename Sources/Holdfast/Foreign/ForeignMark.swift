import HoldfastJSON

/// The characteristics of another protocol; with the table of all recognized ones.
struct ForeignMark: Sendable {
    let name: String
    let way: ForeignProtocol.Way
    /// Whether one message is enough; otherwise most messages must match.
    let isStrong: Bool
    /// How a message starts.
    private let begins: [String]
    /// Parts of an address.
    private let paths: [String]
    /// The conditions on a further message if the address matches; nil if the address is enough.
    let besidesPath: String?
    /// Sets of conditions on a JSON message; one set must hold.
    private let json: [String]

    private init(
        _ name: String, _ way: ForeignProtocol.Way, json: [String] = [], begins: [String] = [], paths: [String] = [],
        besidesPath: String? = nil, isStrong: Bool = true
    ) {
        (self.name, self.way, self.json, self.begins, self.paths) = (name, way, json, begins, paths)
        (self.besidesPath, self.isStrong) = (besidesPath, isStrong)
    }

    func marks(_ text: String, _ value: JSONValue?) -> Bool {
        begins.contains(where: text.hasPrefix) || value.map { json.contains(where: $0.meets) } == true
    }

    func marksPath(_ path: String) -> Bool { paths.contains(where: path.contains) }

    /// All recognized protocols, the most distinctive first: chat and agent protocols share terms with this one.
    static let all: [ForeignMark] = [
        .init(
            "server-sent events, a stream of one direction over HTTP", .bridge,
            begins: ["data: ", "data:{", "event: ", "event:", "retry: ", ": keep-alive"]),
        .init(
            "the gateway protocol of OpenClaw", .newDialect,
            json: ["type=req id:text method:text", "type=res id:text ok:flag", "type=event event:text payload"]),
        .init(
            "AG-UI (Agent User Interaction)", .newDialect,
            json: ["type^=RUN_,TEXT_MESSAGE_,TOOL_CALL_,STATE_,STEP_,MESSAGES_SNAPSHOT,THINKING_"]),
        .init(
            "the WebSocket API of Home Assistant", .newDialect,
            json: [
                "type=auth_required,auth_ok,auth_invalid ha_version", "type=auth access_token:text",
                "type=result success:flag id:number", "type=event id:number event:object",
            ]),
        .init(
            "Centrifugo", .bridge,
            json: ["connect", "subscribe"].map { "id:number !type !method \($0):object" } + ["push.channel:text"]),
        .init("Matrix", .bridge, json: ["event_id:text type^=m.", "next_batch:text rooms"], paths: ["/_matrix/"]),
        .init("Mattermost", .newDialect, json: ["event:text broadcast:object data"]),
        .init("Slack", .newDialect, json: ["envelope_id:text payload", "type=hello num_connections"]),
        .init("the gateway of Discord", .newDialect, json: ["op:number d !type"]),
        .init(
            "DDP (Meteor, Rocket.Chat)", .newDialect,
            json: ["session", "version", "id", "collection", "subs"].map {
                "msg=connect,connected,sub,nosub,added,changed,ready,result,updated !type \($0)"
            }),
        .init(
            "Gemini Live", .newDialect,
            json: ["setup", "setupComplete", "serverContent", "clientContent", "realtimeInput"].map {
                "\($0):object !type"
            }),
        .init(
            "a stream of the Anthropic Messages API", .newDialect,
            json: ["type=message_start,content_block_start,content_block_delta,content_block_stop,message_delta"]),
        .init("a stream of the OpenAI Chat Completions API", .newDialect, json: ["object=chat.completion.chunk"]),
        .init("Bot Framework Direct Line", .newDialect, json: ["activities:list watermark"]),
        .init("XMPP", .bridge, begins: ["<open ", "<stream:", "<iq ", "<message ", "<presence"]),
        .init("NATS", .bridge, begins: ["INFO {\"server_id\"", "CONNECT {", "MSG ", "HMSG "]),
        .init("MQTT", .bridge, paths: ["/mqtt"]),
        .init(
            "Socket.IO", .bridge, begins: ["0{\"sid\":", "40{\"sid\":", "42[", "42/", "43[", "451-["],
            paths: ["/socket.io/", "EIO=4", "EIO=3"]),
        .init(
            "SignalR", .bridge, json: ["target:text arguments:list"],
            begins: ["{\"protocol\":\"json\",\"version\":1}\u{1E}"]),
        .init("STOMP", .bridge, begins: ["CONNECT\n", "STOMP\n", "CONNECTED\n", "SUBSCRIBE\n"]),
        .init("Phoenix Channels", .bridge, json: ["2:text 3:text 4 !5", "topic:text event:text payload ref"]),
        .init(
            "GraphQL over WebSocket", .newDialect,
            json: [
                "type=connection_init,connection_ack,connection_error,connection_terminate,ka",
                "type=subscribe,start,next,data id payload:object",
            ], paths: ["/graphql"]),
        .init(
            "MCP (Model Context Protocol)", .newDialect,
            // A language server has the method 'initialize' too, with these members.
            json: [
                "method=initialize,notifications,tools,resources,prompts,sampling,elicitation",
                "method^=notifications/,tools/,resources/,prompts/,sampling/,elicitation/", "result.protocolVersion",
                "error.message*=MCP",
            ].map { "jsonrpc=2.0 !params.processId !params.rootUri \($0)" },
            paths: ["/mcp"], besidesPath: "jsonrpc=2.0"),
        .init("JSON-RPC 2.0, which MCP uses", .newDialect, json: ["jsonrpc=2.0"]),
        .init("Pusher", .newDialect, json: ["event^=pusher"]),
        .init(
            "Action Cable", .newDialect,
            json: ["command:text identifier:text", "type=confirm_subscription,reject_subscription"]),
        .init(
            "the OpenAI Realtime API", .newDialect,
            json: ["type^=session.,response.,conversation.,input_audio_buffer."]),
        .init("JSON with 'event' for its types", .newDialect, json: ["!type event:text"], isStrong: false),
        .init(
            "JSON with another member for its types", .newDialect,
            json: ["op", "action", "method", "cmd", "command", "kind", "t", "state", "msg"].map { "!type \($0):text" },
            isStrong: false),
    ]
}

extension JSONValue {
    /// Whether all conditions hold: `a` exists, `!a` is absent, `a:text` has that kind, `a=x,y` is one of these texts,
    /// `a^=x,y` begins with one and `a*=x` contains it; `a.b` is a member of a member, and `2` an element.
    func meets(_ conditions: String) -> Bool {
        conditions.split(separator: " ").allSatisfy { condition in
            let path = condition.prefix { !":=^*".contains($0) }
            let mark = condition.dropFirst(path.count).prefix { ":=^*".contains($0) }
            let words = condition.dropFirst(path.count + mark.count).split(separator: ",").map(String.init)
            let found = path.drop { $0 == "!" }.split(separator: ".").reduce(Optional(self)) { value, name in
                if let index = Int(name) { value?[index] } else { value?[String(name)] }
            }
            let text = found?.stringValue
            return switch mark {
            case "=": text.map(words.contains) ?? false
            case "^=": text.map { words.contains(where: $0.hasPrefix) } ?? false
            case "*=": text.map { words.contains(where: $0.uppercased().contains) } ?? false
            case ":": found.map { words == [$0.kind] } ?? false
            default: (found == nil) == path.hasPrefix("!")
            }
        }
    }

    private var kind: String {
        switch self {
        case .null: "null"
        case .bool: "flag"
        case .number: "number"
        case .string: "text"
        case .array: "list"
        case .object: "object"
        }
    }
}
