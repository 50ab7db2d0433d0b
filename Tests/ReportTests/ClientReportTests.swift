import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript
import TestSupport
import Testing

/// What is told of clients, and of those who drive them.
@Suite struct ClientReportTests {
    private func report(failures: [String?], outcome: Outcome = .pass) throws -> RunReport {
        let subject = History.Subject(name: "MyApp 3.2", role: .client, profiles: [.clientCore])
        let results = failures.enumerated().map { place, failure in
            let name = "client/CLIENT/scenario-\(place)"
            let finding = Finding("it did not come", expected: "a connection", actual: "none", at: [])
            return ScenarioResult(
                name: name, history: History(header: .init(scenario: name, subject: subject), events: []),
                verdicts: [
                    Verdict(
                        clause: ClauseID(.CLIENT, 36), outcome: outcome, exercised: 1,
                        findings: outcome == .pass ? [] : [finding])
                ],
                stoppedAt: failure.map { "/steps/\(place): \($0)" }, failure: failure)
        }
        return RunReport(
            results, of: subject, at: "./driver", under: try Sample.specification.get(),
            selection: [ClauseID(.CLIENT, 36)], startedAt: "2026-01-01T00:00:00Z", duration: .seconds(7))
    }

    @Test func `a driver that failed keeps a run from conforming`() throws {
        #expect(try report(failures: [nil, nil]).exit == .conforms)
        let broken = try report(failures: [nil, "the driver died"])
        #expect(broken.exit == .incomplete)
        #expect(broken.headline == "incomplete, the driver failed in 1 scenario: 1 pass")
    }

    @Test func `alike failures of drivers are told once, with their places`() throws {
        let died = "the driver ended with exit code 3 before it answered 'send'"
        let text = ConsoleReport(
            try report(failures: [died, died, nil, died, died, "the driver could not do 'quit': busy"])
        ).text
        #expect(
            text.contains(
                """
                driver failure in 4 scenarios
                  the driver ended with exit code 3 before it answered 'send'
                  in client/CLIENT/scenario-0 at /steps/0, client/CLIENT/scenario-1 at /steps/1,
                  client/CLIENT/scenario-3 at /steps/3 and 1 more

                driver failure in 1 scenario
                  the driver could not do 'quit': busy
                  in client/CLIENT/scenario-5 at /steps/5
                """), "\(text)")
        #expect(!text.contains("ended early"))
    }

    @Test func `a clause is run again with the command behind its flags`() throws {
        var report = try report(failures: [nil], outcome: .violation)
        report.rerun = RunReport.Rerun("conformance client --time-scale 1", driver: "./my-driver --headless")
        let text = ConsoleReport(report).text
        let only = "--only CLIENT-36@client/CLIENT/scenario-0"
        #expect(text.contains("  again: conformance client --time-scale 1 \(only) -- ./my-driver --headless\n"))
    }

    @Test func `nothing is said of an agent that the suite itself plays`() throws {
        let text = ConsoleReport(try report(failures: [nil])).text
        #expect(text.contains("MyApp 3.2 at ./driver, specification "))
        #expect(text.contains("profiles client-core · 1 scenario in 7.0 s"))
    }

    @Test func `a report with a failed driver passes its schema`() throws {
        var registry = SchemaRegistry()
        for (path, text) in SpecificationFiles.embedded.texts
        where path.hasPrefix("schemas/") && path.hasSuffix(".json") {
            try registry.add(JSONParser.value(text), at: "https://holdfast.example/spec/1/\(path)")
        }
        let schema = try Schema(uri: "https://holdfast.example/spec/1/schemas/files/report.json", registry: registry)
        let value = JSONReport(try report(failures: ["the driver died"])).value
        #expect(schema.violations(in: value).map(\.description) == [])
        #expect(value["scenarios"]?[0]?["failure"]?.stringValue == "the driver died")
    }
}
