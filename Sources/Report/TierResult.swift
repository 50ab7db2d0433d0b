import Holdfast
import HoldfastBasics
import HoldfastJudge

/// The result of a run in one tier, which stands for the agent's predictability.
package struct TierResult: Sendable, Equatable {
    /// The tier: 1 for any agent, 2 for a scripted agent, 3 for a model endpoint of the suite.
    package let tier: Int
    package let performed: Int
    package let leftOut: Int
    /// The number of clauses with each outcome in this tier, counting only those it exercised.
    package let counts: [Outcome: Int]
}

extension TierResult {
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

    var words: String {
        RunReport.words.compactMap { outcome, word in counts[outcome].map { "\(readable($0)) \(word)" } }
            .joined(separator: ", ")
    }

    package static func agent(of tier: Int) -> String {
        switch tier {
        case 1: "any agent"
        case 2: "scripted agent"
        default: "model endpoint"
        }
    }
}
