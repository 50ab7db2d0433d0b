import ArgumentParser
import Report

struct ReportShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a stored report as the run printed it.",
        discussion: """
            Nothing is judged anew; 'conformance judge report.json' does that.

            Exit codes: 0 it was shown, whatever it says · 64 it cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The report; '-' is standard input.", valueName: "file"))
    var file: String

    @OptionGroup var formats: FormatOptions

    func run() async throws {
        let report = try StoredReport.read(file)
        try ReportOutput(formats, under: try Tool.specification()).show(report)
    }
}
