import Basics
import Holdfast
import Report

/// What a scenario needs to be chosen by name or by clause.
protocol SelectableScenario: Sendable {
    var name: String { get }
    var role: Role { get }
    var clauses: [ClauseID] { get }
    /// How long it takes, roughly: scenarios of a kind are shared out evenly.
    var kind: Int { get }
    /// The same scenario under another name.
    func called(_ name: String) -> Self
}

extension Scenario: SelectableScenario {
    var kind: Int { needs.start ? 0 : needs.budget ? 1 : 2 }

    func called(_ name: String) -> Scenario {
        var scenario = self
        scenario.name = name
        return scenario
    }
}

extension ClientScenario: SelectableScenario {
    var role: Role { .client }
    var kind: Int { 0 }

    func called(_ name: String) -> ClientScenario {
        var scenario = self
        scenario.name = name
        return scenario
    }
}

/// The clauses and the scenarios for servers a run is about.
typealias Selection = ScenarioSelection<Scenario>

/// The clauses and scenarios a run is about.
struct ScenarioSelection<Item: SelectableScenario>: Sendable {
    /// The clauses in question; nil means all.
    var clauses: Set<ClauseID>?
    /// The scenarios to perform.
    var scenarios: [Item]
    /// Which part of all chosen scenarios these are, and the names of all; nil when they are all.
    private(set) var part: (shard: Shard, plan: [String])?

    /// Everything that any pattern names; a pattern that names nothing is a problem, never ignored.
    init(
        _ patterns: [String], role: Role, of specification: Specification, scenarios: [Item]
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
                problems.append(Self.unmatched(text, role: role, clauses: clauses, scenarios: scenarios))
            }
            chosenClauses.formUnion(named)
            if named.isEmpty { chosenClauses.formUnion(performed.flatMap(\.clauses)) }
            chosenScenarios.formUnion(performed.map(\.name))
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        self.clauses = chosenClauses
        self.scenarios = scenarios.filter { chosenScenarios.contains($0.name) }
    }

    /// The scenarios that are meant to exercise each clause, by name.
    var intended: [String: [ClauseID]] {
        Dictionary(scenarios.map { ($0.name, $0.clauses) }, uniquingKeysWith: { first, _ in first })
    }

    /// Each scenario so often; repetitions are called `NAME#2`, `NAME#3`, … and come after all first performances.
    func repeated(_ count: Int) -> Self {
        var selection = self
        for number in 1..<max(1, count) {
            selection.scenarios += scenarios.map { $0.called("\($0.name)#\(number + 1)") }
        }
        return selection
    }

    /// Keeps the scenarios of one part.
    mutating func take(_ shard: Shard) {
        part = (shard, scenarios.map(\.name))
        scenarios = shard.share(of: scenarios, kind: \.kind)
    }

    /// Which part of a run results are; nil when they are all.
    func part(of results: [ScenarioResult]) -> Shard.Part? {
        part.map { Shard.Part($0.shard, of: $0.plan, holding: results.map(\.name)) }
    }

    /// Lists what would be performed.
    func printPlan() {
        for scenario in scenarios {
            Console.write("\(scenario.name)  \(scenario.clauses.map(\.description).joined(separator: " "))\n")
        }
        Console.write("\n\(scenarios.count) scenario\(scenarios.count == 1 ? "" : "s")\n")
    }

    private static func unmatched(
        _ text: String, role: Role, clauses: [Clause], scenarios: [Item]
    ) -> InputProblem {
        let names = clauses.map(\.id.description) + Area.allCases.map(\.rawValue) + scenarios.map(\.name)
        let area = role == .server ? "SYNC" : "CLIENT"
        return InputProblem(
            place: "--only", what: "'\(text)' names no clause and no scenario",
            expected:
                "a clause id such as \(area)-3, an area such as \(area)-*, or a scenario such as \(role.rawValue)/\(area)/*",
            fix: nearestName(to: text, among: names).map { "did you mean '\($0)'?" }
                ?? "run 'conformance list' to see all clauses and scenarios")
    }
}
