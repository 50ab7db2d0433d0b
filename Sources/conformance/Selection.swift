import Holdfast

/// The clauses and scenarios a run is about.
struct Selection {
    /// The clauses in question; nil means all.
    var clauses: Set<ClauseID>?
    /// The scenarios to perform.
    var scenarios: [Scenario]

    /// Everything that any pattern names; a pattern that names nothing is a problem, never ignored.
    init(
        _ patterns: [String], role: Role, of specification: Specification, scenarios: [Scenario]
    ) throws(InputProblems) {
        let scenarios = scenarios.filter { $0.role == role }
        guard !patterns.isEmpty else {
            self.clauses = nil
            self.scenarios = scenarios
            return
        }
        let clauses = specification.clauses.filter { $0.role == role }
        var problems: [InputProblem] = []
        var chosenClauses: Set<ClauseID> = []
        var chosenScenarios: Set<String> = []
        for text in patterns {
            let pattern = Pattern(text: text)
            let named = clauses.filter { pattern.matches($0.id) }.map(\.id)
            let performed = scenarios.filter { scenario in
                pattern.matches(scenario.name) || scenario.clauses.contains(where: named.contains)
            }
            if named.isEmpty && performed.isEmpty {
                problems.append(Self.unmatched(text, clauses: clauses, scenarios: scenarios))
            }
            chosenClauses.formUnion(named)
            if named.isEmpty { chosenClauses.formUnion(performed.flatMap(\.clauses)) }
            chosenScenarios.formUnion(performed.map(\.name))
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        self.clauses = chosenClauses
        self.scenarios = scenarios.filter { chosenScenarios.contains($0.name) }
    }

    private static func unmatched(_ text: String, clauses: [Clause], scenarios: [Scenario]) -> InputProblem {
        let names = clauses.map(\.id.description) + Area.allCases.map(\.rawValue) + scenarios.map(\.name)
        return InputProblem(
            place: "--only", what: "'\(text)' names no clause and no scenario",
            expected: "a clause id such as SYNC-3, an area such as SYNC-*, or a scenario such as server/SYNC/*",
            fix: nearestName(to: text, among: names).map { "did you mean '\($0)'?" }
                ?? "run 'conformance list' to see all clauses and scenarios")
    }
}
