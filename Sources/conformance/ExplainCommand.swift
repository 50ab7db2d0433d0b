import ArgumentParser
import Holdfast
import Judge
import Report

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a clause: sentence, reason, how it is judged.",
        discussion: """
            Examples:
              conformance explain SYNC-3
              conformance explain PERSIST
            """
    )

    @Argument(help: "A clause id such as SYNC-3, or an area such as SYNC.")
    var clause: String

    func run() async throws {
        let specification = try Tool.specification()
        let pattern = Pattern(text: clause.uppercased())
        let clauses = specification.clauses.filter { pattern.matches($0.id) }
        guard !clauses.isEmpty else {
            let known = specification.clauses.map(\.id.description) + Area.allCases.map(\.rawValue)
            throw Tool.refuse(
                "explain", "'\(clause)' names no clause",
                expected: "a clause id such as SYNC-3, or an area such as SYNC",
                fix: nearestName(to: clause, among: known).map { "did you mean '\($0)'?" }
                    ?? "run 'conformance list' to see all")
        }
        let scenarios = try Tool.allScenarios(of: specification)
        let fixtures = try Tool.fixtures(of: specification)
        Console.write(clauses.map { page(on: $0, scenarios, fixtures) }.joined(separator: "\n\n") + "\n")
    }

    private func page(on clause: Clause, _ scenarios: [Tool.NamedScenario], _ fixtures: FixtureIndex) -> String {
        let style = Console.style
        let scenarios = scenarios.filter { $0.clauses.contains(clause.id) }
        var parts = [
            "\(style.bold(clause.id.description)) · \(clause.role.rawValue) · profile \(clause.profile.rawValue) · "
                + "\(clause.keyword.rawValue) · since \(clause.since)",
            style.wrapped(clause.sentence, indent: 2),
            "Why\n" + style.wrapped(clause.why, indent: 2),
            "How it is judged\n" + style.wrapped(clause.judgedFrom, indent: 2),
        ]
        if let reason = clause.exclusion {
            parts.append("Excluded\n" + style.wrapped(reason, indent: 2))
        } else if Checks.check(of: clause.id) == nil {
            parts.append("Pending\n  There is no check for this clause yet; no run passes or fails it.")
        }
        parts.append(
            "Scenarios\n"
                + (scenarios.isEmpty ? "  none" : scenarios.map { "  \($0.name): \($0.title)" }.joined(separator: "\n"))
        )
        let files = fixtures.files(showing: clause.id)
        parts.append(
            "Fixtures\n" + (files.isEmpty ? "  none" : files.map { "  Fixtures/\($0)" }.joined(separator: "\n")))
        parts.append(
            "Written in Spec/\(clause.file), line \(clause.line); from \(clause.sources.joined(separator: ", "))")
        return parts.joined(separator: "\n\n")
    }
}
