import ArgumentParser
import Report

/// Flags that say what is written of a report besides the console report.
struct FormatOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "Write the report in another form too; may be given several times.",
            discussion: """
                Names: html (one page for a browser), json, junit, markdown, github, tap. FILE '-' is standard output; the console report then goes to \
                standard error.
                """, valueName: "name=file"), completion: .formats)
    var formats: [String] = []

    @Flag(help: "Name every clause in the console report, also those that passed.")
    var verbose = false

    /// What is to be written where.
    func targets() throws -> [FormatTarget<ReportFormat>] { try FormatTarget.all(formats) }
}
