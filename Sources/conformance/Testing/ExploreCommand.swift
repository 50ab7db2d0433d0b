import ArgumentParser
import Holdfast
import HoldfastReport
import HoldfastSuite

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
              conformance explore server --start 'my-server --port {port} --data {data} --model {model}' --seed 7 --runs 200
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
        let plans = try search.plans(for: .server)
        let output = try ReportOutput(search.formats, search.baseline, forRun: true, under: specification)
        let stop: Stop = Interruptions().first
        let configured = try server.server().subject(under: specification).0
        try await server.withSubject(configured, under: specification, until: stop) { subject in
            if let problem = subject.notReached { throw SuiteProblem(.unreachable, problem.description) }
            let rerun = try server.rerun(subject, as: "explore")
            return try await search.explore(
                Explored(subject, under: specification, skipsCrashes: server.skipCrashes), plans, output,
                under: specification, until: stop
            ) { "\(rerun) \($0)" }
        }.end()
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
              conformance explore client --plan explored/CLIENT-15-7.json -- ./my-driver

            \(ExploreFlags.codes)
            """
    )

    @OptionGroup(title: "The client")
    var client: ClientFlags

    @OptionGroup(title: "The search")
    var search: ExploreFlags

    func run() async throws {
        let specification = try Specification(.embedded)
        let plans = try search.plans(for: .client)
        let output = try ReportOutput(search.formats, search.baseline, forRun: true, under: specification)
        let stop: Stop = Interruptions().first
        let tested = try client.client()
        let rerun = tested.rerun("\(Tool.command) explore client")
        let driver = rerun.driver.map { " -- \($0)" } ?? ""
        try await tested.withDriver(under: specification, invite: ClientFlags.invite) { source in
            let subject = try await tested.subject(source, until: stop)
            return try await search.explore(
                Explored(subject, at: source.location, under: specification), plans, output, under: specification,
                until: stop
            ) { "\(rerun.command) \($0)\(driver)" }
        }.end()
    }
}

struct ExploreFlags: ParsableArguments {
    fileprivate static let codes =
        "Exit codes: 0 nothing found · 1 violation · 2 interrupted, or a driver failed · 3 stale baseline · 64 usage · 69 unreachable · 70 suite failure"

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

    func plans(for role: Role) throws -> [ScenarioFile] {
        for (flag, number) in [("--runs", runs), ("--minutes", minutes)] {
            try InputProblem.checked(flag, number ?? 1, within: 1...1_000_000_000, fix: "correct it")
        }
        return try plan.map { try ScenarioFile(at: $0, for: role) }
    }

    /// Runs the given files, or random plans.
    ///
    /// * `rerun`: Makes the command that runs these flags against the same peer.
    func explore(
        _ explored: Explored, _ files: [ScenarioFile], _ output: ReportOutput, under specification: Specification,
        until stop: @escaping Stop, rerun command: @escaping @Sendable (String) -> String
    ) async throws -> ExitStatus {
        let seed = seed ?? .random(in: 0...9_999_999)
        var exploration = Exploration(
            explored, under: specification, seed: seed, runs: runs ?? (minutes == nil ? 100 : nil),
            time: minutes.map { .seconds($0 * 60) }, showing: formats.progress)
        if let corpus {
            exploration.corpus = try Exploration.Corpus(in: corpus, for: explored.role) { Console.error("\($0)") }
        }
        guard files.isEmpty else {
            let replayed = await exploration.perform(files, until: stop)
            return try end(
                replayed.status, replayed.complaints, with: replayed.report, showing: replayed.text, output,
                isUnreachable: replayed.startProblem != nil,
                rerun: command(plan.map { "--plan \(ShellWords.quoted($0))" }.joined(separator: " ")))
        }
        let (out, isRandom) = (out, corpus == nil)
        let result = await exploration.run(until: stop) { found in
            var options = isRandom ? "--seed \(found.seed) --runs 1" : "--plan …"
            do { options = "--plan \(ShellWords.quoted(try found.write(to: out)))" } catch { Console.error("\(error)") }
            output.say(found.text(again: command(options)))
        }
        return try end(
            result.status, result.complaints, with: result.report, showing: result.text(seed: seed), output,
            isUnreachable: result.startProblem != nil,
            rerun: command("--seed \(seed) --runs \(max(1, result.performed))"))
    }

    private func end(
        _ status: ExitStatus, _ complaints: [String], with report: RunReport?, showing text: String,
        _ output: ReportOutput, isUnreachable: Bool, rerun: String
    ) throws -> ExitStatus {
        for complaint in complaints { Console.error(complaint) }
        // The report ends the command after an unexpected violation, unless the search ended early.
        let status = status == .violation && !isUnreachable ? .conforms : status
        guard var report else {
            output.say(text)
            return status
        }
        report.rerun = RunReport.Rerun(rerun, isWhole: true)
        if isUnreachable {
            try output.show(report, as: text).end(after: status)
            return status
        }
        // The console report lists the violations that the baseline expects.
        if baseline.baseline != nil { output.say(text) }
        let names = ["explored", "plans"].map { "\(report.subject.role)/\($0)/" }
        try output.end(
            with: report, showing: baseline.baseline == nil ? text : nil,
            addingScenarios: report.scenarios.map(\.name)
                + report.clauses.flatMap { clause in names.map { "\($0)\(clause.clause.id)" } })
        return status
    }
}
