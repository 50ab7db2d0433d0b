import Holdfast
import HoldfastJudge
import HoldfastReport
import HoldfastStage

/// Which clauses a run will leave open, and why, with what would close them.
struct Prognosis {
    let forecast: Forecast
    /// Clauses that will be exercised in any case.
    let exercised: Set<ClauseID>

    /// The clauses that stay open, by outcome and reason.
    var open: [Diagnosis.Open] {
        let report = forecast.report(besides: exercised)
        func gaps(_ clauses: [ClauseID], without isLeft: (ScenarioResult) -> Bool) -> [Gap] {
            Gap.gaps(in: clauses, scenarios: report.scenarios.filter(isLeft), intended: report.intended)
        }
        let doubted = report.clauses(.inconclusive).map(\.clause.id)
        // What nothing is meant to exercise, other scenarios exercise by the way.
        let untested = report.gaps.filter { gap in
            gap.clauses.contains { clause in report.intended.values.contains { $0.contains(clause) } }
        }
        let open: [(Diagnosis.Open.Outcome, [Gap])] = [
            (.untested, untested), (.inconclusive, gaps(doubted, without: { $0.skipped != nil })),
            (.outOfReach, report.outOfReach), (.setAside, gaps(report.setAside, without: \.wasSetAside)),
        ]
        return open.flatMap { outcome, gaps in
            gaps.map { Diagnosis.Open(outcome: outcome, gap: $0, fix: Self.fix(for: $0.reason)) }
        }
    }

    /// What removes an obstacle, from the words that name it.
    private static func fix(for reason: String) -> String? {
        if ["skipped (--tier)", "skipped (--skip-crashes)", "--exclude"].contains(where: reason.contains) {
            return nil
        }
        let start = "give --start 'COMMAND'"
        let agent =
            "give the server a test mode that obeys scripts (chapter 3.3 of the specification) and --scripted-agent"
        switch (reason.contains("--start"), reason.contains("scripted agent")) {
        case (true, true):
            return reason.contains("--start, and")
                ? "\(start), and \(agent), or leave these clauses out with --skip-crashes"
                : "\(start), which is enough, or \(agent)"
        case (true, false): return "\(start), or leave these clauses out with --skip-crashes"
        case (false, true): return "\(agent), or leave these clauses out with --tier 1"
        case (false, false): break
        }
        if reason.contains("push service") || reason.contains("device tokens") {
            return "point the server's push service at {push} or --push-sink, and give its device tokens with --device"
        }
        if reason.contains("principals") { return "give one more --token for each principal that is missing" }
        if reason.contains("does not declare") {
            return "declare the profile as well, where the server keeps it: two profiles meet in these clauses"
        }
        return nil
    }
}
