import ArgumentParser
import Holdfast
import HoldfastReport
import HoldfastSuite

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show, compare and merge stored reports.",
        discussion: """
            Reports are the report.json that --out writes; a folder stands for the one in it.

            Examples:
              conformance report show results
              conformance report show results --format junit=junit.xml
              conformance report show results --format html=report.html
              conformance report diff before/report.json after/report.json
              conformance report merge part-1 part-2 part-3 --out whole
            """,
        subcommands: [ReportShowCommand.self, ReportDiffCommand.self, ReportMergeCommand.self]
    )
}

struct ReportShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a stored report as the run printed it, or several side by side.",
        discussion: """
            Nothing is judged anew; 'conformance judge report.json' does that.

            Examples:
              conformance report show results
              conformance report show results --format html=report.html
              conformance report show old new --format html=both.html

            Of several reports the verdicts are printed, a line each; the page has a column for each.

            Exit codes: 0 it was shown, whatever it says · 64 it cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The reports; '-' is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup var formats: FormatOptions

    func run() async throws {
        if files.count == 1, let file = files.first {
            let report = try RunReport(at: file)
            return try ReportOutput(formats, under: try Specification(.embedded)).show(report)
        }
        let targets = try FormatTarget<ReportFormat>.all(formats.formats)
        if let other = targets.first(where: { $0.format != .html }) {
            throw InputProblem(
                "--format", "'\(other.format.rawValue)' tells of one report, and here are \(files.count)",
                expected: "html=FILE, which shows them side by side", fix: "show each report by itself")
        }
        if let index = files.indices.first(where: { files[..<$0].contains(files[$0]) }) {
            throw InputProblem(
                "report show", "'\(files[index])' is named twice", expected: "each report once",
                fix: "leave one of them out")
        }
        let entries = try files.map { HTMLReport.Entry($0, try RunReport(at: $0)) }
        let page = HTMLReport(comparing: entries).text
        let column = entries.map(\.name.count).max() ?? 0
        let lines = entries.map { "\(padded($0.name, column))  \($0.report.headline)\n" }.joined()
        try FormatTarget.write(targets, beside: lines) { _ in page }
    }
}

struct ReportDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Tell what changed between two reports, clause by clause.",
        discussion: """
            Worse is: a clause that was kept and is not, or is no longer seen, unless it was set aside on request; one that is broken in one more scenario; a new \
            one that is not kept. A clause that others still show to be kept is not worse for one scenario that went.

            Examples:
              conformance report diff before/report.json after/report.json
              conformance report diff before after --format markdown=changes.md

            Exit codes: 0 nothing is worse · 1 something is worse · 64 a report cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The report before.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The report after.", valueName: "new"), completion: .file())
    var new: String

    @Option(
        help: ArgumentHelp("The changes besides: markdown, into a file or '-'.", valueName: "name=file"))
    var format: [String] = []

    func run() async throws {
        let targets = try FormatTarget<DiffFormat>.all(format)
        let before = try RunReport(at: old)
        let after = try RunReport(at: new)
        guard before.subject.role == after.subject.role else {
            throw InputProblem(
                new, "it is about a \(after.subject.role.rawValue)",
                expected: "a \(before.subject.role.rawValue), as in \(old)", fix: "compare two reports of one side")
        }
        let diff = ReportDiff(before, after)
        try FormatTarget.write(targets, beside: diff.text(Console.style)) { _ in diff.markdown }
        if diff.isWorse { throw ExitCode(.violation) }
    }
}

/// The ways in which programs read what changed between two reports.
enum DiffFormat: String, CaseIterable {
    case markdown
}

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
        let specification = try Specification(spec.map(SpecificationFiles.init(folder:)) ?? .embedded)
        let output = try ReportOutput(formats, baseline, under: specification)
        let parts = try files.map { (file: $0, report: try RunReport(at: $0)) }
        let names = try specification.scenarioNames(for: parts.first?.report.subject.role ?? .server)
        let whole = try ReportMerge.merge(parts, under: specification, scenarios: names)
        try output.end(with: whole) { report in
            guard let out else { return }
            if out.hasSuffix(".json") {
                try Files.write(ReportFormat.json.text(of: report), to: out)
            } else {
                try report.write(to: out)
            }
        }
    }
}
