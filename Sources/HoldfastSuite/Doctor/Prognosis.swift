import Holdfast
import HoldfastJudge
import HoldfastReport
import HoldfastStage

extension Forecast {
    /// The other clauses that a run will leave undecided, with reasons and remedies.
    func open(besides exercised: Set<ClauseID>) -> [Diagnosis.Open] {
        let report = report(besides: exercised)
        func gaps(_ clauses: [ClauseID], causedBy isCause: (ScenarioResult) -> Bool) -> [Gap] {
            Gap.gaps(in: clauses, scenarios: report.scenarios.filter(isCause), intended: report.intended)
        }
        let doubted = report.clauses(.inconclusive).map(\.clause.id)
        // Other scenarios exercise the clauses that have no scenario of their own.
        let untested = report.gaps.filter { gap in
            gap.clauses.contains { clause in report.intended.values.contains { $0.contains(clause) } }
        }
        let open: [(Diagnosis.Open.Outcome, [Gap])] = [
            (.untested, untested), (.inconclusive, gaps(doubted, causedBy: { $0.skipped != nil })),
            (.outOfReach, report.outOfReach), (.setAside, gaps(report.setAside, causedBy: \.wasSetAside)),
        ]
        return open.flatMap { outcome, gaps in
            gaps.map { Diagnosis.Open(outcome: outcome, gap: $0, fix: $0.fix) }
        }
    }
}
