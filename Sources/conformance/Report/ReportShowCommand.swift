import ArgumentParser
import Holdfast
import Report

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
            let report = try StoredReport.read(file)
            return try ReportOutput(formats, under: try Tool.specification()).show(report)
        }
        let targets = try formats.targets()
        if let other = targets.first(where: { $0.format != .html }) {
            throw Tool.refuse(
                "--format", "'\(other.format.rawValue)' tells of one report, and here are \(files.count)",
                expected: "html=FILE, which shows them side by side", fix: "show each report by itself")
        }
        if let place = files.indices.first(where: { files[..<$0].contains(files[$0]) }) {
            throw Tool.refuse(
                "report show", "'\(files[place])' is named twice", expected: "each report once",
                fix: "leave one of them out")
        }
        let entries = try files.map { HTMLReport.Entry($0, try StoredReport.read($0)) }
        let page = HTMLReport(comparing: entries).text
        for target in targets where target.path != "-" { try Files.write(page, to: target.path) }
        let lines = Self.lines(of: entries)
        if targets.contains(where: { $0.path == "-" }) {
            Console.error(String(lines.dropLast()))
            Console.write(page)
        } else {
            Console.write(lines)
        }
    }

    private static func lines(of entries: [HTMLReport.Entry]) -> String {
        let column = entries.map(\.name.count).max() ?? 0
        return entries.map { "\(padded($0.name, column))  \($0.report.headline)\n" }.joined()
    }
}
