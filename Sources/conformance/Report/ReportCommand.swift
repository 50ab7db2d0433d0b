import ArgumentParser

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
