import Holdfast
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
    private let violated = Mutex<Set<ClauseID>>([])
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
        let (outcome, wasInterrupted) = await cancelling(at: { [foreign] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await foreign.wait() }
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
        return report
    }

    private func note(_ step: SuiteRun.Progress) {
        switch step {
        case .started(let name, _, _): meter.begin(Self.short(name))
        case .disturbed(let name, _, _): meter.repeatLater(Self.short(name))
        case .finished(let performance, _, _):
            meter.end(Self.short(performance.scenario))
            foreign.note(performance.history)
            judging.judgeMeanwhile(performance) { [weak self] in self?.note($0) }
        }
    }

    private func note(_ result: ScenarioResult) {
        let broken = result.verdicts.filter { $0.outcome == .violation }.map(\.clause)
        let count = violated.withLock { violated in
            let inQuestion = selection.clauses(after: [result])
            violated.formUnion(broken.filter { inQuestion?.contains($0) ?? true })
            return violated.count
        }
        meter.note(flaws: count)
    }

    /// The side is the same for all of a run.
    private static func short(_ name: String) -> String {
        name.split(separator: "/", maxSplits: 1).last.map(String.init) ?? name
    }
}
