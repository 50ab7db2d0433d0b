extension Specification {
    /// Every server scenario, sorted by area and name: the files in `scenarios/` that are not in `scenarios/client/`.
    /// - Throws: All problems of all files.
    public func scenarios() throws(InputProblems) -> [Scenario] { try scenarios(naming: nil) }

    /// Every server scenario; with a clause, only those whose text names it.
    package func scenarios(naming clause: ClauseID?) throws(InputProblems) -> [Scenario] {
        let (known, isSound) = (Set(clauses.map(\.id)), files.areSound)
        return try read(naming: clause, where: { !$0.hasPrefix(Self.clientFolder) }) {
            text, name, file throws(InputProblems) in
            let scenario = try ScenarioReader.scenario(
                text, named: name, file: file, clauses: known, isSound: isSound)
            return (scenario, name, scenario.role, scenario.clauses)
        }
    }

    /// Every client scenario in `scenarios/client/`, sorted by area and name.
    /// - Throws: All problems of all files.
    public func clientScenarios() throws(InputProblems) -> [ClientScenario] { try clientScenarios(naming: nil) }

    /// Every client scenario; with a clause, only those whose text names it.
    package func clientScenarios(naming clause: ClauseID?) throws(InputProblems) -> [ClientScenario] {
        let (known, isSound) = (Set(clauses.map(\.id)), files.areSound)
        return try read(naming: clause, where: { $0.hasPrefix(Self.clientFolder) }) {
            text, name, file throws(InputProblems) in
            let scenario = try ClientScenarioReader.scenario(
                text, named: name, file: file, clauses: known, isSound: isSound)
            return (scenario, name, .client, scenario.clauses)
        }
    }

    /// The names of all scenarios; does not parse them.
    package var scenarioNames: [String] { files.texts.keys.compactMap(Self.name(ofScenario:)).sorted() }

    private static func name(ofScenario file: String) -> String? {
        guard file.hasPrefix("scenarios/"), file.hasSuffix(".json") else { return nil }
        return String(file.dropFirst("scenarios/".count).dropLast(".json".count))
    }

    private static var clientFolder: String { "scenarios/client/" }

    private typealias Found<Value> = (scenario: Value, name: String, role: Role, clauses: [ClauseID])

    private func read<Value>(
        naming clause: ClauseID?, where isWanted: (String) -> Bool,
        _ reading: (String, String, String) throws(InputProblems) -> Found<Value>
    ) throws(InputProblems) -> [Value] {
        var problems: [InputProblem] = []
        var found: [Found<Value>] = []
        let quoted = clause.map { "\"\($0)\"" }
        for (file, text) in files.texts {
            guard let name = Self.name(ofScenario: file), isWanted(file) else { continue }
            if let quoted, !text.contains(quoted) { continue }
            let one = problems.take { () throws(InputProblems) in try reading(text, name, "Spec/\(file)") }
            guard let one else { continue }
            problems += misplacements(of: name, role: one.role, clauses: one.clauses, file: "Spec/\(file)")
            found.append(one)
        }
        try problems.sorted { $0.location < $1.location }.throwAll()
        return found.sorted { left, right in
            let (first, second) = (Area(ofScenario: left.name) ?? .CLIENT, Area(ofScenario: right.name) ?? .CLIENT)
            return first == second ? left.name < right.name : first < second
        }.map(\.scenario)
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
