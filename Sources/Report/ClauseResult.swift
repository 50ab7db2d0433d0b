import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

package struct ClauseResult: Sendable {
    package let clause: Clause
    package let outcome: Outcome
    package let exercised: Int
    /// The scenarios that exercised it.
    package let scenarios: [String]
    let decidedBy: [String]
    package let findings: [Occurrence]
    /// The findings in the order in which a run reports them; nil outside a run.
    var arranged: [Occurrence]?
    var ordered: [Occurrence] { arranged ?? findings }
    /// Remarks on the strength of the evidence, from the scenarios that determined the outcome.
    package let remarks: [String]

    package struct Occurrence: Sendable {
        package let scenario: String
        package let finding: Finding
        var baseName: String { String(scenario.prefix { $0 != "#" }) }
    }
}

extension ClauseResult {
    /// Combines the verdicts on a clause.
    ///
    /// One violation decides. A proof in one scenario stands even if another's evidence is inconclusive. If nothing
    /// exercised the clause and the suite failed in an intended scenario, the result is a suite failure.
    init(_ clause: Clause, verdicts: [(scenario: String, verdict: Verdict)], isDeclared: Bool, harnessFailed: Bool) {
        let outcomes = Set(verdicts.map(\.verdict.outcome))
        let decisive = [Outcome.violation, .warning, .pass, .inconclusive].first(where: outcomes.contains)
        let outcome = isDeclared ? decisive ?? (harnessFailed ? .harnessError : .untested) : .notApplicable
        let deciding = verdicts.filter { $0.verdict.outcome == outcome }
        // Violations that the wire format makes unavoidable must not hide others.
        let excused = deciding.filter(\.verdict.isUnkeepable)
        let reported = outcome == .pass ? [] : deciding.filter { !$0.verdict.isUnkeepable } + excused
        // A verdict with remarks on how far its proof got explains best what is missing.
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
                // The excuse is dropped if the wire format does not excuse every violation.
                !Self.isExcuse(remark) || deciding.allSatisfy { $0.verdict.remarks.contains(where: Self.isExcuse) }
            })
    }

    /// Combines a clause's verdicts in a run.
    ///
    /// If a scenario ends before it has exercised a clause as often as with the reference peer, the clause does not
    /// pass, even in other scenarios: the missing steps might have shown a violation. There are two exceptions: in a
    /// dialect, a scenario may end at a step that the wire format cannot express; and a late machine may end one, if
    /// another one was complete and the server did not close the connection. Violations always count.
    /// Intended scenarios with at least half of the highest number of findings are listed first.
    init(
        _ clause: Clause, in scenarios: [ScenarioResult], intended: [String: [ClauseID]], subject: History.Subject
    ) {
        typealias Entry = (scenario: ScenarioResult, verdicts: [Verdict], isIntended: Bool)
        let entries = scenarios.compactMap { scenario -> Entry? in
            let verdicts = scenario.verdicts(on: clause.id)
            let isIntended = intended[scenario.name]?.contains(clause.id) ?? false
            return verdicts.isEmpty && !isIntended ? nil : (scenario, verdicts, isIntended)
        }
        let performed = entries.filter { $0.scenario.skipped == nil }
        let candidates = performed.filter(\.isIntended)
        let most = candidates.map { $0.verdicts.first?.findings.count ?? 0 }.max() ?? 0
        let isClear = { (entry: Entry) in (entry.verdicts.first?.findings.count ?? 0) * 2 >= most }
        let others = performed.filter { !$0.isIntended }
        let order = candidates.filter(isClear) + candidates.filter { !isClear($0) } + others
        let cut = candidates.map(\.scenario).filter {
            $0.fallsShort(of: clause.id) && $0.history.header.dialect.isCanonical
        }
        let isCutShort =
            cut.contains { ($0.history.header.lateness.isEmpty || $0.wasClosed) && $0.cut != .interruption }
            || !cut.isEmpty && cut.count == candidates.count
        self.init(
            clause,
            verdicts: order.flatMap { scenario, verdicts, isIntended in
                let passes = !isCutShort && !(isIntended && scenario.fallsShort(of: clause.id))
                return verdicts.filter { $0.outcome != .pass || passes }.map { (scenario.name, $0) }
            },
            isDeclared: clause.undeclared(in: subject.profiles) == nil,
            harnessFailed: entries.contains { $0.isIntended && !$0.scenario.problems.isEmpty })
    }
}

extension ClauseResult {
    private static func isExcuse(_ remark: String) -> Bool { remark.hasPrefix(Dialect.unkeepableRemark) }

    /// Whether all violations are unavoidable because of the wire format.
    package var isUnkeepable: Bool { outcome == .violation && remarks.contains(where: Self.isExcuse) }

    /// Whether the clause was not exercised, or the evidence is inconclusive.
    var isUndecided: Bool { outcome == .untested || outcome == .inconclusive }
}

extension RunReport {
    func undeclaredProfile(of clause: Clause) -> Profile { clause.undeclared(in: subject.profiles) ?? clause.profile }
}
