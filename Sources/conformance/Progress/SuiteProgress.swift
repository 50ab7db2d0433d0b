import Holdfast
import Judge
import Report
import Stage
import Synchronization

/// The progress of a running suite; performances are judged while others run, so that it can tell what is violated.
final class SuiteProgress: Sendable {
    private let meter: Meter
    private let judging: SuiteJudging
    private let inQuestion: Set<ClauseID>?
    private let violated = Mutex<Set<ClauseID>>([])
    private let isShown: Bool

    init<Item>(_ selection: ScenarioSelection<Item>, judging: SuiteJudging, isShown: Bool) {
        meter = Meter(
            Dictionary(selection.scenarios.map { (Self.short($0.name), $0.kind) }, uniquingKeysWith: max),
            flaw: .violation, isShown: isShown)
        self.judging = judging
        inQuestion = selection.clauses
        self.isShown = isShown
    }

    func note(_ step: SuiteRun.Progress) {
        switch step {
        case .started(let name, _, _): meter.begin(Self.short(name))
        case .disturbed(let name, _, _): meter.repeatLater(Self.short(name))
        case .finished(let performance, _, _):
            meter.end(Self.short(performance.scenario))
            if isShown { judging.judgeMeanwhile(performance) { [weak self] in self?.note($0) } }
        }
    }

    /// Everything was performed, and what is left is to judge it.
    func judge() { meter.note(activity: "judging") }

    func end() { meter.close() }

    private func note(_ result: ScenarioResult) {
        let broken = result.verdicts.filter { $0.outcome == .violation }.map(\.clause)
        let count = violated.withLock { violated in
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
