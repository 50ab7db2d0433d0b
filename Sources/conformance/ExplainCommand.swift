import ArgumentParser
import Holdfast
import JSON
import Judge
import Report

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a clause: its sentence, why it exists, and how it is judged.",
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
        let scenarios = try Tool.scenarios(of: specification)
        let fixtures = try Fixtures(specification.files)
        Console.write(clauses.map { page(on: $0, scenarios, fixtures) }.joined(separator: "\n\n") + "\n")
    }

    private func page(on clause: Clause, _ scenarios: [Scenario], _ fixtures: Fixtures) -> String {
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
        let files = fixtures.files(of: clause.id)
        parts.append(
            "Fixtures\n" + (files.isEmpty ? "  none" : files.map { "  Fixtures/\($0)" }.joined(separator: "\n")))
        parts.append(
            "Written in Spec/\(clause.file), line \(clause.line); from \(clause.sources.joined(separator: ", "))")
        return parts.joined(separator: "\n\n")
    }
}

/// The fixtures of the embedded index, by clause.
private struct Fixtures {
    private let entries: [(file: String, clauses: Set<String>)]

    init(_ files: SpecificationFiles) throws {
        let index = try files.texts["fixtures/index.json"].map { try JSONParser.value($0) } ?? .null
        let messages = index["messages"]?.arrayValue ?? []
        let transcripts = index["transcripts"]?.arrayValue ?? []
        entries = (messages + transcripts).compactMap { entry in
            guard let file = entry["file"]?.stringValue else { return nil }
            var clauses = Set(entry["expected"]?.objectValue?.keys.map { $0 } ?? [])
            if let clause = entry["clause"]?.stringValue { clauses.insert(clause) }
            return (file, clauses)
        }
    }

    func files(of clause: ClauseID) -> [String] {
        entries.filter { $0.clauses.contains(clause.description) }.map(\.file)
    }
}
