import ArgumentParser
import Holdfast
import HoldfastCaptures
import HoldfastJSON
import HoldfastReport
import HoldfastSuite
import HoldfastTranscript
import HoldfastTransport

struct JudgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Judge captures, transcripts and stored reports.",
        discussion: """
            What a file is shows by its content; --as says it. A folder stands for the captures in it, '-' for standard \
            input.

              transcript   of this program, one or many in a file
              report       of this program: every verdict is computed again and compared
              frames       JSON frames, one a line, bare or {"at":…,"dir":">","frame":{…}}
              har          as browsers export it, with WebSocket messages
              notes        A -> {…}  A <- {…}  A CLOSED 4001 'x'  HTTP GET /p -> 200 {…}

            A capture begins in the middle and does not hold everything. Nobody is accused because of what it does not \
            hold, and nothing passes that it does not show; the end tells how many clauses it could not reach, and why.

            Observations are no verdicts: questions without an answer, texts that came twice, gaps in 'seq', reads that found \
            nothing, connections that ended too early, long silences. They lead to clauses: 'conformance explain duplicate'.

            Examples:
              conformance judge capture.ndjson
              conformance judge --dialect nami --profile core session.har
              conformance judge --format html=page.html capture.ndjson
              gunzip -c day.ndjson.gz | conformance judge -
              conformance judge --follow --metrics :9464 /var/log/chat/frames.ndjson
              conformance judge run/report.json

            --follow judges growing files and pipes from their beginning and reports each violation when it is found, also \
            across rotation. It never blocks the writer of a pipe. It ends on Ctrl-C, on SIGTERM or when all pipes have ended.

            Exit codes: 0 nothing violated · 1 violation, or a stored verdict that differs · 2 nothing could be judged, \
            or the stored run was incomplete · 64 a file cannot be read
            """
    )

    @Argument(
        help: ArgumentHelp("Captures, folders of captures, or '-' for standard input.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("What every file is: transcript, report, frames, har or notes.", valueName: "form"),
        completion: .list(CaptureForm.allCases.map(\.rawValue)))
    var form: String?

    @Option(
        help: ArgumentHelp(
            "A profile the side under test declares, one or more. Default: what its greeting states.",
            discussion: "Of a dialect all that it can say, of a client client-core.",
            valueName: "name"), completion: .words { Profile.allCases.map(\.rawValue) })
    var profile: [String] = []

    @Option(help: ArgumentHelp("Whose side is judged: server or client.", valueName: "side"), completion: .sides)
    var role: String?

    @OptionGroup var subject: SubjectOptions

    @Flag(help: "All connections are one person's, though they show no token.")
    var onePerson = false

    @Flag(help: "It was recorded beside the server: an end without a close frame, and delays, are the server's own.")
    var besideServer = false

    @Flag(help: "Frames may be missing anywhere, not only where the file says so.")
    var lossy = false

    @Option(
        help: ArgumentHelp("Give up on a pipe that brings nothing for so long; 0 waits for ever.", valueName: "seconds")
    )
    var pipeTimeout = 60

    @Option(help: ArgumentHelp("Threads that judge. Default: one per core.", valueName: "count"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp("Write the judgement for machines, and the parts with violations, here.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Flag(help: "Judge files while they grow, and pipes, until interrupted; report violations as they are found.")
    var follow = false

    @Option(
        help: ArgumentHelp("With --follow: serve metrics for Prometheus at /metrics here.", valueName: "host:port"))
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "With --follow: judge one principal in n, such as 1/10, with its whole history.", valueName: "1/n"))
    var sample: String?

    @Flag(help: "Print the judgement for machines instead.")
    var json = false

    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "Write the judgement in another form too: html (one page with charts) or json.", valueName: "name=file"),
        completion: .list(JudgementFormat.allCases.map { "\($0.rawValue)=" }))
    var formats: [String] = []

    @Flag(help: "Name each clause that the captures could not show.")
    var verbose = false

    func run() async throws {
        let specification = try Specification(.embedded)
        let options = try options(specification)
        let targets = try FormatTarget<JudgementFormat>.all(formats)
        let draws = targets.contains { $0.format == .html }
        let paths = try JudgeFiles.paths(files)
        let judgement: Judgement
        let console = follow ? FollowConsole(isForMachines: json || targets.contains { $0.path == "-" }) : nil
        if let console {
            judgement = try await followed(paths, specification, options, draws, console)
        } else {
            if metrics != nil || sample != nil {
                throw InputProblem(
                    metrics != nil ? "--metrics" : "--sample", "needs --follow", expected: "--follow beside it",
                    fix: "add --follow, or leave it out")
            }
            let run = JudgeRun(
                under: specification, options, jobs: try Tool.threads(jobs), keepsParts: out != nil, draws: draws)
            judgement = await run.judge(paths, showing: ProgressLine.display(wipesWhenInterrupted: true))
        }
        let written = Result { if let out { try judgement.write(to: out, specification) } }
        try console?.end()
        let machines = { JudgementJSON(judgement, specification).value.text(pretty: true) + "\n" }
        let people = { JudgementText(judgement, specification, style: Console.style, listsAll: verbose).text }
        // Of what could not be read at all there is nothing to say.
        if judgement.isEmpty, !json { try judgement.problems.throwAll() }
        try FormatTarget.write(targets, beside: json ? machines() : people()) { format in
            switch format {
            case .html: judgement.page(under: specification, tool: toolVersion)
            case .json: machines()
            }
        }
        try written.get()
        try judgement.problems.throwAll()
        try judgement.exit.end()
    }

    private func followed(
        _ paths: [String], _ specification: Specification, _ options: JudgeOptions, _ draws: Bool,
        _ console: FollowConsole
    ) async throws -> Judgement {
        var plan = FollowRun.Plan()
        if let sample {
            let parts = sample.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == "1", let count = Int(parts[1]), (1...1_000_000).contains(count) else {
                throw InputProblem(
                    "--sample", "'\(sample)' is no share", expected: "1/N with N of 1 to 1000000, such as 1/10",
                    fix: "write it so, or leave it out")
            }
            plan.sample = count
        }
        (plan.out, plan.draws) = (out, draws)
        if let out { try Files.makeFolder(out) }
        let interruptions = Interruptions()
        var server: TransportServer?
        if let metrics {
            let named = metrics.hasPrefix(":") ? "127.0.0.1\(metrics)" : metrics
            let address = try ServiceAddress(named, given: "--metrics")
            let kept = FollowMetrics(specification, options)
            plan.metrics = kept
            let started = try await address.listening("--metrics") { (address) async throws(TransportProblem) in
                try await TransportServer.start(host: address.host, port: address.port, handler: MetricsHandler(kept))
            }
            console.note("metrics: \(started.httpURL("/metrics"))")
            server = started
        }
        let run = FollowRun(under: specification, options, plan, note: { console.note($0) }, tell: { console.tell($0) })
        let judgement = try await run.judge(paths, until: interruptions.first)
        await server?.stop(graceful: .zero)
        return judgement
    }

    /// What the flags and the subject file say of captures that do not say it themselves.
    private func options(_ specification: Specification) throws -> JudgeOptions {
        var problems: [InputProblem] = []
        let known = CaptureForm.allCases.map(\.rawValue)
        let form = form.map(CaptureForm.init(rawValue:)) ?? nil
        if form == nil, let name = self.form {
            problems.append(
                InputProblem(
                    "--as", "'\(name)' is no form", insteadOf: name, among: known, otherwise: "name one of these"))
        }
        let side = role.map(Role.init(rawValue:)) ?? .server
        if side == nil, let role {
            problems.append(
                InputProblem(
                    "--role", "'\(role)' is no side", insteadOf: role, among: Role.allCases.map(\.rawValue),
                    expected: "server or client", otherwise: "name one of them"))
        }
        let role = side ?? .server
        let (described, dialect) = try subject.read(specification)
        // What a server is judged by when nothing says it: all that its dialect can say, of a canonical one the core.
        let isUndeclared = profile.isEmpty && described?.profiles == nil && dialect.isCanonical
        let usual = role == .client ? [.clientCore] : described?.profiles ?? dialect.usualProfiles.union([.core])
        let declared = profile.isEmpty ? usual : Profile.declared(named: profile, of: role, &problems)
        try problems.throwAll()
        return JudgeOptions(
            form: form,
            reading: CaptureReader.Options(
                subject: History.Subject(
                    name: described?.name ?? "capture", role: role, profiles: declared, hasScriptedAgent: false,
                    limits: described?.limits ?? [:]),
                dialect: dialect, isOnePerson: onePerson ? true : nil, known: besideServer ? [.network] : [],
                lacking: lossy ? [.frames] : []),
            pipeTimeout: pipeTimeout, isUndeclared: isUndeclared,
            isNamed: !profile.isEmpty, dialects: try specification.dialects())
    }
}

/// What a judgement can be written as besides its text.
enum JudgementFormat: String, CaseIterable {
    case html, json
}
