import Holdfast
import HoldfastBasics
import HoldfastJudge

package struct BaselineResult: Sendable, Equatable {
    package let file: String
    let date: CivilDate
    package let results: [EntryResult]

    package enum State: String, Sendable, CaseIterable {
        /// The clause is violated, as expected.
        case violated
        /// It is violated intermittently, as expected.
        case intermittent
        /// The run did not cover it.
        case notInRun
        case passes
        /// It passes in some repetitions of a scenario, and fails in others.
        case passesSometimes
        /// A pattern covers scenarios with the violation, and others where the clause passes.
        case passesElsewhere
        /// It is marked as intermittent, but never failed in many repetitions.
        case neverViolated
        /// Its scenario ran, but did not exercise the clause.
        case notShown
        case expired
        case unknownClause
        case unknownScenario
        case notApplicable
    }

    package struct EntryResult: Sendable, Equatable {
        package let entry: Baseline.Entry
        package let state: State
        /// The number of repetitions that violated the clause.
        package var violated = 0
        /// The number of repetitions that exercised the clause.
        package var exercised = 0
        package var nearest: String?
        /// The scenarios with the violation, if a pattern also covers others where the clause passes.
        var violatedIn: [String] = []

        package var isStale: Bool {
            switch state {
            case .violated, .intermittent, .notInRun: false
            default: true
            }
        }

        /// The problem in one sentence, or the result if there is none.
        package var what: String {
            let name = "\(entry.clause) in \(entry.scenario.text)"
            switch state {
            case .violated: return "\(name) is violated as expected"
            case .intermittent: return "\(name) is violated in \(violated) of \(exercised) runs"
            case .notInRun: return "\(name) is not in this run"
            case .passes: return "\(name) is expected to be violated, but passes"
            case .passesSometimes:
                return "\(name) is expected to be violated, but was in only \(violated) of \(exercised) runs"
            case .passesElsewhere:
                return "\(name) is expected to be violated, but passes in other scenarios that match"
            case .neverViolated:
                return "\(name) is expected to be violated sometimes, but passed in all \(exercised) runs"
            case .notShown: return "\(name) is expected to be violated, but nothing exercised it"
            case .expired: return "\(name) was expected until \(entry.expires)"
            case .unknownClause: return "there is no clause '\(clipped(entry.clause))' for this side"
            case .unknownScenario: return "there is no scenario '\(clipped(entry.scenario.text))' for this side"
            case .notApplicable: return "\(name) does not apply: the subject does not declare its profile"
            }
        }

        package var fix: String? {
            switch state {
            case .violated, .intermittent, .notInRun: nil
            case .passes: "delete the entry"
            case .passesSometimes: "add \"intermittent\": true, or fix the rest and delete the entry"
            case .passesElsewhere: "name the scenarios: \(listed(violatedIn, limit: 10))"
            case .neverViolated: "delete the entry"
            case .notShown: "delete the entry, or find out why the scenario ends before it reaches the clause"
            case .expired: "fix the violation and delete the entry, or extend its expiry date"
            case .unknownClause, .unknownScenario:
                nearest.map { "did you mean '\($0)'?" } ?? "delete the entry; 'conformance list' shows all names"
            case .notApplicable: "delete the entry"
            }
        }
    }

    package var stale: [EntryResult] { results.filter(\.isStale) }

    /// The entry for a clause in a scenario, even if it has expired.
    func entry(for clause: ClauseID, in scenario: ScenarioResult) -> Baseline.Entry? {
        results.first { $0.entry.names(clause.description, in: scenario) }?.entry
    }
}

extension RunReport {
    /// Compares the run with a baseline.
    ///
    /// * `clauses` and `scenarios`: All existing names for the subject's role.
    package mutating func compare(
        with baseline: Baseline, on date: CivilDate, clauses: [String], scenarios: [String]
    ) {
        let known = Set(clauses)
        self.baseline = BaselineResult(
            file: baseline.file, date: date,
            results: baseline.entries.map { entry in
                if !known.contains(entry.clause) {
                    return .init(
                        entry: entry, state: .unknownClause,
                        nearest: nearestName(to: entry.clause, among: clauses))
                }
                if !scenarios.contains(where: entry.scenario.matches) {
                    return .init(
                        entry: entry, state: .unknownScenario,
                        nearest: nearestName(to: entry.scenario.text, among: scenarios))
                }
                return result(of: entry, on: date)
            })
        findCauses()
    }

    private func result(of entry: Baseline.Entry, on date: CivilDate) -> BaselineResult.EntryResult {
        // For each scenario, the repetitions that violated and that exercised the clause.
        var counts: [String: (violated: Int, exercised: Int)] = [:]
        var performed = 0
        for scenario in self.scenarios where scenario.skipped == nil && entry.scenario.matches(scenario.baseName) {
            performed += 1
            // Inconclusive counts as neither.
            guard let verdict = scenario.verdicts.first(where: { $0.clause.description == entry.clause }),
                [.pass, .violation, .warning].contains(verdict.outcome)
            else { continue }
            let isViolated = verdict.outcome == .violation || verdict.outcome == .warning
            counts[scenario.baseName, default: (0, 0)].violated += isViolated ? 1 : 0
            counts[scenario.baseName, default: (0, 0)].exercised += 1
        }
        let violated = counts.values.reduce(0) { $0 + $1.violated }
        let exercised = counts.values.reduce(0) { $0 + $1.exercised }
        let isMixed = counts.values.contains { $0.violated > 0 && $0.violated < $0.exercised }
        // A pattern must not cover a passing clause, or its first failure would go unnoticed. For an intermittent
        // failure, a few repetitions prove nothing.
        let enough = entry.isIntermittent ? Self.enoughRepetitions : 1
        let isKeptSomewhere = counts.values.contains { $0.violated == 0 && $0.exercised >= enough }
        let result = clauses.first { $0.clause.id.description == entry.clause }
        let isDeferred = deferred.contains { $0.description == entry.clause }
        // A pattern may also cover scenarios of other shards.
        let maybeDeferred = part != nil && entry.scenario.text.contains("*")
        let state: BaselineResult.State
        if date > entry.expires, violated > 0 || exercised == 0 {
            state = .expired
        } else if result?.outcome == .notApplicable {
            state = .notApplicable
        } else if performed == 0 || (result == nil && !isDeferred) {
            state = .notInRun
        } else if violated > 0, isKeptSomewhere, !isMixed || entry.isIntermittent {
            state = .passesElsewhere
        } else if entry.isIntermittent, exercised > 0 {
            state = isKeptSomewhere ? .neverViolated : .intermittent
        } else if isMixed {
            state = .passesSometimes
        } else if violated > 0 {
            state = .violated
        } else if maybeDeferred || wasInterrupted || stoppedAfter != nil {
            state = .notInRun
        } else {
            state = exercised > 0 ? .passes : .notShown
        }
        return .init(
            entry: entry, state: state, violated: violated, exercised: exercised,
            violatedIn: state == .passesElsewhere ? counts.filter { $0.value.violated > 0 }.keys.sorted() : [])
    }

    /// The number of repetitions in which an intermittent failure would show.
    private static let enoughRepetitions = 20

    package func expectation(of clause: ClauseID, in scenario: ScenarioResult) -> Baseline.Entry? {
        baseline?.entry(for: clause, in: scenario)
    }

    func expectation(of result: ClauseResult, in occurrence: ClauseResult.Occurrence) -> Baseline.Entry? {
        guard result.outcome == .violation else { return nil }
        return scenario(occurrence.scenario).flatMap { expectation(of: result.clause.id, in: $0) }
    }

    /// The clauses with unexpected violations, repairable ones first.
    package var unexpected: [ClauseResult] {
        let all = clauses(.violation).filter { !isExpected($0) }
        return all.filter { !$0.isUnkeepable } + all.filter(\.isUnkeepable)
    }

    /// The clauses with only expected violations.
    package var expected: [ClauseResult] { clauses(.violation).filter(isExpected) }

    func isExpected(_ result: ClauseResult) -> Bool {
        guard let baseline, result.outcome == .violation, !result.decidedBy.isEmpty else { return false }
        let decided = scenarios.filter { result.decidedBy.contains($0.name) }
        return decided.count == result.decidedBy.count
            && decided.allSatisfy { baseline.entry(for: result.clause.id, in: $0) != nil }
    }
}
