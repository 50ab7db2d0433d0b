import Foundation
import Holdfast
import Report
import Stage
import Transcript

/// Performs scenarios against a server, judges the transcripts, and adds them up.
struct ServerSuite {
    let subject: ServerSubject
    let specification: Specification
    let selection: Selection
    var scope = Scope()
    let jobs: Int
    var showsProgress = false
    var traces = false

    /// Runs to the end, or to the first interruption, which keeps what was learnt.
    /// - Throws: The exit code 69, when a server that is to be started does not start.
    func run(until interruptions: Interruptions? = nil) async throws -> RunReport {
        let startedAt = Date.now.formatted(.iso8601)
        let clock = ContinuousClock()
        let start = clock.now
        var suite = SuiteRun(stage: ServerStage(subject: subject, specification: specification), jobs: jobs)
        suite.traces = traces
        let scenarios = performed
        let judging = SuiteJudging(specification: specification)
        var shown = selection
        shown.scenarios = scenarios
        let progress = SuiteProgress(shown, judging: judging, isShown: showsProgress)
        let (outcome, wasInterrupted) = await Interruptions.cancel(
            { [suite] in await suite.run(scenarios) { progress.note($0) } }, at: interruptions)
        defer { progress.end() }
        progress.judge()
        if let problem = outcome.startProblem, !wasInterrupted {
            throw Tool.end(.unreachable, saying: problem.description)
        }
        let results = inOrder(await judging.results(outcome.performances))
        var report = RunReport(
            results, of: subject.declaration, at: subject.shownAddress, under: specification,
            selection: selection.clauses, intended: selection.intended, startedAt: startedAt,
            duration: clock.now - start,
            wasInterrupted: wasInterrupted, part: selection.part(of: results))
        report.diagnostics =
            outcome.diagnostics + Self.leftOut(of: outcome.performances)
            + [outcome.performances.lateness].compactMap(\.self)
        report.tool = Tool.version
        return report
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
            let places = Set(names).sorted()
            let rest = places.count > 3 ? " and \(places.count - 3) more" : ""
            return
                "left out \(names.count) times, because \(reason): \(places.prefix(3).joined(separator: ", "))\(rest)"
        }
    }

    private var performed: [Scenario] {
        selection.scenarios.filter { scope.reason(toSetAside: $0, agent: subject.agent) == nil }
    }

    /// The results in the order of the selection, with the scenarios that were set aside at their places.
    private func inOrder(_ results: [ScenarioResult]) -> [ScenarioResult] {
        let byName = Dictionary(results.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return selection.scenarios.compactMap { scenario in
            var result = byName[scenario.name]
            if result == nil, let reason = scope.reason(toSetAside: scenario, agent: subject.agent) {
                let header = History.Header(
                    specification: specification.version, scenario: scenario.name, subject: subject.declaration)
                result = ScenarioResult(
                    name: scenario.name, history: History(header: header, events: []), verdicts: [], skipped: reason,
                    wasSetAside: true)
            }
            result?.tier = Scope.tier(of: scenario, agent: subject.agent)
            return result
        }
    }
}
