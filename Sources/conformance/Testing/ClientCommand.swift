import ArgumentParser
import Holdfast
import HoldfastReport
import HoldfastSuite

struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Test a client.",
        discussion: """
            Plays the server, the operating system and the user: runs every scenario against a scripted server and judges \
            what the client sent and showed, clause by clause. A driver, a small program of yours, controls the client: it \
            reads commands from standard input and answers on standard output, one JSON object per line \
            (Spec/chapters/12-driving-a-client.md). On a device, the driver connects over a WebSocket instead (--listen).

            Examples:
              conformance client -- ./my-driver --headless
              conformance client --only CLIENT-36 -- python3 driver.py
              conformance client --dialect ./my-wire.json -- ./my-driver
              conformance client --life 3m --only life -- ./my-driver
              conformance client --listen 192.168.1.10:9000
              conformance client --reference
              conformance client --profile client-core --profile client-sync --out results -- ./my-driver

            Clauses that need a command the driver lacks are untested, never passed.

            Exit codes: 0 conforms · 1 violation · 2 incomplete · 3 stale baseline · 64 usage · 69 unreachable · 70 suite failure
            """
    )

    @OptionGroup(title: "The client")
    var client: ClientFlags

    @Option(
        help: ArgumentHelp(
            "Run only these clauses, scenarios or CLAUSE@SCENARIO; '*' is a wildcard. Repeatable.", valueName: "pattern"
        ),
        completion: .clientPatterns)
    var only: [String] = []

    @Option(
        help: ArgumentHelp("Write report.json and transcripts to this folder.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Option(
        help: "How many scenarios run in parallel at most, each with its own driver; on a busy machine fewer.")
    var jobs = 64

    @Option(
        help: ArgumentHelp("Use the specification in this folder instead of the built-in one.", valueName: "dir"),
        completion: .directory)
    var spec: String?

    @OptionGroup(title: "Scope of the run") var parts: PartOptions

    @OptionGroup(title: "Long-running test (a life)") var lives: LifeOptions

    @OptionGroup(title: "Reports") var formats: FormatOptions

    @OptionGroup(title: "Expected violations") var baseline: BaselineOptions

    @Flag(help: "List what would run, then exit.")
    var dryRun = false

    func run() async throws {
        let specification = try Specification(spec.map(SpecificationFiles.init(folder:)) ?? .embedded)
        var selection = try parts.share(
            of: ScenarioSelection(
                LifeOptions.scenarioPatterns(only), excluding: parts.exclude, role: .client, of: specification,
                scenarios: specification.clientScenarios()))
        try InputProblem.checked("--jobs", jobs, within: 1...Int.max, fix: "remove it")
        let stop: Stop = Interruptions().first
        let client = try client.client()
        if dryRun {
            return try await client.withDriver(under: specification, invite: ClientFlags.invite) { source in
                let subject = try await client.subject(source, until: stop)
                let suite = ClientSuite(subject, at: source.location, under: specification, selection, jobs: jobs)
                Console.write(try lives.plan(of: suite.plan, only))
            }
        }
        let (seed, time) = (try lives.seed(only) ?? .random(in: 0...9_999_999), try lives.time(only))
        let output = try ReportOutput(formats, baseline, isPart: parts.shard != nil, forRun: true, under: specification)
        selection.baseline = output.baseline
        var report = try await client.withDriver(under: specification, invite: ClientFlags.invite) {
            [selection] source in
            let subject = try await client.subject(source, until: stop)
            if let out { try Files.prepareFolder(out, given: "--out") }
            var suite = ClientSuite(subject, at: source.location, under: specification, selection, jobs: jobs)
            suite.life = try time.map { time in
                try Life(
                    of: subject, at: source.location, seed: seed, for: time, under: specification
                ) { output.say($0) }
            }
            suite.lifeOptions = LifeOptions.options(only, seed: seed, out: out) { path in
                let rerun = client.rerun("\(Tool.command) explore client --plan \(path)")
                return rerun.command + (rerun.driver.map { " -- \($0)" } ?? "")
            }
            return try await suite.run(until: stop, showing: formats.progress)
        }
        report.rerun = client.rerun("\(Tool.command) client", spec: spec)
        report.rerun?.command += parts.rerun + baseline.rerun + (time.map { " --life \($0) --seed \(seed)" } ?? "")
        try output.end(with: report, addingScenarios: ["client/life/\(seed)"]) { if let out { try $0.write(to: out) } }
    }
}
