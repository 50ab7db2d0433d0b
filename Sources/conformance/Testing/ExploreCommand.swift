import ArgumentParser
import Basics
import Explore
import Holdfast
import HoldfastSuite
import Judge
import Report
import Stage
import Transcript

struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Look for what nobody thought of.",
        discussion: """
            Draws schedules by chance, performs them against a server and judges what was seen. Devices come and go, ask, \
            ask again over either road, replay from anywhere, read and exceed the budget; a server that the suite starts is \
            killed, stopped and refused its writes. What breaks a clause is made as small as it can be, performed \
            again, and written as a scenario file with its transcript.

            A seed draws the same plans everywhere; what a server makes of them may differ from run to run.

            Examples:
              conformance explore ws://127.0.0.1:8080/ws --scripted-agent --minutes 5
              conformance explore --start 'my-server --port {port} --data {data}' --seed 7 --runs 200
              conformance explore --reference --defect idem-runs-repeats-again --runs 50
              conformance explore --reference --plan explored/IDEM-1.json

            Exit codes: 0 nothing found · 1 violation · 64 usage · 69 unreachable · 70 harness error
            """
    )

    @OptionGroup(title: "The server")
    var server: SubjectFlags

    @Option(help: "What chance begins with; drawn and told when absent.")
    var seed: UInt64?

    @Option(help: "The most plans; 100 when neither plans nor minutes are given.")
    var runs: Int?

    @Option(help: "For how many minutes at most.")
    var minutes: Int?

    @Option(
        help: ArgumentHelp(
            "Perform this scenario file in place of what chance draws; may be given several times.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var plan: [String] = []

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
        let exploration = Exploration(
            subject, under: specification, seed: seed, runs: runs ?? (minutes == nil ? 100 : nil),
            time: minutes.map { .seconds($0 * 60) }, skipsCrashes: server.skipCrashes,
            showing: ProgressLine.display())
        if !plans.isEmpty { return try await perform(plans, exploration) }
        return try await explore(exploration, subject, seed, until: stop)
    }

    private func explore(
        _ exploration: Exploration, _ subject: ServerSubject, _ seed: UInt64, until stop: @escaping Stop
    ) async throws -> ExitStatus {
        let rerun = server.rerun(subject).replacing("\(Tool.command) server", with: "\(Tool.command) explore")
        let out = out
        let result = await exploration.run(until: stop) { found in
            var place = ""
            do {
                try Files.makeFolder(out)
                place = "\(out)/\(found.clause)-\(found.seed)"
                try Files.write(found.file, to: "\(place).json")
                try Files.write(TranscriptWriter.text(found.history), to: "\(place).ndjson")
            } catch {
                Console.error("\(error)")
            }
            let others = found.others.map(\.clause.description)
            Console.write(
                """
                violation \(found.clause) (seed \(found.seed), \(counted(found.plan.count, "step")), \(found.rate))
                  \(found.what)\(others.isEmpty ? "" : "\n  also \(listed(others, most: 8))")
                  again: \(rerun) --plan \(ShellWords.quoted("\(place).json"))


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
    private func perform(_ plans: [Scenario], _ exploration: Exploration) async throws -> ExitStatus {
        var status = ExitStatus.conforms
        for (name, broken, history, problems) in await exploration.perform(plans) {
            for problem in problems { Console.error("harness: \(problem)") }
            if !problems.isEmpty { status = .harness }
            for verdict in broken {
                status = .violation
                Console.write("violation \(verdict.clause) in \(name)\n  \(verdict.findings.first?.what ?? "")\n")
            }
            if broken.isEmpty {
                Console.write("nothing broken in \(name), \(counted(history.events.count, "event"))\n")
            }
        }
        return status
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
