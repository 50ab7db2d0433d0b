import Foundation
import Holdfast
import Judge
import Report
import Stage
import Synchronization
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
        let progress = Progress(isShown: showsProgress)
        let (outcome, wasInterrupted) = await withTaskGroup(of: SuiteRun.Outcome?.self) { group in
            group.addTask { [suite] in await suite.run(performed) { progress.note($0) } }
            if let interruptions {
                group.addTask {
                    await interruptions.first()
                    return nil
                }
            }
            var wasInterrupted = false
            for await result in group {
                if let result {
                    group.cancelAll()
                    return (result, wasInterrupted)
                }
                wasInterrupted = true
                group.cancelAll()
            }
            return (SuiteRun.Outcome(performances: []), true)
        }
        progress.end()
        if let problem = outcome.startProblem, !wasInterrupted {
            throw Tool.end(.unreachable, saying: problem.description)
        }
        let results = inOrder(await judged(outcome.performances))
        var report = RunReport(
            results, of: subject.declaration, at: subject.shownAddress, under: specification,
            selection: selection.clauses, intended: intended, startedAt: startedAt, duration: clock.now - start,
            wasInterrupted: wasInterrupted)
        report.diagnostics = outcome.diagnostics
        return report
    }

    private var intended: [String: [ClauseID]] {
        Dictionary(selection.scenarios.map { ($0.name, $0.clauses) }, uniquingKeysWith: { first, _ in first })
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

    private func judged(_ performances: [Performance]) async -> [ScenarioResult] {
        await withTaskGroup(of: (Int, ScenarioResult).self) { group in
            for (place, performance) in performances.enumerated() {
                group.addTask { (place, judged(performance)) }
            }
            var results: [(Int, ScenarioResult)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func judged(_ performance: Performance) -> ScenarioResult {
        ScenarioResult(
            name: performance.scenario, history: performance.history,
            verdicts: performance.skipped == nil ? judge(performance.history, under: specification) : [],
            problems: performance.problems.map(\.description), skipped: performance.skipped,
            stoppedAt: performance.stoppedAt ?? (performance.wasInterrupted ? "the run was interrupted" : nil),
            duration: performance.duration)
    }
}

/// The progress line of a running suite.
private final class Progress: Sendable {
    private let isShown: Bool
    private let running = Mutex<[String]>([])

    init(isShown: Bool) {
        self.isShown = isShown
    }

    func note(_ step: SuiteRun.Progress) {
        guard isShown else { return }
        running.withLock { running in
            switch step {
            case .started(let name, let done, let total):
                running.append(name)
                Console.progress("\(done)/\(total)  \(running.joined(separator: "  "))")
            case .finished(let name, let done, let total):
                running.removeAll { $0 == name }
                Console.progress("\(done)/\(total)  \(running.joined(separator: "  "))")
            }
        }
    }

    func end() {
        if isShown { Console.endProgress() }
    }
}
