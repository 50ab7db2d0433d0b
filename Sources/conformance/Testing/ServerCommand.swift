import ArgumentParser
import Holdfast
import HoldfastReport
import HoldfastStage
import HoldfastSuite

struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Test a server.",
        discussion: """
            Runs every scenario over real connections and judges the transcripts clause by clause. Without \
            --profile, the profiles come from the server's greeting. Clauses that this setup cannot test, such as crashes \
            of a server that the suite did not start, are out of reach: they are listed separately and fail the run only \
            with --strict.

            Examples:
              conformance server ws://127.0.0.1:8080/ws
              conformance server wss://chat.example/ws --token "$ONE" --token "$TWO"
              conformance server ws://127.0.0.1:8080/ws --scripted-agent --only SYNC-3
              conformance server --subject subject.json --out results
              conformance server ws://127.0.0.1:3000 --dialect nami --token "$KEY"
              conformance server --reference --skip-crashes
              conformance server --start 'my-server --port {port}' --life 3m
              conformance server --start 'my-server --port {port} --data {data}'
              conformance server ws://127.0.0.1:8080/ws --start ./my-server --ready 'up'

            With --start, the suite also kills, stops and restarts the server and makes its writes fail. Only then can it \
            prove that answers are stored before they are announced (PERSIST-1).

            Exit codes: 0 conforms · 1 violation · 2 incomplete · 3 stale baseline · 64 usage · 69 unreachable · 70 suite failure
            """
    )

    @OptionGroup(title: "The server")
    var server: SubjectFlags

    @Option(
        help: ArgumentHelp(
            "Run only these clauses, scenarios or CLAUSE@SCENARIO; '*' is a wildcard. Repeatable.", valueName: "pattern"
        ),
        completion: .serverPatterns)
    var only: [String] = []

    @Option(
        help: ArgumentHelp("Write report.json and transcripts to this folder.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Option(help: "How many scenarios run in parallel; at most one per principal.")
    var jobs = 16

    @OptionGroup(title: "Scope of the run") var parts: PartOptions

    @OptionGroup(title: "Long-running test (a life)") var lives: LifeOptions

    @OptionGroup(title: "Reports") var formats: FormatOptions

    @OptionGroup(title: "Expected violations") var baseline: BaselineOptions

    @Flag(help: "List what would run, then exit.")
    var dryRun = false

    func run() async throws {
        let specification = try Specification(.embedded)
        var selection = try parts.share(
            of: Selection(
                LifeOptions.scenarioPatterns(only), excluding: parts.exclude, role: .server, of: specification,
                scenarios: specification.scenarios()))
        try InputProblem.checked("--jobs", jobs, within: 1...Int.max, fix: "remove it")
        let (subject, scope): (ServerSubject, Scope) = try server.server().subject(under: specification)
        if dryRun {
            let stop: Stop = Interruptions().first
            return try await server.withSubject(subject, under: specification, until: stop) { subject in
                // A server that sends no greeting declares nothing.
                if subject.isUndeclared, subject.dialect.isCanonical, let problem = subject.notReached {
                    throw SuiteProblem(.unreachable, problem.description)
                }
                let forecast = Forecast(of: selection, against: subject, scope: scope, under: specification)
                Console.write(try lives.plan(of: forecast.plan, only))
            }
        }
        let output = try ReportOutput(formats, baseline, isPart: parts.shard != nil, forRun: true, under: specification)
        selection.baseline = output.baseline
        if let out { try Files.prepareFolder(out, given: "--out") }
        let stop: Stop = Interruptions().first
        let (seed, time) = (try lives.seed(only) ?? .random(in: 0...9_999_999), try lives.time(only))
        var report = try await server.withSubject(
            subject, under: specification, until: stop, isQuiet: formats.quiet
        ) { [selection] subject in
            if subject.start == nil {
                let examination = Examination(subject, scope: scope, under: specification, selection)
                for refused in try await interruptible(at: stop, examination.refusedTokens) ?? [] {
                    Console.error(refused.what + (refused.fix.map { "\n  fix: \($0)" } ?? ""))
                }
            }
            var suite = ServerSuite(subject, under: specification, selection, scope: scope, jobs: jobs)
            let rerun = try server.rerun(subject, as: "explore")
            suite.life = time.map { time in
                Life(
                    of: subject, seed: seed, for: time, under: specification, skipsCrashes: server.skipCrashes
                ) { output.say($0) }
            }
            suite.lifeOptions = LifeOptions.options(only, seed: seed, out: out) { "\(rerun) --plan \($0)" }
            return try await suite.run(until: stop, showing: formats.progress)
        }
        let life = time.map { " --life \($0) --seed \(seed)" } ?? ""
        report.rerun = RunReport.Rerun(try server.rerun(subject) + parts.rerun + baseline.rerun + life)
        try output.end(with: report, addingScenarios: ["server/life/\(seed)"]) { if let out { try $0.write(to: out) } }
    }
}
