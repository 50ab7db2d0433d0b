import Holdfast
import HoldfastReport
import HoldfastStage
import HoldfastTranscript

/// Performs scenarios against a client, judges the transcripts, and adds up the verdicts.
package struct ClientSuite {
    let subject: ClientSubject
    let specification: Specification
    let selection: ScenarioSelection<ClientScenario>
    let jobs: Int
    let address: String
    package var life: Life?
    package var lifeOptions = Life.Options()

    package init(
        _ subject: ClientSubject, at address: String, under specification: Specification,
        _ selection: ScenarioSelection<ClientScenario>, jobs: Int
    ) {
        (self.subject, self.address, self.specification) = (subject, address, specification)
        (self.selection, self.jobs) = (selection, jobs)
    }

    /// Runs to the end, or until `stop` returns; the results so far are kept.
    /// - Throws: A `SuiteProblem` if no driver was available.
    package func run(until stop: Stop? = nil, showing show: ProgressDisplay? = nil) async throws -> RunReport {
        let run = ClientRun(stage: ClientStage(subject: subject, specification: specification), jobs: jobs)
        let setAside = selection.scenarios.compactMap(excluded).keyed(by: \.name)
        var performed = selection
        performed.scenarios = lifeOptions.isAlone ? [] : selection.scenarios.filter { setAside[$0.name] == nil }
        let session = SuiteSession(specification, performed, showing: show)
        let outcome = try await session.perform(until: stop, at: address) { [scenarios = performed.scenarios] in
            await run.run(scenarios, progress: $0)
        }
        let (results, others) = try await session.results(
            outcome.performances, and: setAside, of: selection, life, lifeOptions, until: stop, showing: show)
        var report = session.report(
            results, of: subject.declaration, at: address, selection, life: lifeOptions)
        report.diagnostics += diagnostics(of: results) + others
        return report
    }

    private func excluded(_ scenario: ClientScenario) -> ScenarioResult? {
        guard let reason = selection.reason(toExclude: scenario) else { return nil }
        var result = ScenarioResult(unperformed: scenario.name, against: subject.declaration, under: specification)
        (result.skipped, result.wasSetAside) = (reason, true)
        return result
    }

    /// The scenarios that will be performed, one per line, and the reasons why others will not.
    package var plan: String {
        let reasons = selection.scenarios.map { ($0, selection.reason(toExclude: $0) ?? subject.obstacle(to: $0)) }
        return ScenarioSelection.plan(
            of: reasons.filter { $0.1 == nil }.map(\.0), notPerformed: reasons.compactMap(\.1))
    }

    /// Remarks about weaker evidence that are not faults.
    private func diagnostics(of results: [ScenarioResult]) -> [String] {
        var lines: [String] = []
        if !subject.unsupported.isEmpty {
            let names = subject.unsupported.sorted().joined(separator: ", ")
            lines.append("the driver declares that it does not support \(names)")
        }
        let events = results.flatMap(\.history.events).map(\.kind)
        let wasLaunched = events.contains { if case .act("launch", _) = $0 { true } else { false } }
        let hasAsked = events.contains { if case .opening = $0 { true } else { false } }
        if wasLaunched, !hasAsked {
            lines.append(
                "the client never asked for a connection: does it connect to the 'url' in each 'launch'?")
        }
        let scale = results.map(\.history.header.timeScale).max() ?? 1
        let late = Set(
            results.flatMap(\.verdicts).filter { $0.findings.contains { $0.expected.contains("within the bound") } }
                .map(\.clause))
        if scale > 1, late.count > 2 {
            lines.append(
                "\(late.count) clauses with a time limit are violated: does the app divide its timers by the "
                    + "'timeScale' of each 'launch'? '--time-scale 1' tests it at the speed of a phone")
        }
        return lines
    }
}
