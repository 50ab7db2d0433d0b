import Holdfast
import HoldfastBasics
import HoldfastJudge

package struct BaselineResult: Sendable, Equatable {
    /// The file, as problems name it.
    package let file: String
    /// The day on which it was looked at.
    package let date: CivilDate
    /// What became of each entry, in the order of the file.
    package let results: [EntryResult]

    /// What became of an entry.
    package enum State: String, Sendable, CaseIterable {
        /// The clause is violated, as expected.
        case violated
        /// It is violated now and then, as expected.
        case intermittent
        /// Nothing of it was in this run.
        case notInRun
        /// The clause holds.
        case passes
        /// It holds in some performances of a scenario, and in others it does not.
        case passesSometimes
        /// A pattern names scenarios in which it is violated, and others in which it holds.
        case passesElsewhere
        /// It is said to be violated now and then, and never was in many performances.
        case neverViolated
        /// Its scenario was performed and did not put the clause to the test.
        case notShown
        /// Its day is over.
        case expired
        case unknownClause
        case unknownScenario
        /// The clause does not apply to the subject.
        case notApplicable
    }

    package struct EntryResult: Sendable, Equatable {
        package let entry: Baseline.Entry
        package let state: State
        /// In how many performances the clause was violated.
        package var violated = 0
        /// In how many performances it was put to the test.
        package var exercised = 0
        /// The known name nearest to one that is unknown; nil when none is near.
        package var nearest: String?
        /// The scenarios in which the clause is violated; only where a pattern names others in which it holds.
        var violatedIn: [String] = []

        /// Whether a person has to edit the baseline.
        package var isStale: Bool {
            switch state {
            case .violated, .intermittent, .notInRun: false
            default: true
            }
        }

        /// What is wrong with it, in one sentence; what it came to where nothing is.
        package var what: String {
            let name = "\(entry.clause) in \(entry.scenario.text)"
            switch state {
            case .violated: return "\(name) is violated as expected"
            case .intermittent: return "\(name) is violated in \(violated) of \(exercised) runs"
            case .notInRun: return "\(name) is not in this run"
            case .passes: return "\(name) is expected to be violated, but passes"
            case .passesSometimes:
                return "\(name) is expected to be violated, but is in only \(violated) of \(exercised) runs"
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

        /// What to edit; nil when nothing.
        package var fix: String? {
            switch state {
            case .violated, .intermittent, .notInRun: nil
            case .passes: "delete the entry"
            case .passesSometimes: "add \"intermittent\": true, or fix the rest and delete the entry"
            case .passesElsewhere: "name the scenarios: \(listed(violatedIn, most: 10))"
            case .neverViolated: "delete the entry"
            case .notShown: "delete the entry, or find out why the scenario ends before it reaches the clause"
            case .expired: "fix the violation and delete the entry, or extend its expiry date"
            case .unknownClause, .unknownScenario:
                nearest.map { "did you mean '\($0)'?" } ?? "delete the entry; 'conformance list' shows all names"
            case .notApplicable: "delete the entry"
            }
        }
    }

    /// The entries a person has to edit.
    package var stale: [EntryResult] { results.filter(\.isStale) }

    /// The entry that expects a clause to be violated in a scenario; also when its day is over.
    func entry(for clause: ClauseID, in scenario: ScenarioResult) -> Baseline.Entry? {
        results.first { $0.entry.names(clause.description, in: scenario) }?.entry
    }
}

extension RunReport {
    /// Looks at the run with a baseline.
    ///
    /// * `clauses` and `scenarios`: All names there are for the subject's side.
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
        // Of each scenario, how often the clause was violated and how often it was put to the test.
        var counts: [String: (violated: Int, exercised: Int)] = [:]
        var performed = 0
        for scenario in self.scenarios where scenario.skipped == nil && entry.scenario.matches(scenario.baseName) {
            performed += 1
            // Doubt is neither of both.
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
        // What holds is not covered by a pattern, or the day it breaks would go unnoticed. Of a case that breaks now and
        // then a few performances show nothing.
        let enough = entry.isIntermittent ? Self.performancesEnough : 1
        let isKeptSomewhere = counts.values.contains { $0.violated == 0 && $0.exercised >= enough }
        let result = clauses.first { $0.clause.id.description == entry.clause }
        let isElsewhere = elsewhere.contains { $0.description == entry.clause }
        // A pattern that names scenarios of other parts too is theirs to show as well.
        let maybeElsewhere = part != nil && entry.scenario.hasStar
        let state: BaselineResult.State
        if date > entry.expires {
            state = .expired
        } else if result?.outcome == .notApplicable {
            state = .notApplicable
        } else if performed == 0 || (result == nil && !isElsewhere) {
            state = .notInRun
        } else if violated > 0, isKeptSomewhere, !isMixed || entry.isIntermittent {
            state = .passesElsewhere
        } else if entry.isIntermittent, exercised > 0 {
            state = isKeptSomewhere ? .neverViolated : .intermittent
        } else if isMixed {
            state = .passesSometimes
        } else if violated > 0 {
            state = .violated
        } else if maybeElsewhere || wasInterrupted {
            state = .notInRun
        } else {
            state = exercised > 0 ? .passes : .notShown
        }
        return .init(
            entry: entry, state: state, violated: violated, exercised: exercised,
            violatedIn: state == .passesElsewhere ? counts.filter { $0.value.violated > 0 }.keys.sorted() : [])
    }

    /// In so many performances of a scenario, a clause that is violated now and then would have been.
    private static let performancesEnough = 20

    /// Why a clause may be violated in a scenario; nil when nobody expects it.
    package func expectation(of clause: ClauseID, in scenario: ScenarioResult) -> Baseline.Entry? {
        baseline?.entry(for: clause, in: scenario)
    }

    /// Why what was found of a violated clause may stand; nil when nobody expects it.
    func expectation(of result: ClauseResult, in occurrence: ClauseResult.Occurrence) -> Baseline.Entry? {
        guard result.outcome == .violation else { return nil }
        return scenario(occurrence.scenario).flatMap { expectation(of: result.clause.id, in: $0) }
    }

    /// The violated clauses that are violated somewhere where nobody expects it; first those that can be repaired.
    package var unexpected: [ClauseResult] {
        let all = clauses(.violation).filter { !isExpected($0) }
        return all.filter { !$0.isUnkeepable } + all.filter(\.isUnkeepable)
    }

    /// The violated clauses that are violated only where that is expected.
    package var expected: [ClauseResult] { clauses(.violation).filter(isExpected) }

    func isExpected(_ result: ClauseResult) -> Bool {
        guard let baseline, result.outcome == .violation, !result.decidedBy.isEmpty else { return false }
        let decided = scenarios.filter { result.decidedBy.contains($0.name) }
        return decided.count == result.decidedBy.count
            && decided.allSatisfy { baseline.entry(for: result.clause.id, in: $0) != nil }
    }
}
