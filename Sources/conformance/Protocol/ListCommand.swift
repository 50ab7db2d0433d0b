import ArgumentParser
import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastReport
import HoldfastSuite

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
        let specification = try Specification(.embedded)
        let names = specification.scenarioNames
        for pattern in patterns.map(NamePattern.init)
        where !specification.clauses.contains(where: { pattern.matches($0.id) })
            && !names.contains(where: pattern.matches)
        {
            throw InputProblem(
                "list", "'\(pattern.text)' matches no clause or scenario", insteadOf: pattern.text,
                among: specification.clauses.map(\.id.description) + Area.allCases.map(\.rawValue) + names,
                expected: "such as SYNC-3, SYNC or server/SYNC/*", otherwise: "remove it to see all")
        }
        if scenarios { return listScenarios(try specification.allScenarios()) }
        let clauses = specification.clauses.filter { isWanted($0.id) }
        if json { return printEntries(clauses, try specification.allScenarios()) }
        listClauses(clauses, scenarios: names.count)
    }

    private func isWanted(_ id: ClauseID) -> Bool {
        patterns.isEmpty || patterns.contains { NamePattern($0).matches(id) }
    }

    private func printEntries(_ clauses: [Clause], _ scenarios: [any SelectableScenario]) {
        let entries = clauses.map { clause in
            entry(clause, scenarios: scenarios.reduce(0) { $0 + $1.clauses.count { $0 == clause.id } })
        }
        Console.write(JSONValue.array(entries).text(pretty: true) + "\n")
    }

    private func listClauses(_ clauses: [Clause], scenarios: Int) {
        let style = Console.style
        for clause in clauses {
            let head = [
                padded(clause.id.description, 11), padded(clause.role.rawValue, 7),
                padded(clause.profileNames, 12), padded(status(of: clause), 9),
            ].joined()
            Console.write(line(head, clause.sentence, style) + "\n")
        }
        let counts = Dictionary(clauses.map { (status(of: $0), 1) }, uniquingKeysWith: +)
        let words = ["checked", "pending", "excluded"].map { "\(counts[$0] ?? 0) \($0)" }.joined(separator: ", ")
        Console.write("\n\(clauses.count) clauses: \(words) · \(scenarios) scenarios\n")
    }

    /// In a pipe the whole sentence; on a terminal as much of it as a line holds, or below where that is too little.
    private func line(_ head: String, _ sentence: String, _ style: ConsoleStyle) -> String {
        guard Console.isTerminal else { return head + sentence }
        let room = style.width - head.count
        if room >= 30 { return head + style.cut(sentence, to: room) }
        return style.wrapped(head, indent: 0, hanging: 2) + "\n" + style.wrapped(sentence, indent: 2)
    }

    private func status(of clause: Clause) -> String {
        clause.exclusion != nil ? "excluded" : Checks.check(of: clause.id) == nil ? "pending" : "checked"
    }

    private func entry(_ clause: Clause, scenarios: Int) -> JSONValue {
        [
            "id": .string(clause.id.description), "role": .string(clause.role.rawValue),
            "profile": .string(clause.profile.rawValue), "keyword": .string(clause.keyword.rawValue),
            "status": .string(status(of: clause)), "sentence": .string(clause.sentence),
            "scenarios": JSONValue(scenarios),
        ]
    }

    private func listScenarios(_ scenarios: [any SelectableScenario]) {
        let wanted = scenarios.filter { scenario in
            patterns.isEmpty || patterns.contains { NamePattern($0).matches(scenario.name) }
                || scenario.clauses.contains(where: isWanted)
        }
        for scenario in wanted {
            let clauses = scenario.clauses.map(\.description).joined(separator: " ")
            let line = "\(scenario.title): \(clauses)"
            let shown = Console.isTerminal ? Console.style.wrapped(line, indent: 2, hanging: 2) : "  \(line)"
            Console.write("\(scenario.name)\n\(shown)\n")
        }
        Console.write("\n\(wanted.count) scenarios\n")
    }
}
