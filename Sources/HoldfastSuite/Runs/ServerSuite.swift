import Holdfast
import HoldfastBasics
import HoldfastReport
import HoldfastStage
import HoldfastTranscript

/// Performs scenarios against a server, judges the transcripts, and adds up the verdicts.
package struct ServerSuite {
    let subject: ServerSubject
    let specification: Specification
    let selection: Selection
    var scope = Scope()
    let jobs: Int
    package var life: Life?
    package var lifeOptions = Life.Options()

    package init(
        _ subject: ServerSubject, under specification: Specification, _ selection: Selection, scope: Scope = Scope(),
        jobs: Int
    ) {
        (self.subject, self.specification, self.selection) = (subject, specification, selection)
        (self.scope, self.jobs) = (scope, jobs)
    }

    /// Runs to the end, or until `stop` returns; the results so far are kept.
    /// - Throws: A `SuiteProblem` if the server does not start.
    package func run(until stop: Stop? = nil, showing show: ProgressDisplay? = nil) async throws -> RunReport {
        // A server that failed to start for its greeting is not started a second time.
        if let problem = subject.notReached { throw SuiteProblem(.unreachable, problem.description) }
        let suite = SuiteRun(stage: ServerStage(subject: subject, specification: specification), jobs: jobs)
        let forecast = Forecast(of: selection, against: subject, scope: scope, under: specification)
        let setAside = selection.scenarios.compactMap(forecast.leftOut).filter(\.wasSetAside).keyed(by: \.name)
        let scenarios = lifeOptions.isAlone ? [] : selection.scenarios.filter { setAside[$0.name] == nil }
        var chosen = selection
        chosen.scenarios = scenarios
        let session = SuiteSession(specification, chosen, showing: show)
        let outcome = try await session.perform(until: stop, at: subject.shownAddress) { [suite] in
            await suite.run(scenarios, progress: $0)
        }
        let tiers = selection.scenarios.keyed(by: \.name).mapValues { Scope.tier(of: $0, agent: subject.agent) }
        let (all, diagnostics) = try await session.results(
            outcome.performances, and: setAside, of: selection, life, lifeOptions, until: stop, showing: show)
        let results = all.map { result in
            var result = result
            result.tier = tiers[result.name] ?? 1
            if scope.isStrict { result.isOutOfReach = false }
            return result
        }
        var report = session.report(
            results, of: subject.declaration, at: subject.shownAddress, selection, isStrict: scope.isStrict,
            life: lifeOptions)
        report.diagnostics +=
            (subject.isUndeclared && subject.notReached == nil ? [subject.statedWords] : []) + outcome.diagnostics
            + Self.leftOut(of: outcome.performances) + diagnostics
        return report
    }

    /// Parts of scenarios that the dialect cannot express, one line for each reason.
    private static func leftOut(of performances: [Performance]) -> [String] {
        var scenarios: [String: [String]] = [:]
        for performance in performances {
            for reason in performance.history.events.compactMap(\.leftOut) {
                scenarios[reason, default: []].append(performance.scenario)
            }
        }
        return scenarios.sorted { $0.key < $1.key }.map { reason, names in
            "left out \(names.count) times, because \(reason): \(listed(Set(names).sorted(), limit: 3))"
        }
    }
}

extension ServerSubject {
    /// Its address in reports: without the query, which may contain a token.
    var shownAddress: String { start.map { String($0.url.prefix { $0 != "?" }) } ?? webSocket.address }
}
