import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTranscript

/// One run of a suite, for either side: its time, its progress and its verdicts.
///
/// Performances are judged while others run: a violation can be reported at once, and little remains when the run ends.
final class SuiteSession<Item: SelectableScenario>: Sendable {
    private let specification: Specification
    private let judging: SuiteJudging
    private let foreign: ForeignWatch
    private let meter: Meter
    private let selection: ScenarioSelection<Item>
    /// Set once --max-failures scenarios have failed unexpectedly.
    private let enough = Latch<Void>()
    private let violated = Mutex<(clauses: Set<ClauseID>, failures: Int)>(([], 0))
    private let startedAt = Date.now.formatted(.iso8601)
    private let start = ContinuousClock.now
    private let wasInterrupted = Mutex(false)
    /// Whether the run ended because enough scenarios had failed.
    private let hasStopped = Mutex(false)

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

    /// Performs everything, or as much as time allows until `stop` returns.
    /// - Throws: A `SuiteProblem` if nothing was reachable.
    func perform(
        until stop: Stop?, at location: String,
        _ run: @escaping @Sendable (@escaping @Sendable (SuiteRun.Progress) -> Void) async -> SuiteRun.Outcome
    ) async throws(SuiteProblem) -> SuiteRun.Outcome {
        let (outcome, wasCut) = await cancelling(at: first(of: stop, foreign.wait, enough.untilSet)) { [self] in
            await run { self.note($0) }
        }
        hasStopped.withLock { $0 = wasCut && hasFailedEnough }
        let wasInterrupted = wasCut && !hasFailedEnough
        self.wasInterrupted.withLock { $0 = wasInterrupted }
        meter.note(activity: "judging")
        if let found = foreign.found {
            meter.close()
            throw SuiteProblem(found, at: location)
        }
        if let problem = outcome.startProblem, !wasInterrupted {
            meter.close()
            throw SuiteProblem(.unreachable, problem.description)
        }
        return outcome
    }

    /// The performed scenarios and those set aside, in the order of a selection, and then the life.
    /// - Throws: The reason why a server could not be started, if the run consists only of a life.
    func results(
        _ performances: [Performance], and setAside: [String: ScenarioResult], of whole: ScenarioSelection<Item>,
        _ life: Life?, _ options: Life.Options, until stop: Stop?, showing show: ProgressDisplay?
    ) async throws(SuiteProblem) -> (all: [ScenarioResult], diagnostics: [String]) {
        let results = await judging.results(performances)
        // Scenarios that were judged only at the end count, too.
        violated.withLock { $0 = ([], 0) }
        for result in results { note(result) }
        meter.close()
        let lived = try await performLife(life, options, until: stop, showing: show)
        let byName = results.keyed(by: \.name)
        let named = options.isAlone ? [] : whole.scenarios.compactMap { byName[$0.name] ?? setAside[$0.name] }
        return (
            named + [lived?.result].compactMap(\.self),
            [performances.lateness].compactMap(\.self) + (lived?.diagnostics ?? [])
        )
    }

    /// Performs a life after the scenarios, unless the run has ended.
    private func performLife(
        _ life: Life?, _ options: Life.Options, until stop: Stop?, showing show: ProgressDisplay?
    ) async throws(SuiteProblem) -> Life.LifeResult? {
        guard let life, !wasInterrupted.withLock(\.self) else { return nil }
        hasStopped.withLock { $0 = hasFailedEnough }
        if hasFailedEnough { return nil }
        let lived = try await life.run(options, until: stop, showing: show) { [self] result in
            hasFailedEnough(with: result, of: options.isAlone ? options.clauses : selection.clauses(after: [result]))
        }
        wasInterrupted.withLock { $0 = lived.wasInterrupted }
        hasStopped.withLock { $0 = lived.hasStopped }
        return lived
    }

    /// Makes the report, which covers only the life if `life.isAlone`.
    func report(
        _ results: [ScenarioResult], of subject: History.Subject, at address: String,
        _ selection: ScenarioSelection<Item>, isStrict: Bool = false, life: Life.Options
    ) -> RunReport {
        var report = RunReport(
            results, of: subject, at: address, under: specification,
            selection: life.isAlone ? life.clauses : selection.clauses(after: results),
            intended: life.isAlone ? [:] : selection.intended, leftOut: selection.excluded, isStrict: isStrict,
            startedAt: startedAt, duration: .now - start, wasInterrupted: wasInterrupted.withLock { $0 },
            part: selection.part(of: results), isLifeAlone: life.isAlone)
        report.tool = toolVersion
        if hasStopped.withLock(\.self) { report.stoppedAfter = selection.maxFailures }
        return report
    }

    private func note(_ step: SuiteRun.Progress) {
        switch step {
        case .started(let name, _, _): meter.begin(Self.short(name))
        case .disturbed(let name, _, _): meter.repeatLater(Self.short(name))
        case .finished(let performance, _, _):
            meter.end(Self.short(performance.scenario))
            foreign.note(performance.history)
            judging.judgeMeanwhile(performance, isUrgent: selection.maxFailures != nil) { [weak self] in self?.note($0)
            }
        }
    }

    private func note(_ result: ScenarioResult) {
        let (clauses, hasFailed) = broken(in: result, of: selection.clauses(after: [result]))
        let count = violated.withLock { violated in
            violated.clauses.formUnion(clauses)
            if hasFailed { violated.failures += 1 }
            if selection.maxFailures.map({ violated.failures >= $0 }) ?? false { enough.set(()) }
            return violated.clauses.count
        }
        meter.note(flaws: count)
    }

    /// The selected clauses that a result violates, and whether one of the violations is unexpected.
    private func broken(
        in result: ScenarioResult, of inQuestion: Set<ClauseID>?
    ) -> (clauses: [ClauseID], hasFailed: Bool) {
        let clauses = result.verdicts.filter { $0.outcome == .violation }.map(\.clause).filter {
            inQuestion?.contains($0) ?? true
        }
        return (clauses, clauses.contains { !(selection.baseline?.expects($0, in: result) ?? false) })
    }

    /// Whether --max-failures scenarios have failed unexpectedly, including one that has not ended.
    private func hasFailedEnough(with result: ScenarioResult, of inQuestion: Set<ClauseID>?) -> Bool {
        let more = broken(in: result, of: inQuestion).hasFailed ? 1 : 0
        return selection.maxFailures.map { most in violated.withLock { $0.failures + more >= most } } ?? false
    }

    private var hasFailedEnough: Bool { enough.value != nil }

    /// The name without the role, which is the same in the whole run.
    private static func short(_ name: String) -> String {
        name.split(separator: "/", maxSplits: 1).last.map(String.init) ?? name
    }
}
