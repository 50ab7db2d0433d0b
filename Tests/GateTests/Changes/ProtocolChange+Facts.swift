/// Changes of what stands in tables, in openapi.json, in asyncapi.json and in state tables.
extension ProtocolChange {
    private static let three = "chapters/03-conformance.md"
    private static let four = "chapters/04-transport.md"
    private static let fourteen = "chapters/14-promises.md"
    private static let five = "chapters/05-messages.md"
    private static let rest = "openapi.json"
    private static let socket = "asyncapi.json"
    private static let states = "states/server.json"
    private static let cs = "clients"
    private static let ss = "servers"

    static let facts: [ProtocolChange] = [
        // Error codes
        .init("a new error code", five, "| `busy` | a", "| `tired` | asleep | 503 | no | later |\n| `busy` | a"),
        .init(
            "an error code goes", five, "| `too_large` | too many bytes | 413 | no | smaller |\n", "", ss,
            says: "error-code-removed"),
        .init("another status of a code", five, "| 409 |", "| 503 |", ss, cs, says: "error-code-effect-changed"),
        .init("a code ends a turn", five, "| 409 | no |", "| 409 | yes |", ss, cs, says: "error-code-effect-changed"),
        .init("a code is final", five, "| no | later |", "| no | no |", ss, cs, says: "error-code-effect-changed"),
        // Peers act on codes, so what one means is for a person to judge, like a binding sentence.
        .init(
            "a code in other words", five, "| a turn runs |", "| a turn is running |", ss, cs,
            says: "error-code-meaning-reworded"),
        .init(
            "a close code means something else", four, "| going away |", "| going away, or deleted |", ss, cs,
            says: "close-code-meaning-reworded"),
        .init(
            "a reason means something else", five, "| frames are gone |", "| frames are old |", ss, cs,
            says: "gap-reason-meaning-reworded"),
        // Close codes
        .init(
            "a new close code", four, "| 4001 |", "| 1013 | later | server | reconnects with backoff |\n| 4001 |"),
        .init(
            "a close code goes", four, "| 4002 | no `auth` in time | server | reconnects with backoff |\n", "", ss,
            says: "close-code-removed"),
        .init(
            "a close code becomes terminal", four, "in time | server | reconnects with backoff",
            "in time | server | **terminal**: stops", cs, says: "terminal-close-code-added"),
        .init(
            "a close code is terminal no more", four, "**terminal**: asks for credentials", "reconnects with backoff",
            cs, says: "terminal-close-code-removed"),
        .init(
            "a new terminal code", four, "| 4001 |", "| 4010 | version | server | **terminal** |\n| 4001 |", cs,
            says: "terminal-close-code-added"),
        .init("an effect without emphasis", four, "**terminal**: asks", "terminal: asks"),
        .init(
            "another side closes", four, "away | either", "away | server", ss, cs, says: "close-code-sender-changed"),
        .init(
            "a close code in other words", four, "asks for credentials", "asks the person for credentials", cs,
            says: "terminal-close-code-changed"),
        // Bounds
        .init("a server's bound is tighter", three, "| 5 s |", "| 3 s |", ss, says: "timeout-tightened"),
        .init("a server's bound is wider", three, "| 30 s |", "| 60 s |", cs, says: "timeout-loosened"),
        .init(
            "a server's bound goes", three,
            "| `pong` | 5 s | `ping` sent – `pong` received | an answer without work |\n",
            "", cs, says: "timeout-removed"),
        .init("a client's bound is tighter", three, "| 15 s |", "| 10 s |", cs, says: "timeout-tightened"),
        .init("a client's bound is wider", three, "| 15 s |", "| 30 s |", ss, says: "timeout-loosened"),
        .init(
            "a new bound", three, "| `turn` |", "| `sync` | 10 s | `sync` sent – answered | as a read |\n| `turn` |",
            ss,
            says: "timeout-added"),
        .init("a bound in another unit", three, "| 5 s |", "| 5000 ms |"),
        .init(
            "a bound is measured otherwise", three, "`ping` sent –", "`ping` read –", ss, cs,
            says: "timeout-span-changed"),
        .init("a bound for another reason", three, "people wait", "people are impatient"),
        .init("a bound that is no time becomes one", three, "| fence |", "| 2 s |", ss, cs, says: "timeout-changed"),
        .init(
            "other terms beside a wider bound", three, "| 15 s |", "| 20 s, or never on a slow network |", ss, cs,
            says: "timeout-loosened", "timeout-reworded"),
        // Reasons and answers
        .init(
            "a new reason", five, "| `evicted` |", "| `too_old` | old | reads |\n| `evicted` |", cs,
            says: "gap-reason-added"),
        .init(
            "a reason goes", five, "| `too_many` | one page | asks for the next |\n", "", ss, says: "gap-reason-removed"
        ),
        .init(
            "a reason in other words", five, "asks for the next", "asks for more", cs,
            says: "gap-reason-effect-changed"),
        .init(
            "another answer", four, "| `unknown_type` |", "| `unknown_type` or `bad_request` |", cs,
            says: "answer-added"),
        .init(
            "an answer less", four, "`parse_error` or `bad_request`", "`parse_error`", ss, says: "answer-removed"),
        .init(
            "a new row of answers", four, "| unknown `type` |", "| binary | `bad_request` |\n| unknown `type` |", ss,
            says: "answer-row-added"),
        .init(
            "a row of answers goes", four, "| unknown `type` | `unknown_type` |\n", "", cs, says: "answer-row-removed"),
        .init(
            "an answer with other terms", four, "| `unknown_type` |", "| `unknown_type`; it is run later |", ss, cs,
            says: "answer-terms-reworded"),
        .init(
            "an answer less, and other terms", four, "`parse_error` or `bad_request`", "`parse_error`, and it is run",
            ss, cs, says: "answer-removed", "answer-terms-reworded"),
        .init(
            "one after the other, where there was a choice", four, "`parse_error` or `bad_request`",
            "`parse_error`, `bad_request`", ss, cs, says: "answer-terms-reworded"),
        // Profiles
        .init(
            "a profile needs another", three, "replay | `core` |", "replay | `core`, `push` |",
            "servers that declare sync", says: "profile-need-added"),
        .init(
            "a profile needs no other", three, "notices | `core` |", "notices | – |", cs, says: "profile-need-removed"),
        .init(
            "a client's profile needs no other", three, "position | `client-core` |", "position | – |",
            says: "profile-need-removed warning"),
        .init("a new profile", three, "| `push` |", "| `later` | server | more | `core` |\n| `push` |"),
        .init(
            "a profile goes", three, "| `push` | server | notices | `core` |\n", "", ss, cs, says: "profile-removed"),
        .init(
            "a profile changes sides", three, "| `push` | server |", "| `push` | client |", ss, cs,
            says: "profile-side-changed"),
        // Requests
        .init(
            "a new status", rest, #""401": { "description": "No token." },"#,
            #""401": { "description": "No token." }, "410": {},"#, cs, says: "status-added"),
        .init("a new status beside a default", rest, #""429": {"#, #""410": {}, "429": {"#),
        .init(
            "a status goes", rest, #""401": { "description": "No token." },"#, "", ss, says: "status-removed"),
        .init(
            "a status goes beside a default", rest,
            #""429": { "headers": { "Retry-After": { "required": true, "schema": { "type": "integer", "minimum": 0 } } } },"#,
            "", ss, says: "status-removed"),
        .init(
            "an error becomes another", rest, #""429": {"#, #""503": {"#, ss, cs, says: "status-removed"),
        .init(
            "a success becomes another", rest,
            #""200": { "content": { "application/json": { "schema": { "$ref": "schemas/messages/done"#,
            #""202": { "content": { "application/json": { "schema": { "$ref": "schemas/messages/done"#, ss, cs,
            says: "status-removed"),
        .init(
            "a default goes", rest, #","# + "\n          \"default\": { \"description\": \"It failed.\" }", "", ss,
            says: "status-removed"),
        .init(
            "a new request", rest, #""/api/chat": {"#,
            #""/api/stats": { "get": { "responses": { "200": {} } } }, "/api/chat": {"#),
        .init(
            "a request goes", rest,
            #""/api/health": { "get": { "security": [], "responses": { "200": { "description": "Up." } } } },"#, "", cs,
            says: "request-removed", isWrong: true),
        .init(
            "a parameter must be given", rest, #""page", "in": "query","#, #""page", "in": "query", "required": true,"#,
            cs,
            says: "request-parameter-required-added"),
        .init(
            "a parameter may be left out", rest, #""in": "path", "required": true,"#, #""in": "path","#, ss,
            says: "request-parameter-required-removed"),
        .init(
            "a parameter goes", rest,
            ",\n          { \"name\": \"page\", \"in\": \"query\", \"schema\": { \"type\": \"integer\" } }",
            "", cs, says: "request-parameter-removed"),
        .init(
            "a new parameter", rest, #"{ "name": "page","#, #"{ "name": "size", "in": "query" }, { "name": "page","#),
        .init(
            "a tighter parameter", rest, #""maxLength": 16"#, #""maxLength": 8"#, cs, says: "request-parameter-changed",
            witness: "old"),
        .init(
            "a wider parameter", rest, #""maxLength": 16"#, #""maxLength": 32"#, ss, says: "request-parameter-changed",
            witness: "new"),
        .init(
            "a new parameter with a default", rest, #"{ "name": "page","#,
            #"{ "name": "limit", "in": "query", "schema": { "default": 50 } }, { "name": "page","#, cs,
            says: "request-parameter-added"),
        .init(
            "a default of a parameter", rest, #""schema": { "type": "integer" }"#,
            #""schema": { "type": "integer", "default": 1 }"#, ss, cs, says: "request-parameter-changed"),
        .init(
            "a detail of a parameter", rest, #""page", "in": "query","#, #""page", "in": "query", "style": "form","#,
            ss, cs,
            says: "request-detail-added"),
        .init(
            "a body may be left out", rest, #""required": true,"# + "\n          \"content\"", #""content""#, ss,
            says: "request-body-required-removed"),
        .init(
            "another form of a body", rest,
            #""content": { "application/json": { "schema": { "$ref": "schemas/messages/order.json" } } }"#,
            #""content": { "application/json": { "schema": { "$ref": "schemas/messages/order.json" } }, "application/cbor": {} }"#,
            ss, says: "request-media-type-added"),
        .init(
            "a body in another form", rest,
            #""application/json": { "schema": { "$ref": "schemas/messages/order.json" } }"#,
            #""application/cbor": { "schema": { "$ref": "schemas/messages/order.json" } }"#, ss, cs,
            says: "request-media-type-removed"),
        .init(
            "another form of an answer", rest,
            #""200": { "content": { "application/json": { "schema": { "$ref": "schemas/messages/done.json" } } } }"#,
            #""200": { "content": { "application/json": { "schema": { "$ref": "schemas/messages/done.json" } }, "text/plain": {} } }"#,
            cs, says: "answer-media-type-added"),
        .init(
            "another body of a shared answer", rest, #"{ "schema": { "$ref": "schemas/messages/error.json" } }"#,
            #"{ "schema": { "$ref": "schemas/messages/status.json" } }"#, ss, cs, says: "request-body-changed",
            witness: "new"),
        .init(
            "a header goes", rest,
            #""429": { "headers": { "Retry-After": { "required": true, "schema": { "type": "integer", "minimum": 0 } } } }"#,
            #""429": {}"#, cs, says: "answer-header-removed"),
        .init(
            "a tighter header", rest, #""type": "integer", "minimum": 0"#, #""type": "integer", "minimum": 1"#, ss,
            says: "request-header-changed", witness: "old"),
        .init(
            "a header may be left out", rest, #""Retry-After": { "required": true, "#, #""Retry-After": { "#, cs,
            says: "answer-header-required-removed"),
        .init(
            "a new header that must come", rest, #""headers": {"#, #""headers": { "X-Trace": { "required": true },"#,
            ss,
            says: "answer-header-required-added"),
        .init(
            "a detail of a header", rest, #""Retry-After": { "#, #""Retry-After": { "explode": true, "#, ss, cs,
            says: "request-detail-added"),
        .init("a new header", rest, #""headers": {"#, #""headers": { "X-Trace": {},"#),
        .init(
            "a request asks for a token", rest, #"{ "security": [], "#, "{ ", cs, says: "request-security-removed"),
        .init(
            "a request asks for no token", rest, #""post": {"#, #""post": { "security": [],"#, ss,
            says: "request-security-added"),
        .init(
            "credentials travel otherwise", rest, #""type": "http", "scheme": "bearer""#,
            #""type": "apiKey", "in": "query", "name": "k""#, cs, says: "security-scheme-changed"),
        .init("an example server moves", rest, "https://server.example", "https://other.example"),
        .init(
            "requests move below a path", rest, "https://server.example", "https://server.example/v2", ss, cs,
            says: "server-path-changed"),
        .init(
            "one request moves below a path", rest, #""post": {"#, #""post": { "servers": [{ "url": "/v2" }],"#, ss, cs,
            says: "server-path-added"),
        .init(
            "an operation says what its path says", rest, #""/api/chat": {"#,
            #""/api/chat": { "servers": [{ "url": "https://b.example/" }],"#),
        .init("a request in other words", rest, "It failed.", "It did not work."),
        .init("a request is deprecated", rest, #""post": {"#, #""post": { "deprecated": true,"#),
        .init(
            "a part of a path has another name",
            [
                .init(file: rest, part: "/api/sessions/{id}", other: "/api/sessions/{sessionId}"),
                .init(file: rest, part: #""name": "id", "in": "path""#, other: #""name": "sessionId", "in": "path""#),
            ]),
        .init(
            "a part of a path has another name, and fewer characters",
            [
                .init(file: rest, part: "/api/sessions/{id}", other: "/api/sessions/{sessionId}"),
                .init(
                    file: rest,
                    part:
                        #""name": "id", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 16 "#,
                    other:
                        #""name": "sessionId", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 8 "#
                ),
            ], cs, says: "request-parameter-changed"),
        // The socket
        .init(
            "an operation goes", socket,
            ",\n    \"show\": { \"action\": \"send\", \"messages\": [{ \"$ref\": \"#/channels/socket/messages/status\" }] }",
            "",
            cs, says: "operation-removed"),
        .init("a new operation", socket, #""show": {"#, #""tell": { "action": "send" }, "show": {"#),
        .init(
            "an operation turns round", socket, #""action": "send""#, #""action": "receive""#, ss, cs,
            says: "operation-changed"),
        .init(
            "an operation takes less", socket, ##"[{ "$ref": "#/channels/socket/messages/chat" }, "##, "[", cs,
            says: "operation-message-removed"),
        .init(
            "an operation shows more", socket, ##"[{ "$ref": "#/channels/socket/messages/status" }]"##,
            ##"[{ "$ref": "#/channels/socket/messages/status" }, { "$ref": "#/channels/socket/messages/done" }]"##, cs,
            says: "operation-message-added"),
        .init(
            "another reply", socket, ##"[{ "$ref": "#/channels/socket/messages/done" }]"##,
            ##"[{ "$ref": "#/channels/socket/messages/done" }, { "$ref": "#/channels/socket/messages/error" }]"##, cs,
            says: "reply-added"),
        .init(
            "no reply", socket, ##"{ "messages": [{ "$ref": "#/channels/socket/messages/done" }] }"##,
            #"{ "messages": [] }"#,
            ss, cs, says: "reply-removed"),
        .init(
            "another payload", socket, #"{ "payload": { "$ref": "schemas/messages/order.json" } }"#,
            #"{ "payload": { "$ref": "schemas/messages/chat.json" } }"#, ss, cs, says: "channel-message-changed"),
        .init(
            "another transport", socket, #""protocol": "wss""#, #""protocol": "mqtt""#, ss, cs, says: "socket-changed"),
        .init("an example host moves", socket, "a.example", "b.example"),
        .init(
            "a second server speaks another protocol", socket, #""servers": {"#,
            ##""servers": { "second": { "host": "b.example", "protocol": "mqtt", "security": [{ "$ref": "#/components/securitySchemes/bearer" }] },"##,
            ss, cs, says: "socket-changed"),
        .init(
            "the socket moves below a path", socket, #""host": "a.example","#,
            #""host": "a.example", "pathname": "/v2","#, ss, cs, says: "socket-changed"),
        .init("a message says its default", socket, #""chat": { "#, #""chat": { "contentType": "application/json", "#),
        .init("a fixed address", socket, #""address": null"#, #""address": "/ws""#, ss, cs, says: "socket-changed"),
        .init("another form of frames", socket, "application/json", "application/cbor", ss, cs, says: "socket-changed"),
        .init(
            "the socket asks for no token", socket,
            ##", "security": [{ "$ref": "#/components/securitySchemes/bearer" }]"##, "",
            ss, says: "socket-security-added"),
        .init(
            "the socket's credentials travel otherwise", socket, #""type": "http", "scheme": "bearer""#,
            #""type": "httpApiKey", "in": "query", "name": "k""#, cs, says: "security-scheme-changed"),
        // Promises
        .init(
            "a promise rests on another clause", fourteen, "TURN-2, TURN-3", "TURN-2, TURN-4",
            says: "table-row-changed warning"),
        .init("a pair keeps less", fourteen, "| any | yes |", "| any | 1a |", says: "table-row-changed warning"),
        .init("a promise in other words", fourteen, "of all", "of everything"),
        // Tables as a whole
        .init(
            "a new table", four, "# 4. Transport\n",
            "# 4. Transport\n\n| what arrives | what the server does |\n|---|---|\n| `auth` | `connected` |\n"),
        .init(
            "a table goes", four,
            "| input | answer |\n|---|---|\n| no JSON | `parse_error` or `bad_request` |\n| unknown `type` | `unknown_type` |\n",
            "", ss, cs, says: "table-removed"),
        .init(
            "a column goes",
            [
                .init(file: five, part: "| over REST | ends", other: "| ends"),
                .init(file: five, part: "---|---|---|---|---|\n| `busy`", other: "---|---|---|---|\n| `busy`"),
                .init(file: five, part: "runs | 409 |", other: "runs |"),
                .init(file: five, part: "bytes | 413 |", other: "bytes |"),
            ], ss, cs, says: "table-column-removed"),
        .init(
            "a column has another name", five, "| asking again |", "| asking once more |", ss, cs,
            says: "table-column-removed"),
        .init("a column of explanations is renamed", three, "| why this value |", "| why |"),
        .init(
            "terms for coming back go", four, "| the client then |", "| remarks |", ss, cs,
            says: "table-column-removed"),
        .init(
            "a profile of both sides", three, "| `push` | server |", "| `push` | both |", ss, cs,
            says: "profile-side-changed"),
        // State tables
        .init(
            "an input leads elsewhere", states, #""next": "greeted" },"#, #""next": "opened" },"#, ss, cs,
            says: "state-row-changed"),
        .init(
            "a condition in other words", states, "at first", "in the beginning", ss, cs, says: "state-word-reworded"),
        .init(
            "a condition has another name",
            [
                .init(file: states, part: #"{ "name": "first""#, other: #"{ "name": "fresh""#),
                .init(file: states, part: #"["first"]"#, other: #"["fresh"]"#),
            ]),
        .init(
            "an input means less", states, "a `ping` at any time", "a `ping` between turns", ss, cs,
            says: "state-word-reworded"),
        .init(
            "a state means less", states, "no token yet", "no token or a bad one", ss, cs, says: "state-word-reworded"),
        .init(
            "a state has another name",
            [
                .init(file: states, part: #"{ "name": "opened""#, other: #"{ "name": "fresh""#),
                .init(file: states, part: #""state": "opened""#, other: #""state": "fresh""#),
            ]),
        .init(
            "a state has another name and another meaning",
            [
                .init(
                    file: states, part: #"{ "name": "opened", "means": "no"#, other: #"{ "name": "fresh", "means": "a"#),
                .init(file: states, part: #""state": "opened""#, other: #""state": "fresh""#),
            ], ss, cs, says: "state-row-added", "state-row-removed"),
        .init(
            "a row says in two what it said in one", states,
            #"{ "state": "greeted", "input": "ping", "answer": [{ "do": "send", "what": "pong" }], "next": "greeted" }"#,
            #"{ "state": "greeted", "input": "ping", "when": { "with": ["sync"] }, "answer": [{ "do": "send", "what": "pong" }], "next": "greeted" }, { "state": "greeted", "input": "ping", "when": { "without": ["sync"] }, "answer": [{ "do": "send", "what": "pong" }], "next": "greeted" }"#
        ),
        .init(
            "a row for those of one profile alone", states,
            #"{ "state": "greeted", "input": "ping", "answer""#,
            #"{ "state": "greeted", "input": "ping", "when": { "with": ["sync"] }, "answer""#, ss, cs,
            says: "state-row-changed"),
        .init(
            "a condition of a row goes", states, #" "when": { "if": ["first"] },"#, "", ss, cs,
            says: "state-row-changed"),
        .init(
            "another lawful answer", states, #"{ "state": "greeted", "input": "ping","#,
            #"{ "state": "opened", "input": "ping", "answer": [], "next": "opened" }, { "state": "greeted", "input": "ping","#,
            cs, says: "state-row-added"),
        .init(
            "a client's row that sends nothing", "states/client.json", #""rows": ["#,
            #""rows": [{ "state": "open", "input": "quit", "answer": [{ "do": "hide", "what": "all" }], "next": "open" }, "#
        ),
        .init(
            "a client's row that sends something", "states/client.json", #""rows": ["#,
            #""rows": [{ "state": "open", "input": "quit", "answer": [{ "do": "close" }], "next": "open" }, "#, ss,
            says: "state-row-added"),
        .init(
            "a lawful answer less", states,
            ",\n  { \"state\": \"greeted\", \"input\": \"ping\", \"answer\": [{ \"do\": \"send\", \"what\": \"pong\" }], \"next\": \"greeted\" }",
            "", ss, says: "state-row-removed"),
    ]
}
