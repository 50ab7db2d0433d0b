import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastReport

/// The results of a run, one for each clause, with the transcripts that prove them.
public struct SuiteReport: Sendable {
    let run: RunReport

    /// The verdict in one line, such as `conforms: 92 pass`.
    public var headline: String { run.headline }

    /// Whether every clause that this setup can test was exercised and kept.
    public var conforms: Bool { run.exit == .conforms }

    /// The result of each clause of the subject's side, in the order of the specification.
    public let clauses: [JudgedClause]

    /// Failures of the suite itself; the clauses concerned are then undecided.
    public var problems: [String] {
        run.scenarios.flatMap { scenario in scenario.problems.map { "\(scenario.name): \($0)" } }
    }

    /// The whole report as `conformance` prints it.
    public var text: String { ConsoleReport(run, style: ConsoleStyle(), listsAll: false).text }

    init(_ run: RunReport, under specification: Specification) {
        self.run = run
        let results = run.clauses.keyed(by: \.clause.id)
        clauses = specification.judgeable(run.subject.role).compactMap { clause in
            if let result = results[clause.id] { return JudgedClause(result, reason: run.whyUntested(clause.id)) }
            if let gap = run.outOfReach.first(where: { $0.clauses.contains(clause.id) }) {
                return JudgedClause(clause, .outOfReach, reason: gap.reason)
            }
            return run.setAside.contains(clause.id) ? JudgedClause(clause, .setAside) : nil
        }
    }

    /// The result of a clause; nil if it does not apply.
    public subscript(_ id: String) -> JudgedClause? { clauses.first { $0.id == id } }

    /// Writes `report.json` and the transcripts to a folder, for `conformance report show` and `conformance judge`.
    public func write(to folder: String) throws(SuiteProblem) {
        do { try run.write(to: folder) } catch { throw SuiteProblem(error) }
    }
}

/// The result of one clause of the specification.
public struct JudgedClause: Sendable, Identifiable, CustomStringConvertible {
    /// The possible results of a clause.
    public enum Outcome: String, Sendable {
        /// It was exercised and kept.
        case pass
        /// It is violated.
        case violation
        /// It is a recommendation that was not followed.
        case warning
        /// Nothing exercised it, although its profile is declared.
        case untested
        /// The evidence proves nothing.
        case inconclusive
        /// Its profile is not declared.
        case notApplicable
        /// The scenarios that could decide it were left out on request.
        case setAside
        /// The scenarios that could decide it need something that the setup lacks, such as a start command.
        case outOfReach
        /// The suite itself failed.
        case harnessError
    }

    /// The id of the clause, such as `SYNC-3`.
    public let id: String
    /// The sentence of the clause.
    public let sentence: String
    /// The profile it belongs to, such as `sync`.
    public let profile: String
    /// The result.
    public let outcome: Outcome
    /// The number of times it was exercised.
    public let exercised: Int
    /// The findings: each violation, warning or doubt with its scenario, expected and actual; or the reason why nothing
    /// was tested.
    public let findings: [String]

    /// Whether a test of this clause passes: the clause is kept, or did not have to be.
    public var isKept: Bool { [.pass, .warning, .notApplicable, .setAside, .outOfReach].contains(outcome) }

    /// The id, the outcome, the sentence and the findings.
    public var description: String {
        (["\(id): \(outcome.rawValue)", "“\(sentence)”"] + findings).joined(separator: "\n")
    }

    init(_ result: ClauseResult, reason: String) {
        let untested = result.outcome == .untested ? [reason] : []
        self.init(
            result.clause, Outcome(rawValue: result.outcome.rawValue) ?? .harnessError, exercised: result.exercised,
            untested
                + result.findings.map { occurrence in
                    let finding = occurrence.finding
                    return
                        "\(occurrence.scenario): \(finding.what)\n  expected: \(finding.expected)\n  actual: \(finding.actual)"
                })
    }

    init(_ clause: Clause, _ outcome: Outcome, reason: String? = nil) {
        self.init(clause, outcome, exercised: 0, reason.map { [$0] } ?? [])
    }

    private init(_ clause: Clause, _ outcome: Outcome, exercised: Int, _ findings: [String]) {
        id = clause.id.description
        sentence = clause.sentence
        profile = clause.profile.rawValue
        (self.outcome, self.exercised, self.findings) = (outcome, exercised, findings)
    }
}

extension Specification {
    func judgeable(_ role: Role) -> [Clause] {
        clauses.filter { $0.role == role && $0.exclusion == nil && Checks.check(of: $0.id) != nil }
    }
}
