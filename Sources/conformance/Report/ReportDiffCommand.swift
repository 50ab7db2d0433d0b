import ArgumentParser
import Report

struct ReportDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Tell what changed between two reports, clause by clause.",
        discussion: """
            Worse is: a clause that was kept and is not, or is no longer seen; one that is broken in one more scenario; a new \
            one that is not kept. A clause that others still show to be kept is not worse for one scenario that went.

            Examples:
              conformance report diff before/report.json after/report.json

            Exit codes: 0 nothing is worse · 1 something is worse · 64 a report cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The report before.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The report after.", valueName: "new"), completion: .file())
    var new: String

    func run() async throws {
        let before = try StoredReport.read(old)
        let after = try StoredReport.read(new)
        guard before.subject.role == after.subject.role else {
            throw Tool.refuse(
                new, "it is about a \(after.subject.role.rawValue)",
                expected: "a \(before.subject.role.rawValue), as in \(old)", fix: "compare two reports of one side")
        }
        let diff = ReportDiff(before, after)
        Console.write(diff.text(Console.style))
        if diff.isWorse { throw Tool.end(.violation) }
    }
}
