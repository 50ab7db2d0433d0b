import Foundation
import HoldfastJSON
import TestSupport
import Testing

/// The suite against servers that speak as two real systems do, with those systems' faults.
@Suite struct DialectServerTests {
    /// A run against a preset, started for it, and the report it wrote.
    private func run(_ preset: String, only patterns: [String]) async throws -> (BuiltBinary.Output, JSONValue) {
        let folder = try TemporaryDirectory()
        let serve = "\(BuiltBinary.path) serve --preset \(preset) --port {port} --data {data} --end-with-input"
        let run = try await BuiltBinary.run(
            ["server", "--dialect", preset, "--start", serve + " --token p1=secret-key-one"]
                + ["--token", "secret-key-one", "--scripted-agent", "--out", folder.path + "/out"]
                + patterns.flatMap { ["--only", $0] })
        let text = try String(contentsOfFile: folder.path + "/out/report.json", encoding: .utf8)
        #expect(!text.contains("secret-key-one"))
        return (run, try JSONParser.value(text))
    }

    private func outcome(of clause: String, in report: JSONValue) -> String? {
        report["clauses"]?.arrayValue?.first { $0["id"]?.stringValue == clause }?["outcome"]?.stringValue
    }

    @Test func `nami ends by null, answers for sessions that are not there, and the frames say so`() async throws {
        let (run, report) = try await run("nami", only: ["server/ENV/not-an-object", "server/ID/unknown-session"])
        #expect(run.status == 1, "\(run.out)\n\(run.err)")
        for clause in ["ENV-3", "ID-4"] {
            #expect(outcome(of: clause, in: report) == "violation", "\(clause)\n\(run.out)")
        }
        #expect(run.out.contains("null"))
        #expect(run.out.contains(#"{"type":"done""#) && run.out.contains("no-such-session-"))
    }

    @Test func `adjutant stores a repeat again, and numbers anew with each process`() async throws {
        let (run, report) = try await run(
            "adjutant", only: ["server/IDEM/repeat-after-the-answer", "server/SYNC/killed-and-stopped"])
        #expect(run.status == 1, "\(run.out)\n\(run.err)")
        for clause in ["IDEM-1", "SYNC-5"] {
            #expect(outcome(of: clause, in: report) == "violation", "\(clause)\n\(run.out)")
        }
        // A frame may stand cut in a row of the diagram alone.
        #expect(run.out.contains(#"{"type":"chat_message"#))
    }
}
