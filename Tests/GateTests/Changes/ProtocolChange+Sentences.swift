/// Changes of what chapters say in sentences and explain in tables, and of what tools read beside the protocol.
extension ProtocolChange {
    private static let two = "chapters/02-terms.md"
    private static let note = "schemas/files/note.json"

    static let sentences: [ProtocolChange] = [
        // Clauses are read by these.
        .init(
            "a definition has another number", two, "60 s", "30 s", "servers", "clients", says: "definition-changed"),
        .init(
            "a definition in other words", two, "it is shorter", "it is said to be shorter",
            says: "definition-reworded warning"),
        .init("a definition on other lines", two, ", unless\nit", ",\nunless it"),
        .init("a section has another number", two, "5 s apart", "1 s apart", says: "section-number-changed warning"),
        .init("a section in other words", two, "A client reads", "Each client reads"),
        .init("a section names another clause", two, "[TURN-6]", "[TURN-3]"),
        .init(
            "a member means another number where it is absent", "chapters/05-messages.md", "20 if absent",
            "10 if absent", "servers", "clients", says: "table-number-changed"),
        .init(
            "a condition asks more of a member", "schemas/messages/error.json", #""required": ["code"] }"#,
            #""required": ["code"], "properties": { "code": { "minLength": 5 } } }"#, "servers",
            says: "condition-changed", witness: "old"),
        .init(
            "a row is judged under another clause", "states/server.json",
            #""answer": [{ "do": "send", "what": "pong" }]"#,
            #""clauses": ["TURN-2"], "answer": [{ "do": "send", "what": "pong" }]"#,
            says: "state-clause-changed warning"),
        .init(
            "a row has another answer, judged under another clause", "states/server.json",
            #""answer": [{ "do": "send", "what": "pong" }]"#,
            #""clauses": ["TURN-2"], "answer": [{ "do": "send", "what": "error" }]"#, "servers", "clients",
            says: "state-row-changed"),
        .init(
            "a dialect is excused for one member", "dialects/old.json", #""because""#,
            #""members": ["note"], "because""#, says: "dialect-exemption-changed warning"),
        .init("a format of the tools in other words", note, "A note.", "Some note."),
        .init(
            "a format of the tools asks for more", note, #""properties""#, #""required": ["id"], "properties""#,
            says: "file-format-changed warning"),
    ]
}
