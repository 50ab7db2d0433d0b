import ArgumentParser
import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastSuite

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a server with devices and judge every clause meanwhile.",
        discussion: """
            Each device behaves like a phone: it asks, sometimes disconnects before the answer, comes back after seconds, \
            syncs from its position, reads over REST, and resends with the same id. The suite judges what each \
            principal sees while the load runs. It reports a violation once per clause, shrunk to a transcript of one \
            principal.

            The schedule of every device is drawn beforehand from --seed, and every time counts from the moment when \
            an act was due, so a server cannot hide a stall. If the suite itself is late, it says so and gives no times.

            Examples:
              conformance load --reference --devices 200 --for 20s
              conformance load ws://127.0.0.1:8080/ws --token 'user-{n}' --devices 5000 --for 60s --ramp 10s
              conformance load wss://staging.example/ws --tokens tokens.txt --mix desks --format html=load.html
              conformance load --start 'my-server --port {port}' --devices 1000 --seed 7 --out results
              conformance load --reference --defect order-swaps-frames-in-a-crowd --devices 50 --for 5s

            Each principal needs a token: {n} in --token stands for 1, 2, 3 and so on. With fewer tokens than principals, \
            devices share them. The clauses that --only names apply; without it, those that the load exercised.

            Exit codes: 0 conforms · 1 violation · 2 interrupted · 3 stale baseline · 64 usage · 69 unreachable · 70 the \
            suite, not the server, is the limit
            """
    )

    @OptionGroup(title: "The server")
    var server: SubjectFlags

    @Option(
        help: ArgumentHelp("A file with the token of one principal per line.", valueName: "file"), completion: .file())
    var tokens: String?

    @Option(help: "How many devices connect.")
    var devices = 100

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long they act: seconds, or with a unit, such as 90s or 5min.", valueName: "time"))
    var duration = "60s"

    @Option(
        help: ArgumentHelp("How long it takes until all have connected. Default: a sixth of --for.", valueName: "time"))
    var ramp: String?

    @Option(help: "The random seed. Default: a new one, which is printed.")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "How devices behave: phones (the default), desks, or a file (schema: Spec/schemas/files/mix.json).",
            valueName: "name|file"),
        completion: .mixes)
    var mix = "phones"

    @Option(
        help: ArgumentHelp(
            "Run the devices of shard I of N, counting from 1; '/N' takes the index from JOB_COMPLETION_INDEX.",
            discussion: "Give all shards the same --seed; 'conformance report merge' combines their reports.",
            valueName: "i/n"))
    var shard: String?

    @Option(
        help: ArgumentHelp("Judge only these clauses; '*' is a wildcard. Repeatable.", valueName: "pattern"),
        completion: .serverPatterns)
    var only: [String] = []

    @Option(
        help: ArgumentHelp("Write report.json and transcripts to this folder.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @OptionGroup(title: "Reports") var formats: FormatOptions

    @OptionGroup(title: "Expected violations") var baseline: BaselineOptions

    func run() async throws {
        let specification = try Specification(.embedded)
        let part = try shard.map { try Shard($0, environment: ProcessInfo.processInfo.environment) }
        let plan = try LoadPlan(
            devices: devices, for: duration, ramp: ramp, seed: seed, mix: mix, under: specification)
        let selection = try Selection(only, role: .server, of: specification, scenarios: [])
        if part != nil, seed == nil {
            throw InputProblem(
                "--shard", "the shards of a load need a common seed", expected: "--seed N, the same for all",
                fix: "add --seed 1")
        }
        let configured = try server.server().subject(under: plan, tokens: tokens, specification)
        try plan.checkFiles(shards: part?.count ?? 1)
        let output = try ReportOutput(formats, baseline, isPart: part != nil, forRun: true, under: specification)
        if let out { try Files.prepareFolder(out, given: "--out") }
        let stop: Stop = Interruptions().first
        // One principal suffices for the greeting.
        var greeting = configured
        greeting.principals = Array(configured.principals.prefix(1))
        var report = try await server.withSubject(greeting, under: specification, until: stop) { greeted in
            var subject = greeted
            subject.principals = configured.principals
            if let problem = subject.notReached { throw SuiteProblem(.unreachable, problem.description) }
            let style = Console.style
            return try await LoadRun(subject, plan, selection, shard: part, under: specification)
                .run(until: stop, showing: formats.progress) { Console.error($0.text(style)) }
        }
        report.rerun = try RunReport.Rerun(
            server.rerun(configured, as: "load")
                + " --devices \(devices) --for \(duration) --seed \(plan.seed) --mix \(ShellWords.quoted(mix))"
                + only.map { " --only \(ShellWords.quoted($0))" }.joined(),
            isWhole: true)
        try output.end(with: report) { if let out { try $0.write(to: out) } }
    }
}
