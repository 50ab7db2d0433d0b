/// The scenarios of a specification.
extension Specification {
    /// Every scenario below `scenarios/`, by name.
    /// - Throws: Every problem of every file at once.
    public func scenarios() throws(InputProblems) -> [Scenario] {
        var problems: [InputProblem] = []
        var scenarios: [Scenario] = []
        let known = Set(clauses.map(\.id))
        for (file, text) in files.texts where file.hasPrefix("scenarios/") && file.hasSuffix(".json") {
            let name = String(file.dropFirst("scenarios/".count).dropLast(".json".count))
            do {
                let scenario = try ScenarioReader.scenario(
                    text, named: name, file: "Spec/\(file)", clauses: known)
                problems += misplacements(of: scenario, file: "Spec/\(file)")
                scenarios.append(scenario)
            } catch {
                problems += error.problems
            }
        }
        guard problems.isEmpty else { throw InputProblems(problems.sorted { $0.place < $1.place }) }
        return scenarios.sorted { left, right in
            let (first, second) = (left.area ?? .CLIENT, right.area ?? .CLIENT)
            return first == second ? left.name < right.name : first < second
        }
    }

    /// The place of a scenario says its role and its chapter.
    private func misplacements(of scenario: Scenario, file: String) -> [InputProblem] {
        var problems: [InputProblem] = []
        let parts = scenario.name.split(separator: "/")
        if parts.count != 3 || parts[0] != scenario.role.rawValue || scenario.area == nil {
            problems.append(
                InputProblem(
                    place: file, what: "the path does not say role and area of the scenario",
                    expected: "Spec/scenarios/\(scenario.role.rawValue)/AREA/name.json", fix: "move the file"))
        } else if let area = scenario.area, !scenario.clauses.contains(where: { $0.area == area }) {
            problems.append(
                InputProblem(
                    place: "\(file) /clauses", what: "no clause of \(area.rawValue)",
                    expected: "at least one clause of the folder's area", fix: "move the file, or add the clause"))
        }
        for clause in scenario.clauses where self[clause]?.role != scenario.role {
            problems.append(
                InputProblem(
                    place: "\(file) /clauses", what: "\(clause) does not bind the \(scenario.role.rawValue)",
                    expected: "clauses of the scenario's side", fix: "remove it"))
        }
        return problems
    }
}
