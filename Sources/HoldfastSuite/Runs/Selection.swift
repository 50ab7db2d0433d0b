import Basics
import Holdfast
import Report

/// What a scenario needs to be chosen by name or by clause.
package protocol SelectableScenario: Sendable {
    var name: String { get set }
    var title: String { get }
    var role: Role { get }
    var clauses: [ClauseID] { get }
    /// How long it takes, roughly: scenarios of a kind are shared out evenly.
    var kind: Int { get }
}

extension Scenario: SelectableScenario {
    package var kind: Int { needs.start ? 0 : needs.budget ? 1 : 2 }
}

extension ClientScenario: SelectableScenario {
    package var role: Role { .client }
    package var kind: Int { 0 }
}

extension Specification {
    /// The scenarios of both sides, those for servers first.
    package func allScenarios() throws(InputProblems) -> [any SelectableScenario] {
        try scenarios() + clientScenarios()
    }

    /// The names of all scenarios for a side.
    package func scenarioNames(for role: Role) throws(InputProblems) -> [String] {
        try allScenarios().filter { $0.role == role }.map(\.name)
    }
}

extension NamePattern {
    /// Whether it names a clause: by id, by area or with `*`.
    package func matches(_ id: ClauseID) -> Bool { text == id.area.rawValue || matches(id.description) }
}

/// The clauses and the scenarios for servers a run is about.
package typealias Selection = ScenarioSelection<Scenario>

/// The clauses and scenarios a run is about.
package struct ScenarioSelection<Item: SelectableScenario>: Sendable {
    /// The clauses in question; nil means all.
    let clauses: Set<ClauseID>?
    /// The scenarios to perform.
    package internal(set) var scenarios: [Item]
    /// Which part of all chosen scenarios these are, and the names of all; nil when they are all.
    private var part: (shard: Shard, plan: [String])?

    /// Everything that any pattern names; a pattern that names nothing is a problem, never ignored.
    package init(
        _ patterns: [String] = [], role: Role, of specification: Specification, scenarios: [Item]
    ) throws(InputProblems) {
        let scenarios = scenarios.filter { $0.role == role }
        guard !patterns.isEmpty else {
            self.clauses = nil
            self.scenarios = scenarios
            return
        }
        let clauses = specification.clauses.filter { $0.role == role }.map(\.id)
        var problems: [InputProblem] = []
        var chosenClauses: Set<ClauseID> = []
        var chosenScenarios: Set<String> = []
        for pattern in patterns.map(NamePattern.init) {
            let named = clauses.filter { pattern.matches($0) }
            let performed = scenarios.filter { scenario in
                pattern.matches(scenario.name) || scenario.clauses.contains(where: named.contains)
            }
            if named.isEmpty && performed.isEmpty {
                let area = role == .server ? "SYNC" : "CLIENT"
                problems.append(
                    InputProblem(
                        "--only", "'\(pattern.text)' names no clause and no scenario", insteadOf: pattern.text,
                        among: clauses.map(\.description) + Area.allCases.map(\.rawValue) + scenarios.map(\.name),
                        expected: "a clause id such as \(area)-3, an area such as \(area)-*, "
                            + "or a scenario such as \(role.rawValue)/\(area)/*",
                        otherwise: "run 'conformance list' to see all clauses and scenarios"))
            }
            chosenClauses.formUnion(named.isEmpty ? performed.flatMap(\.clauses) : named)
            chosenScenarios.formUnion(performed.map(\.name))
        }
        try problems.throwAll()
        self.clauses = chosenClauses
        self.scenarios = scenarios.filter { chosenScenarios.contains($0.name) }
    }

    /// The scenarios that are meant to exercise each clause, by name.
    var intended: [String: [ClauseID]] {
        Dictionary(scenarios.map { ($0.name, $0.clauses) }, uniquingKeysWith: { first, _ in first })
    }

    /// Each scenario so often; repetitions are called `NAME#2`, `NAME#3`, … and come after all first performances.
    package func repeated(_ count: Int) -> Self {
        var selection = self
        for number in 1..<max(1, count) {
            for var scenario in scenarios {
                scenario.name += "#\(number + 1)"
                selection.scenarios.append(scenario)
            }
        }
        return selection
    }

    /// Keeps the scenarios of one part.
    package mutating func take(_ shard: Shard) {
        part = (shard, scenarios.map(\.name))
        scenarios = shard.share(of: scenarios, kind: \.kind)
    }

    /// Which part of a run results are; nil when they are all.
    func part(of results: [ScenarioResult]) -> Shard.Part? {
        part.map { Shard.Part($0.shard, of: $0.plan, holding: results.map(\.name)) }
    }

    /// What would be performed, a line each.
    package var plan: String {
        let lines = scenarios.map { "\($0.name)  \($0.clauses.map(\.description).joined(separator: " "))\n" }
        return lines.joined() + "\n\(scenarios.count) scenario\(scenarios.count == 1 ? "" : "s")\n"
    }
}
