import ArgumentParser
import Holdfast
import HoldfastGate
import HoldfastJSON
import HoldfastReport
import HoldfastSuite
import HoldfastTranscript

struct GateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Tell whether a change of the protocol is breaking, and for whom.",
        usage: "conformance gate <old> [<new>] [<options>]\nconformance gate --rules",
        discussion: """
            A state is a folder that holds Spec/ and Fixtures/, or a git revision: v1.0.0, HEAD~1, main, or \
            main:folder for a folder inside it. Nothing is checked out. Messages, clauses, codes, timeouts, \
            requests, operations, scenarios and fixtures are compared, and transcripts are judged under both specifications.

            Examples:
              conformance gate v1.0.0
              conformance gate origin/main . --format markdown=changes.md
              conformance gate v1.0.0 HEAD --archive transcripts/ --waivers waivers.json --severities severities.json
              conformance gate --rules

            Exit codes: 0 compatible, or announced by a new major version · 1 somebody breaks, or version, changelog or \
            waivers are wrong · 64 a state cannot be read
            """
    )

    @Argument(help: ArgumentHelp("What peers have now: a folder or a revision.", valueName: "old"))
    var old: String?

    @Argument(help: ArgumentHelp("What they shall get: a folder or a revision.", valueName: "new"))
    var new = "."

    @Option(
        help: ArgumentHelp(
            "An older state that is still supported; its peers must not break either. Several times.",
            valueName: "state"))
    var supported: [String] = []

    @Option(
        help: ArgumentHelp(
            "A transcript, or a folder of them, to judge under both specifications. Several times.", valueName: "path"),
        completion: .file())
    var archive: [String] = []

    @Option(
        help: ArgumentHelp("Findings that are accepted, each for a reason and until a day.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var waivers: String?

    @Option(
        help: ArgumentHelp(
            "Severities of your own, by rule: {\"format\": \"holdfast-gate-severities\", …}. See 'explain RULE'.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var severities: String?

    @Option(
        help: ArgumentHelp(
            "The severity from which on a finding fails the gate.",
            valueName: "severity"))
    var failOn = FailOn.error

    @Flag(help: "List every rule with its default severity, whom it breaks and an example, and end.")
    var rules = false

    @Option(
        help: ArgumentHelp(
            "Write the report in another form too: json, junit, github, sarif or markdown; '-' is standard output. Several times.",
            valueName: "name=file"))
    var format: [String] = []

    @Option(
        help: ArgumentHelp("A folder of the git repository that revisions are read from.", valueName: "folder"),
        completion: .directory)
    var repository = "."

    func run() async throws {
        if rules { return Console.write(RuleBook.list) }
        guard let old else {
            throw InputProblem(
                "gate", "no state to compare with was named", expected: "a folder or a revision that peers have now",
                fix: "write for instance: conformance gate main")
        }
        let formats = try FormatTarget<GateFormat>.all(format, ofRun: true)
        let reader = StateReader(repository: repository)
        var options = GateOptions(today: BaselineOptions.today)
        if let waivers {
            options.waivers = try Waivers(Files.text(of: waivers), file: waivers, today: options.today)
        }
        if let severities { options.severities = try Severities(Files.text(of: severities), file: severities) }
        options.failOn = failOn == .error ? .error : .warning
        options.archive = try archive.flatMap(StateReader.transcripts)
        let before = try await reader.state(old)
        let after = try await reader.state(new)
        for name in supported { options.supported.append(try await reader.state(name)) }
        let report = try await gate(from: before, to: after, options: options)
        let shown = GateConsoleReport(report, style: Console.style).text
        try FormatTarget.write(formats, beside: shown, areLines: \.isForLogs) { $0.text(of: report) }
        try report.exit.end()
    }
}

/// The severities from which on the gate can fail.
enum FailOn: String, CaseIterable, ExpressibleByArgument {
    case error, warning
}

/// The ways in which programs read a report of the gate.
enum GateFormat: String, CaseIterable {
    case json, junit, github, sarif, markdown

    /// Whether a program picks its lines out of whatever else is printed.
    var isForLogs: Bool { self == .github }

    func text(of report: GateReport) -> String {
        switch self {
        case .json: GateJSONReport(report).value.text(pretty: true) + "\n"
        case .junit: GateJUnitReport(report).text
        case .github: GateAnnotations(report).text
        case .sarif: GateSARIFReport(report, toolVersion: toolVersion).value.text(pretty: true) + "\n"
        case .markdown: GateMarkdown(report).text
        }
    }
}
