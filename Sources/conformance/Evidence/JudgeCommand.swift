import ArgumentParser
import Holdfast
import HoldfastCaptures
import HoldfastJSON
import HoldfastReport
import HoldfastSuite
import HoldfastTransport

struct JudgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Judge captures, transcripts and stored reports.",
        discussion: """
            Detects the format of each file; --as overrides it. A folder means the captures in it and in its \
            subfolders, '-' standard input.

              transcript   written by this program, one or many per file
              report       written by this program: every verdict is recomputed and compared
              frames       lines with a message: {"at":…,"conn":…,"dir":">","frame":{…}}, bare, or in any log
              har          exported by a browser, with WebSocket messages
              pcap         a packet capture, read by tshark where it is installed
              notes        A -> {…}  A <- {…}  A CLOSED 4001 'x'  HTTP GET /p -> 200 {…}

            A capture starts in the middle and is incomplete. Missing data is never a violation and never a pass: the \
            clauses that need it are counted as not covered, with the reason.

            Observations are not verdicts: unanswered questions, repeated texts, gaps in 'seq', reads that found nothing, \
            connections that ended early, long silences. For the clauses behind them: 'conformance explain duplicate'. \
            The first line counts them, and --fail-on observation makes them fail.

            Examples:
              conformance judge capture.ndjson
              conformance judge --dialect nami --profile core session.har
              conformance judge --format html=page.html capture.ndjson
              conformance judge --fail-on observation capture.ndjson
              gunzip -c day.ndjson.gz | conformance judge -
              conformance judge --follow --metrics :9464 /var/log/chat/frames.ndjson
              conformance judge run/report.json

            --follow reads growing files and pipes from the start, survives log rotation, and reports violations at once: \
            three of a clause in full, then one a minute; the summary counts the rest. It never blocks the writer of a pipe. \
            It ends on Ctrl-C, on SIGTERM, or when all pipes have closed.

            Exit codes: 0 no violations · 1 violation, a stored verdict that differs, or an observation with --fail-on \
            observation · 2 nothing could be judged, or the stored run was incomplete · 64 usage, or a file cannot be \
            read and nothing is violated
            """
    )

    @Argument(
        help: ArgumentHelp("Captures, folders of captures, or '-' for standard input.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The format of every file: transcript, report, frames, har or notes.", valueName: "form"),
        completion: .list(CaptureForm.allCases.map(\.rawValue)))
    var form: String?

    @Option(
        help: ArgumentHelp(
            "A profile the judged side declares. Repeatable. Default: taken from its greeting.",
            discussion: "Otherwise: every profile of the dialect, or client-core for a client.",
            valueName: "name"), completion: .words { Profile.allCases.map(\.rawValue) })
    var profile: [String] = []

    @Option(
        help: ArgumentHelp("The side to judge: server or client. Default: server.", valueName: "side"),
        completion: .sides)
    var role: String?

    @OptionGroup var subject: SubjectOptions

    @Flag(help: "All connections belong to one principal, although no token shows it.")
    var onePerson = false

    @Flag(help: "The capture was recorded next to the server: abrupt ends and delays are the server's.")
    var besideServer = false

    @Flag(help: "Frames may be missing anywhere, not only where the file says so.")
    var lossy = false

    @Option(
        help: ArgumentHelp("Give up on a pipe after this long without data; 0 waits forever.", valueName: "seconds")
    )
    var pipeTimeout = 60

    @Option(
        help: ArgumentHelp(
            "What fails: violation, or observation (violations too). Default: violation.", valueName: "what"),
        completion: .list(Judgment.Failure.allCases.map(\.rawValue)))
    var failOn: String?

    @Option(help: ArgumentHelp("The number of threads. Default: one per core.", valueName: "count"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp("Write judgement.json and the parts with violations to this folder.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Flag(help: "Keep reading growing files and pipes; report violations as they are found.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "With --follow: serve Prometheus metrics at /metrics on this address.", valueName: "host:port"))
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "With --follow: judge one in n principals, such as 1/10, each with its whole history.", valueName: "1/n"))
    var sample: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "Also write the result as html (a single page with charts) or json. Repeatable.", valueName: "name=file"),
        completion: .list(JudgmentFormat.allCases.map { "\($0.rawValue)=" }))
    var formats: [String] = []

    @Flag(help: "List each clause that the captures did not cover.")
    var verbose = false

    func run() async throws {
        let specification = try Specification(.embedded)
        let (described, dialect) = try subject.read(specification)
        let options = try JudgeOptions(
            form: form, role: role, profiles: profile, subject: described, dialect: dialect, isOnePerson: onePerson,
            isBesideServer: besideServer, isLossy: lossy, pipeTimeout: pipeTimeout, under: specification)
        try InputProblem.unknown(
            [failOn].compactMap(\.self), "kind of failure", given: "--fail-on",
            among: Judgment.Failure.allCases.map(\.rawValue), otherwise: "choose one of these"
        ).throwAll()
        let targets = try FormatTarget<JudgmentFormat>.all(formats)
        let draws = targets.contains { $0.format == .html }
        let paths = try JudgeFiles.paths(files) { Console.error($0) }
        if let out { try Files.prepareFolder(out, given: "--out") }
        var judgment: Judgment
        let console = follow ? LiveConsole(isForMachines: json || targets.contains { $0.path == "-" }) : nil
        if let console {
            judgment = try await followed(paths, specification, options, draws, console)
        } else {
            if metrics != nil || sample != nil {
                throw InputProblem(
                    metrics != nil ? "--metrics" : "--sample", "needs --follow", expected: "--follow with it",
                    fix: "add --follow, or remove this flag")
            }
            let run = JudgeRun(
                under: specification, options, jobs: try Tool.threads(jobs), keepsParts: out != nil, draws: draws)
            judgment = await run.judge(paths, showing: ProgressLine.display(wipesWhenInterrupted: true))
        }
        judgment.failsOn = failOn.flatMap(Judgment.Failure.init) ?? .violation
        var unwritten = UnwrittenFiles()
        unwritten.attempt { if let out { try judgment.write(to: out, specification) } }
        try console?.end()
        let jsonText = { judgment.json(under: specification).text(pretty: true) + "\n" }
        let consoleText = { JudgmentText(judgment, specification, style: Console.style, listsAll: verbose).text }
        // If nothing could be read, only the problems are shown.
        if judgment.isEmpty, !json { try judgment.problems.throwAll() }
        unwritten += FormatTarget.write(targets, beside: json ? jsonText() : consoleText()) { format in
            switch format {
            case .html: judgment.page(under: specification)
            case .json: jsonText()
            }
        }
        // A violation counts even if other files could not be read.
        if unwritten.isEmpty, judgment.exit != .violation { try judgment.problems.throwAll() }
        for problem in judgment.problems { Console.error(problem.description) }
        try unwritten.end(after: judgment.exit)
    }

    private func followed(
        _ paths: [String], _ specification: Specification, _ options: JudgeOptions, _ draws: Bool,
        _ console: LiveConsole
    ) async throws -> Judgment {
        var plan = FollowRun.Plan()
        plan.sample = try sample.map(PrincipalSample.count)
        (plan.out, plan.draws) = (out, draws)
        let interruptions = Interruptions()
        if metrics != nil { plan.metrics = FollowMetrics(specification, options) }
        let server: TransportServer? = if let metrics { try await plan.metrics?.serve(at: metrics) } else { nil }
        if let server { console.note("metrics: \(server.httpURL("/metrics"))") }
        let run = FollowRun(under: specification, options, plan, note: { console.note($0) }) { announcement in
            console.notify(announcement.clause.id, isWithdrawn: announcement.isWithdrawn, announcement.text)
        }
        let judgment = try await run.judge(paths, until: interruptions.first)
        await server?.stop(graceful: .zero)
        return judgment
    }
}

enum JudgmentFormat: String, CaseIterable {
    case html, json
}
