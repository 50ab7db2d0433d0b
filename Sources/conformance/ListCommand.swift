import ArgumentParser
import Basics
import Holdfast
import JSON
import Judge
import Report

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the clauses and how each is judged.",
        discussion: """
            Examples:
              conformance list                 every clause
              conformance list SYNC PERSIST    two areas
              conformance list --scenarios     every scenario with the clauses it exercises
              conformance list --json          the same for machines
            """
    )

    @Argument(
        help: "Only these: a clause id, an area, or a pattern with '*'.",
        completion: .words { CompletionWords.patterns() })
    var patterns: [String] = []

    @Flag(help: "List the scenarios instead.")
    var scenarios = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let specification = try Tool.specification()
        let all = try Tool.allScenarios(of: specification)
        for text in patterns where !named(text, in: specification, all) {
            let known =
                specification.clauses.map(\.id.description) + Area.allCases.map(\.rawValue) + all.map(\.name)
            throw Tool.refuse(
                "list", "'\(text)' names no clause and no scenario", expected: "such as SYNC-3, SYNC or server/SYNC/*",
                fix: nearestName(to: text, among: known).map { "did you mean '\($0)'?" } ?? "leave it out to see all")
        }
        if scenarios {
            listScenarios(all)
        } else {
            listClauses(specification, all)
        }
    }

    private func named(_ text: String, in specification: Specification, _ scenarios: [Tool.NamedScenario]) -> Bool {
        specification.clauses.contains { Pattern(text: text).matches($0.id) }
            || scenarios.contains { Pattern(text: text).matches($0.name) }
    }

    private func isWanted(_ id: ClauseID) -> Bool {
        patterns.isEmpty || patterns.contains { Pattern(text: $0).matches(id) }
    }

    private func listClauses(_ specification: Specification, _ scenarios: [Tool.NamedScenario]) {
        let clauses = specification.clauses.filter { isWanted($0.id) }
        let performed = Dictionary(
            scenarios.flatMap { scenario in scenario.clauses.map { ($0, 1) } }, uniquingKeysWith: +)
        if json {
            Console.write(
                JSONValue.array(clauses.map { entry($0, scenarios: performed[$0.id] ?? 0) }).text(pretty: true))
            Console.write("\n")
            return
        }
        let style = Console.style
        for clause in clauses {
            let head = [
                padded(clause.id.description, 11), padded(clause.role.rawValue, 7),
                padded(clause.profile.rawValue, 12), padded(status(of: clause), 9),
            ].joined()
            Console.write(head + style.cut(clause.sentence, to: max(20, style.width - head.count)) + "\n")
        }
        let pending = clauses.filter { status(of: $0) == "pending" }.count
        let excluded = clauses.filter { status(of: $0) == "excluded" }.count
        Console.write(
            "\n\(clauses.count) clauses: \(clauses.count - pending - excluded) checked, \(pending) pending, "
                + "\(excluded) excluded · \(scenarios.count) scenarios\n")
    }

    private func status(of clause: Clause) -> String {
        if clause.exclusion != nil { return "excluded" }
        return Checks.check(of: clause.id) == nil ? "pending" : "checked"
    }

    private func entry(_ clause: Clause, scenarios: Int) -> JSONValue {
        var object: JSONObject = [:]
        object["id"] = .string(clause.id.description)
        object["role"] = .string(clause.role.rawValue)
        object["profile"] = .string(clause.profile.rawValue)
        object["keyword"] = .string(clause.keyword.rawValue)
        object["status"] = .string(status(of: clause))
        object["sentence"] = .string(clause.sentence)
        object["scenarios"] = .number(JSONNumber(scenarios))
        return .object(object)
    }

    private func listScenarios(_ scenarios: [Tool.NamedScenario]) {
        let wanted = scenarios.filter { scenario in
            patterns.isEmpty || patterns.contains { Pattern(text: $0).matches(scenario.name) }
                || scenario.clauses.contains { !patterns.isEmpty && isWanted($0) }
        }
        for scenario in wanted {
            Console.write(
                "\(scenario.name)\n  \(scenario.title): \(scenario.clauses.map(\.description).joined(separator: " "))\n"
            )
        }
        Console.write("\n\(wanted.count) scenarios\n")
    }
}
