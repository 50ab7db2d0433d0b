import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastReport

@Suite struct ReportReaderTests {
    private let finding = Finding("a frame is absent", expected: "seq 1, 2", actual: "seq 2", at: [1, 2])

    /// A run with something of everything that a report tells.
    private func sample() throws -> RunReport {
        let specification = try Sample.specification.get()
        let limits = ["authSeconds": 5, "replayMessages": 100]
        let subject = History.Subject(name: "sample", role: .server, profiles: [.core, .sync, .push], limits: limits)
        func result(_ name: String, _ verdicts: [Verdict], notation: String = "A+(e1 #0)") throws -> ScenarioResult {
            let header = History.Header(
                specification: specification.version, scenario: name, subject: subject,
                startedAt: "2026-01-01T00:00:00Z")
            return ScenarioResult(
                name: name, history: try NotationExpansion(notation, header: header).history, verdicts: verdicts,
                duration: .milliseconds(12))
        }
        func verdict(_ area: Area, _ number: Int, _ outcome: Outcome, remarks: [String] = []) -> Verdict {
            let isShown = [Outcome.violation, .warning, .inconclusive].contains(outcome)
            return Verdict(
                clause: ClauseID(area, number), outcome: outcome, exercised: isShown || outcome == .pass ? 2 : 0,
                findings: isShown ? [finding] : [], remarks: remarks)
        }
        var results = [
            try result(
                "server/SYNC/a",
                [
                    verdict(.SYNC, 3, .violation), verdict(.ENV, 1, .pass, remarks: ["20 kills, none lost"]),
                    verdict(.RATE, 3, .notApplicable),
                ]),
            try result("server/SYNC/b", [verdict(.SYNC, 7, .inconclusive), verdict(.ENV, 11, .warning)]),
            try result("server/SYNC/c", [], notation: "A+(messagesPerMinute=5)"),
            try result("server/SYNC/d", []), try result("server/SYNC/e", []), try result("server/SYNC/f", []),
        ]
        results[1].stoppedAt = "/steps/3: no done in time"
        results[2].problems = ["lost a frame\n  fix: none on your side"]
        results[3].skipped = "it needs a scripted agent (tier 2 or 3)"
        results[3].tier = 2
        results[3].cut = .interruption
        results[4].skipped = "tier 2 was not asked for"
        results[4].tier = 2
        results[4].wasSetAside = true
        results[5].stoppedAt = "/steps/1: the driver died"
        results[5].failure = "the driver died"
        var report = RunReport(
            results, of: subject, at: "ws://127.0.0.1:8080/ws", under: specification,
            intended: [
                "server/SYNC/a": [ClauseID(.SYNC, 3)], "server/SYNC/b": [ClauseID(.SYNC, 7)],
                "server/SYNC/c": [ClauseID(.SYNC, 4)], "server/SYNC/d": [ClauseID(.ORDER, 3)],
                "server/SYNC/e": [ClauseID(.SYNC, 9)], "server/SYNC/f": [ClauseID(.ORDER, 7)],
            ], startedAt: "2026-01-01T00:00:00Z", duration: .milliseconds(1234), wasInterrupted: true)
        report.rerun = RunReport.Rerun("conformance server ws://127.0.0.1:8080/ws", driver: "./driver")
        report.diagnostics = ["answers survive a loss of power"]
        report.tool = "0.1.0"
        return report
    }

    private func text(_ report: RunReport) -> String { JSONReport(report).value.text(pretty: true) + "\n" }

    @Test func `what was read is written again byte for byte`() throws {
        let report = try sample()
        let text = text(report)
        let read = try ReportReader.report(Array(text.utf8), file: "report.json")
        #expect(self.text(read) == text)
        #expect(read.exit == report.exit)
        #expect(read.setAside == [ClauseID(.SYNC, 9)])
        #expect(read.gaps == report.gaps)
        #expect(read.notes == report.notes && !read.notes.isEmpty)
        #expect(read.scenarios[0].verdicts == report.scenarios[0].verdicts.filter { $0.outcome != .notApplicable })
        #expect(read.scenarios[0].history.header == report.scenarios[0].history.header)
        #expect(read.scenarios[4].wasSetAside)
    }

    @Test func `the console report of a stored run is the one of the run`() throws {
        let report = try sample()
        let read = try ReportReader.report(Array(text(report).utf8), file: "report.json")
        #expect(ConsoleReport(read).text == ConsoleReport(report).text)
    }

    @Test(arguments: [
        ("{", "report.json:", "no JSON"),
        ("[]", "report.json:1:1", "this is not a report"),
        (#"{"format": "holdfast-transcript"}"#, "report.json:1:1", "this is not a report"),
        (#"{"format": "holdfast-report"}"#, "report.json:1:1", "'version' is missing"),
        (#"{"format": "holdfast-report", "version": 7}"#, "report.json:1:42 /version", "report version 7 is unknown"),
        (
            #"{"format": "holdfast-report", "version": 1, "subject": 4}"#, "report.json:1:56 /subject", "found 4"
        ),
        ("{\"a\": \u{0}}", "report.json:1:7", "no JSON"),
    ])
    func `a bad report is refused with its place`(text: String, location: String, what: String) {
        let problems = problems(text)
        #expect(problems.contains { $0.location.hasPrefix(location) && $0.what.hasPrefix(what) }, "\(problems)")
    }

    private func problems(_ text: String) -> [InputProblem] {
        inputProblems(of: try ReportReader.report(Array(text.utf8), file: "report.json"))
    }

    @Test(arguments: [
        (#""clause": "SYNC-3""#, #""clause": "SYNC-03""#, "/scenarios/0/verdicts/0/clause"),
        (#""outcome": "inconclusive""#, #""outcome": "inconclusiv""#, "/clauses/"),
        (#""kind": "open""#, #""kind": "opne""#, "/scenarios/0/transcript/1"),
        (#""events": ["#, #""events": [-1,"#, "/clauses/"),
        (#""name": "server/SYNC/b""#, #""name": "server/SYNC/a""#, "/scenarios"),
        (#""interrupted": true"#, #""interrupted": "yes""#, "/interrupted"),
        (#""profiles": ["#, #""profiles": ["cor","#, "/subject/profiles/0"),
    ])
    func `each part is read with care`(part: String, changed: String, pointer: String) throws {
        let text = text(try sample())
        #expect(text.contains(part))
        let problems = problems(text.replacing(part, with: changed, maxReplacements: 1))
        #expect(
            problems.contains { $0.location.contains(pointer) && $0.location.hasPrefix("report.json:") }, "\(problems)")
    }

    @Test func `a transcript of another scenario or specification is refused with its line`() throws {
        let text = text(try sample())
        for (part, changed, words) in [
            (
                "\"1.0\",\n          \"scenario\": \"server/SYNC/b\"",
                "\"1.0\",\n          \"scenario\": \"server/SYNC/a\"",
                "is of scenario 'server/SYNC/a'"
            ),
            (#"          "specification": "1.0""#, #"          "specification": "1.9""#, "under specification '1.9'"),
        ] {
            #expect(text.contains(part))
            let problem = try #require(problems(text.replacing(part, with: changed, maxReplacements: 1)).first)
            #expect(problem.what.contains(words) && problem.location.contains("/transcript/0/s"), "\(problem)")
        }
    }

    @Test func `the second performance of a scenario has the transcript of that scenario`() throws {
        let name = #""name": "server/SYNC/b""#
        let text = text(try sample()).replacing(name, with: #""name": "server/SYNC/b#2""#, maxReplacements: 1)
        #expect(!problems(text).contains { $0.location.contains("/transcript") }, "\(problems(text))")
    }

    @Test(arguments: [
        "server/../../x", "../x", "/etc/x", "server/SYNC/../../x", "server//x", "server/.x", "server", "server/",
        "server/a\\u0000b", "server/a b", "server/a#1", "server/a#02", "server/a#2/../../x", "other/x", "server/ä",
        "server/-x", "",
    ])
    func `a name that would lead out of its folder is refused with its line`(name: String) throws {
        let text = text(try sample())
        let changed = text.replacing(#""name": "server/SYNC/b""#, with: #""name": "\#(name)""#, maxReplacements: 1)
        let problem = try #require(problems(changed).first)
        #expect(
            problem.location.hasPrefix("report.json:") && problem.location.hasSuffix(" /scenarios/1/name"), "\(problem)"
        )
    }

    @Test func `every name that the suite gives is read`() throws {
        let specification = try SourceTree.specification()
        let names = try specification.scenarios().map(\.name) + specification.clientScenarios().map(\.name)
        #expect(names.count > 100)
        let report = try #require(SpecificationFiles.embedded.texts["schemas/files/report.json"])
        let place = JSONPointer(tokens: ["properties", "scenarios", "items", "properties", "name"])
        let schema = try Schema(try #require(JSONParser.value(report)[place]))
        for name in names + names.map({ $0 + "#100" }) { #expect(schema.isValid(.string(name)), "\(name)") }
    }

    @Test func `a report that contradicts its verdicts is refused`() throws {
        let text = text(try sample())
        let clause = "\"id\": \"SYNC-3\",\n      \"outcome\": \"violation\""
        #expect(text.contains(clause))
        let lie = text.replacing(clause, with: "\"id\": \"SYNC-3\",\n      \"outcome\": \"pass\"")
        #expect(problems(lie).map(\.what) == ["SYNC-3 does not match the verdicts of its scenarios"])
        #expect(problems(lie).first?.expected == "\"violation\"")
        let exit = text.replacing("\"code\": 1,", with: "\"code\": 0,")
        #expect(problems(exit).map(\.what) == ["the exit code does not match the clauses"])
    }

    @Test func `hostile reports end in problems, few of them`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(problems(deep).count == 1)
        let many =
            "{\"format\": \"holdfast-report\", \"version\": 1, \"specification\": \"1.0\", "
            + "\"subject\": {\"name\": \"\", \"role\": \"server\", \"profiles\": []}, \"startedAt\": \"x\", "
            + "\"durationMs\": 1, \"interrupted\": false, \"scenarios\": ["
            + String(repeating: "3,", count: 5_000) + "3]}"
        #expect((1...100).contains(problems(many).count))
    }
}
