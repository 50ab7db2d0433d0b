import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTranscript

/// One run of a suite, whichever side it is about: its time, its progress and its verdicts.
///
/// Performances are judged while others run: what is violated can be told at once, and little is left when the run ends.
final class SuiteSession<Item: SelectableScenario>: Sendable {
    private let specification: Specification
    private let judging: SuiteJudging
    private let foreign: ForeignWatch
    private let meter: Meter
    private let selection: ScenarioSelection<Item>
    private let violated = Mutex<(clauses: Set<ClauseID>, failures: Int)>(([], 0))
    private let startedAt = Date.now.formatted(.iso8601)
    private let start = ContinuousClock.now
    private let wasInterrupted = Mutex(false)

    /// Notes that something after the scenarios was interrupted.
    func interrupt() { wasInterrupted.withLock { $0 = true } }

    init(
        _ specification: Specification, _ selection: ScenarioSelection<Item>, showing show: ProgressDisplay?
    ) {
        self.specification = specification
        judging = SuiteJudging(specification: specification)
        foreign = ForeignWatch(selection.scenarios.first?.role ?? .server, under: specification)
        meter = Meter(
            Dictionary(selection.scenarios.map { (Self.short($0.name), $0.kind) }, uniquingKeysWith: max),
            flaw: .violation, showing: show)
        self.selection = selection
    }

    /// Performs everything, or what there is time for until `stop` returns.
    /// - Throws: A `SuiteProblem`, when nothing was to be reached.
    func perform(
        until stop: Stop?, at location: String,
        _ run: @escaping @Sendable (@escaping @Sendable (SuiteRun.Progress) -> Void) async -> SuiteRun.Outcome
    ) async throws(SuiteProblem) -> SuiteRun.Outcome {
        let (outcome, wasInterrupted) = await cancelling(at: { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.foreign.wait() }
                if self.selection.mostFailures != nil { group.addTask { await self.waitForFailures() } }
                if let stop { group.addTask { await stop() } }
                await group.next()
                group.cancelAll()
            }
        }) { [self] in await run { self.note($0) } }
        self.wasInterrupted.withLock { $0 = wasInterrupted }
        meter.note(activity: "judging")
        if foreign.found != nil { meter.close() }
        try foreign.throwIfFound(at: location)
        if let problem = outcome.startProblem, !wasInterrupted {
            meter.close()
            throw SuiteProblem(.unreachable, problem.description)
        }
        return outcome
    }

    /// The verdicts on each performance, in the order given.
    func results(_ performances: [Performance]) async -> [ScenarioResult] {
        let results = await judging.results(performances)
        // Those that were judged only now count too.
        violated.withLock { $0 = ([], 0) }
        for result in results { note(result) }
        meter.close()
        return results
    }

    /// Adds up what was seen of a subject.
    ///
    /// * `clauses`: The clauses in question, whatever the selection says.
    func report(
        _ results: [ScenarioResult], of subject: History.Subject, at address: String,
        _ selection: ScenarioSelection<Item>, isStrict: Bool = false, deciding clauses: Set<ClauseID>? = nil
    ) -> RunReport {
        var report = RunReport(
            results, of: subject, at: address, under: specification,
            selection: clauses ?? selection.clauses(after: results),
            intended: clauses == nil ? selection.intended : [:], leftOut: selection.excluded, isStrict: isStrict,
            startedAt: startedAt,
            duration: .now - start,
            wasInterrupted: wasInterrupted.withLock { $0 }, part: selection.part(of: results))
        report.tool = toolVersion
        if hasFailedEnough, wasInterrupted.withLock({ $0 }), let most = selection.mostFailures {
            report.diagnostics.append(
                "stopped after \(counted(most, "scenario")) with a violation (--fail-fast, --max-failures)")
        }
        return report
    }

    private func note(_ step: SuiteRun.Progress) {
        switch step {
        case .started(let name, _, _): meter.begin(Self.short(name))
        case .disturbed(let name, _, _): meter.repeatLater(Self.short(name))
        case .finished(let performance, _, _):
            meter.end(Self.short(performance.scenario))
            foreign.note(performance.history)
            judging.judgeMeanwhile(performance, isUrgent: selection.mostFailures != nil) { [weak self] in self?.note($0)
            }
        }
    }

    private func note(_ result: ScenarioResult) {
        let broken = result.verdicts.filter { $0.outcome == .violation }.map(\.clause)
        let count = violated.withLock { violated in
            let inQuestion = selection.clauses(after: [result])
            let clauses = broken.filter { inQuestion?.contains($0) ?? true }
            violated.clauses.formUnion(clauses)
            if clauses.contains(where: { !(selection.baseline?.expects($0, in: result) ?? false) }) {
                violated.failures += 1
            }
            return violated.clauses.count
        }
        meter.note(flaws: count)
    }

    /// Whether as many scenarios failed unexpectedly as --max-failures allows.
    var hasFailedEnough: Bool {
        selection.mostFailures.map { most in violated.withLock { $0.failures >= most } } ?? false
    }

    /// Returns once enough scenarios failed, or the task is canceled.
    private func waitForFailures() async {
        while !hasFailedEnough, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(50)) }
    }

    /// The side is the same for all of a run.
    private static func short(_ name: String) -> String {
        name.split(separator: "/", maxSplits: 1).last.map(String.init) ?? name
    }
}
