import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastReport
import HoldfastSuite

/// Lists of clauses and scenarios: all of them, or those that patterns name.
package struct ClauseList {
    private let specification: Specification
    private let patterns: [NamePattern]
    private let style: ConsoleStyle
    /// Whether lines must fit the width of the style.
    private let isNarrow: Bool

    /// The lists of a specification.
    /// - Throws: A problem if a pattern names nothing.
    package init(
        of specification: Specification, _ patterns: [String], _ style: ConsoleStyle, isNarrow: Bool
    ) throws(InputProblem) {
        (self.specification, self.style, self.isNarrow) = (specification, style, isNarrow)
        self.patterns = patterns.map(NamePattern.init)
        let names = specification.scenarioNames
        for pattern in self.patterns
        where !specification.clauses.contains(where: { pattern.matches($0.id) })
            && !names.contains(where: pattern.matches)
        {
            throw InputProblem(
                "list", "'\(pattern.text)' matches no clause or scenario", insteadOf: pattern.text,
                among: specification.clauses.map(\.id.description) + Area.allCases.map(\.rawValue) + names,
                expected: "such as SYNC-3, SYNC or server/SYNC/*", otherwise: "remove it to see all")
        }
    }

    private var clauses: [Clause] { specification.clauses.filter { isWanted($0.id) } }

    private func isWanted(_ id: ClauseID) -> Bool { patterns.isEmpty || patterns.contains { $0.matches(id) } }

    package var text: String {
        let clauses = clauses
        let lines = clauses.map { clause in
            let head = [
                padded(clause.id.description, 11), padded(clause.role.rawValue, 7),
                padded(clause.profile.rawValue, 12), padded(status(of: clause), 9),
            ].joined()
            return line(head, clause.sentence) + "\n"
        }
        let counts = Dictionary(clauses.map { (status(of: $0), 1) }, uniquingKeysWith: +)
        let words = ["checked", "pending", "excluded"].map { "\(counts[$0] ?? 0) \($0)" }.joined(separator: ", ")
        return lines.joined()
            + "\n\(counted(clauses.count, "clause")): \(words) · \(counted(specification.scenarioNames.count, "scenario"))\n"
    }

    /// The whole sentence in a pipe; on a terminal, as much as fits on the line, or all of it below if too little fits.
    private func line(_ head: String, _ sentence: String) -> String {
        guard isNarrow else { return head + sentence }
        let room = style.width - head.count
        if room >= 30 { return head + style.cut(sentence, to: room) }
        return style.wrapped(head, indent: 0, hanging: 2) + "\n" + style.wrapped(sentence, indent: 2)
    }

    private func status(of clause: Clause) -> String {
        clause.exclusion != nil ? "excluded" : Checks.check(of: clause.id) == nil ? "pending" : "checked"
    }

    /// The same clauses as JSON, each with the number of scenarios that exercise it.
    package func value() throws(InputProblems) -> JSONValue {
        let exercised = try specification.allScenarios().flatMap(\.clauses)
        let counts = Dictionary(exercised.map { ($0, 1) }, uniquingKeysWith: +)
        return .array(
            clauses.map { clause in
                [
                    "id": .string(clause.id.description), "role": .string(clause.role.rawValue),
                    "profile": .string(clause.profile.rawValue), "keyword": .string(clause.keyword.rawValue),
                    "status": .string(status(of: clause)), "sentence": .string(clause.sentence),
                    "scenarios": JSONValue(counts[clause.id] ?? 0),
                ]
            })
    }

    /// Each scenario with the clauses that it exercises.
    package func scenarios() throws(InputProblems) -> String {
        let wanted = try specification.allScenarios().filter { scenario in
            patterns.isEmpty || patterns.contains { $0.matches(scenario.name) }
                || scenario.clauses.contains(where: isWanted)
        }
        let entries = wanted.map { scenario in
            let line = "\(scenario.title): \(scenario.clauses.map(\.description).joined(separator: " "))"
            return "\(scenario.name)\n"
                + (isNarrow ? style.wrapped(line, indent: 2, hanging: 2) : "  \(line)") + "\n"
        }
        return entries.joined() + "\n\(counted(wanted.count, "scenario"))\n"
    }
}
