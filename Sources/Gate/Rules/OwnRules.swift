import HoldfastSchemaDiff

extension RuleBook {
    /// The rules about clauses, fixtures, scenarios, transcripts, pages, versions and waivers.
    static let ownRules =
        others
        + files.flatMap { id, title, added, rest, file in
            [
                added.map { rule("\(id)-added", $0, "nobody", "\(title) is new", "\(file) is new") },
                rule("\(id)-removed", rest, "nobody", "\(title) is gone", "\(file) is deleted"),
                rule("\(id)-changed", rest, "nobody", "\(title) is another", "\(file) is edited"),
            ].compactMap(\.self)
        }

    /// Files that break nobody by coming, going or changing: what one is called, its severities when it comes and otherwise,
    /// and one of them.
    private static let files: [(String, String, added: GateSeverity?, GateSeverity, String)] = [
        ("fixture", "a golden file", nil, .warning, "done/valid/plain.json"),
        ("scenario", "a scenario", .information, .warning, "server/ORDER/plain.json"),
        ("page", "a page", .information, .information, "Spec/trace.md"),
        ("file-format", "a file of the tools", .information, .warning, "schemas/files/more.json"),
    ]

    private static let others: [RuleEntry] = [
        // Clauses
        rule("clause-added", .error, "the side it binds", "a clause is new", "a MUST in profile `core`"),
        rule("clause-removed", .error, "clients that relied on it", "a clause is gone", "`### SYNC-3` is deleted"),
        rule(
            "clause-withdrawn", .error, "clients that relied on it", "a clause is marked as withdrawn",
            "`Excluded: withdrawn in 1.1`"),
        rule("clause-id-reused", .error, "both sides", "a number names another rule", "ORDER-4 is about lunch now"),
        rule("clause-strengthened", .error, "the side it binds", "a keyword asks for more", "SHOULD becomes MUST"),
        rule("clause-weakened", .error, "clients that relied on it", "a keyword asks for less", "MUST becomes SHOULD"),
        rule("clause-inverted", .error, "both sides", "a keyword asks for the opposite", "MUST becomes MUST NOT"),
        rule("clause-bound-tightened", .error, "the side it binds", "a number asks for more", "30 s becomes 20 s"),
        rule("clause-bound-loosened", .error, "the other side", "a number asks for less", "30 s becomes 60 s"),
        rule(
            "clause-bound-changed", .error, "both sides", "a number is another, and words do not tell which way",
            "close with 4002, and not with 4001"),
        rule(
            "clause-reworded", .error, "both sides, until a person says otherwise",
            "a binding sentence has other words",
            "\"exactly one\" becomes \"at least one\""),
        rule("clause-role-changed", .error, "both sides", "a clause binds the other side", "`client` becomes `server`"),
        rule(
            "clause-profile-changed", .error, "who is bound now, and clients that relied on it",
            "a clause belongs to another profile", "`core` becomes `push`"),
        rule("clause-exclusion-added", .warning, "nobody", "no run judges a clause any more", "`Excluded: …` is new"),
        rule("clause-exclusion-removed", .warning, "nobody", "runs judge a clause now", "`Excluded: …` is gone"),
        rule(
            "clause-evidence-changed", .warning, "nobody", "a clause is judged from something else",
            "`Judged from:` in other words"),
        rule(
            "area-introduction-changed", .warning, "nobody", "the introduction of an area has other words",
            "the text above `### SYNC-1`"),
        rule("clause-note-changed", .information, "nobody", "a note of a clause is another", "`Why:` in other words"),
        rule(
            "clause-since-wrong", .error, "nobody", "a clause names the wrong version", "`Since: 1.0` on a new clause"),
        rule(
            "clause-without-scenario", .warning, "nobody", "nothing puts a clause to the test any more",
            "its scenario is gone"),
        // Requests
        rule(
            "request-parameter-changed", .error, "who sends, or who reads", "a parameter may hold something else",
            "`id` has at most 8 characters"),
        rule(
            "request-body-changed", .error, "who sends, or who reads", "a body has another schema",
            "404 comes with another body"),
        rule(
            "request-header-changed", .error, "who sends, or who reads", "a header may hold something else",
            "`Retry-After` may be 0"),
        // Fixtures
        rule("baseline-missing", .error, "nobody", "the old state has no fixtures", "Fixtures/index.json is missing"),
        rule(
            "fixture-now-invalid", .error, "who sends it", "the new schemas refuse a golden message",
            "a member is required now"),
        rule(
            "fixture-verdict-changed", .error, "who sends it, or who reads it",
            "a golden file is to be judged otherwise",
            "`invalid` becomes `valid`, wherever the file lies"),
        rule(
            "fixture-contradicts-schema", .error, "nobody", "a golden message is valid, and its schema refuses it",
            "a file below valid/ breaks its schema"),
        rule(
            "invalid-fixture-now-valid", .warning, "nobody", "the new schemas take what was golden as invalid",
            "a wider set"),
        rule(
            "new-fixture-invalid-under-old", .error, "clients",
            "a new golden message of servers, which old schemas refuse",
            "`text` is null"),
        rule(
            "message-without-fixture", .error, "nobody", "no golden message shows a type", "typing.json has no fixture"),
        // Transcripts
        rule(
            "transcript-regression", .error, "whose transcript it is", "a transcript breaks a clause now", "at line 5"),
        rule("transcript-warning", .warning, "nobody", "a transcript gets a warning now", "MUST became SHOULD"),
        rule(
            "transcript-relief", .warning, "nobody", "a transcript broke a clause, and does not now", "a clause is gone"
        ),
        rule(
            "transitive-break", .error, "peers of an older version", "a break since a version that is still supported",
            "--supported v1.0.0"),
        // Scenarios
        rule("scenario-reworded", .information, "nobody", "a scenario has other words", "another title"),
        rule(
            "scenario-clauses-changed", .information, "nobody", "a scenario does the same, for other clauses",
            "SYNC-3 is added to its `clauses`"),
        rule("scenario-wait-changed", .warning, "nobody", "a scenario waits otherwise", "`within` is another"),
        // Versions
        rule(
            "removal-without-deprecation", .error, "nobody", "something goes that was not deprecated",
            "a member without `deprecated: true` is deleted"),
        rule("sunset-too-soon", .error, "nobody", "something goes before its time", "`x-sunset` is 1.3, and it is 1.2"),
        rule("version-decreased", .error, "nobody", "the version falls", "1.1 becomes 1.0"),
        rule("version-unchanged", .error, "nobody", "the version does not rise enough", "a new message, and still 1.0"),
        rule("breaking-without-major", .error, "nobody", "somebody breaks without a major version", "1.0 becomes 1.1"),
        rule("wire-version-differs", .error, "nobody", "`protocol` is not the major version", "2.0 with protocol 1"),
        rule("changelog-missing", .error, "nobody", "the changelog does not name a change", "no line names SYNC-3"),
        rule("waiver-unused", .error, "nobody", "a waiver covers nothing", "its finding is mended"),
        rule("waiver-expired", .error, "nobody", "a waiver is over", "it held until yesterday"),
    ]

    private static func rule(
        _ id: String, _ severity: GateSeverity, _ whom: String, _ title: String, _ example: String
    ) -> RuleEntry {
        RuleEntry(
            id: id, severity: severity, direction: whom == "nobody" ? "breaks nobody by itself" : "breaks \(whom)",
            title: title, example: example)
    }
}
