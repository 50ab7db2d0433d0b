import Holdfast
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// Tables, requests, scenarios and pages.
@Suite struct StateComparisonTests {
    private static let messages = "Spec/chapters/05-messages.md"

    @Test(arguments: [
        (messages, "| `busy` | a turn runs | 409 |\n", "", ["error-code-removed error"]),
        (
            messages, "| `busy` | a turn runs | 409 |", "| `busy` | a turn runs | 503 |",
            ["error-code-effect-changed error"]
        ),
        (messages, "| `busy` |", "| `tired` | asleep | 500 |\n| `busy` |", ["error-code-added information"]),
        (messages, "| `pong` | 5 s |", "| `pong` | 3 s |", ["timeout-tightened error"]),
        (messages, "# 5. Messages", "# 5. All messages", []),
        (
            "Spec/openapi.json", #""/api/health": { "get""#, #""/api/health": { "post""#,
            ["request-added information", "request-removed error", "removal-without-deprecation error"]
        ),
        ("Spec/openapi.json", #""401": {}"#, #""401": {}, "429": {}"#, ["status-added error"]),
        (
            "Spec/openapi.json", #"{ "get": { "responses": { "200": {}, "401""#,
            #"{ "get": { "parameters": [{"name":"page","in":"query","required":true}], "responses": { "200": {}, "401""#,
            ["request-parameter-added information", "request-parameter-required-added error"]
        ),
        (
            "Spec/openapi.json", #"{ "get": { "responses": { "200": {}, "401""#,
            #"{ "get": { "parameters": [{"name":"page","in":"query"}], "responses": { "200": {}, "401""#,
            ["request-parameter-added information"]
        ),
        (
            "Spec/scenarios/server/ORDER/plain.json", #""within": "turn""#, #""within": "pong""#,
            ["scenario-changed warning"]
        ),
        (
            "Spec/scenarios/server/ORDER/plain.json", #""title": "Plain""#, #""title": "Simple""#,
            ["scenario-reworded information"]
        ),
        (
            "Spec/scenarios/server/ORDER/plain.json", #""do": "connect""#, #""do": "listen""#,
            ["scenario-changed warning"]
        ),
        (
            "Spec/scenarios/server/ORDER/plain.json", #""clauses": ["#, #""clauses": ["RATE-2", "#,
            ["scenario-reworded information"]
        ),
    ])
    func `an edit is told by its rule`(file: String, part: String, other: String, rules: [String]) async throws {
        let edit = Edit { $0.edit(part, by: other, in: file) }
        let found = try await edit.rules().filter { $0 != "page-changed information" }
        #expect(found == rules.sorted())
    }

    @Test func `a column that is new is for a person to look at, and told once`() async throws {
        var edit = Edit()
        edit.old.edit("over REST", by: "remarks", in: Self.messages)
        edit.new.files["CHANGELOG.md"]? += "- over REST\n"
        let loud = try await edit.report().entries.filter { $0.kind == .change && $0.finding.severity > .information }
        #expect(loud.map(\.finding.rule) == ["table-column-added"])
        #expect(loud.allSatisfy { $0.finding.severity == .warning && $0.breaks.isEmpty })
    }

    @Test func `a keyword of a shared definition is one finding, wherever it is referred to`() async throws {
        var new = ChangedProtocol.base
        new.edit(#", "pattern": "^[a-z0-9]{1,16}$""#, by: "", in: "Spec/schemas/common.json")
        let report = try await gate(
            from: ChangedProtocol.state.get(), to: new.state(), options: GateOptions(today: Edit.today))
        let found = report.entries.filter { $0.finding.direction == .serverToClient && $0.finding.severity == .error }
        #expect(found.map(\.finding.messages) == [["error", "status"]])
        #expect(found.map { $0.finding.new?.pointerText } == ["schemas/common.json#/$defs/id"])
    }

    @Test func `a scenario that is gone leaves its clause untested`() async throws {
        let edit = Edit { $0.files["Spec/scenarios/server/ORDER/plain.json"] = nil }
        #expect(try await edit.rules() == ["clause-without-scenario warning", "scenario-removed warning"])
        #expect(try await edit.report().passes)
    }

    @Test func `a scenario with other steps says what it exercises no more`() async throws {
        let path = "Spec/scenarios/server/ORDER/plain.json"
        var edit = Edit { $0.edit(#""type": "done""#, by: #""type": "error""#, in: path) }
        edit.options.exercise = { names, specification in
            let isOld = specification.files.texts["scenarios/server/ORDER/plain.json"]?.contains("done") ?? false
            let all = [try #require(ClauseID("ORDER-3")): 2, try #require(ClauseID("RATE-2")): 1]
            return names.keyed(by: \.self).mapValues { _ in isOld ? all : all.filter { $0.value == 1 } }
        }
        let entry = try #require(try await edit.report().entries.first { $0.finding.rule == "scenario-changed" })
        #expect(entry.finding.why.hasSuffix("it no longer exercises ORDER-3"), "\(entry.finding.why)")
    }

    @Test func `words that bind nobody ask for no version`() async throws {
        let report = try await Edit { $0.files["Spec/README.md"] = "# Read me\n" }.report()
        #expect(report.entries.map(\.finding.rule) == ["page-added"])
        #expect(report.passes)
        #expect(report.required == .patch)
    }

    @Test func `tables are read with their code marks and bars`() {
        let tables = MarkdownTable.tables(in: "x\n| a | b |\n|---|:-:|\n| `p|q` | 1 \\| 2 |\n|  | |\n\n| no table |\n")
        #expect(tables.map(\.header) == [["a", "b"]])
        #expect(tables[0].rows.map(\.cells) == [["`p|q`", "1 \\| 2"], ["", ""]])
        #expect(tables[0].rows[0].name == "p|q")
        #expect(tables[0].rows[0].line == 4)
        let forms = [
            "| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n", "  | a | b |\n  |--|--|\n  | 1 | 2 |",
            "| a | b\n|--|--\n| 1 | 2",
        ]
        for text in forms {
            let table = MarkdownTable.tables(in: text).first
            #expect(table?.header == ["a", "b"] && table?.rows.map(\.cells) == [["1", "2"]])
        }
    }
}

@Suite struct EvidenceTests {
    private static let done = "Spec/schemas/messages/done.json"
    private static let chat = "Spec/schemas/messages/chat.json"

    /// Only what fixtures show.
    private func evidence(_ edit: Edit) async throws -> [GateEntry] {
        try await edit.report().entries.filter {
            $0.finding.rule.contains("fixture") || $0.finding.rule == "baseline-missing"
        }
    }

    @Test func `an old valid message that is refused names its sender`() async throws {
        let edit = Edit {
            $0.edit(#""required": ["type", "text"]"#, by: #""required": ["type", "text", "seq"]"#, in: Self.done)
        }
        let entry = try #require(try await evidence(edit).first)
        #expect(entry.finding.rule == "fixture-now-invalid")
        #expect(entry.finding.severity == .error)
        #expect(entry.breaks.map(\.description) == ["servers"])
        #expect(entry.finding.why.hasSuffix("shown by Fixtures/messages/done/valid/plain.json"))
        #expect(entry.finding.new?.address == "Spec/schemas/messages/done.json:7")
        #expect(entry.finding.witness?.json == #"{"type":"done","text":"Hi.","sessionId":"s1"}"#)
    }

    @Test func `a value less breaks the clients that send it`() async throws {
        let edit = Edit { $0.edit(#"["calm", "cross"]"#, by: #"["cross"]"#, in: Self.chat) }
        let entries = try await evidence(edit)
        #expect(entries.map(\.finding.rule) == ["fixture-now-invalid", "fixture-contradicts-schema"])
        #expect(entries[0].breaks.map(\.description) == ["clients"])
    }

    @Test func `an invalid message that is accepted is golden no more, or contradicts its schema`() async throws {
        var edit = Edit { $0.edit(#"["calm", "cross"]"#, by: #"["calm", "cross", "glad"]"#, in: Self.chat) }
        #expect(try await evidence(edit).map(\.finding.rule) == ["fixture-contradicts-schema"])
        edit.new.remove(fixture: "messages/chat/invalid/glad.json")
        #expect(
            try await evidence(edit).map(\.finding.rule).sorted() == ["fixture-removed", "invalid-fixture-now-valid"])
        edit.new.add(message: "chat/valid/glad", #"{"type":"chat","mood":"glad"}"#)
        let entries = try await evidence(edit)
        #expect(entries.map(\.finding.rule) == ["fixture-verdict-changed"])
        #expect(entries[0].finding.severity == .error)
    }

    @Test func `a new message of servers has to suit old clients`() async throws {
        var edit = Edit {
            $0.edit(#""text": { "type": "string" }"#, by: #""text": { "type": ["string", "null"] }"#, in: Self.done)
        }
        edit.new.add(message: "done/valid/empty", #"{"type":"done","text":null}"#)
        let entries = try await evidence(edit)
        #expect(entries.map(\.finding.rule) == ["new-fixture-invalid-under-old"])
        #expect(entries[0].breaks.map(\.description) == ["clients"])
        // What clients send new is for servers that know it.
        var other = Edit { $0.edit(#"["calm", "cross"]"#, by: #"["calm", "cross", "sad"]"#, in: Self.chat) }
        other.new.add(message: "chat/valid/sad", #"{"type":"chat","mood":"sad"}"#)
        #expect(try await evidence(other).isEmpty)
    }

    @Test func `golden files stay as they are, under whatever name`() async throws {
        var edit = Edit { $0.add(message: "done/valid/plain", #"{"type":"done","text":"Hello."}"#) }
        #expect(try await evidence(edit).map(\.finding.rule) == ["fixture-changed"])
        // Files of one folder are one finding, which lists them.
        edit = Edit { _ in }
        edit.old.add(message: "done/valid/second", #"{"type":"done","text":"A."}"#)
        edit.new.add(message: "done/valid/second", #"{"type":"done","text":"B."}"#)
        edit.new.add(message: "done/valid/plain", #"{"type":"done","text":"Hello."}"#)
        let entries = try await evidence(edit)
        #expect(entries.map(\.finding.rule) == ["fixture-changed"])
        #expect(entries[0].finding.newValue == ["plain.json", "second.json"])
        edit = Edit { $0.remove(fixture: "messages/done/invalid/no-text.json") }
        #expect(try await evidence(edit).map(\.finding.rule) == ["fixture-removed"])
        edit = Edit {
            $0.remove(fixture: "messages/done/valid/plain.json")
            $0.add(message: "done/valid/simple", #"{"type":"done","text":"Hi.","sessionId":"s1"}"#)
        }
        #expect(try await evidence(edit).isEmpty)
    }

    @Test func `every message is shown by a fixture, and the old state has some`() async throws {
        let edit = Edit { $0.remove(fixture: "messages/chat/valid/calm.json") }
        #expect(
            try await evidence(edit).map(\.finding.rule).sorted() == ["fixture-removed", "message-without-fixture"])
        var bare = Edit()
        bare.old.files = bare.old.files.filter { !$0.key.hasPrefix("Fixtures/") }
        #expect(try await evidence(bare).map(\.finding.rule) == ["baseline-missing"])
    }

    // MARK: Transcripts

    private static let header =
        #"{"format":"holdfast-transcript","version":1,"specification":"1.0","subject":{"name":"Nami 3","role":"server","profiles":["core","sync"],"agent":"plain"}}"#

    private static let falling =
        header + "\n"
        + [
            #"{"at":0,"lane":"A","kind":"open","principal":"p1","path":"/ws"}"#,
            #"{"at":1,"lane":"A","kind":"opened"}"#,
            #"{"at":2,"lane":"A","kind":"text","direction":"<","text":"{\"type\":\"done\",\"text\":\"a\",\"sessionId\":\"s1\",\"seq\":2}"}"#,
            #"{"at":3,"lane":"A","kind":"text","direction":"<","text":"{\"type\":\"done\",\"text\":\"b\",\"sessionId\":\"s1\",\"seq\":1}"}"#,
        ].joined(separator: "\n")

    private func archive() throws -> [ArchivedTranscript] {
        [
            ArchivedTranscript(
                name: "nami.ndjson", history: try TranscriptReader.history(in: Self.falling, file: "nami.ndjson"))
        ]
    }

    @Test func `a clause that comes breaks who did otherwise, at the frame`() async throws {
        var edit = Edit()
        let clause = edit.old.files["Spec/clauses/ORDER.md"] ?? ""
        edit.old.files["Spec/clauses/ORDER.md"] =
            clause.firstRange(of: "### ORDER-3").map { String(clause[..<$0.lowerBound]) } ?? ""
        edit.options.archive = try archive()
        let report = try await edit.report()
        let entry = try #require(report.entries.first { $0.finding.rule == "transcript-regression" })
        #expect(entry.finding.severity == .error)
        let occurrence = try #require(entry.occurrences.first)
        #expect(occurrence.transcript == "nami.ndjson")
        #expect(occurrence.subject == "Nami 3")
        #expect(occurrence.line == 5)
        #expect(occurrence.event.contains("done"))
        #expect(occurrence.before == nil)
        #expect(occurrence.after == .violation)
        #expect(report.judgedTranscripts == 1)
        #expect(entry.breaks.map(\.description) == ["servers that declare sync"])
    }

    @Test func `rows of a state table that change alike are one finding`() async throws {
        func table(_ answer: String) -> String {
            let rows = ["ping", "auth"].map {
                #"{"state":"opened","input":"\#($0)","answer":[{"do":"\#(answer)"}],"next":"opened"}"#
            }
            return
                #"{"role":"server","machines":[{"name":"connection","rows":[\#(rows.joined(separator: ","))]}]}"#
        }
        var edit = Edit { $0.files["Spec/states/server.json"] = table("close") }
        edit.old.files["Spec/states/server.json"] = table("send")
        let entries = try await edit.report().entries.filter { $0.finding.rule == "state-row-changed" }
        #expect(entries.map(\.subjects) == [["auth", "ping"]])
    }

    @Test func `conditions that change places are told, rows that change places are not`() async throws {
        func table(_ rows: [(condition: String, deed: String)]) -> String {
            let rows = rows.map { condition, deed in
                #"{"state":"opened","input":"ping","when":{"\#(condition)":["nonce"]},"answer":[{"do":"\#(deed)"}],"next":"opened"}"#
            }
            return
                #"{"role":"server","machines":[{"name":"connection","rows":[\#(rows.joined(separator: ","))]}]}"#
        }
        func rules(_ old: [(String, String)], _ new: [(String, String)]) async throws -> [String] {
            var edit = Edit { $0.files["Spec/states/server.json"] = table(new) }
            edit.old.files["Spec/states/server.json"] = table(old)
            return try await edit.report().entries.map(\.finding.rule).filter { $0.hasPrefix("state-") }
        }
        let rows = [("if", "send"), ("unless", "close")]
        #expect(try await rules(rows, rows.reversed()) == [])
        #expect(try await rules(rows, [("unless", "send"), ("if", "close")]) == ["state-row-changed"])
    }

    @Test func `an answer that may be left out is two lawful answers`() async throws {
        func breaks(_ old: String, _ new: String) async throws -> [String] {
            func table(_ deed: String) -> String {
                #"{"role":"server","machines":[{"name":"connection","rows":[{"state":"opened","input":"ping","answer":[\#(deed)],"next":"opened"}]}]}"#
            }
            var edit = Edit { $0.files["Spec/states/server.json"] = table(new) }
            edit.old.files["Spec/states/server.json"] = table(old)
            return try await edit.report().entries.filter { $0.finding.rule == "state-row-changed" }.flatMap(\.breaks)
                .map(\.description)
        }
        let (must, may) = (#"{"do":"send"}"#, #"{"do":"send","optional":true}"#)
        #expect(try await breaks(may, must) == ["servers"])
        #expect(try await breaks(must, may) == ["clients"])
    }

    @Test func `what a profile asks of frames breaks those that declare it`() async throws {
        func broken(by part: String, _ other: String) async throws -> [String]? {
            var edit = Edit()
            edit.old.files["Spec/clauses/ENV.md"]? += """
                ### ENV-2 · server · core
                A server MUST send every frame in a form that is valid against the schema of its type.
                Why: a client reads it.
                Judged from: each frame.
                From: R4. Since: 1.0.

                """
            edit.old.edit(#""title": "Done""#, by: #""title": "Done", "x-clause": "ENV-2""#, in: Self.done)
            edit.new = edit.old
            edit.new.edit(part, by: other, in: Self.done)
            edit.options.archive = try archive()
            return try await edit.report().entries.first { $0.finding.rule == "transcript-regression" }?
                .breaks.map(\.description)
        }
        let required = #""required": ["type", "text"]"#
        let some = try await broken(by: required, required + #", "x-profiles": { "sync": { "required": ["turnId"] } }"#)
        #expect(some == ["servers that declare sync"])
        let all = try await broken(by: required, #""required": ["type", "text", "turnId"]"#)
        #expect(all == ["servers"])
        #expect(
            try await broken(by: required, required + #", "x-profiles": { "push": { "required": ["turnId"] } }"#) == nil
        )
    }

    @Test func `a verdict that is not expected any more is a change of verdict`() async throws {
        var edit = Edit()
        edit.old.add(transcript: "falling", Self.falling, expected: ["LIVE-1": "pass", "ORDER-3": "violation"])
        edit.new = edit.old
        #expect(try await evidence(edit).isEmpty)
        edit.new.add(transcript: "falling", Self.falling, expected: ["LIVE-1": "pass"])
        let entries = try await evidence(edit)
        #expect(entries.map(\.finding.rule) == ["fixture-verdict-changed"])
        #expect(entries.first?.finding.severity == .error)
        #expect(entries.first?.finding.newValue == nil)
        // More that is expected changes no verdict.
        edit.new.add(
            transcript: "falling", Self.falling, expected: ["LIVE-1": "pass", "ORDER-3": "violation", "RATE-2": "pass"])
        #expect(try await evidence(edit).isEmpty)
    }

    @Test func `a waiver of what a transcript shows covers no other transcript`() async throws {
        var edit = Edit()
        let clause = edit.old.files["Spec/clauses/ORDER.md"] ?? ""
        edit.old.files["Spec/clauses/ORDER.md"] =
            clause.firstRange(of: "### ORDER-3").map { String(clause[..<$0.lowerBound]) } ?? ""
        func fingerprint(_ names: [String]) async throws -> String? {
            edit.options.archive = try names.map {
                ArchivedTranscript(name: $0, history: try TranscriptReader.history(in: Self.falling, file: $0))
            }
            return try await edit.report().entries.first { $0.finding.rule == "transcript-regression" }?
                .finding.fingerprint
        }
        let one = try await fingerprint(["a.ndjson", "b.ndjson"])
        #expect(one != nil)
        #expect(try await fingerprint(["b.ndjson", "a.ndjson"]) == one)
        #expect(try await fingerprint(["a.ndjson", "b.ndjson", "c.ndjson"]) != one)
    }

    @Test func `a waiver of what a fixture shows covers no other fixture`() async throws {
        func fingerprint(_ change: (inout SmallProtocol) -> Void) async throws -> String? {
            var edit = Edit()
            change(&edit.old)
            edit.new = edit.old
            edit.new.edit(#""required": ["type", "text"]"#, by: #""required": ["type", "text", "seq"]"#, in: Self.done)
            return try await evidence(edit).first { $0.finding.rule == "fixture-now-invalid" }?.finding.fingerprint
        }
        let one = try await fingerprint { _ in }
        #expect(one != nil)
        #expect(try await fingerprint { $0.files["Spec/README.md"] = "# Read me\n" } == one)
        #expect(
            try await fingerprint { $0.add(message: "done/valid/short", #"{"type":"done","text":""}"#) } != one)
    }

    @Test func `a clause that is weakened turns a violation into a warning`() async throws {
        var edit = Edit {
            $0.edit("MUST send the numbers", by: "SHOULD send the numbers", in: "Spec/clauses/ORDER.md")
        }
        edit.options.archive = try archive()
        let entry = try #require(try await edit.report().entries.first { $0.finding.rule.hasPrefix("transcript-") })
        #expect(entry.finding.rule == "transcript-warning")
        #expect(entry.occurrences[0].before == .violation)
    }

    @Test func `what transcripts show stands beside a sentence in other words`() async throws {
        var edit = Edit {
            $0.edit("in strictly rising order", by: "in rising order", in: "Spec/clauses/ORDER.md")
        }
        edit.options.archive = try archive()
        let report = try await edit.report()
        let entry = try #require(report.entries.first { $0.finding.rule == "clause-reworded" })
        #expect(
            entry.shown == "this judge reads no sentence; the clause is kept in 0 and broken in 1 of 1 transcripts")
        #expect(report.judgedTranscripts == 1)
        // Without a sentence, a schema or a bound that differs there is nothing to judge.
        edit.new = edit.old
        #expect(try await edit.report().notes.contains { $0.hasPrefix("no transcript was judged") })
    }

    @Test func `another timeout makes a table of bounds part of the judgment`() throws {
        let state = try SmallProtocol().state()
        #expect(ChapterFacts.timeouts(of: state) == ["pong": .seconds(5)])
    }
}
