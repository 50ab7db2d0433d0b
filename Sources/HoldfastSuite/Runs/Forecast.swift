import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastReport
import HoldfastStage
import HoldfastTranscript

/// The results of a selection that are known before any scenario is performed.
package struct Forecast {
    let subject: ServerSubject
    let scope: Scope
    let specification: Specification
    let selection: Selection

    package init(
        of selection: Selection, against subject: ServerSubject, scope: Scope, under specification: Specification
    ) {
        (self.subject, self.scope, self.specification, self.selection) = (subject, scope, specification, selection)
    }

    /// The result of a scenario that will not be performed; nil for one that will.
    func leftOut(_ scenario: Scenario) -> ScenarioResult? {
        if let reason = selection.reason(toExclude: scenario)
            ?? scope.reason(toSetAside: scenario, agent: subject.agent)
        {
            var result = result(of: scenario)
            (result.skipped, result.wasSetAside) = (reason, true)
            return result
        }
        let lacks = subject.obstacles(to: scenario)
        guard !lacks.isEmpty else { return nil }
        var result = result(of: scenario, lacks: lacks)
        result.skipped = Performance.words(lacking: lacks)
        result.isOutOfReach = !scope.isStrict
        return result
    }

    package var performed: [Scenario] { selection.scenarios.filter { leftOut($0) == nil } }

    /// The report of a run in which every performed scenario exercises its clauses as far as the greeting allows, and
    /// all are kept.
    ///
    /// Clauses out of reach are computed as for a real run.
    func report(besides exercised: Set<ClauseID> = []) -> RunReport {
        let (dialect, hasGreeting) = (subject.dialect, subject.dialect.assumedGreeting == nil)
        let error: JSONValue = ["type": "error", "error": "no", "code": "busy", "clientMessageId": "c1"]
        let read = dialect.read(error, sentBy: .server)
        let namesErrors = read.map { $0["code"] != nil || $0["clientMessageId"] != nil } ?? true
        let unexercisable = (hasGreeting ? [] : Self.ofGreetings).union(namesErrors ? [] : Self.ofNamedErrors)
        var results = selection.scenarios.map { scenario in
            if let unperformed = leftOut(scenario) { return unperformed }
            let exercisable = scenario.clauses.filter { !unexercisable.contains($0) }
            let needsNamedErrors = !Self.ofNamedErrors.isDisjoint(with: scenario.clauses)
            let cause = needsNamedErrors ? "an error has neither code nor key" : "there is no greeting"
            let stop = subject.earlyEnd(of: scenario)
            var result = result(
                of: scenario, exercising: stop == nil ? exercisable : [],
                // The proof includes a write that fails in mid-turn; a quick agent without scripts finishes before it.
                withCrashes: scenario.needs.start && subject.hasScriptedAgent)
            result.stoppedAt = stop
            if exercisable.count < scenario.clauses.count {
                let reason = JSONValue("\(cause) in the dialect \(dialect.name)")
                let leftOut = Event(at: 0, lane: .server, kind: .act("leaveOut", ["reason": reason]))
                result.history = History(header: result.history.header, events: [leftOut])
            }
            return result
        }
        if let first = selection.scenarios.first, !exercised.isEmpty {
            var probes = result(of: first, exercising: exercised.sorted(), withCrashes: false)
            probes.name = "probes"
            results.append(probes)
        }
        return RunReport(
            results, of: subject.declaration, at: subject.shownAddress, under: specification,
            selection: selection.clauses, intended: selection.intended, leftOut: selection.excluded,
            isStrict: scope.isStrict, startedAt: "", duration: .zero)
    }

    /// Clauses about greetings alone, which a server without greetings cannot exercise (chapter 13.3).
    private static let ofGreetings: Set<ClauseID> = [
        ClauseID(.AUTH, 1), ClauseID(.AUTH, 2), ClauseID(.AUTH, 12), ClauseID(.ID, 1), ClauseID(.LIVE, 8),
    ]

    /// Clauses about an error's code and the key of its question.
    private static let ofNamedErrors: Set<ClauseID> = [ClauseID(.ENV, 14), ClauseID(.TURN, 14)]

    /// The scenarios that will be performed, one per line, and the reasons why others will not.
    package var plan: String {
        Selection.plan(
            of: performed, notPerformed: selection.scenarios.compactMap(leftOut).map { $0.skipped ?? "" })
    }

    private func result(of scenario: Scenario, lacks: [String] = []) -> ScenarioResult {
        var result = ScenarioResult(unperformed: scenario.name, against: subject.declaration, under: specification)
        (result.tier, result.lacks) = (Scope.tier(of: scenario, agent: subject.agent), lacks)
        return result
    }

    private func result(
        of scenario: Scenario, exercising clauses: [ClauseID], withCrashes: Bool
    ) -> ScenarioResult {
        var result = result(of: scenario)
        result.verdicts = clauses.map { clause in
            Verdict(
                clause: clause, outcome: clause.isProvedByCrashes && !withCrashes ? .inconclusive : .pass, exercised: 1,
                findings: [], remarks: [])
        }
        return result
    }
}
