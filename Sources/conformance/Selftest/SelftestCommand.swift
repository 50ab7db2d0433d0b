import ArgumentParser
import Basics
import Foundation
import Holdfast
import JSON
import Report

struct SelftestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest",
        abstract: "Prove that the suite catches what it should.",
        discussion: """
            Runs the whole suite against the healthy reference server and against each legal variation: all must be \
            green. Behind the wire of each dialect it must break what that wire cannot keep, and nothing else. Then \
            runs the scenarios of each defect's clause against a server with that defect: the clause must be violated. Does the same with the reference client.

            Examples:
              conformance selftest
              conformance selftest --only 'sync-*'
              conformance selftest --only 'client-*'
            """
    )

    @Option(
        help: ArgumentHelp(
            "Only these defects and variations, with '*'; may be given several times.", valueName: "pattern"),
        completion: .words { (try? Tool.specification()).map(KillMatrix.Peers.names) ?? [] })
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write report.json and the transcripts of each peer that was misjudged to a folder of its name in this one.",
            valueName: "dir"), completion: .directory)
    var out: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let specification = try Tool.specification()
        let peers = try KillMatrix.Peers(of: specification, where: isWanted)
        guard !peers.isEmpty else {
            throw Tool.refuse(
                "--only", "'\(only.joined(separator: "', '"))' names no defect and no variation",
                expected: "a name of 'conformance serve --list-defects' or 'conformance chat --list-defects', with '*'",
                fix: nearestName(to: only.first ?? "", among: KillMatrix.Peers.names(of: specification)).map {
                    "did you mean '\($0)'?"
                } ?? "leave it out to run all")
        }
        let matrix = try await KillMatrix(specification: specification, showsProgress: Console.showsProgress).run(
            peers, isWhole: only.isEmpty)
        if let out {
            for peer in matrix.peers {
                if let report = peer.report { try ReportFolder(path: "\(out)/\(peer.name)").write(report) }
            }
        }
        if json {
            Console.write(matrix.value.text(pretty: true) + "\n")
        } else {
            Console.write(matrix.text(Console.style))
        }
        if !matrix.holds { throw Tool.end(.harness) }
    }

    private func isWanted(_ name: String) -> Bool {
        only.isEmpty || only.contains { Pattern(text: $0).matches(name) }
    }
}
