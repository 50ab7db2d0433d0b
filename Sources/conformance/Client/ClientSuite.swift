import Foundation
import Holdfast
import Report
import Stage

/// Performs scenarios against a client, judges the transcripts, and adds them up.
struct ClientSuite {
    let subject: ClientSubject
    let specification: Specification
    let selection: ScenarioSelection<ClientScenario>
    let jobs: Int
    /// How reports call the place of the client.
    let address: String
    var showsProgress = false

    /// Runs to the end, or to the first interruption, which keeps what was learnt.
    /// - Throws: The exit code 69, when no driver was to be had any more.
    func run(until interruptions: Interruptions? = nil) async throws -> RunReport {
        let startedAt = Date.now.formatted(.iso8601)
        let clock = ContinuousClock()
        let start = clock.now
        let run = ClientRun(stage: ClientStage(subject: subject, specification: specification), jobs: jobs)
        let judging = SuiteJudging(specification: specification)
        let progress = SuiteProgress(selection, judging: judging, isShown: showsProgress)
        let scenarios = selection.scenarios
        let (outcome, wasInterrupted) = await Interruptions.cancel(
            { await run.run(scenarios) { progress.note($0) } }, at: interruptions)
        defer { progress.end() }
        progress.judge()
        if let problem = outcome.startProblem, !wasInterrupted {
            throw Tool.end(.unreachable, saying: problem.description)
        }
        let results = await judging.results(outcome.performances)
        var report = RunReport(
            results, of: subject.declaration, at: address, under: specification, selection: selection.clauses,
            intended: selection.intended,
            startedAt: startedAt, duration: clock.now - start, wasInterrupted: wasInterrupted,
            part: selection.part(of: results))
        report.diagnostics = diagnostics(of: results) + [outcome.performances.lateness].compactMap(\.self)
        report.tool = Tool.version
        return report
    }

    /// What weakens the evidence, or lets it last, and is no fault of anybody.
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
                "the client never asked for a connection: does it connect to the 'url' that each 'launch' brings?")
        }
        return lines
    }
}
