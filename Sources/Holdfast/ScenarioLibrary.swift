extension Specification {
    /// Every server scenario, sorted by area and name: the files in `scenarios/` that are not in `scenarios/client/`.
    /// - Throws: All problems of all files.
    public func scenarios() throws(InputProblems) -> [Scenario] {
        try read(ofClients: false, ScenarioReader.scenario)
    }

    /// Every client scenario in `scenarios/client/`, sorted by area and name.
    /// - Throws: All problems of all files.
    public func clientScenarios() throws(InputProblems) -> [ClientScenario] {
        try read(ofClients: true, ClientScenarioReader.scenario)
    }

    /// The scenarios of both sides, servers first.
    package func allScenarios() throws(InputProblems) -> [any SelectableScenario] {
        try scenarios() + clientScenarios()
    }

    /// The names of all scenarios; does not parse them.
    package var scenarioNames: [String] { files.names(in: "scenarios").sorted() }

    private typealias Reading<Value> = (
        _ text: String, _ name: String, _ file: String, _ clauses: Set<ClauseID>?, _ isSound: Bool
    ) throws(InputProblems) -> Value

    private func read<Value: SelectableScenario>(
        ofClients isClient: Bool, _ reading: Reading<Value>
    ) throws(InputProblems) -> [Value] {
        let (known, isSound) = (Set(clauses.map(\.id)), files.areSound)
        var problems: [InputProblem] = []
        var found: [Value] = []
        for (path, text) in files.texts {
            guard let name = SpecificationFiles.name(of: path, in: "scenarios"),
                path.hasPrefix("scenarios/client/") == isClient
            else { continue }
            let file = "Spec/\(path)"
            let scenario = problems.take { () throws(InputProblems) in try reading(text, name, file, known, isSound) }
            guard let scenario else { continue }
            problems += misplacements(of: name, role: scenario.role, clauses: scenario.clauses, file: file)
            found.append(scenario)
        }
        try problems.sorted { $0.location < $1.location }.throwAll()
        return found.sorted { left, right in
            let (first, second) = (Area(ofScenario: left.name) ?? .CLIENT, Area(ofScenario: right.name) ?? .CLIENT)
            return first == second ? left.name < right.name : first < second
        }
    }

    /// The problems of a scenario whose path does not match its role and chapter.
    private func misplacements(of name: String, role: Role, clauses: [ClauseID], file: String) -> [InputProblem] {
        var problems: [InputProblem] = []
        let area = Area(ofScenario: name)
        if !name.hasPrefix("\(role.rawValue)/") || area == nil {
            problems.note(
                file, "the path does not state the scenario's role and area",
                expected: "Spec/scenarios/\(role.rawValue)/AREA/name.json", fix: "move the file")
        } else if let area, !clauses.contains(where: { $0.area == area }) {
            problems.note(
                "\(file) /clauses", "no clause of \(area.rawValue)",
                expected: "at least one clause of the folder's area", fix: "move the file, or add the clause")
        }
        for clause in clauses where self[clause]?.role != role {
            problems.note(
                "\(file) /clauses", "\(clause) does not bind the \(role.rawValue)",
                expected: "clauses of the scenario's side", fix: "remove it")
        }
        return problems
    }
}

/// The properties by which a scenario is chosen, by name or by clause.
package protocol SelectableScenario: Sendable {
    var name: String { get set }
    var title: String { get }
    var role: Role { get }
    var clauses: [ClauseID] { get }
    /// A rough class of its duration; each class is distributed evenly over shards.
    var kind: Int { get }
}

extension Scenario: SelectableScenario {
    package var kind: Int { needs.start ? 0 : needs.budget ? 1 : 2 }
}

extension ClientScenario: SelectableScenario {
    package var role: Role { .client }
    package var kind: Int { 0 }
}
