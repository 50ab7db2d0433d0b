import ArgumentParser
import Holdfast
import HoldfastExplain
import HoldfastGate
import HoldfastReport
import HoldfastSuite

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a symptom, clause or term; without one, the protocol.",
        discussion: """
            Without a topic: the protocol on one sheet. For a clause: why it exists, how it is judged, a history that \
            keeps it and one that breaks it. For a symptom: the clauses involved, the command that tests them, and what \
            to read.

            Examples:
              conformance explain
              conformance explain spinner
              conformance explain the answer came twice
              conformance explain SYNC-3
              conformance explain SYNC PERSIST-1
              conformance explain syncResult
              conformance explain 'sequenced frame'
              conformance explain persist_failed
              conformance explain timeout-tightened
              conformance explain 3
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A symptom such as spinner, a clause such as SYNC-3, an area such as SYNC, a profile, message, term, error code, close code, exit code, defect, scenario or gate rule.",
            valueName: "topic"),
        completion: .words { CompletionWords.topics })
    var topics: [String] = []

    func run() async throws {
        let specification = try Specification(.embedded)
        let style = Console.style
        let book = try TopicBook(specification, style)
        guard !topics.isEmpty else { return Console.write(Tool.addressed(style.spelled(book.sheet)) + "\n") }
        let pages = try book.pages(on: topics) { RuleBook.rule($0)?.page }
        let rule = style.dim(String(repeating: style.hasUnicode ? "─" : "-", count: min(style.width, 80)))
        Console.write(Tool.addressed(style.spelled(pages.joined(separator: "\n\n\(rule)\n\n"))) + "\n")
    }
}
