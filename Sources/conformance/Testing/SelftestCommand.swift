import ArgumentParser
import Holdfast
import HoldfastJSON
import HoldfastReference
import HoldfastReport
import HoldfastSuite
import ReferenceClient

struct SelftestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest",
        abstract: "Prove that the suite catches the bugs it should.",
        usage: "conformance selftest [<options>]",
        discussion: """
            Runs the whole suite against the reference server and against each legal variation: all must pass. Behind each \
            dialect, only the clauses that the dialect cannot keep may fail. Then adds each known defect to the server and \
            runs the scenarios of its clause: that clause must be violated. Does the same with the reference client.

            Examples:
              conformance selftest
              conformance selftest --only 'sync-*'
              conformance selftest --only 'client-*'
              conformance selftest --explore --runs 1000
            """
    )

    @Option(
        help: ArgumentHelp(
            "Run only these defects and variations; '*' is a wildcard. Repeatable.", valueName: "pattern"),
        completion: .words { (try? Specification(.embedded)).map(KillMatrix.Peers.names) ?? [] })
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "For each defect or variation that was misjudged, write report.json and transcripts to a subfolder of this one.",
            valueName: "dir"), completion: .directory)
    var out: String?

    @Flag(
        help: ArgumentHelp(
            "Run random schedules against the reference server, in simulation.",
            discussion: """
                Healthy servers must break nothing. For each defect, prints the median of three searches, then how \
                many plans each search took to break the clause; with --out, writes the smallest such plan. Client \
                defects are searched for only if --only names them.
                """))
    var explore = false

    @Option(help: "With --explore: the number of plans for healthy peers, and the maximum for each defect.")
    var runs = 1_000

    @Option(help: "With --explore: the random seed.")
    var seed: UInt64 = 1

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let specification = try Specification(.embedded)
        let peers = try KillMatrix.Peers(of: specification) { isChosen($0) }
        guard !peers.isEmpty else {
            throw InputProblem(
                "--only", "'\(only.joined(separator: "', '"))' matches no defect or variation",
                insteadOf: only.first ?? "", among: KillMatrix.Peers.names(of: specification),
                expected:
                    "a name from 'conformance serve --list-defects' or 'conformance chat --list-defects'; '*' is a wildcard",
                otherwise: "remove it to run all")
        }
        if let out { try Files.prepareFolder(out, given: "--out") }
        if explore { return try await explore(under: specification) }
        let display = ProgressLine.display(wipesWhenInterrupted: true)
        let matrix = try await KillMatrix(under: specification, program: Tool.program(), showing: display)
            .run(peers, isWhole: only.isEmpty)
        var unwritten = UnwrittenFiles()
        if let out {
            for (name, report) in matrix.reports { unwritten.attempt { try report.write(to: "\(out)/\(name)") } }
        }
        Console.write(json ? matrix.value.text(pretty: true) + "\n" : matrix.text(Console.style))
        try unwritten.end(after: matrix.holds ? .conforms : .harness)
    }

    private func isChosen(_ name: String) -> Bool {
        only.isEmpty || only.contains { NamePattern($0).matches(name) }
    }

    private func explore(under specification: Specification) async throws {
        let matrix = ExploreMatrix(
            under: specification, runs: runs, seed: seed, shrinking: out != nil,
            showing: ProgressLine.display(wipesWhenInterrupted: true))
        let result = await matrix.run(
            // A simulation has too few principals for load defects.
            Defect.all.filter { isChosen($0.name) && $0.need != .load },
            only.isEmpty ? [] : ClientDefect.all.filter { isChosen($0.name) })
        var unwritten = UnwrittenFiles()
        if let out {
            for (name, text) in result.files { unwritten.attempt { try Files.write(text, to: "\(out)/\(name)") } }
        }
        Console.write(json ? result.value.text(pretty: true) + "\n" : result.text(Console.style))
        try unwritten.end(after: result.holds ? .conforms : .harness)
    }
}
