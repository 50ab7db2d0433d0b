import ArgumentParser
import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show, open, compare and merge stored reports.",
        discussion: """
            A report is the report.json that --out writes; a folder means the report.json in it.

            Examples:
              conformance report show results
              conformance report show results --format junit=junit.xml
              conformance report show results --format html=report.html
              conformance report show nightly
              conformance report open results
              conformance report diff before/report.json after/report.json
              conformance report merge part-1 part-2 part-3 --out whole
            """,
        subcommands: [ReportShowCommand.self, ReportOpenCommand.self, ReportDiffCommand.self, ReportMergeCommand.self]
    )
}

struct ReportShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a stored report, compare several, or show a history of runs.",
        usage: "conformance report show <file> ... [<options>]",
        discussion: """
            Shows the stored verdicts; 'conformance judge report.json' recomputes them.

            Several reports: one line for each, and with --format html a page with one column for each. A folder with many \
            reports below it: a history that shows when a clause broke, what was fixed and what is flaky; if \
            they cover several subjects, the page compares the latest report of each.

            Examples:
              conformance report show results
              conformance report show results --format html=report.html
              conformance report show old new --format html=both.html
              conformance report show nightly --format html=history.html --format badge=badge.svg

            Exit codes: 0 shown, whatever the verdict · 64 a report cannot be read
            """
    )

    @Argument(help: ArgumentHelp("Reports, or folders; '-' is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup var formats: FormatOptions

    func run() async throws {
        guard files.count == 1, let file = files.first else { return try showSideBySide() }
        let isOne = !Files.isFolder(file) || FileManager.default.fileExists(atPath: "\(file)/report.json")
        if !isOne { return try showHistory(below: file) }
        try ReportOutput(formats, under: try Specification(.embedded)).show(try RunReport(at: file)).end()
    }

    private func showSideBySide() throws {
        let targets = try targets(expect: "html=FILE, which compares them", only: [.html])
        if let index = files.indices.first(where: { files[..<$0].contains(files[$0]) }) {
            throw InputProblem(
                "report show", "'\(files[index])' is given twice", expected: "each report once",
                fix: "remove one of them")
        }
        let entries = try files.map { HTMLReport.Entry($0, try RunReport(at: $0)) }
        let page = HTMLReport(comparing: entries).text
        let column = entries.map(\.name.count).max() ?? 0
        let lines = entries.map { "\(padded($0.name, column))  \($0.report.headline)\n" }.joined()
        try FormatTarget.write(targets, beside: lines) { _ in page }.end()
    }

    private func showHistory(below folder: String) throws {
        let targets = try targets(expect: "html=FILE or badge=FILE", only: [.html, .badge])
        let archive = try RunArchive(below: folder)
        if let badge = targets.first(where: { $0.format == .badge }), archive.histories.count > 1 {
            throw InputProblem(
                "--format", "'\(badge.format.rawValue)' shows one subject, and these are \(archive.histories.count)",
                expected: "reports of one subject", fix: "choose a folder with the runs of one subject")
        }
        if archive.parts > 0 {
            Console.error("skipped \(counted(archive.parts, "shard")): merge them with conformance report merge")
        }
        let text = archive.histories.map { $0.text(Console.style) }.joined(separator: "\n")
        try FormatTarget.write(targets, beside: text) { archive.text(as: $0) }.end()
    }

    private func targets(expect expected: String, only forms: [ReportFormat]) throws -> [FormatTarget<ReportFormat>] {
        let targets = try FormatTarget<ReportFormat>.all(formats.formats)
        if let other = targets.first(where: { !forms.contains($0.format) }) {
            throw InputProblem(
                "--format", "'\(other.format.rawValue)' shows one report, and these are several", expected: expected,
                fix: "show each report separately")
        }
        return targets
    }
}

struct ReportOpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open a stored report in the browser.",
        discussion: """
            Writes report.html beside report.json, prints its path, and opens it: with the program in BROWSER, else with \
            'xdg-open' or 'open'.

            Examples:
              conformance report open results
              BROWSER=firefox conformance report open results

            Exit codes: 0 opened · 64 the report cannot be read · 69 no browser could be started
            """
    )

    @Argument(help: ArgumentHelp("The report, or its folder.", valueName: "file"), completion: .file())
    var file: String

    func run() async throws {
        let report = try RunReport(at: file)
        let folder = Files.isFolder(file) ? file : Files.folder(of: file)
        let page = folder.isEmpty ? "report.html" : "\(folder)/report.html"
        try Files.write(ReportFormat.html.text(of: report), to: page)
        Console.write(page + "\n")
        let named = ProcessInfo.processInfo.environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 }
        for program in [named, "xdg-open", "open"].compactMap(\.self) {
            // In the background: a browser may stay in the foreground until it is closed.
            let start = "command -v \"$0\" >/dev/null && (\"$0\" \"$1\" >/dev/null 2>&1 &)"
            if Processes.output(of: ["sh", "-c", start, program, page]) != nil { return }
        }
        throw SuiteProblem(
            .unreachable,
            """
            report open: no browser could be started
              expected: 'open' or 'xdg-open' on the PATH, or a program in BROWSER
              fix: open \(page) yourself
            """)
    }
}

struct ReportDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two reports clause by clause.",
        discussion: """
            Worse means: a clause that passed and no longer does (unless you excluded it), a clause that is violated in one \
            more scenario, or a new clause that does not pass. A removed scenario is not worse if the clause still passes.

            Examples:
              conformance report diff before/report.json after/report.json
              conformance report diff before after --format markdown=changes.md

            Exit codes: 0 nothing got worse · 1 something got worse · 64 a report cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The older report.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The newer report.", valueName: "new"), completion: .file())
    var new: String

    @Option(
        help: ArgumentHelp("Also write the changes as markdown, to a file or '-'.", valueName: "name=file"))
    var format: [String] = []

    func run() async throws {
        let targets = try FormatTarget<DiffFormat>.all(format)
        let before = try RunReport(at: old)
        let after = try RunReport(at: new)
        guard before.subject.role == after.subject.role else {
            throw InputProblem(
                new, "this report is about a \(after.subject.role.rawValue)",
                expected: "a \(before.subject.role.rawValue), as in \(old)", fix: "compare two reports of the same side"
            )
        }
        let diff = ReportDiff(before, after)
        try FormatTarget.write(targets, beside: diff.text(Console.style)) { _ in diff.markdown }
            .end(after: diff.isWorse ? .violation : .conforms)
    }
}

enum DiffFormat: String, CaseIterable {
    case markdown
}

struct ReportMergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge the shards of a run into one report.",
        usage: "conformance report merge <file> ... [<options>]",
        discussion: """
            Takes all the shards that --shard 1/N … N/N made, of one subject and one specification. Recomputes the result of \
            every clause, and compares with the baseline that the shards were compared with.

            Examples:
              conformance report merge part-1 part-2 part-3 --out whole
              conformance report merge part-1 part-2 --format junit=junit.xml

            Exit codes: as for the whole run · 64 the shards do not belong together, or one is missing
            """
    )

    @Argument(help: ArgumentHelp("The reports of the shards.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Write the report to this .json file, or the report and transcripts to this folder.", valueName: "path"),
        completion: .file())
    var out: String?

    @OptionGroup(title: "Expected violations") var baseline: BaselineOptions

    @OptionGroup var formats: FormatOptions

    @Option(
        help: ArgumentHelp("Use the specification in this folder instead of the built-in one.", valueName: "dir"),
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
