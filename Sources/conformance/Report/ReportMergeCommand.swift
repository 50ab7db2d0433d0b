import ArgumentParser
import Foundation
import Holdfast
import Report

struct ReportMergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Make one report of the parts of a run.",
        usage: "conformance report merge <file> ... [<options>]",
        discussion: """
            The parts are those that --shard 1/N … N/N made, all of them, of one subject and one specification. Every clause is \
            added up anew from the verdicts, and a baseline that the parts were compared with is compared with the whole.

            Examples:
              conformance report merge part-1 part-2 part-3 --out whole
              conformance report merge part-1 part-2 --format junit=junit.xml

            Exit codes: those of the whole run · 64 the parts do not belong together, or one is missing
            """
    )

    @Argument(help: ArgumentHelp("The reports of the parts.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp("Write the report to this file, or with its transcripts to this folder.", valueName: "path"),
        completion: .file())
    var out: String?

    @OptionGroup(title: "Expected violations") var baseline: BaselineOptions

    @OptionGroup var formats: FormatOptions

    @Option(
        help: ArgumentHelp("A folder to take in place of the specification in this program.", valueName: "dir"),
        completion: .directory)
    var spec: String?

    func run() async throws {
        let specification = try Tool.specification(from: spec)
        let output = try ReportOutput(formats, baseline, under: specification)
        let parts = try files.map { (file: $0, report: try StoredReport.read($0)) }
        let names = try Tool.scenarioNames(of: specification, for: parts.first?.report.subject.role ?? .server)
        let whole: RunReport
        do {
            whole = try ReportMerge.merge(parts, under: specification, scenarios: names)
        } catch {
            throw Tool.refuse(error.problems)
        }
        try output.end(with: whole) { report in
            guard let out else { return }
            if out.hasSuffix(".json") {
                try Files.write(ReportFormat.json.text(of: report), to: out)
            } else {
                try ReportFolder(path: out).write(report)
            }
        }
    }
}
