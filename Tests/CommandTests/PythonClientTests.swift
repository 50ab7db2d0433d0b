import TestSupport
import Testing

/// The example client shares nothing with the reference: what it is accused of wrongly, the suite gets wrong.
@Suite(.enabled(if: ExamplePython.has("websockets"), "no Python with the package websockets"))
struct PythonClientTests {
    private static let driver = SourceTree.root + "/Tests/Examples/python-client/driver.py"

    /// Scenarios that need no long wait, and most clauses between them; the rest takes as long again.
    private static let swift = [
        "AUTH/*", "ENV/*", "CLIENT/epoch-and-number-together", "CLIENT/every-*",
        "CLIENT/foreground-reconnects",
        "CLIENT/gap-*", "CLIENT/lost-question-comes-again", "CLIENT/missed-messages-*",
        "CLIENT/one-read-for-every-reason",
        "CLIENT/pages-are-followed", "CLIENT/refusals-are-shown", "CLIENT/screen-stays-while-reading",
        "CLIENT/unknown-session-*",
    ]

    /// Runs the suite against the example, which it starts for each scenario.
    private func suite(_ scenarios: [String], _ flags: String...) async throws -> BuiltBinary.Output {
        let only = scenarios.flatMap { ["--only", "client/" + $0] }
        let command = [ExamplePython.path ?? "python3", "-B", Self.driver]
        return try await BuiltBinary.run(["client"] + only + ["--"] + command + flags, within: .seconds(900))
    }

    @Test func `an example client keeps the clauses of all three profiles`() async throws {
        let run = try await suite(ExampleTool.isWholeSuite ? ["*"] : Self.swift)
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        #expect(run.out.hasPrefix("conforms: "), "\(run.out)")
        #expect(run.out.contains("profiles client-core, client-sync, client-push"), "\(run.out)")
    }

    @Test func `a client that reads before it syncs has no gap`() async throws {
        let run = try await suite(["CLIENT/gap-in-the-middle"], "--variation", "reads-first")
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        #expect(run.out.hasPrefix("conforms: 3 pass") && !run.out.contains("ended early"), "\(run.out)")
    }

    @Test(arguments: [
        ("new-id-on-resend", "CLIENT-6", "stored-question-comes-again"),
        ("replaces-messages", "CLIENT-25", "screen-stays-while-reading"),
        ("trusts-old-socket", "CLIENT-36", "foreground-reconnects"),
        ("endless-spinner", "CLIENT-39", "polling-gives-up"),
        ("most-recent-session", "CLIENT-21", "unknown-session-found-by-key"),
        ("jumps-the-gap", "CLIENT-19", "gap-outlives-a-live-frame"),
        ("connected-too-soon", "CLIENT-23", "greeting-withheld"),
        ("swallows-errors", "CLIENT-32", "refusals-are-shown"),
    ])
    func `a broken example client is caught by the clause it breaks`(
        mistake: String, clause: String, scenario: String
    ) async throws {
        let run = try await suite(["CLIENT/" + scenario], "--broken", mistake)
        #expect(run.status == 1, "\(run.out)\n\(run.err)")
        // A mistake may break two clauses at once; which of them shows first is up to the timing.
        #expect(
            run.out.contains("violation \(clause) (MUST") || run.out.contains("\(clause) follows from"), "\(run.out)")
    }
}
