@preconcurrency import Dispatch
import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTranscript

/// Loads a server with devices, judges what each principal sees during the load, and measures how long people wait.
package struct LoadRun: Sendable {
    /// The first violation of a clause, with a history that shows little else.
    package struct Notice: Sendable {
        package let clause: Clause
        package let finding: Finding
        let principal: String
        let events: Int

        package func text(_ style: ConsoleStyle) -> String {
            style.spelled(
                """
                \(style.red("violation")) \(clause.id) (\(clause.keyword.rawValue)) seen by \(principal), shrunk to \
                \(counted(events, "event"))
                  \(visible(finding.what))
                """)
        }
    }

    private let subject: ServerSubject
    private let plan: LoadPlan
    /// The clauses to judge; nil for all, in which case the report lists those that the load exercised.
    private let clauses: Set<ClauseID>?
    private let shard: Shard?
    private let specification: Specification

    package init(
        _ subject: ServerSubject, _ plan: LoadPlan, _ selection: Selection? = nil, shard: Shard? = nil,
        under specification: Specification
    ) {
        (self.subject, self.plan, self.shard, self.specification) = (subject, plan, shard, specification)
        clauses = selection?.clauses
    }

    /// Runs to the end, or until `stop` returns; the results so far are kept, and `notify` gets each violated clause
    /// once.
    /// - Throws: A `SuiteProblem` if there is no server.
    package func run(
        until stop: Stop? = nil, showing show: ProgressDisplay? = nil, notify: @escaping @Sendable (Notice) -> Void
    ) async throws(SuiteProblem) -> RunReport {
        let began = ContinuousClock.now
        let startedAt = Date.now.formatted(.iso8601)
        let judging = LoadJudging(plan, clauses, under: specification, notify: notify)
        let end = show?({ judging.progress })
        let stage = LoadStage(subject, plan, shard: shard.map { ($0.index, $0.count) }, under: specification)
        let (problem, wasInterrupted) = await cancelling(at: stop) { () -> HarnessProblem? in
            do throws(HarnessProblem) {
                try await stage.run(began: judging.begin) { judging.take($0) }
                return nil
            } catch {
                return error
            }
        }
        let (results, figures) = await judging.finish()
        end?()
        if let problem, !wasInterrupted { throw SuiteProblem(.unreachable, problem.description) }
        var report = RunReport(
            results, of: subject.declaration, at: subject.shownAddress, under: specification,
            selection: clauses ?? results.decided, startedAt: startedAt, duration: .now - began,
            wasInterrupted: wasInterrupted, part: shard.map { Shard.Part($0, holding: results.count) })
        report.load = figures
        report.tool = toolVersion
        return report
    }
}

/// Judges histories on its own threads, so that no device waits for a verdict, and adds up the results.
final class LoadJudging: Sendable {
    fileprivate struct State {
        var figures: LoadFigures
        var results: [ScenarioResult] = []
        /// The number of histories kept for each principal, and the clauses that passed in any of them.
        var kept: [String: Int] = [:]
        var passed: Set<ClauseID> = []
        var broken: [ClauseID: Int] = [:]
        var principals: Set<String> = []
        var waiting = 0
        var cpu = 0
        var began: ContinuousClock.Instant?
    }

    private let specification: Specification
    private let plan: LoadPlan
    private let clauses: Set<ClauseID>?
    private let notify: @Sendable (LoadRun.Notice) -> Void
    private let state: Mutex<State>
    private let queues: [DispatchQueue]
    private let group = DispatchGroup()
    /// The maximum number of events that wait to be judged.
    private static let maxWaiting = 1_000_000
    /// The maximum number of histories that are kept for a violated clause.
    private static let maxBroken = 3

    init(
        _ plan: LoadPlan, _ clauses: Set<ClauseID>? = nil, under specification: Specification,
        notify: @escaping @Sendable (LoadRun.Notice) -> Void
    ) {
        (self.plan, self.clauses, self.specification, self.notify) = (plan, clauses, specification, notify)
        var figures = LoadFigures(
            mix: plan.mix.name, seed: plan.seed, devices: 0, principals: 0, seconds: max(1, plan.duration / 1000),
            rampSeconds: plan.ramp / 1000)
        figures.cores = ProcessInfo.processInfo.activeProcessorCount
        queues = (0..<max(1, figures.cores / 2)).map { DispatchQueue(label: "holdfast.load.judging.\($0)") }
        state = Mutex(State(figures: figures))
    }

    func begin() { state.withLock { ($0.cpu, $0.began) = (SystemClock.processMilliseconds, .now) } }

    var progress: TextProgress {
        state.withLock { state in
            let passed = min(plan.duration, state.began.map { (.now - $0).milliseconds } ?? 0)
            let rate = (state.figures.intervals.values.map(\.frames).max() ?? 0) / state.figures.width
            return TextProgress(
                done: "\(passed / 1000)/\(plan.duration / 1000) s",
                flaws: Meter.Flaw.violation.words(state.broken.count),
                left: .about(.milliseconds(plan.duration - passed)),
                running: ["\(readable(state.figures.events)) events judged, up to \(readable(rate)) frames/s"])
        }
    }

    func take(_ event: LoadEvent) {
        state.withLock { state in
            switch event {
            case .time(let time, let length, let moment):
                let index = state.figures.interval(at: moment)
                state.figures.intervals[index, default: .init()].times[time, default: TimeHistogram()].add(length)
            case .lag(let length, let moment):
                state.figures.intervals[state.figures.interval(at: moment), default: .init()].lag.add(max(0, length))
            case .refused(let code): state.figures.refused[code, default: 0] += 1
            case .unconnected: state.figures.unconnected += 1
            case .unanswered: state.figures.unanswered += 1
            case .began(let devices): state.figures.devices += devices
            case .history: break
            }
        }
        guard case .history(let header, let events, let principal) = event else { return }
        let size = events.count
        let isTooMuch = state.withLock { state in
            state.principals.insert(principal)
            guard state.waiting + size <= Self.maxWaiting else {
                state.figures.unjudged += 1
                return true
            }
            state.waiting += size
            return false
        }
        if isTooMuch { return }
        queues[Int(principal.utf8.reduce(0) { ($0 &* 31 &+ UInt($1)) % 9973 }) % queues.count].async(group: group) {
            self.judge(History(header: header, events: events), of: principal)
            self.state.withLock { $0.waiting -= size }
        }
    }

    /// Waits until everything is judged.
    func finish() async -> (results: [ScenarioResult], figures: LoadFigures) {
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        return state.withLock { state in
            state.figures.principals = state.principals.count
            state.figures.cpuMs = SystemClock.processMilliseconds - state.cpu
            return (state.results.sorted { $0.name < $1.name }, state.figures)
        }
    }

    private func judge(_ history: History, of principal: String) {
        let verdicts = HoldfastJudge.judge(history, under: specification).filter {
            clauses?.contains($0.clause) ?? true
        }
        let broken = verdicts.filter { $0.outcome == .violation }
        let carried = history.header.capture?.carried ?? 0
        let new = state.withLock { state -> [(verdict: Verdict, isFirst: Bool)] in
            state.figures.histories += 1
            state.figures.events += history.events.count - carried
            state.figures.exercised += verdicts.reduce(0) { $0 + $1.exercised }
            for event in history.events[carried...] {
                guard case .text = event.kind else { continue }
                state.figures.intervals[state.figures.interval(at: event.at), default: .init()].frames += 1
            }
            for finding in broken.flatMap(\.findings) {
                let at = finding.cited.map { history.events[$0].at } ?? 0
                state.figures.intervals[state.figures.interval(at: at), default: .init()].violations += 1
            }
            for verdict in broken { state.broken[verdict.clause, default: 0] += 1 }
            let decided = verdicts.held
            // A history with a violation is kept only in its shrunk form.
            if broken.isEmpty, !state.passed.isSuperset(of: decided) {
                state.passed.formUnion(decided)
                state.keep(history, verdicts, of: principal)
            }
            return broken.map { ($0, state.broken[$0.clause] == 1) }.filter {
                state.broken[$0.0.clause] ?? 0 <= Self.maxBroken
            }
        }
        var small: (history: History, verdicts: [Verdict])?
        for (verdict, isFirst) in new {
            guard let clause = specification[verdict.clause], let finding = verdict.findings.first else { continue }
            // A history that violates one of the clauses often violates the others too.
            var shown = small.flatMap { Self.finding(on: clause.id, in: $0.verdicts) }
            if shown == nil {
                let shrunk = HistoryShrinking(
                    clause: clause.id, broken: Set(broken.map(\.clause)), specification: specification
                ).smallest(history, breaking: finding)
                state.withLock { $0.keep(shrunk.history, shrunk.verdicts, of: principal) }
                (small, shown) = (shrunk, Self.finding(on: clause.id, in: shrunk.verdicts))
            }
            guard isFirst, let small else { continue }
            notify(
                .init(
                    clause: clause, finding: shown ?? finding, principal: principal, events: small.history.events.count)
            )
        }
    }

    private static func finding(on clause: ClauseID, in verdicts: [Verdict]) -> Finding? {
        verdicts.first { $0.clause == clause && $0.outcome == .violation }?.findings.first
    }
}

extension LoadJudging.State {
    fileprivate mutating func keep(_ history: History, _ verdicts: [Verdict], of principal: String) {
        kept[principal, default: 0] += 1
        let number = kept[principal] ?? 1
        let name = "server/load/\(principal)" + (number > 1 ? "#\(number)" : "")
        results.append(ScenarioResult(name: name, history: history, verdicts: verdicts))
    }
}
