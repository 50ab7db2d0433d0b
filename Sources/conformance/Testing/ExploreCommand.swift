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
        abstract: "Look for what nobody thought of.",
        discussion: """
            Makes random schedules, performs them against a server and judges what was seen. Devices connect and disconnect, \
            ask, resend over WebSocket or REST, replay from any position, read, and exceed the rate limit; a server that the \
            suite starts is also killed and stopped, and its writes are refused. A schedule that breaks a clause is reduced \
            to the fewest steps, performed again, and written as a scenario file with its transcript.

            The same seed makes the same plans everywhere; a server may answer them differently from run to run.

            Examples:
              conformance explore ws://127.0.0.1:8080/ws --scripted-agent --minutes 5
              conformance explore --start 'my-server --port {port} --data {data}' --seed 7 --runs 200
              conformance explore --reference --defect idem-runs-repeats-again --runs 50
              conformance explore --reference --plan explored/IDEM-1.json
              conformance explore ws://127.0.0.1:8080/ws --scripted-agent --minutes 60 --corpus plans

            Exit codes: 0 nothing found · 1 violation · 64 usage · 69 unreachable · 70 harness error
            """
    )

    @OptionGroup(title: "The server")
    var server: SubjectFlags

    @Option(help: "The random seed. Default: a new one, which is printed.")
    var seed: UInt64?

    @Option(help: "The most plans; 100 when neither plans nor minutes are given.")
    var runs: Int?

    @Option(help: "For how many whole minutes at most; what was found is still made small.")
    var minutes: Int?

    @Option(
        help: ArgumentHelp(
            "Perform this scenario file in place of what chance draws; may be given several times.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var plan: [String] = []

    @Option(
        help: ArgumentHelp(
            "Begin with the plans of this folder, change what reaches something new, and keep it there.",
            valueName: "dir"), completion: .directory)
    var corpus: String?

    @Option(
        help: ArgumentHelp("Write what is found to this folder.", valueName: "dir"), completion: .directory)
    var out = "explored"

    func run() async throws {
        try Self.check(runs, of: "--runs")
        try Self.check(minutes, of: "--minutes")
        let specification = try Specification(.embedded)
        let plans = try scenarios()
        let seed = seed ?? .random(in: 0...9_999_999)
        let stop: Stop = Interruptions().first
        let status = try await server.meeting(asked(under: specification), under: specification) { subject in
            try await meet(subject, plans, seed, under: specification, until: stop)
        }
        if status != .conforms { throw ExitCode(status) }
    }

    private func scenarios() throws -> [Scenario] {
        try plan.map { path in
            try ScenarioReader.scenario(
                Files.text(of: path), named: "server/explored/\(Self.name(of: path))", file: path)
        }
    }

    private func asked(under specification: Specification) throws -> ServerSubject {
        try server.server().subject(under: specification).0
    }

    /// What comes of a server that was greeted.
    private func meet(
        _ subject: ServerSubject, _ plans: [Scenario], _ seed: UInt64, under specification: Specification,
        until stop: @escaping Stop
    ) async throws -> ExitStatus {
        if let problem = subject.notReached { throw SuiteProblem(.unreachable, problem.description) }
        var exploration = Exploration(
            subject, under: specification, seed: seed, runs: runs ?? (minutes == nil ? 100 : nil),
            time: minutes.map { .seconds($0 * 60) }, skipsCrashes: server.skipCrashes,
            showing: ProgressLine.display())
        if let corpus { exploration.corpus = try Self.corpus(in: corpus) }
        if !plans.isEmpty { return await perform(plans, exploration, until: stop) }
        return try await explore(exploration, subject, seed, until: stop)
    }

    private func explore(
        _ exploration: Exploration, _ subject: ServerSubject, _ seed: UInt64, until stop: @escaping Stop
    ) async throws -> ExitStatus {
        let rerun = server.rerun(subject).replacing("\(Tool.command) server", with: "\(Tool.command) explore")
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
            Console.write(
                """
                violation \(found.clause) (seed \(found.seed), \(counted(found.plan.count, "step")), \(found.rate))
                  \(found.what)\(others.isEmpty ? "" : "\n  also \(listed(others, most: 8))")
                  again: \(rerun) \(again)


                """)
        }
        if let problem = result.startProblem { Console.error(problem) }
        for problem in result.problems.prefix(5) { Console.error("harness: \(problem)") }
        Console.write(
            "\(counted(result.performed, "plan")) from seed \(seed)\(result.wasInterrupted ? ", interrupted" : ""): "
                + (result.found.isEmpty ? "nothing found" : "\(counted(result.found.count, "violation"))") + "\n")
        return result.status
    }

    /// Performs files, and tells what they break.
    private func perform(
        _ plans: [Scenario], _ exploration: Exploration, until stop: @escaping Stop
    ) async -> ExitStatus {
        let replayed = await exploration.perform(plans, until: stop)
        if let problem = replayed.startProblem { Console.error(problem) }
        for (performance, broken) in replayed.plans {
            let name = performance.scenario
            for problem in performance.problems { Console.error("harness: \(problem)") }
            for verdict in broken {
                Console.write("violation \(verdict.clause) in \(name)\n  \(verdict.findings.first?.what ?? "")\n")
            }
            if let reason = performance.skipped {
                Console.write("not performed: \(name)\n  \(reason)\n")
            } else if broken.isEmpty {
                Console.write("nothing broken in \(name), \(counted(performance.history.events.count, "event"))\n")
            }
        }
        if replayed.wasInterrupted { Console.write("interrupted\n") }
        return replayed.status
    }

    /// The plans of a folder, made where it is absent; what is worth keeping is written there by what it holds.
    private static func corpus(in folder: String) throws -> Exploration.Corpus {
        try Files.makeFolder(folder)
        let names = try files(below: folder).filter { $0.hasSuffix(".json") }
        let plans = try names.compactMap { name in
            Plan(try Files.text(of: "\(folder)/\(name)"), named: "server/explored/\(Self.name(of: name))")
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
