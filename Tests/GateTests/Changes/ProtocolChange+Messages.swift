/// Changes of schemas, clauses and fixtures.
extension ProtocolChange {
    private static let common = "schemas/common.json"
    private static let chat = "schemas/messages/chat.json"
    private static let order = "schemas/messages/order.json"
    private static let status = "schemas/messages/status.json"
    private static let error = "schemas/messages/error.json"
    private static let turn = "clauses/TURN.md"
    private static let cs = "clients"
    private static let ss = "servers"
    private static let core = "servers that declare core"

    /// What clients send and servers read.
    static let toServers: [ProtocolChange] = [
        .init(
            "a constant becomes a choice", order, #""const": "plain""#, #""enum": ["plain", "fancy"]"#, ss,
            says: "enum-value-added", witness: "new"),
        .init(
            "nothing need be contained", order,
            #""contains": { "type": "object", "required": ["role"], "properties": { "role": { "const": "user" } } },"#,
            "", ss,
            says: "contains-removed", witness: "new"),
        .init(
            "clients may leave a member out", order, #"["type", "items"]"#, #"["type"]"#, ss,
            says: "property-became-optional", witness: "new"),
        .init(
            "clients may write more", order, #""maxLength": 80"#, #""maxLength": 160"#, ss, says: "limit-loosened",
            witness: "new"),
        .init(
            "clients may write without end", order, #", "maxLength": 80"#, "", ss, says: "limit-loosened",
            witness: "new"),
        .init(
            "clients may write less", order, #""maxLength": 80"#, #""maxLength": 40"#, cs, says: "limit-tightened",
            witness: "old"),
        .init(
            "clients may send a new member with a default", order, #""kind": {"#,
            #""lang": { "type": "string", "default": "en" }, "kind": {"#, cs, says: "property-added-default"),
        .init("another default", order, #""default": 20"#, #""default": 10"#, cs, ss, says: "default-changed"),
        .init(
            "what clients may add is closed", order, #""properties": {"# + "\n    \"type\"",
            #""unevaluatedProperties": false, "properties": {"# + "\n    \"type\"", cs, ss,
            says: "unevaluated-properties-changed", isWrong: true),
        .init("clients may send a new member", order, #""kind": {"#, #""lang": { "type": "string" }, "kind": {"#),
        .init(
            "clients must send a new member", order, #"["type", "items"],"# + "\n  \"properties\": {",
            #"["type", "items", "lang"],"# + "\n  \"properties\": { \"lang\": {},", cs, says: "property-added-required",
            witness: "old", isWrong: true),
        .init(
            "a role goes for clients", order, #"["user", "assistant"]"#, #"["user"]"#, cs, says: "enum-value-removed",
            witness: "old"),
        .init(
            "a new role for clients", order, #"["user", "assistant"]"#, #"["user", "assistant", "tool"]"#, ss,
            says: "enum-value-added", witness: "new"),
        .init(
            "clients may send fractions", order, #""type": "integer", "minimum": 1"#,
            #""type": "number", "minimum": 1"#, ss,
            says: "type-widened", witness: "new"),
        .init(
            "clients may ask for less", order, #""maximum": 50"#, #""maximum": 40"#, cs, says: "limit-tightened",
            witness: "old"),
        .init("clients may ask for all", order, #", "maximum": 50"#, "", ss, says: "limit-loosened", witness: "new"),
        .init(
            "another constant", order, #""const": "plain""#, #""const": "fancy""#, ss, cs, says: "const-changed",
            witness: "old"),
        .init("what is contained counts already", order, #""minItems": 1,"#, ""),
        .init(
            "names of members are bound", order, #""properties": {"# + "\n    \"type\"",
            #""propertyNames": { "pattern": "^[a-z]+$" }, "properties": {"# + "\n    \"type\"", cs, ss,
            says: "property-names-changed"),
        .init(
            "a member nobody named is forbidden", order, #""properties": {"# + "\n    \"type\"",
            #""not": { "required": ["debug"] }, "properties": {"# + "\n    \"type\"", cs, says: "not-changed",
            witness: "old"),
        .init(
            "members of a pattern are bound", order, #""properties": {"# + "\n    \"type\"",
            #""patternProperties": { "^x-": { "type": "string" } }, "properties": {"# + "\n    \"type\"", cs, ss,
            says: "pattern-properties-changed"),
        .init(
            "no more than three members", order, #""properties": {"# + "\n    \"type\"",
            #""maxProperties": 3, "properties": {"# + "\n    \"type\"", cs, ss, says: "limit-changed"),
        .init("a schema for people", order, #""title": "order""#, #""title": "Order""#),
    ]

    /// What servers send and clients read.
    static let toClients: [ProtocolChange] = [
        .init(
            "a new state", status, #"["up", "down"]"#, #"["up", "down", "busy"]"#, cs, says: "enum-value-added",
            witness: "new"),
        .init("a state goes", status, #"["up", "down"]"#, #"["up"]"#, ss, says: "enum-value-removed", witness: "old"),
        .init(
            "servers may count less", status, #""maximum": 100"#, #""maximum": 50"#, ss, says: "limit-tightened",
            witness: "old"),
        .init(
            "servers may count more", status, #""maximum": 100"#, #""maximum": 200"#, cs, says: "limit-loosened",
            witness: "new"),
        .init(
            "a narrower share", status, #""maximum": 1 }"#, #""maximum": 0.5 }"#, ss, says: "limit-tightened",
            witness: "old"),
        .init(
            "numbers without end", status, #", "maximum": 9007199254740991"#, "", cs, says: "limit-loosened",
            witness: "new"),
        .init(
            "servers may send fractions", status, #""type": "integer", "minimum": 0"#,
            #""type": "number", "minimum": 0"#, cs,
            says: "type-widened", witness: "new"),
        .init(
            "servers may leave a member out", status, #""level", "state"]"#, #""state"]"#, cs,
            says: "property-became-optional", witness: "new"),
        .init(
            "servers must send what was optional", status, #""level", "state"]"#, #""level", "state", "note"]"#, ss,
            says: "property-became-required", witness: "old", isWrong: true),
        .init(
            "null from servers", status, #""type": "string", "maxLength": 80"#,
            #""type": ["string", "null"], "maxLength": 80"#,
            cs, says: "became-nullable", witness: "new"),
        .init("servers may send a new member", status, #""note": {"#, #""lang": { "type": "string" }, "note": {"#),
        .init(
            "a member goes without a word", status, #""note": { "type": "string", "maxLength": 80 },"#, "",
            says: "property-removed-optional warning", isWrong: true),
        .init(
            "a profile asks for less", status, #""sync": { "required": ["seq"] }, "#, "", cs,
            says: "property-became-optional", witness: "new"),
        .init(
            "a profile asks for more", status, #""required": ["turnId"] }"#, #""required": ["turnId", "note"] }"#,
            "servers that declare rate-limit", says: "property-became-required", witness: "old"),
        .init(
            "a profile bounds a member", status, #"{ "required": ["seq"] }"#,
            #"{ "required": ["seq"], "properties": { "level": { "maximum": 50 } } }"#, "servers that declare sync",
            says: "limit-tightened", witness: "old"),
        .init(
            "a profile bounds a member less", status, "0.25", "0.125", cs, says: "limit-loosened", witness: "new"),
        .init(
            "a profile bounds a member more", status, "0.25", "0.5", "servers that declare push",
            says: "limit-tightened",
            witness: "old"),
        .init(
            "a profile bounds a member no longer", status,
            ",\n    \"push\": { \"properties\": { \"ratio\": { \"minimum\": 0.25 } } }", "", cs,
            says: "limit-loosened", witness: "new"),
        .init(
            "an object is closed that no golden message shows open", status, #""properties": {"# + "\n    \"type\"",
            #""additionalProperties": false, "properties": {"# + "\n    \"type\"", ss,
            says: "additional-properties-closed", witness: "old"),
        .init(
            "servers may send a new member with a default", status, #""note": {"#,
            #""turns": { "type": "boolean", "default": false }, "note": {"#, ss, says: "property-added-default"),
        .init(
            "a message is judged more softly", status, "TURN-2", "TURN-3", cs, says: "schema-clause-changed"),
        .init(
            "a message is judged under another clause", status, "TURN-2", "TURN-1",
            says: "schema-clause-changed warning"),
        .init(
            "a message is judged for servers of one profile alone", status, "TURN-2", "ORDER-3", cs,
            says: "schema-clause-changed"),
        .init(
            "a condition is judged more strictly", error, "TURN-3", "TURN-1", core, says: "schema-clause-changed"),
        .init(
            "a clause of a keyword moves along with it", error,
            #""then": { "x-clause": "TURN-3", "required": ["code"] }"#,
            #""then": { "allOf": [{ "title": "c", "x-clause": "TURN-3", "required": ["code"] }] }"#),
        .init(
            "a condition falls", error, #""required": ["code"]"#, #""required": []"#, cs,
            says: "property-became-optional", witness: "new"),
        .init("fewer tags", status, #""maxItems": 4"#, #""maxItems": 2"#, ss, says: "limit-tightened", witness: "old"),
        .init("more tags", status, #""maxItems": 4"#, #""maxItems": 8"#, cs, says: "limit-loosened", witness: "new"),
        .init(
            "each tag once", status, #""maxItems": 4"#, #""maxItems": 4, "uniqueItems": true"#, ss,
            says: "unique-items-on",
            witness: "old"),
        .init(
            "shorter ids for all", common, "{1,16}", "{1,8}", ss, cs, says: "pattern-changed", witness: "old"),
        .init("longer ids for all", common, "{1,16}", "{1,32}", ss, cs, says: "pattern-changed", witness: "new"),
        .init("a new code in an open set", common, #"["busy", "too_large"]"#, #"["busy", "too_large", "tired"]"#),
        .init(
            "a shared definition moves into a file of its own",
            [
                Edit(
                    file: "schemas/shared.json", part: "",
                    other: """
                        { "$schema": "https://json-schema.org/draft/2020-12/schema",
                          "$id": "https://holdfast.example/spec/1/schemas/shared.json",
                          "$defs": { "id": { "type": "string", "pattern": "^[a-z0-9]{1,16}$" } } }
                        """),
                Edit(file: order, part: "../common.json#/$defs/id", other: "../shared.json#/$defs/id"),
                Edit(file: status, part: "../common.json#/$defs/id", other: "../shared.json#/$defs/id"),
            ], like: .init("", "", "", "")),
        .init(
            "a new message",
            [
                Edit(
                    file: "schemas/messages/typing.json", part: "",
                    other: """
                        { "$schema": "https://json-schema.org/draft/2020-12/schema",
                          "$id": "https://holdfast.example/spec/1/schemas/messages/typing.json", "x-direction": "server",
                          "type": "object", "required": ["type"], "properties": { "type": { "const": "typing" } } }
                        """),
                Edit(file: "Fixtures/messages/typing/valid/plain.json", part: "", other: #"{"type":"typing"}"#),
            ], like: .init("", "", "", "", says: "message-added warning", "message-without-channel warning")),
    ]

    /// Binding sentences.
    static let clauses: [ProtocolChange] = [
        .init("one becomes some", turn, "exactly one", "at least one", core, cs, says: "clause-reworded"),
        .init(
            "one less in a list", turn, "`done`, `error` and `status`", "`done` and `error`", core, cs,
            says: "clause-reworded"),
        .init("more time", turn, "within 30 s", "within 60 s", cs, says: "clause-bound-loosened"),
        .init("clients may ask more at once", turn, "at most 5", "at most 9", ss, says: "clause-bound-loosened"),
        .init(
            "a duty stands outside of a sentence", turn, "Why: people look back.\nJudged from: what is seen.",
            "Why: people look back.\nJudged from: what is seen, and a server MUST say so."),
        .init(
            "a duty stands outside of a binding sentence", turn, "Why: a client has many.\nJudged from: what is seen.",
            "Why: a client has many.\nJudged from: what is seen, and a server MUST say so.", core,
            says: "clause-evidence-changed"),
        .init("less time", turn, "within 30 s", "within 20 s", core, says: "clause-bound-tightened"),
        .init("time without end", turn, " within 30 s", "", core, cs, says: "clause-reworded"),
        .init("what was asked for is forbidden", turn, "MUST end", "MUST NOT end", core, cs, says: "clause-inverted"),
        .init(
            "a recommendation in other words", turn, "SHOULD keep at least", "SHOULD store at least",
            says: "clause-reworded warning"),
        .init(
            "a permission in other words", turn, "while a turn runs", "while another turn runs",
            says: "clause-reworded warning"),
        .init("a bound of a clause in another unit", turn, "30 s", "30000 ms"),
        .init("a clause with other line ends", turn, "within 30 s.\n", "within 30 s.\r\n"),
        .init("a line is broken elsewhere", turn, "MUST end each turn", "MUST end\neach turn"),
        .init(
            "a clause for fewer servers", turn, "TURN-1 · server · core", "TURN-1 · server · push", cs,
            says: "clause-profile-changed"),
        .init(
            "a clause for all servers", "clauses/ORDER.md", "ORDER-3 · server · sync", "ORDER-3 · server · core", core,
            says: "clause-profile-changed"),
        .init(
            "a clause for others", "clauses/ORDER.md", "ORDER-3 · server · sync", "ORDER-3 · server · push", cs,
            "servers that declare push", says: "clause-profile-changed"),
        .init(
            "other evidence", turn, "Why: it is the first.\nJudged from: what is seen.",
            "Why: it is the first.\nJudged from: what is heard.", says: "clause-evidence-changed warning"),
        .init(
            "an area means something else", turn, "# TURN\n", "# TURN\n\nA turn is a question.\n",
            says: "area-introduction-changed warning"),
        .init("another reason", turn, "Why: a client has many.", "Why: clients have many."),
        .init("an obligation becomes a recommendation", turn, "MUST name", "SHOULD name", cs, says: "clause-weakened"),
        .init(
            "a recommendation becomes an obligation", turn, "SHOULD keep", "MUST keep", core,
            says: "clause-strengthened"),
        .init(
            "a new obligation", turn, "### TURN-4",
            "### TURN-5 · server · core\nA server MUST count its turns.\nWhy: so.\nJudged from: so.\nFrom: R1. Since: NEXT.\n\n### TURN-4",
            core, says: "clause-added"),
        .init(
            "a clause is withdrawn", turn, "Why: a client has many.\nJudged from: what is seen.",
            "Why: a client has many.\nJudged from: what is seen.\nExcluded: withdrawn in 1.1.", cs,
            says: "clause-withdrawn"),
        .init(
            "nobody judges a clause any more", turn, "Why: a client has many.\nJudged from: what is seen.",
            "Why: a client has many.\nJudged from: what is seen.\nExcluded: nobody sees it.",
            says: "clause-exclusion-added warning"),
    ]

    private static let index = "Fixtures/index.json"
    private static let glad =
        #"{"file":"messages/chat/invalid/glad.json","type":"chat","schema":"messages/chat.json","verdict":""#

    /// Golden files.
    static let fixtures: [ProtocolChange] = [
        .init(
            "a golden message is valid now, where it lies", index, glad + "invalid", glad + "valid", ss,
            says: "fixture-verdict-changed", isWrong: true),
        .init(
            "a golden message is valid now, and so say the schemas",
            [
                Edit(file: index, part: glad + "invalid", other: glad + "valid"),
                Edit(file: chat, part: #"["calm", "cross"]"#, other: #"["calm", "cross", "glad"]"#),
            ],
            like: .init(
                "", "", "", "", ss, says: "fixture-verdict-changed", "enum-value-added", witness: "new")),
        .init(
            "a golden message is valid in another file",
            [
                Edit(file: "Fixtures/messages/chat/invalid/glad.json", part: "", other: ""),
                Edit(
                    file: "Fixtures/messages/chat/valid/glad.json", part: "", other: #"{"type":"chat","mood":"glad"}"#),
                Edit(file: chat, part: #"["calm", "cross"]"#, other: #"["calm", "cross", "glad"]"#),
            ],
            like: .init(
                "", "", "", "", ss, says: "fixture-verdict-changed", "enum-value-added", witness: "new")),
        .init(
            "a golden message is invalid now", index, #""type":"chat","schema":"messages/chat.json","verdict":"valid""#,
            #""type":"chat","schema":"messages/chat.json","verdict":"invalid""#, cs, says: "fixture-verdict-changed",
            isWrong: true),
        .init(
            "a golden message that its schema refuses", "Fixtures/messages/status/valid/plain.json", #""level":3"#,
            #""level":300"#, says: "fixture-changed warning", isWrong: true),
        .init(
            "a golden message in another form", "Fixtures/messages/status/valid/plain.json", #""level":3"#,
            #""level":4"#,
            says: "fixture-changed warning"),
        .init(
            "what golden messages show is closed", order, #""properties": {"# + "\n    \"type\"",
            #""additionalProperties": false, "properties": {"# + "\n    \"type\"", cs,
            says: "additional-properties-closed", witness: "old", isWrong: true),
    ]

    static let all = facts + sentences + toServers + toClients + clauses + fixtures + strangers

    /// Changes that come together in one pull request, by their names.
    static let together: [[String]] =
        strangersTogether + [
            ["a new error code", "a new status"],
            ["a definition has another number", "a section has another number", "more time"],
            ["a success becomes another", "a definition in other words"],
            ["a new error code", "a new code in an open set", "a code in other words"],
            ["an error code goes", "a status goes", "an answer less"],
            ["another status of a code", "a new status beside a default"],
            ["a code is final", "a close code is terminal no more"],
            ["a close code goes", "a server's bound is tighter"],
            ["a close code becomes terminal", "a client's bound is wider"],
            ["a new close code", "a new terminal code"],
            ["a server's bound goes", "a profile needs another", "clients may send a new member"],
            ["a bound in another unit", "a line is broken elsewhere", "another reason", "a schema for people"],
            ["a new reason", "a new state"],
            ["a profile goes", "a profile asks for less"],
            ["a profile asks for more", "a profile asks for less"],
            ["a profile asks for less", "servers may send a new member"],
            ["a new request", "a new operation", "a new message"],
            ["a request goes", "an operation goes"],
            ["a parameter must be given", "a header goes"],
            ["a tighter parameter", "shorter ids for all"],
            ["a wider parameter", "longer ids for all"],
            ["another body of a shared answer", "a new status"],
            ["a request asks for a token", "the socket asks for no token"],
            ["credentials travel otherwise", "the socket's credentials travel otherwise"],
            ["an example server moves", "an example host moves", "a request in other words"],
            ["an operation takes less", "another reply"],
            ["another payload", "clients may write more"],
            ["an input leads elsewhere", "a lawful answer less"],
            ["a constant becomes a choice", "clients may write less"],
            ["clients may write more", "servers may count more"],
            ["clients may write less", "servers may count less"],
            ["clients may send a new member", "servers may send a new member", "a new parameter", "a new header"],
            ["clients may leave a member out", "what is contained counts already"],
            ["names of members are bound", "clients may send a new member"],
            ["clients may send fractions", "servers may send fractions"],
            ["a new role for clients", "a new state", "a new request"],
            ["a state goes", "fewer tags", "a narrower share"],
            ["servers must send what was optional", "null from servers"],
            ["a condition falls", "a new code in an open set"],
            ["a shared definition moves into a file of its own", "servers may count more"],
            ["a shared definition moves into a file of its own", "a bound in another unit", "an example host moves"],
            ["one becomes some", "a recommendation becomes an obligation"],
            ["one less in a list", "more time"],
            ["less time", "a server's bound is tighter"],
            ["a clause for fewer servers", "a profile needs no other"],
            ["a new obligation", "a new error code", "a new message"],
            ["a clause is withdrawn", "a recommendation in other words"],
            ["a golden message is valid now, and so say the schemas", "a new state"],
            ["a golden message in another form", "servers may send a new member"],
            ["a new message", "a new reason", "a permission in other words"],
        ]
}
