import Foundation
import TestSupport
import Testing

/// The example server shares nothing with the reference: what it is accused of wrongly, the suite gets wrong.
@Suite(.enabled(if: ExamplePython.has("websockets"), "no Python with the package websockets"))
struct PythonExampleTests {
    private static let folder = SourceTree.root + "/Tests/Examples/python"

    /// What starts the example.
    private func command(_ flags: String) -> String {
        "'\(ExamplePython.path ?? "python3")' -B '\(Self.folder)/server.py' --port {port} --data {data} --heartbeat 1 \(flags)"
    }

    /// Runs the suite against the example, which it starts.
    private func suite(_ flags: String = "", arguments: [String] = []) async throws -> BuiltBinary.Output {
        try await BuiltBinary.run(
            ["server", "--subject", Self.folder + "/subject.json", "--start", command(flags)] + arguments)
    }

    @Test(arguments: ["files", "sqlite"])
    func `PERSIST-1 is proved for an example with either store`(store: String) async throws {
        let run = try await suite("--store \(store)")
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        #expect(run.out.hasPrefix("conforms: "))
        #expect(run.out.contains("pass         PERSIST-1 "))
        #expect(run.out.contains("20 kills on the bytes of `done`, none lost"))
        #expect(run.out.contains("not applicable: "))
    }

    @Test(arguments: [
        ("done-before-stored", "PERSIST-1"), ("done-for-unknown-session", "ID-4"), ("null-ends-the-process", "ENV-3"),
        ("oldest-first", "REST-3"), ("question-stored-with-answer", "PERSIST-2"), ("disconnect-cancels", "TURN-6"),
    ])
    func `a broken example is caught by the clause it breaks`(defect: String, clause: String) async throws {
        let run = try await suite("--break \(defect)", arguments: ["--only", clause, "--kills", "2"])
        #expect(run.status == 1, "\(run.out)\n\(run.err)")
        #expect(run.out.contains("violation \(clause) (MUST"), "\(run.out)")
    }

    @Test func `a store that empties before it writes loses history in a crash`() async throws {
        let run = try await suite(
            "--break overwrites-files", arguments: ["--only", "server/PERSIST/killed-as-it-says-done", "--kills", "2"])
        #expect(run.status == 1, "\(run.out)\n\(run.err)")
        // Where the answer is lost with the history, both are one cause.
        #expect(run.out.contains("violation PERSIST-5 (") || run.out.contains("PERSIST-5 follows from"), "\(run.out)")
    }

    @Test func `an example that asks the suite's model conforms`() async throws {
        // Nothing but the command says so.
        let run = try await BuiltBinary.run([
            "server", "--start", command("--model {model}"), "--skip-crashes", "--verbose",
        ])
        #expect(run.out.contains("tier 3"), "\(run.out)\n\(run.err)")
        #expect(!run.out.contains("\nviolation "), "\(run.out)")
    }
}
