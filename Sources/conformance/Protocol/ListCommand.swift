import ArgumentParser
import Holdfast
import HoldfastExplain

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the clauses and how each is judged.",
        discussion: """
            Examples:
              conformance list                 every clause
              conformance list SYNC PERSIST    two areas
              conformance list --scenarios     every scenario with the clauses it exercises
              conformance list --json          every clause as JSON
            """
    )

    @Argument(
        help: "List only these: a clause id, an area, or a pattern with '*'.",
        completion: .words { CompletionWords.patterns() })
    var patterns: [String] = []

    @Flag(help: "List scenarios instead of clauses.")
    var scenarios = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let list = try ClauseList(
            of: Specification(.embedded), patterns, Console.style, isNarrow: Console.isTerminal)
        if scenarios { return Console.write(try list.scenarios()) }
        Console.write(json ? try list.value().text(pretty: true) + "\n" : list.text)
    }
}
