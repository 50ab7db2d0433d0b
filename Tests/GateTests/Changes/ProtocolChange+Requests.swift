/// Changes as pull requests brought them, by whoever had not read the rules.
extension ProtocolChange {
    private static let common = "schemas/common.json"
    private static let done = "schemas/messages/done.json"
    private static let order = "schemas/messages/order.json"
    private static let status = "schemas/messages/status.json"
    private static let error = "schemas/messages/error.json"
    private static let three = "chapters/03-conformance.md"
    private static let five = "chapters/05-messages.md"
    private static let six = "chapters/06-rest.md"
    private static let rest = "openapi.json"
    private static let socket = "asyncapi.json"
    private static let states = "states/server.json"
    private static let dialect = "dialects/old.json"
    private static let cs = "clients"
    private static let ss = "servers"
    private static let core = "servers that declare core"

    static let strangers: [ProtocolChange] = [
        // Open sets
        .init(
            "a code goes from an open set", common, #"["busy", "too_large"]"#, #"["busy"]"#, ss,
            says: "open-value-removed"),
        .init(
            "a code goes from an open set inside allOf", common, #""x-extensible-enum": ["busy", "too_large"]"#,
            #""allOf": [{ "x-extensible-enum": ["busy"] }]"#, ss, says: "open-value-removed"),
        .init(
            "an open set moves into allOf", common, #""x-extensible-enum": ["busy", "too_large"]"#,
            #""allOf": [{ "x-extensible-enum": ["busy", "too_large"] }]"#),
        // Dialects
        .init(
            "a dialect loses a mapping", dialect, #"{ "sender": "server", "wire": "delivered", "is": "ack" }, "#, "",
            says: "dialect-mapping-removed warning"),
        .init(
            "a dialect maps a type to another", dialect, #""wire": "delivered", "is": "ack""#,
            #""wire": "delivered", "is": "done""#, says: "dialect-mapping-changed warning"),
        .init(
            "a dialect has another key", dialect, #""in": "frame""#, #""in": "query""#,
            says: "dialect-mapping-changed warning"),
        .init(
            "a dialect maps more", dialect, #""frames": ["#,
            #""frames": [{ "sender": "server", "wire": "bye", "ignored": "so" }, "#,
            says: "dialect-mapping-added warning"),
        .init("a dialect in another order, with other reasons", dialect, #""not here""#, #""nowhere""#),
        .init(
            "a dialect is excused no more", dialect, #"{ "clauses": ["TURN-2"], "because": "none" }"#, "",
            says: "dialect-exemption-removed warning"),
        .init(
            "a dialect is excused for some frames alone", dialect, #"["TURN-2"], "#,
            #"["TURN-2"], "frames": ["ack"], "#,
            says: "dialect-exemption-removed warning"),
        .init(
            "a dialect is excused for one more clause", dialect, #"["TURN-2"]"#, #"["TURN-2", "TURN-1"]"#),
        .init("a dialect goes", dialect, "", "", says: "dialect-removed warning"),
        .init(
            "a body's file has another name",
            [
                .init(file: "schemas/rest/answer.json", part: "", other: ""),
                .init(file: "schemas/rest/reply.json", part: "", other: ChangedProtocol.answer),
                .init(file: rest, part: "schemas/rest/answer.json", other: "schemas/rest/reply.json"),
                .init(file: "Fixtures/messages/answer/valid/plain.json", part: "", other: ""),
                .init(file: "Fixtures/messages/reply/valid/plain.json", part: "", other: #"{"answer":"Yes."}"#),
            ]),
        .init(
            "schemas live on another host",
            [
                .init(file: common, part: "https://holdfast.example/", other: "https://spec.example/"),
                .init(file: done, part: "https://holdfast.example/", other: "https://spec.example/"),
                .init(file: order, part: "https://holdfast.example/", other: "https://spec.example/"),
                .init(file: status, part: "https://holdfast.example/", other: "https://spec.example/"),
                .init(file: error, part: "https://holdfast.example/", other: "https://spec.example/"),
            ]),
        .init(
            "an area of profiles that the program does not know",
            [
                .init(file: three, part: "| `push` |", other: "| `later` | server | more | `core` |\n| `push` |"),
                .init(
                    file: "clauses/LATER.md", part: "",
                    other: """
                        # LATER

                        ### LATER-1 · server · later
                        A server MUST wait.
                        Why: it is new.
                        Judged from: what is seen.
                        From: R1. Since: 1.1.

                        ### LATER-2 · server · later with push
                        A server MUST wait longer.
                        Why: it is new.
                        Judged from: what is seen.
                        From: R1. Since: 1.1.

                        """),
            ]),
        .init(
            "a duty in an area that the program does not know",
            [
                .init(
                    file: "clauses/LATER.md", part: "",
                    other:
                        "# LATER\n\n### LATER-1 · server · core\nA server MUST wait.\nWhy: so.\nFrom: R1. Since: 1.1.\n"
                )
            ], core, says: "unjudged-duty-added"),
        .init(
            "a profile that the program does not know, with a clause",
            [
                .init(file: three, part: "| `push` |", other: "| `later` | server | more | `core` |\n| `push` |"),
                .init(
                    file: "clauses/TURN.md", part: "### TURN-4",
                    other:
                        "### TURN-5 · server · later\nA server MUST count its turns.\nWhy: so.\nJudged from: so.\nFrom: R1. Since: NEXT.\n\n### TURN-4"
                ),
            ]),
        .init(
            "a code goes from its table and from the open set",
            [
                .init(file: common, part: #"["busy", "too_large"]"#, other: #"["busy"]"#),
                .init(file: five, part: "| `too_large` | too many bytes | 413 | no | smaller |\n", other: ""),
            ], ss, says: "error-code-removed"),
        .init(
            "a code comes into its table and into the open set",
            [
                .init(file: common, part: #"["busy", "too_large"]"#, other: #"["busy", "too_large", "tired"]"#),
                .init(file: five, part: "| `busy` | a", other: "| `tired` | asleep | 503 | no | later |\n| `busy` | a"),
            ], like: .init("", "", "", "")),
        .init(
            "an open set is closed", common, #""x-extensible-enum""#, #""enum""#, ss, says: "enum-introduced",
            witness: "old"),
        .init(
            "an open set where any text was", status, #""note": { "#,
            #""note": { "x-extensible-enum": ["calm", "windy"], "#, ss, says: "open-set-added"),
        // Bounds with terms, and tables that no rule knows
        .init("other terms of a bound", three, ", or as configured", "", ss, cs, says: "timeout-reworded"),
        .init("a tighter bound with terms", three, "| 65 s,", "| 60 s,", cs, says: "timeout-tightened"),
        .init(
            "a status in a table of words", six, "| 404, 429 |", "| 404, 410, 429 |", "servers", "clients",
            says: "table-number-changed"),
        .init("words in a table of words", six, ", always", ", at any time"),
        .init("a row of words", six, "| `POST", "| `GET /api/stats` | `{}` | |\n| `POST"),
        .init(
            "a row of words goes", six, "| `GET /api/health` | `{ok: true}`, always | |\n", "",
            says: "table-row-removed warning"),
        // Messages
        .init(
            "clients must give an id", order, #"["type", "items"],"#, #"["type", "items", "id"],"#, cs,
            says: "property-became-required", witness: "old", isWrong: true),
        .init(
            "an answer has a longest text", done, #""text": { "type": "string" }"#,
            #""text": { "type": "string", "maxLength": 1000 }"#, ss, says: "limit-tightened", witness: "old"),
        .init(
            "tags become numbers", status, #""items": { "type": "string" }"#, #""items": { "type": "integer" }"#, ss,
            cs,
            says: "type-changed", witness: "new"),
        .init(
            "a level of at least one", status, #""minimum": 0, "maximum": 100"#, #""minimum": 1, "maximum": 100"#, ss,
            says: "limit-tightened", witness: "old"),
        .init(
            "numbers from zero", status, #""minimum": 1, "maximum": 9007"#, #""minimum": 0, "maximum": 9007"#, cs,
            says: "limit-loosened", witness: "new"),
        .init(
            "texts of items have an end", order, #""text": { "type": "string" }"#,
            #""text": { "type": "string", "maxLength": 500 }"#, cs, says: "limit-tightened", witness: "old"),
        .init("a member of clients goes without a word", order, #""kind": { "const": "plain" },"#, "", isWrong: true),
        .init(
            "an error may come without words", error, #"["type", "error"]"#, #"["type"]"#, cs,
            says: "property-became-optional", witness: "new"),
        .init(
            "a value has another name", status, #"["up", "down"]"#, #"["up", "gone"]"#, ss, cs,
            says: "enum-value-added", witness: "new"),
        .init(
            "a condition asks for nothing", error, #""then": { "x-clause": "TURN-3", "required": ["code"] }"#,
            #""else": true"#, cs, says: "property-became-optional", witness: "new"),
        .init(
            "a condition asks of more messages", error, #""if": { "required": ["turnId"] }"#,
            #""if": { "required": ["error"] }"#, ss, says: "condition-changed", witness: "old"),
        .init(
            "ids with capitals", common, "^[a-z0-9]{1,16}$", "^[A-Za-z0-9]{1,16}$", ss, cs, says: "pattern-changed",
            witness: "new"),
        .init(
            "a note has a format", status, #""note": { "#, #""note": { "format": "date", "#, cs, ss,
            says: "format-changed"),
        .init(
            "a message turns round", status, #""x-direction": "server""#, #""x-direction": "client""#, ss, cs,
            says: "message-direction-changed"),
        .init(
            "a share may be null", status, #""ratio": { "type": "number","#, #""ratio": { "type": ["number", "null"],"#,
            cs, says: "became-nullable", witness: "new"),
        .init(
            "a level may be a text", status, #""level": { "type": "integer","#,
            #""level": { "type": ["integer", "string"],"#, cs, says: "type-widened", witness: "new"),
        .init(
            "a profile asks for a share", status, #""required": ["seq"]"#, #""required": ["seq", "ratio"]"#,
            "servers that declare sync", says: "property-became-required", witness: "old"),
        .init(
            "an order of at most two", order, #""minItems": 1,"#, #""minItems": 1, "maxItems": 2,"#, cs,
            says: "limit-tightened", witness: "old"),
        .init(
            "an order of at least two", order, #""minItems": 1,"#, #""minItems": 2,"#, cs, says: "limit-tightened",
            witness: "old", isWrong: true),
        .init(
            "a note is deprecated", status, #""note": { "#, #""note": { "deprecated": true, "#),
        // Clauses
        .init(
            "one more in a list", "clauses/TURN.md", "`done`, `error` and `status`",
            "`done`, `error`, `status` and `order`",
            core, cs, says: "clause-reworded"),
        .init("a recommendation of more", "clauses/TURN.md", "at least 10 turns", "at least 20 turns"),
        .init(
            "a permission becomes an obligation", "clauses/TURN.md", "MAY answer", "MUST answer", core,
            says: "clause-strengthened"),
        // Documents
        .init(
            "a range of statuses in place of one", rest, #""401": { "description": "No token." }"#,
            #""4XX": { "description": "No." }"#, cs, ss, says: "status-removed"),
        .init(
            "one status in place of a default and a range", rest, #""default": { "description": "It failed." }"#,
            #""5XX": { "description": "It failed." }"#, ss, says: "status-removed"),
        .init(
            "a message in another form", socket, #""chat": { "payload""#,
            #""chat": { "contentType": "application/cbor", "payload""#, ss, cs, says: "channel-message-changed"),
        .init(
            "an operation asks for a token", socket, #""ask": {"#,
            ##""ask": { "security": [{ "$ref": "#/components/securitySchemes/bearer" }],"##, cs,
            says: "socket-security-removed"),
        .init(
            "another answer to an input", states, #""what": "pong""#, #""what": "status""#, ss, cs,
            says: "state-row-changed"),
        .init(
            "two lawful answers to an input", states, #"{ "state": "greeted", "input": "ping","#,
            #"{ "state": "greeted", "input": "ping", "answer": [{ "do": "close" }], "next": "closing" }, { "state": "greeted", "input": "ping","#,
            cs, says: "state-row-changed"),
        .init(
            "an answer that nobody sees", states, #"[{ "do": "send", "what": "pong" }]"#,
            #"[{ "do": "send", "what": "pong" }, { "do": "wait", "what": "pong" }]"#, ss, says: "state-row-changed"),
        .init(
            "what is lawful already is written for everybody to see", states,
            #"{ "state": "greeted", "input": "ping","#,
            #"{ "state": "greeted", "input": "ping", "answer": [{ "do": "send", "what": "pong" }, { "do": "wait", "what": "quiet" }], "next": "greeted" }, { "state": "greeted", "input": "ping","#
        ),
        .init(
            "an input of answers in other words", "chapters/04-transport.md", "| unknown `type` |",
            "| a `type` that nobody knows |", ss, cs,
            says: "answer-row-reworded"),
        .init(
            "a closed set of values opens", status, #""state": { "enum": ["up", "down"] }"#,
            #""state": { "type": "string", "x-extensible-enum": ["up", "down"] }"#, cs, says: "enum-dropped",
            witness: "new"),
        .init(
            "an input has an answer where it had none", states, #"{ "state": "greeted", "input": "ping","#,
            #"{ "state": "closing", "input": "ping", "answer": [{ "do": "send", "what": "pong" }], "next": "closing" }, { "state": "greeted", "input": "ping","#,
            cs, says: "state-row-added"),
    ]

    /// What came in one pull request.
    static let strangersTogether: [[String]] = [
        ["a profile bounds a member", "a profile bounds a member less"],
        ["a profile bounds a member no longer", "servers may count less"],
        ["a success becomes another", "a new status beside a default"],
        ["an error becomes another", "a new parameter with a default"],
        ["an object is closed that no golden message shows open", "clients may write less"],
        ["a message is judged more softly", "servers may count more"],
        ["a message is judged under another clause", "a condition is judged more strictly", "less time"],
        ["another default", "clients may ask for less"],
        ["clients may send a new member with a default", "clients may ask more at once"],
        ["a code goes from an open set", "a new error code"],
        ["a code comes into its table and into the open set", "a status in a table of words"],
        ["clients must give an id", "clients may write less"],
        ["an answer has a longest text", "a level of at least one", "a note is deprecated"],
        ["tags become numbers", "more tags"],
        ["ids with capitals", "a recommendation of more"],
        ["a message in another form", "another answer to an input"],
        ["an operation asks for a token", "a request asks for a token"],
        ["a range of statuses in place of one", "a row of words"],
        ["other terms of a bound", "less time"],
        ["an input means less", "two lawful answers to an input"],
        ["an input of answers in other words", "a reason in other words", "a close code in other words"],
        ["a closed set of values opens", "a code comes into its table and into the open set"],
        ["what is lawful already is written for everybody to see", "a row of words"],
    ]
}
