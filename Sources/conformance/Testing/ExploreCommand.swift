import ArgumentParser
import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastJudge
import HoldfastPlatform
import HoldfastReport
import HoldfastStage
import HoldfastSuite
import HoldfastTranscript

struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Test a server or a client with random schedules.",
        discussion: """
            Runs random schedules against a server or a client and judges the recordings. A schedule that breaks a clause \
            is shrunk to the fewest steps, run again, and written as a scenario file with its transcript. The same seed \
            gives the same plans everywhere; a peer may answer them differently from run to run.

            Examples:
              conformance explore ws://127.0.0.1:8080/ws --scripted-agent --minutes 5
              conformance explore --start 'my-server --port {port} --data {data}' --seed 7 --runs 200
              conformance explore client --minutes 10 -- ./my-driver

            'conformance explore server --help' and 'conformance explore client --help' show all flags.
            """,
        subcommands: [ExploreServerCommand.self, ExploreClientCommand.self],
        defaultSubcommand: ExploreServerCommand.self
    )
}

struct ExploreServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Explore a server (the default).",
        discussion: """
            Devices connect, disconnect, ask, resend over WebSocket or REST, replay from any position, read, and exceed the \
            rate limit. With --start, the suite also kills and stops the server and makes its writes fail.

            Examples:
              conformance explore ws://127.0.0.1:8080/ws --scripted-agent --minutes 5
              conformance explore server --start 'my-server --port {port} --data {data}' --seed 7 --runs 200
              conformance explore --reference --defect idem-runs-repeats-again --runs 50
              conformance explore --reference --plan explored/IDEM-1.json
              conformance explore ws://127.0.0.1:8080/ws --scripted-agent --minutes 60 --corpus plans

            \(ExploreFlags.codes)
            """
    )

    @OptionGroup(title: "The server")
    var server: SubjectFlags

    @OptionGroup(title: "The search")
    var search: ExploreFlags

    func run() async throws {
        let specification = try Specification(.embedded)
        let plans = try search.plans { try ScenarioReader.scenario($0, named: "server/explored/\($1)", file: $2) }
        let output = try ReportOutput(search.formats, search.baseline, ofRun: true, under: specification)
        let stop: Stop = Interruptions().first
        let asked = try server.server().subject(under: specification).0
        let status = try await server.meeting(asked, under: specification) { subject in
            if let problem = subject.notReached { throw SuiteProblem(.unreachable, problem.description) }
            let rerun = server.rerun(subject).replacing("\(Tool.command) server", with: "\(Tool.command) explore")
            return try await search.explore(
                Explored(subject, under: specification, skipsCrashes: server.skipCrashes),
                plans.map { .server($0) }, output, under: specification, until: stop
            ) { "\(rerun) \($0)" }
        }
        if status != .conforms { throw ExitCode(status) }
    }
}

struct ExploreClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Explore a client.",
        discussion: """
            The user types, switches conversations, taps notifications and quits; the phone loses its network and moves \
            the app to the background; other devices ask too; the scripted server delays, refuses, forgets, disconnects \
            and restarts. The driver is the same as for 'conformance client', in real time.

            Examples:
              conformance explore client --minutes 10 -- ./my-driver
              conformance explore client --listen 192.168.1.10:9000 --runs 20
              conformance explore client --reference --defect client-appends-whatever-comes --runs 20
              conformance explore client --plan explored/CLIENT-16-7.json -- ./my-driver

            \(ExploreFlags.codes)
            """
    )

    @OptionGroup(title: "The client")
    var client: ClientFlags

    @OptionGroup(title: "The search")
    var search: ExploreFlags

    func run() async throws {
        let specification = try Specification(.embedded)
        let plans = try search.plans { try ClientScenarioReader.scenario($0, named: "client/explored/\($1)", file: $2) }
        let output = try ReportOutput(search.formats, search.baseline, ofRun: true, under: specification)
        let stop: Stop = Interruptions().first
        let tested = try client.client()
        let again = client.rerun(spec: nil)
        let command = again.command.replacing("\(Tool.command) client", with: "\(Tool.command) explore client")
        let driver = again.driver.map { " -- \($0)" } ?? ""
        let status = try await tested.meeting(under: specification, invite: ClientFlags.invite) { source in
            let subject = try await tested.subject(source, until: stop)
            return try await search.explore(
                Explored(subject, at: source.location, under: specification), plans.map { .client($0) }, output,
                under: specification, until: stop
            ) { "\(command) \($0)\(driver)" }
        }
        if status != .conforms { throw ExitCode(status) }
    }
}

/// Flags of a search, on either side.
struct ExploreFlags: ParsableArguments {
    fileprivate static let codes =
        "Exit codes: 0 nothing found · 1 violation · 2 interrupted, or a driver failed · 3 stale baseline · 64 usage · 69 unreachable · 70 harness error"

    @Option(help: "The random seed. Default: a new one, which is printed.")
    var seed: UInt64?

    @Option(help: "The maximum number of plans. Default: 100, or no limit with --minutes.")
    var runs: Int?

    @Option(help: "Stop after this many minutes; findings are still shrunk.")
    var minutes: Int?

    @Option(
        help: ArgumentHelp(
            "Run this scenario file instead of random plans. Repeatable.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var plan: [String] = []

    @Option(
        help: ArgumentHelp(
            "Start with the plans in this folder, mutate those that reach something new, and store them there.",
            valueName: "dir"), completion: .directory)
    var corpus: String?

    @Option(
        help: ArgumentHelp("Write findings to this folder.", valueName: "dir"), completion: .directory)
    var out = "explored"

    @OptionGroup(title: "Reports") var formats: FormatOptions

    @OptionGroup(title: "Expected violations") var baseline: BaselineOptions

    /// Reads the files of `--plan`.
    func plans<File>(_ read: (_ text: String, _ name: String, _ file: String) throws -> File) throws -> [File] {
        try Self.check(runs, of: "--runs")
        try Self.check(minutes, of: "--minutes")
        return try plan.map { path in try read(Files.text(of: path), Self.name(of: path), path) }
    }

    /// Runs the given files, or random plans.
    ///
    /// * `again`: Makes the command that runs these flags against the same peer.
    func explore(
        _ explored: Explored, _ files: [ScenarioFile], _ output: ReportOutput, under specification: Specification,
        until stop: @escaping Stop, again command: @escaping @Sendable (String) -> String
    ) async throws -> ExitStatus {
        let seed = seed ?? .random(in: 0...9_999_999)
        var exploration = Exploration(
            explored, under: specification, seed: seed, runs: runs ?? (minutes == nil ? 100 : nil),
            time: minutes.map { .seconds($0 * 60) }, showing: ProgressLine.display())
        if let corpus { exploration.corpus = try Self.corpus(in: corpus, for: explored.role) }
        if !files.isEmpty { return try await perform(files, exploration, output, until: stop, again: command) }
        let (out, isDrawn) = (out, corpus == nil)
        let result = await exploration.run(until: stop) { found in
            let location = "\(out)/\(found.clause)-\(found.seed)"
            var again = "--plan \(ShellWords.quoted("\(location).json"))"
            do {
                try Files.makeFolder(out)
                try Files.write(found.file, to: "\(location).json")
                try Files.write(TranscriptWriter.text(found.history), to: "\(location).ndjson")
            } catch {
                Console.error("\(error)")
                again = isDrawn ? "--seed \(found.seed) --runs 1" : "--plan …"
            }
            let others = found.others.map(\.clause.description)
            output.say(
                """
                violation \(found.clause) (seed \(found.seed), \(counted(found.plan.count, "step")), \(found.rate))
                  \(found.what)\(others.isEmpty ? "" : "\n  also \(listed(others, most: 8))")
                  again: \(command(again))


                """)
        }
        if let problem = result.startProblem { Console.error(problem) }
        for problem in result.problems.prefix(5) { Console.error("harness: \(problem)") }
        for failure in result.failures.prefix(3) { Console.error("seed \(failure.seed): \(failure.what)") }
        let failures = result.failures.count
        let text =
            "\(counted(result.performed, "plan")) from seed \(seed)\(result.wasInterrupted ? ", interrupted" : ""): "
            + (result.found.isEmpty ? "nothing found" : "\(counted(result.found.count, "violation"))")
            + (failures == 0 ? "" : ", \(counted(failures, "driver failure"))") + "\n"
        try end(
            with: result.report, showing: text, output, isGone: result.startProblem != nil,
            again: command("--seed \(seed) --runs \(max(1, result.performed))"))
        // The report has ended the command where something was broken that nobody expects, unless the search ended early.
        return result.status == .violation && result.startProblem == nil ? .conforms : result.status
    }

    /// Says what came of a search or of files, and writes the reports.
    private func end(
        with report: RunReport?, showing text: String, _ output: ReportOutput, isGone: Bool, again: String
    ) throws {
        guard var report else { return output.say(text) }
        report.again = RunReport.Again(again, isWhole: true)
        if isGone { return try output.show(report, as: text) }
        // What a baseline expects stands in the console report.
        if baseline.baseline != nil { output.say(text) }
        let names = ["explored", "plans"].map { "\(report.subject.role)/\($0)/" }
        try output.end(
            with: report, showing: baseline.baseline == nil ? text : nil,
            knowing: report.scenarios.map(\.name)
                + report.clauses.flatMap { clause in names.map { "\($0)\(clause.clause.id)" } })
    }

    /// Runs files and says what they break.
    private func perform(
        _ plans: [ScenarioFile], _ exploration: Exploration, _ output: ReportOutput, until stop: @escaping Stop,
        again command: (String) -> String
    ) async throws -> ExitStatus {
        let replayed = await exploration.perform(plans, until: stop)
        if let problem = replayed.startProblem { Console.error(problem) }
        var lines: [String] = []
        for result in replayed.plans {
            for problem in result.problems { Console.error("harness: \(problem)") }
            if let failure = result.failure { Console.error("\(result.name): \(failure)") }
            let broken = result.verdicts.filter { $0.outcome == .violation }
            lines += broken.flatMap {
                ["violation \($0.clause) in \(result.name)", "  \($0.findings.first?.what ?? "")"]
            }
            if let reason = result.skipped {
                lines += ["skipped: \(result.name)", "  \(reason)"]
            } else if broken.isEmpty, result.failure == nil {
                lines.append("no violations in \(result.name); \(counted(result.history.events.count, "event"))")
            }
        }
        if replayed.wasInterrupted { lines.append("interrupted") }
        try end(
            with: replayed.report, showing: lines.map { $0 + "\n" }.joined(), output,
            isGone: replayed.startProblem != nil,
            again: command(plan.map { "--plan \(ShellWords.quoted($0))" }.joined(separator: " ")))
        return replayed.status == .violation ? .conforms : replayed.status
    }

    /// The plans in a folder, which is created if missing; plans worth keeping are written there, named by their hash.
    private static func corpus(in folder: String, for role: Role) throws -> Exploration.Corpus {
        try Files.makeFolder(folder)
        let names = try files(below: folder).filter { $0.hasSuffix(".json") }
        let plans = try names.compactMap { name in
            Plan(try Files.text(of: "\(folder)/\(name)"), named: "\(role)/explored/\(Self.name(of: name))")
        }
        return Exploration.Corpus(plans) { plan in
            let text = plan.file(about: [ClauseID(.TURN, 1)]).text(pretty: true) + "\n"
            let name = hexDigits(SHA256.digest(Array(text.utf8)).prefix(8))
            do { try Files.write(text, to: "\(folder)/\(name).json") } catch { Console.error("\(error)") }
        }
    }

    private static func check(_ number: Int?, of flag: String) throws(InputProblem) {
        guard let number, !(1...1_000_000_000).contains(number) else { return }
        throw InputProblem(
            flag, "\(number) is out of range", expected: "1 to 1000000000", fix: "give a number of this range")
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(".json") ? String(file.dropLast(5)) : file
    }
}
