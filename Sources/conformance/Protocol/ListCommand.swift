import ArgumentParser
import Holdfast
import HoldfastExplain
import HoldfastJSON
import HoldfastReport

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the clauses and how each is judged.",
        usage: "conformance list [<patterns> ...] [<options>]",
        discussion: """
            Examples:
              conformance list                 every clause
              conformance list SYNC PERSIST    two areas
              conformance list --scenarios     every scenario with the clauses it exercises
              conformance list --json          every clause as JSON
              conformance list --reach         how far the scenarios go, compared with what peers meet in practice
            """
    )

    @Argument(
        help: "List only these: a clause id, an area, or a pattern with '*'.",
        completion: .words { CompletionWords.patterns() })
    var patterns: [String] = []

    @Flag(help: "List scenarios instead of clauses.")
    var scenarios = false

    @Flag(
        help:
            "List the largest value of each dimension that the scenarios reach on the reference, with the goal of a life."
    )
    var reach = false

    @Flag(help: "With --reach, also list which situations occur together in the scenarios, and which never do.")
    var pairs = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        if reach || pairs { return Console.write(reachText) }
        let list = try ClauseList(
            of: Specification(.embedded), patterns, Console.style, isNarrow: Console.isTerminal)
        if scenarios { return Console.write(try list.scenarios()) }
        Console.write(json ? try list.value().text(pretty: true) + "\n" : list.text)
    }

    private var reachText: String {
        let tables = [Role.server, .client].compactMap { role in ReachTable(ofScenarios: role).map { (role, $0) } }
        if json {
            let members = tables.map { (key: $0.rawValue, value: $1.json) }
            return JSONValue.object(JSONObject(members)).text(pretty: true) + "\n"
        }
        let parts = tables.flatMap { role, table in
            [
                [
                    Console.style.bold("Reach of the \(role) scenarios"),
                    "the largest value of a scenario on the reference \(role); goal: a life of three minutes", "",
                ] + table.lines(Console.style)
            ]
                + (pairs ? [table.pairLines(Console.style)] : [])
        }
        return parts.map { Console.style.spelled($0.joined(separator: "\n")) }.joined(separator: "\n\n") + "\n"
    }
}
