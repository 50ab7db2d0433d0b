import ArgumentParser
import Foundation
import Holdfast
import Report
import Stage

struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Test a client.",
        discussion: """
            Plays the server, the system and the person for a client: performs every scenario against a scripted server, \
            judges what the client sent and showed, clause by clause, and prints what was proved. The client is driven by \
            a small program that reads commands from standard input and answers on standard output, one JSON object a \
            line (Spec/chapters/12-driving-a-client.md), or by a device that opens a WebSocket.

            Examples:
              conformance client -- ./my-driver --headless
              conformance client --only CLIENT-1 -- python3 driver.py
              conformance client --listen 192.168.1.10:9000
              conformance client --reference
              conformance client --profile client-core --profile client-sync --out results -- ./my-driver

            What the driver cannot do leaves clauses untested, by name; it never passes them.

            Exit codes: 0 conforms · 1 violation · 2 incomplete · 3 stale baseline · 64 usage · 69 unreachable · 70 harness error
            """
    )

    @OptionGroup(title: "The client")
    var client: ClientFlags

    @Option(
        help: ArgumentHelp(
            "Only these clauses or scenarios, with '*'; may be given several times.", valueName: "pattern"),
        completion: .clientPatterns)
    var only: [String] = []

    @Option(
        help: ArgumentHelp("Write report.json and the transcripts to this folder.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Option(help: "How many scenarios run at once, each with a driver of its own; a device does one at a time.")
    var jobs = 8

    @Option(
        help: ArgumentHelp("A folder to take in place of the specification in this program.", valueName: "dir"),
        completion: .directory)
    var spec: String?

    @OptionGroup(title: "How much") var parts: PartOptions

    @OptionGroup(title: "Reports") var formats: FormatOptions

    @OptionGroup(title: "Expected violations") var baseline: BaselineOptions

    @Flag(help: "List what would be performed, and end.")
    var dryRun = false

    func run() async throws {
        let specification = try Tool.specification(from: spec)
        let selection = try parts.share(of: select(in: specification))
        guard jobs > 0 else {
            throw Tool.refuse("--jobs", "'\(jobs)' runs nothing", expected: "a number from 1", fix: "leave it out")
        }
        if dryRun { return selection.printPlan() }
        let output = try ReportOutput(formats, baseline, isPart: parts.shard != nil, under: specification)
        let interruptions = Interruptions()
        var report = try await client.meeting(specification) { source in
            if let out { try Files.makeFolder(out) }
            let subject = try await client.subject(source, until: interruptions)
            return try await ClientSuite(
                subject: subject, specification: specification, selection: selection, jobs: jobs,
                address: source.place, showsProgress: Console.showsProgress
            ).run(until: interruptions)
        }
        let rerun = client.rerun(spec: spec)
        report.again = RunReport.Again(rerun.flags, driver: rerun.command)
        try output.end(with: report) { if let out { try ReportFolder(path: out).write($0) } }
    }

    private func select(in specification: Specification) throws -> ScenarioSelection<ClientScenario> {
        let scenarios = try Tool.clientScenarios(of: specification)
        do {
            return try ScenarioSelection(only, role: .client, of: specification, scenarios: scenarios)
        } catch {
            throw Tool.refuse(error.problems)
        }
    }
}
