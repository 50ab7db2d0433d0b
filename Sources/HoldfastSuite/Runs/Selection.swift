import Holdfast
import HoldfastBasics
import HoldfastReport

extension Specification {
    package func scenarioNames(for role: Role) throws(InputProblems) -> [String] {
        try allScenarios().filter { $0.role == role }.map(\.name)
    }
}

extension NamePattern {
    /// Whether it names a clause: by id, by area or with `*`.
    package func matches(_ id: ClauseID) -> Bool { text == id.area.rawValue || matches(id.description) }
}

package typealias Selection = ScenarioSelection<Scenario>

package struct ScenarioSelection<Item: SelectableScenario>: Sendable {
    /// The selected clauses; nil means all.
    let clauses: Set<ClauseID>?
    package internal(set) var scenarios: [Item]
    /// Clauses that are excluded by name, although they were selected.
    package private(set) var excluded: Set<ClauseID> = []
    /// The scenarios that were selected by name, and not for a clause.
    private var named: Set<String> = []
    /// All clauses that are excluded by name.
    private var unwanted: Set<ClauseID> = []
    /// The reasons why scenarios are excluded, by name or with all their clauses.
    private var exclusions: [String: String] = [:]
    /// The shard to which the scenarios belong, and the names of all selected ones; nil without shards.
    private var part: (shard: Shard, plan: [String])?

    /// The number of scenarios with an unexpected violation after which the run stops; nil if it never does.
    package var maxFailures: Int?
    package var baseline: Baseline?

    /// The clauses that were selected together with a scenario, which is then meant to exercise them.
    private var chosen: [String: Set<ClauseID>] = [:]

    /// Everything that any pattern names, except what is excluded; a pattern that matches nothing is a problem.
    ///
    /// `CLAUSE@SCENARIO` names a clause in a scenario, whether or not the scenario is meant to exercise it.
    package init(
        _ patterns: [String] = [], excluding: [String] = [], role: Role, of specification: Specification,
        scenarios: [Item]
    ) throws(InputProblems) {
        let scenarios = scenarios.filter { $0.role == role }
        let clauses = specification.clauses.filter { $0.role == role }.map(\.id)
        var problems: [InputProblem] = []
        func find(_ text: String, _ flag: String) -> (clauses: [ClauseID], scenarios: [Item]) {
            let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map {
                NamePattern(String($0))
            }
            let isPair = parts.count == 2 && flag == "--only"
            let (first, last) = isPair ? (parts[0], parts[1]) : (NamePattern(text), NamePattern(text))
            let found = (clauses.filter { first.matches($0) }, scenarios.filter { last.matches($0.name) })
            let (hasNoClause, hasNoScenario) = (found.0.isEmpty, found.1.isEmpty)
            let others = specification.clauses.filter { $0.role != role && first.matches($0.id) }
            if hasNoClause, isPair || hasNoScenario, let other = others.first?.role.rawValue {
                problems.append(
                    InputProblem(
                        flag, "'\(text)' binds a \(other)", expected: "clauses of a \(role.rawValue)",
                        fix: "test a \(other): conformance \(other) \(flag) \(text)"))
            } else if hasNoClause, isPair || hasNoScenario, let id = ClauseID(first.text),
                case let area = clauses.filter({ $0.area == id.area }).map(\.number).sorted(), area.count > 1
            {
                let nearest = area.sorted { abs($0 - id.number) < abs($1 - id.number) }.prefix(2)
                problems.append(
                    InputProblem(
                        flag, "there is no clause \(id)",
                        expected: "\(id.area)-\(area[0]) to \(id.area)-\(area[area.count - 1])",
                        fix: "did you mean \(nearest.map { "'\(id.area)-\($0)'" }.joined(separator: " or "))?"))
            } else if isPair ? hasNoClause || hasNoScenario : hasNoClause && hasNoScenario {
                let area = role == .server ? "SYNC" : "CLIENT"
                problems.append(
                    InputProblem(
                        flag, "'\(text)' matches no clause or scenario", insteadOf: text,
                        among: clauses.map(\.description) + Area.allCases.map(\.rawValue) + scenarios.map(\.name),
                        expected: "a clause id such as \(area)-3, an area such as \(area)-*, "
                            + "or a scenario such as \(role.rawValue)/\(area)/*",
                        otherwise: "run 'conformance list' to see all clauses and scenarios"))
            }
            return found
        }
        var chosenClauses: Set<ClauseID> = []
        var chosenScenarios: Set<String> = []
        for pattern in patterns.flatMap({ $0.split(separator: ",") }).map(String.init) {
            let (found, byName) = find(pattern, "--only")
            if pattern.contains("@"), !found.isEmpty, !byName.isEmpty {
                chosenClauses.formUnion(found)
                chosenScenarios.formUnion(byName.map(\.name))
                for scenario in byName { chosen[scenario.name, default: []].formUnion(found) }
                continue
            }
            let performed = byName + scenarios.filter { $0.clauses.contains(where: found.contains) }
            chosenClauses.formUnion(found.isEmpty ? performed.flatMap(\.clauses) : found)
            chosenScenarios.formUnion(performed.map(\.name))
            if found.isEmpty { named.formUnion(byName.map(\.name)) }
        }
        self.clauses = patterns.isEmpty ? nil : chosenClauses
        self.scenarios = patterns.isEmpty ? scenarios : scenarios.filter { chosenScenarios.contains($0.name) }
        var owners: [ClauseID: String] = [:]
        for pattern in excluding.flatMap({ $0.split(separator: ",") }).map(String.init) {
            let (found, byName) = find(pattern, "--exclude")
            for clause in found where owners[clause] == nil { owners[clause] = pattern }
            for scenario in byName where exclusions[scenario.name] == nil {
                exclusions[scenario.name] = "--exclude \(pattern) was given"
            }
        }
        let inQuestion = Set(patterns.isEmpty ? clauses : clauses.filter(chosenClauses.contains))
        unwanted = Set(owners.keys)
        excluded = unwanted.intersection(inQuestion)
        for scenario in self.scenarios where exclusions[scenario.name] == nil {
            let own = scenario.clauses.filter(inQuestion.contains)
            guard let first = own.first, own.allSatisfy(excluded.contains) else { continue }
            exclusions[scenario.name] = "--exclude \(owners[first] ?? "") was given"
        }
        if problems.isEmpty, !excluding.isEmpty, self.scenarios.allSatisfy({ exclusions[$0.name] != nil }) {
            problems.note(
                "--exclude", "nothing is left to run", expected: "at least one scenario",
                fix: "exclude less")
        }
        try problems.throwAll()
    }

    /// The clauses in question: the selected ones, and those that scenarios selected by name violate; nil means all.
    func clauses(after results: [ScenarioResult]) -> Set<ClauseID>? {
        clauses.map { clauses in
            let shown = results.filter { named.contains(String($0.name.prefix { $0 != "#" })) }.flatMap(\.verdicts)
            let broken = shown.filter { [.violation, .warning].contains($0.outcome) }.map(\.clause)
            return clauses.union(Set(broken).subtracting(unwanted))
        }
    }

    /// The reason why a scenario is excluded, by name or with all its clauses; nil if it is not.
    func reason(toExclude scenario: Item) -> String? { exclusions[String(scenario.name.prefix { $0 != "#" })] }

    /// The scenarios that are meant to exercise each clause, by name.
    var intended: [String: [ClauseID]] {
        Dictionary(
            scenarios.map { scenario in
                let others = chosen[String(scenario.name.prefix { $0 != "#" })]?.subtracting(scenario.clauses) ?? []
                return (scenario.name, scenario.clauses + others.sorted())
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Each scenario `count` times; repetitions are called `NAME#2`, `NAME#3`, … and follow all first performances.
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

    package mutating func take(_ shard: Shard) {
        part = (shard, scenarios.map(\.name))
        scenarios = shard.share(of: scenarios, kind: \.kind)
    }

    func part(of results: [ScenarioResult]) -> Shard.Part? {
        part.map { Shard.Part($0.shard, of: $0.plan, holding: results.map(\.name)) }
    }

    /// Scenarios that will be performed, one per line, and the reasons why others will not.
    static func plan(of scenarios: [Item], notPerformed reasons: [String]) -> String {
        let lines = scenarios.map { "\($0.name)  \($0.clauses.map(\.description).joined(separator: " "))\n" }
        let skipped = Dictionary(grouping: reasons, by: \.self).sorted { $0.key < $1.key }
            .map { "skipped: \(Gap.words($0.value.count, "scenario", $0.key))\n" }
        return lines.joined() + "\n\(counted(scenarios.count, "scenario"))\n" + skipped.joined()
    }
}
