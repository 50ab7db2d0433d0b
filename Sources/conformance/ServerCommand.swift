import ArgumentParser
import Foundation
import Holdfast
import Judge
import Report
import Stage
import Transport

struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Test a server.",
        discussion: """
            Performs every scenario over real connections, judges the transcripts clause by clause and prints what \
            was proved. Without a subject file the server is taken to declare the profile 'core' and to have an agent \
            that answers plain text.

            Examples:
              conformance server ws://127.0.0.1:8080/ws
              conformance server wss://chat.example/ws --token "$TOKEN" --token "$OTHER" --profile core --profile auth
              conformance server ws://127.0.0.1:8080/ws --scripted-agent --only SYNC-3
              conformance server --subject subject.json --out results

            Exit codes: 0 conforms · 1 violation · 2 incomplete · 64 usage · 69 unreachable · 70 harness error
            """
    )

    @Argument(help: ArgumentHelp("The WebSocket of the server; may be left to the subject file.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp("Where its REST paths are; the same host and port unless said otherwise.", valueName: "url"))
    var http: String?

    @Option(help: "The token of a principal; given several times, of p1, p2 and so on.")
    var token: [String] = []

    @Option(help: ArgumentHelp("A profile it declares; may be given several times. Default: core.", valueName: "name"))
    var profile: [String] = []

    @Flag(help: "Its agent obeys scripts in the prompt.")
    var scriptedAgent = false

    @Option(help: ArgumentHelp("A subject file; flags override it.", valueName: "file"))
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "Only these clauses or scenarios, with '*'; may be given several times.", valueName: "pattern"))
    var only: [String] = []

    @Option(help: ArgumentHelp("Write report.json and the transcripts to this folder.", valueName: "dir"))
    var out: String?

    @Option(help: "How many scenarios run at once; never more than there are principals.")
    var jobs = 8

    @Flag(help: "Accept any TLS certificate.")
    var acceptAnyCertificate = false

    @Flag(help: "List what would be performed, and end.")
    var dryRun = false

    func run() async throws {
        let specification = try Tool.specification()
        let selection = try select(in: specification)
        let server = try serverSubject()
        if dryRun { return printPlan(selection) }
        if let out { try Files.makeFolder(out) }
        do {
            try await server.reach()
        } catch {
            throw Tool.end(.unreachable, saying: error.description)
        }

        let interruptions = Interruptions()
        let report = await ServerSuite(
            subject: server, specification: specification, selection: selection, jobs: jobs,
            showsProgress: Console.showsProgress
        ).run(until: interruptions)
        if let out { try ReportFolder(path: out).write(report) }
        Console.write(ConsoleReport(report, style: Console.style, rerun: rerun).text)
        if report.exit != .conforms { throw Tool.end(report.exit) }
    }

    private func select(in specification: Specification) throws -> Selection {
        let scenarios = try Tool.scenarios(of: specification)
        do {
            return try Selection(only, role: .server, of: specification, scenarios: scenarios)
        } catch {
            throw Tool.refuse(error.problems)
        }
    }

    private func serverSubject() throws -> ServerSubject {
        guard jobs > 0 else {
            throw Tool.refuse("--jobs", "'\(jobs)' runs nothing", expected: "a number from 1", fix: "leave it out")
        }
        return try SubjectOptions(
            file: subject, url: url, http: http, tokens: token, profiles: profile, hasScriptedAgent: scriptedAgent,
            acceptsAnyCertificate: acceptAnyCertificate
        ).subject()
    }

    private func printPlan(_ selection: Selection) {
        for scenario in selection.scenarios {
            Console.write("\(scenario.name)  \(scenario.clauses.map(\.description).joined(separator: " "))\n")
        }
        Console.write("\n\(selection.scenarios.count) scenarios\n")
    }

    /// The command that repeats this run, without secrets.
    private var rerun: String {
        var parts = ["conformance server"]
        if let url { parts.append(url) }
        if let subject { parts.append("--subject \(subject)") }
        if let http { parts.append("--http \(http)") }
        parts += token.map { _ in "--token …" }
        parts += profile.map { "--profile \($0)" }
        if scriptedAgent { parts.append("--scripted-agent") }
        return parts.joined(separator: " ")
    }
}
