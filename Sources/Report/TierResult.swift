import Holdfast
import HoldfastJudge

/// What a run came to in one tier: how predictable the agent was for these scenarios.
package struct TierResult: Sendable, Equatable {
    /// 1 any agent, 2 a scripted agent, 3 a model endpoint of the suite.
    package let tier: Int
    /// How many scenarios of it were performed.
    package let performed: Int
    /// How many scenarios of it were left out.
    package let leftOut: Int
    /// How many clauses had each outcome in this tier alone; only clauses that its scenarios exercised are in here.
    package let counts: [Outcome: Int]
}

extension TierResult {
    /// Adds up the scenarios of one tier.
    init(_ tier: Int, scenarios: [ScenarioResult], clauses: [Clause], subject: Set<Profile>) {
        let judged = scenarios.filter { $0.skipped == nil }
        let verdicts = Dictionary(
            grouping: judged.flatMap { scenario in scenario.verdicts.map { (scenario.name, $0) } }, by: \.1.clause)
        var counts: [Outcome: Int] = [:]
        for clause in clauses where clause.undeclared(in: subject) == nil {
            let result = ClauseResult(
                clause, verdicts: verdicts[clause.id] ?? [], isDeclared: true, harnessFailed: false)
            if result.exercised > 0 { counts[result.outcome, default: 0] += 1 }
        }
        self.init(
            tier: tier, performed: judged.count, leftOut: scenarios.count - judged.count, counts: counts)
    }

    package var agent: String { Self.agent(of: tier) }

    package static func agent(of tier: Int) -> String {
        switch tier {
        case 1: "any agent"
        case 2: "scripted agent"
        default: "model endpoint"
        }
    }
}
