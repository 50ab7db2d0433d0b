import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastReport

/// What a run of the suite came to: a result for each clause, and the transcripts that prove it.
public struct SuiteReport: Sendable {
    let run: RunReport

    /// The verdict in one line, such as `conforms: 92 pass`.
    public var headline: String { run.headline }

    /// Whether every clause that the set-up can show was put to the test and kept.
    public var conforms: Bool { run.exit == .conforms }

    /// What each clause of the subject's side came to, in the order of the specification.
    public let clauses: [JudgedClause]

    /// What went wrong in the suite itself; then the run says nothing about the clauses concerned.
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

    /// What a clause came to; nil when it was not applicable.
    public subscript(_ id: String) -> JudgedClause? { clauses.first { $0.id == id } }

    /// Writes `report.json` and the transcripts to a folder, for `conformance report show` and `conformance judge`.
    public func write(to folder: String) throws(SuiteProblem) {
        do { try run.write(to: folder) } catch { throw SuiteProblem(error) }
    }
}

/// What one clause of the specification came to in a run.
public struct JudgedClause: Sendable, Identifiable, CustomStringConvertible {
    /// What a clause can come to.
    public enum Outcome: String, Sendable {
        /// It was put to the test and kept.
        case pass
        /// It is broken.
        case violation
        /// It is a recommendation, and not followed.
        case warning
        /// Its profile is declared, and nothing put it to the test.
        case untested
        /// The evidence proves nothing.
        case inconclusive
        /// Its profile is not declared.
        case notApplicable
        /// The scenarios that could decide it were left out on request.
        case setAside
        /// The scenarios that could decide it need what the set-up lacks, such as a command that starts the server.
        case outOfReach
        /// The suite itself failed.
        case harnessError
    }

    /// Its id, such as `SYNC-3`.
    public let id: String
    /// What it asks for.
    public let sentence: String
    /// The profile it belongs to, such as `sync`.
    public let profile: String
    /// What it came to.
    public let outcome: Outcome
    /// How often it was put to the test.
    public let exercised: Int
    /// What was found: each violation, warning or doubt with its scenario, what was expected and what came; or why nothing was
    /// tested.
    public let findings: [String]

    /// Whether a test of this clause passes: it is kept, or nothing was to be kept.
    public var isKept: Bool { [.pass, .warning, .notApplicable, .setAside, .outOfReach].contains(outcome) }

    /// The id, the outcome, the sentence and what was found.
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
    /// The clauses of a side that a run can judge.
    func judgeable(_ role: Role) -> [Clause] {
        clauses.filter { $0.role == role && $0.exclusion == nil && Checks.check(of: $0.id) != nil }
    }
}
