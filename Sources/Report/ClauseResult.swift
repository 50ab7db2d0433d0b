import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

/// What one clause came to in a whole run.
package struct ClauseResult: Sendable {
    package let clause: Clause
    /// The outcome over all scenarios.
    package let outcome: Outcome
    /// How often it was exercised, over all scenarios.
    package let exercised: Int
    /// The scenarios that exercised it.
    package let scenarios: [String]
    /// The scenarios whose verdicts are the outcome.
    let decidedBy: [String]
    /// Violations, warnings or doubts, each with its scenario.
    package let findings: [Occurrence]
    /// How strong the evidence is, in the words of the scenarios that decided the outcome.
    package let remarks: [String]

    /// A finding and the scenario it was made in.
    package struct Occurrence: Sendable {
        package let scenario: String
        package let finding: Finding
    }
}

extension ClauseResult {
    /// Adds up the verdicts on a clause.
    ///
    /// Broken once is broken. A proof in one scenario stands although the evidence of another proves nothing. Where nothing
    /// exercised the clause and the suite failed in a scenario that was meant to, the suite is to blame.
    init(_ clause: Clause, verdicts: [(scenario: String, verdict: Verdict)], isDeclared: Bool, harnessFailed: Bool) {
        let outcomes = Set(verdicts.map(\.verdict.outcome))
        let decisive = [Outcome.violation, .warning, .pass, .inconclusive].first(where: outcomes.contains)
        let outcome = isDeclared ? decisive ?? (harnessFailed ? .harnessError : .untested) : .notApplicable
        let deciding = verdicts.filter { $0.verdict.outcome == outcome }
        // What a wire cannot keep does not hide what its server breaks.
        let excused = deciding.filter(\.verdict.isUnkeepable)
        let reported = outcome == .pass ? [] : deciding.filter { !$0.verdict.isUnkeepable } + excused
        // A scenario that can say how far its proof came tells best what is missing; the others saw less.
        let best = outcome == .inconclusive ? reported.filter { !$0.verdict.remarks.isEmpty } : []
        let rest = best.isEmpty ? reported : reported.filter { $0.verdict.remarks.isEmpty }
        self.init(
            clause: clause, outcome: outcome, exercised: verdicts.reduce(0) { $0 + $1.verdict.exercised },
            scenarios: verdicts.filter { $0.verdict.exercised > 0 }.map(\.scenario),
            decidedBy: deciding.map(\.scenario),
            findings: (best + rest).flatMap { entry in
                entry.verdict.findings.map { Occurrence(scenario: entry.scenario, finding: $0) }
            },
            remarks: deciding.flatMap(\.verdict.remarks).unique.filter { remark in
                // One breach that the wire does not excuse is enough.
                !Self.isExcuse(remark) || deciding.allSatisfy { $0.verdict.remarks.contains(where: Self.isExcuse) }
            })
    }

    /// Adds up what the scenarios of a run say about a clause.
    ///
    /// A scenario that ended early never came to what it was to show, so it passes none of the clauses that it is meant to
    /// exercise. What it saw broken is broken.
    init(
        _ clause: Clause, in scenarios: [ScenarioResult], intended: [String: [ClauseID]], subject: History.Subject
    ) {
        let isMeant = { (scenario: ScenarioResult) in intended[scenario.name]?.contains(clause.id) ?? false }
        self.init(
            clause,
            verdicts: scenarios.filter { $0.skipped == nil }.flatMap { scenario in
                scenario.verdicts.filter { verdict in
                    verdict.clause == clause.id
                        && !(verdict.outcome == .pass && scenario.stoppedAt != nil && isMeant(scenario))
                }.map { (scenario.name, $0) }
            },
            isDeclared: clause.undeclared(in: subject.profiles) == nil,
            harnessFailed: scenarios.contains { !$0.problems.isEmpty && isMeant($0) })
    }
}

extension ClauseResult {
    private static func isExcuse(_ remark: String) -> Bool { remark.hasPrefix(Dialect.unkeepableRemark) }

    /// Whether it is broken only where no server of its wire can keep it.
    package var isUnkeepable: Bool { outcome == .violation && remarks.contains(where: Self.isExcuse) }

    /// Whether nothing put the clause to the test, or the evidence proves nothing.
    var isUndecided: Bool { outcome == .untested || outcome == .inconclusive }
}

extension RunReport {
    /// The profile whose absence makes a clause not applicable.
    func undeclaredProfile(of clause: Clause) -> Profile { clause.undeclared(in: subject.profiles) ?? clause.profile }
}
