import Foundation
import Holdfast
import Judge
import Report
import Stage
import Transcript

/// Performs scenarios against a server, judges the transcripts, and adds them up.
struct ServerSuite {
    let subject: ServerSubject
    let specification: Specification
    let selection: Selection
    let jobs: Int
    var showsProgress = false

    /// Runs to the end, or to the first interruption, which keeps what was learnt.
    func run(until interruptions: Interruptions? = nil) async -> RunReport {
        let startedAt = Date.now.formatted(.iso8601)
        let clock = ContinuousClock()
        let start = clock.now
        let suite = SuiteRun(subject: subject, specification: specification, scenarios: selection.scenarios, jobs: jobs)
        let progress = Progress(total: selection.scenarios.count, isShown: showsProgress)
        let (performances, wasInterrupted) = await withTaskGroup(of: [Performance]?.self) { group in
            group.addTask { await suite.run { await progress.note($0) } }
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
            return ([], true)
        }
        await progress.end()
        let results = await judged(performances)
        return RunReport(
            results, of: subject.declaration, at: subject.webSocket.description, under: specification,
            selection: selection.clauses, intended: intended, startedAt: startedAt, duration: clock.now - start,
            wasInterrupted: wasInterrupted)
    }

    private var intended: [String: [ClauseID]] {
        Dictionary(selection.scenarios.map { ($0.name, $0.clauses) }, uniquingKeysWith: { first, _ in first })
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
            duration: performance.duration)
    }
}

/// The progress line of a running suite.
private actor Progress {
    private let total: Int
    private let isShown: Bool
    private var done = 0
    private var running: [String] = []

    init(total: Int, isShown: Bool) {
        self.total = total
        self.isShown = isShown
    }

    func note(_ step: SuiteProgress) {
        switch step {
        case .started(let name): running.append(name)
        case .finished(let name):
            done += 1
            running.removeAll { $0 == name }
        }
        guard isShown else { return }
        Console.progress("\(done)/\(total)  \(running.joined(separator: "  "))")
    }

    func end() {
        if isShown { Console.endProgress() }
    }
}
