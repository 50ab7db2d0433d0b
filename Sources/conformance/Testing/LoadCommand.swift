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
            syncs from its position, reads over REST, and resends with the same id. What each principal sees is judged \
            while the load runs. A violation is reported once per clause, shrunk to a transcript of one principal.

            The schedule of every device is drawn beforehand from --seed, and every time counts from the moment an act was \
            intended: a server that stalls cannot hide it. When the suite itself is late, it says so and gives no times.

            Examples:
              conformance load --reference --devices 200 --for 20s
              conformance load ws://127.0.0.1:8080/ws --token 'user-{n}' --devices 5000 --for 60s --ramp 10s
              conformance load wss://staging.example/ws --tokens tokens.txt --mix desks --format html=load.html
              conformance load --start 'my-server --port {port}' --devices 1000 --seed 7 --out results
              conformance load --reference --defect order-swaps-frames-in-a-crowd --devices 50 --for 5s

            Each principal needs a token: {n} in --token stands for 1, 2, 3 and so on. With fewer tokens than principals, \
            devices share them. Applicable are the clauses that --only names, otherwise those that the load exercised.

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

    /// The most devices of one process: more than a machine has ports.
    private static let mostDevices = 50_000
    /// What else than a socket a device may need at a time, and what the program itself needs.
    private static let (filesPerDevice, ownFiles) = (2, 200)

    func run() async throws {
        let specification = try Specification(.embedded)
        let part = try shard.map { try Shard($0, environment: ProcessInfo.processInfo.environment) }
        let plan = try plan(specification)
        let selection = try Selection(only, role: .server, of: specification, scenarios: [])
        if part != nil, seed == nil {
            throw InputProblem(
                "--shard", "the shards of a load need a common seed", expected: "--seed N, the same for all",
                fix: "add --seed 1")
        }
        let asked = try subject(plan, under: specification)
        try checkFiles(plan.devices / (part?.count ?? 1))
        let output = try ReportOutput(formats, baseline, isPart: part != nil, ofRun: true, under: specification)
        if let out { try Files.makeFolder(out) }
        let stop: Stop = Interruptions().first
        // One principal is enough to be greeted.
        var first = asked
        first.principals = Array(asked.principals.prefix(1))
        var report = try await server.meeting(first, under: specification) { greeted in
            var subject = greeted
            subject.principals = asked.principals
            if let problem = subject.notReached { throw SuiteProblem(.unreachable, problem.description) }
            let style = Console.style
            return try await LoadRun(subject, plan, selection, shard: part, under: specification)
                .run(until: stop, showing: ProgressLine.display()) { told in
                    Console.error(
                        style.spelled(
                            """
                            \(style.red("violation")) \(told.clause.id) (\(told.clause.keyword.rawValue)) seen by \
                            \(told.principal), shrunk to \(counted(told.events, "event"))
                              \(told.finding.what)
                            """))
                }
        }
        let rerun = server.rerun(asked).replacing("\(Tool.command) server", with: "\(Tool.command) load")
        report.again = RunReport.Again(
            "\(rerun) --devices \(devices) --for \(duration) --seed \(plan.seed) --mix \(ShellWords.quoted(mix))"
                + only.map { " --only \(ShellWords.quoted($0))" }.joined(),
            isWhole: true)
        try output.end(with: report) { if let out { try $0.write(to: out) } }
    }

    private func plan(_ specification: Specification) throws -> LoadPlan {
        guard (1...Self.mostDevices).contains(devices) else {
            throw InputProblem(
                "--devices", "'\(devices)' is out of range", expected: "a number from 1 to \(Self.mostDevices)",
                fix: "use --shard I/N for more")
        }
        let duration = try Self.milliseconds(self.duration, "--for", from: 1000)
        let ramp = try ramp.map { try Self.milliseconds($0, "--ramp", from: 0) } ?? duration / 6
        guard ramp < duration else {
            throw InputProblem(
                "--ramp", "'\(self.ramp ?? "")' is not shorter than --for", expected: "less than \(self.duration)",
                fix: "shorten it, or lengthen --for")
        }
        return LoadPlan(
            devices: devices, duration: duration, ramp: ramp, seed: seed ?? .random(in: 0...9_999_999),
            mix: try mix(specification))
    }

    private func mix(_ specification: Specification) throws -> LoadMix {
        if let known = try specification.mix(named: mix) { return known }
        guard mix.contains("/") || mix.hasSuffix(".json") else {
            throw InputProblem(
                "--mix", "there is no mix '\(clipped(mix))'", insteadOf: mix, among: specification.mixNames,
                expected: "\(specification.mixNames.joined(separator: ", ")), or the path of a mix file",
                otherwise: "choose one of these")
        }
        let name = mix.split(separator: "/").last.map(String.init) ?? mix
        return try LoadMix(Files.text(of: mix), file: mix, name: name.replacing(".json", with: ""))
    }

    /// The server, with as many principals as the devices have where tokens are to be had.
    private func subject(_ plan: LoadPlan, under specification: Specification) throws -> ServerSubject {
        let count = plan.people().count
        var server = try server.server()
        server.principalsUnderLoad = count
        server.skipsCrashes = true
        server.tokens = server.tokens.flatMap { token in
            token.contains("{n}") ? (1...count).map { token.replacing("{n}", with: "\($0)") } : [token]
        }
        if let tokens {
            let lines = try Files.text(of: tokens).split(whereSeparator: \.isNewline).map(String.init)
            guard !lines.isEmpty else {
                throw InputProblem(
                    "--tokens", "'\(tokens)' has no lines", expected: "a token per line",
                    fix: "write the tokens of your test accounts into it")
            }
            server.tokens += lines
        }
        let subject = try server.subject(under: specification).subject
        guard subject.dialect.isCanonical else {
            throw InputProblem(
                "--dialect", "a load speaks only the specification's own form", expected: "canonical",
                fix: "run 'conformance server --dialect \(subject.dialect.name)' instead")
        }
        return subject
    }

    private func checkFiles(_ devices: Int) throws {
        let most = Processes.raiseOpenFiles()
        let needed = devices * Self.filesPerDevice + Self.ownFiles
        guard most < needed else { return }
        throw InputProblem(
            "--devices", "\(devices) devices need up to \(needed) open files, and this process may open \(most)",
            expected: "at most \(max(1, (most - Self.ownFiles) / Self.filesPerDevice)) devices",
            fix: "raise the limit with 'ulimit -n \(needed)', or use --shard I/N")
    }

    /// Reads `90s`, `5min`, `250ms` or seconds.
    static func milliseconds(_ text: String, _ flag: String, from least: Int) throws(InputProblem) -> Int {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let units = ["": 1000.0, "s": 1000, "ms": 1, "min": 60_000, "m": 60_000, "h": 3_600_000]
        guard let number = Double(digits), let unit = units[String(text.dropFirst(digits.count))],
            case let time = number * unit, (Double(least)...86_400_000).contains(time)
        else {
            throw InputProblem(
                flag, "'\(clipped(text))' is not a time of \(least / 1000) s to 24 h",
                expected: "seconds, or a number with ms, s, min or h", fix: "for example \(flag) 30s")
        }
        return Int(time)
    }
}
