import ArgumentParser
import Holdfast
import HoldfastGate
import HoldfastReport
import HoldfastSuite

struct GateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Show whether a protocol change breaks anyone, and whom.",
        usage: "conformance gate <old> [<new>] [<options>]\nconformance gate --rules",
        discussion: """
            Compares two versions of the protocol: messages, clauses, codes, timeouts, requests, operations, scenarios and \
            fixtures. Also judges transcripts under both, and performs changed server scenarios with the built-in \
            server, to tell which clauses they no longer exercise. A version is a folder with Spec/ and Fixtures/, or a \
            git revision: v1.0.0, HEAD~1, main, or main:folder for a subfolder. Nothing is checked out.

            Examples:
              conformance gate v1.0.0
              conformance gate origin/main . --format markdown=changes.md
              conformance gate v1.0.0 HEAD --archive transcripts/ --waivers waivers.json --severities severities.json
              conformance gate --rules

            Exit codes: 0 compatible, or the major version went up · 1 breaking, or wrong version, changelog or waivers · \
            64 a version cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The current version: a folder or a git revision.", valueName: "old"))
    var old: String?

    @Argument(help: ArgumentHelp("The new version: a folder or a git revision.", valueName: "new"))
    var new = "."

    @Option(
        help: ArgumentHelp(
            "An older version that is still supported: its peers must not break either. Repeatable.",
            valueName: "version"))
    var supported: [String] = []

    @Option(
        help: ArgumentHelp(
            "A transcript, or a folder of transcripts, to judge under both versions. Repeatable.", valueName: "path"),
        completion: .file())
    var archive: [String] = []

    @Option(
        help: ArgumentHelp("A file of accepted findings, each with a reason and an expiry date.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var waivers: String?

    @Option(
        help: ArgumentHelp(
            "A file that overrides severities by rule: {\"format\": \"holdfast-gate-severities\", …}. See 'explain RULE'.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var severities: String?

    @Option(
        help: ArgumentHelp("The lowest severity that fails the gate.", valueName: "severity"))
    var failOn = FailOn.error

    @Flag(help: "List every rule with its default severity, the peers it breaks and an example, then exit.")
    var rules = false

    @Option(
        help: ArgumentHelp(
            "Also write the report as json, junit, github, sarif or markdown; '-' is standard output. Repeatable.",
            valueName: "name=file"))
    var format: [String] = []

    @Option(
        help: ArgumentHelp("A folder in the git repository to read revisions from.", valueName: "folder"),
        completion: .directory)
    var repository = "."

    func run() async throws {
        if rules { return Console.write(RuleBook.list) }
        guard let old else {
            throw InputProblem(
                "gate", "no version to compare with", expected: "a folder or a git revision",
                fix: "for example: conformance gate main")
        }
        let formats = try FormatTarget<GateFormat>.all(format, forRun: true)
        let reader = StateReader(repository: repository)
        var options = GateOptions(today: BaselineOptions.today)
        if let waivers {
            options.waivers = try Waivers(Files.text(of: waivers), file: waivers, today: options.today)
        }
        if let severities { options.severities = try Severities(Files.text(of: severities), file: severities) }
        let program = try Tool.program()
        options.exercise = { try await ReferenceExercise.counts(of: $0, under: $1, program: program) }
        options.failOn = failOn == .error ? .error : .warning
        options.archive = try archive.flatMap(StateReader.transcripts)
        let before = try await reader.state(old)
        let after = try await reader.state(new)
        for name in supported { options.supported.append(try await reader.state(name)) }
        let report = try await gate(from: before, to: after, options: options)
        let shown = GateConsoleReport(report, style: Console.style).text
        try FormatTarget.write(formats, beside: shown, areLines: { $0 == .github }) { $0.text(of: report) }
            .end(after: report.exit)
    }
}

enum FailOn: String, CaseIterable, ExpressibleByArgument {
    case error, warning
}
