import Basics
import Holdfast
import Report
import Stage
import Transcript

/// Performs scenarios against a server, judges the transcripts, and adds them up.
package struct ServerSuite {
    let subject: ServerSubject
    let specification: Specification
    let selection: Selection
    var scope = Scope()
    let jobs: Int
    /// Whether one more instance is watched as it stores (PERSIST-11).
    var traces = false

    package init(
        _ subject: ServerSubject, under specification: Specification, _ selection: Selection, scope: Scope = Scope(),
        jobs: Int, traces: Bool = false
    ) {
        self.subject = subject
        self.specification = specification
        self.selection = selection
        self.scope = scope
        self.jobs = jobs
        self.traces = traces
    }

    /// Runs to the end, or until `stop` returns, which keeps what was learnt.
    /// - Throws: A `SuiteProblem`, when a server that is to be started does not start.
    package func run(until stop: Stop? = nil, showing show: ProgressDisplay? = nil) async throws -> RunReport {
        var suite = SuiteRun(stage: ServerStage(subject: subject, specification: specification), jobs: jobs)
        suite.traces = traces
        let scenarios = selection.scenarios.filter { reason(toSetAside: $0) == nil }
        var performed = selection
        performed.scenarios = scenarios
        let session = SuiteSession(specification, performed, showing: show)
        let outcome = try await session.perform(until: stop) { [suite] in await suite.run(scenarios, progress: $0) }
        let results = inOrder(await session.results(outcome.performances))
        var report = session.report(results, of: subject.declaration, at: subject.shownAddress, selection)
        report.diagnostics =
            (subject.isUndeclared ? [subject.statedWords] : []) + outcome.diagnostics
            + Self.leftOut(of: outcome.performances)
            + [outcome.performances.lateness].compactMap(\.self)
        return report
    }

    private func reason(toSetAside scenario: Scenario) -> String? {
        scope.reason(toSetAside: scenario, agent: subject.agent)
    }

    /// What scenarios spell out and the dialect cannot say, a line for each reason.
    private static func leftOut(of performances: [Performance]) -> [String] {
        var scenarios: [String: [String]] = [:]
        for performance in performances {
            for event in performance.history.events {
                guard case .act("leaveOut", let details) = event.kind, let reason = details["reason"]?.stringValue
                else { continue }
                scenarios[reason, default: []].append(performance.scenario)
            }
        }
        return scenarios.sorted { $0.key < $1.key }.map { reason, names in
            "left out \(names.count) times, because \(reason): \(listed(Set(names).sorted(), most: 3))"
        }
    }

    /// The results in the order of the selection, with the scenarios that were set aside at their places.
    private func inOrder(_ results: [ScenarioResult]) -> [ScenarioResult] {
        let byName = results.keyed(by: \.name)
        return selection.scenarios.compactMap { scenario in
            var result = byName[scenario.name]
            if result == nil, let reason = reason(toSetAside: scenario) {
                let header = History.Header(
                    specification: specification.version, scenario: scenario.name, subject: subject.declaration)
                result = ScenarioResult(
                    name: scenario.name, history: History(header: header, events: []), verdicts: [], skipped: reason,
                    wasSetAside: true)
            }
            result?.tier = Scope.tier(of: scenario, agent: subject.agent)
            if scope.isStrict { result?.isOutOfReach = false }
            return result
        }
    }
}

extension ServerSubject {
    /// Where it is reached, as reports say it: without the query, which may carry a token.
    var shownAddress: String { start.map { String($0.url.prefix { $0 != "?" }) } ?? webSocket.place }
}
