import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastJudge
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTranscript

/// Searches for violations of a peer with random schedules, over real connections.
///
/// Each violation is shrunk, rerun to measure its frequency, and reported once, by clause and cause.
package struct Exploration: Sendable {
    let explored: Explored
    let specification: Specification
    let seed: UInt64
    /// The maximum number of plans; nil if only the time is limited.
    let runs: Int?
    let time: Duration?
    let show: ProgressDisplay?
    /// Plans of earlier searches, and a handler for plans that reach something new; nil to draw all plans at random.
    package var corpus: Corpus?

    package struct Corpus: Sendable {
        let plans: [Plan]
        let keep: @Sendable (Plan) -> Void
    }

    private static let shrinkingAttempts = 600
    private static let shrinkingTime = Duration.seconds(120)
    /// The number of runs of the shrunk plan to measure its frequency.
    private static let repetitions = 5
    /// The number of runs of a smaller plan before it replaces one that usually breaks the clause.
    private static let confirmations = 2

    package init(
        _ explored: Explored, under specification: Specification, seed: UInt64, runs: Int?, time: Duration?,
        showing show: ProgressDisplay? = nil
    ) {
        (self.explored, self.specification, self.seed) = (explored, specification, seed)
        (self.runs, self.time, self.show) = (runs, time, show)
    }

    package struct Found: Sendable {
        let clause: ClauseID
        let what: String
        let plan: Plan
        let history: History
        /// The seed of the original plan.
        package let seed: UInt64
        /// The number of runs of the small plan, and of those that broke the clause.
        let times: (broken: Int, performed: Int)
        /// All clauses that the small plan violates.
        let broken: [Verdict]
    }

    package struct Result: Sendable {
        package var performed = 0
        var found: [Found] = []
        /// A history for each clause that held, all findings, and failures.
        fileprivate var results: [ScenarioResult] = []
        /// The report on the results; nil if nothing was performed.
        package var report: RunReport?
        private var knownToHold: Set<ClauseID> = []
        /// Failures of the suite itself, one line each.
        var problems: [String] = []
        /// Driver failures that ended their plans, with the seeds of the plans.
        var failures: [(seed: UInt64, what: String)] = []
        /// The reason why nothing, or nothing more, could be performed.
        package var startProblem: String?
        var wasInterrupted = false

        package var status: ExitStatus {
            if !found.isEmpty { return .violation }
            if startProblem != nil { return .unreachable }
            if wasInterrupted || !failures.isEmpty { return .incomplete }
            return problems.isEmpty ? .conforms : .harness
        }

        /// The number of failed plans whose histories are kept.
        private static let maxFailures = 20

        /// Keeps a plan that failed, or that is the first to show that a clause holds; violations are kept elsewhere.
        mutating func keep(_ performance: Performance, _ verdicts: [Verdict], seed: UInt64) {
            let hasFailed = performance.failure != nil || !performance.problems.isEmpty
            let decided = verdicts.held
            guard hasFailed ? failures.count + problems.count <= Self.maxFailures : !knownToHold.isSuperset(of: decided)
            else { return }
            knownToHold.formUnion(decided)
            let role = performance.history.header.subject.role
            results.append(
                ScenarioResult(
                    performance, verdicts.filter { $0.outcome != .violation }, named: "\(role)/plans/\(seed)"))
        }

        /// Keeps a finding, under a name that a baseline recognizes.
        mutating func keep(_ found: Found) {
            let count = self.found.count { $0.clause == found.clause }
            self.found.append(found)
            let name = "\(found.plan.role)/explored/\(found.clause)" + (count > 0 ? "#\(count + 1)" : "")
            results.append(
                ScenarioResult(
                    name: name, history: found.history, verdicts: found.broken,
                    duration: .microseconds(found.history.events.last?.at ?? 0)))
        }
    }

    private func report(_ results: [ScenarioResult], since began: Date, wasInterrupted: Bool) -> RunReport? {
        guard let subject = results.first?.history.header.subject else { return nil }
        var report = RunReport(
            results, of: subject, at: explored.address, under: specification, selection: results.decided,
            startedAt: began.formatted(.iso8601), duration: .seconds(Date.now.timeIntervalSince(began)),
            wasInterrupted: wasInterrupted)
        report.tool = toolVersion
        return report
    }

    /// Explores until the plans or the time are used up, or `stop` returns; each violation is reported at once.
    package func run(until stop: Stop? = nil, notify: @escaping @Sendable (Found) -> Void) async -> Result {
        let began = Date.now
        let progress = Progress(runs)
        let end = show?({ progress.content })
        let (result, wasInterrupted) = await cancelling(at: stop) { await explore(progress, notify) }
        end?()
        var whole = result
        whole.wasInterrupted = wasInterrupted
        whole.report = report(whole.results, since: began, wasInterrupted: wasInterrupted)
        return whole
    }

    package struct Replayed: Sendable {
        var plans: [ScenarioResult] = []
        /// The report on the plans; nil if nothing was performed.
        package var report: RunReport?
        package var startProblem: String?
        var wasInterrupted = false

        package var status: ExitStatus {
            if startProblem != nil { return .unreachable }
            if plans.contains(where: { $0.verdicts.contains { $0.outcome == .violation } }) { return .violation }
            let isCut = plans.contains { $0.skipped != nil || $0.failure != nil || $0.cut == .start }
            if wasInterrupted || isCut { return .incomplete }
            return plans.allSatisfy(\.problems.isEmpty) ? .conforms : .harness
        }
    }

    /// Performs plans without changes, and reports the clauses they break.
    package func perform(_ plans: [ScenarioFile], until stop: Stop? = nil) async -> Replayed {
        let began = Date.now
        let (outcome, wasInterrupted) = await cancelling(at: stop) { await explored.stage(plans) }
        let watch = ForeignWatch(explored.role, under: specification)
        for history in (explored.greetings + outcome.performances).map(\.history) { watch.note(history) }
        var replayed = Replayed(wasInterrupted: wasInterrupted)
        replayed.startProblem = foreign(watch) ?? (wasInterrupted ? nil : outcome.startProblem?.description)
        let whole = outcome.performances.filter { !$0.wasInterrupted && !(wasInterrupted && $0.skipped != nil) }
        if replayed.startProblem == nil, !wasInterrupted, whole.allSatisfy({ $0.skipped != nil }) {
            replayed.startProblem = Self.nothingPerformed(whole.first)
        }
        if replayed.startProblem == nil {
            replayed.plans = whole.map { ScenarioResult($0, $0.verdicts(under: specification), named: $0.scenario) }
            replayed.report = report(replayed.plans, since: began, wasInterrupted: wasInterrupted)
        }
        return replayed
    }

    private func foreign(_ watch: ForeignWatch) -> String? {
        watch.found.map { SuiteProblem($0, at: explored.address).description }
    }

    private func broken(_ performance: Performance) -> [Verdict] {
        performance.verdicts(under: specification).filter { $0.outcome == .violation }
    }

    private func explore(_ progress: Progress, _ notify: @Sendable (Found) -> Void) async -> Result {
        var result = Result()
        var known: Set<String> = []
        let began = ContinuousClock.now
        var nextSeed = seed
        var stored = (corpus?.plans ?? []).filter {
            $0.role == explored.role && (explored.startsServer || !$0.needsStart)
        }[...]
        var guide = Guide(explored.draw, from: Array(stored))
        let watch = ForeignWatch(explored.role, under: specification)
        for greeting in explored.greetings { watch.note(greeting.history) }
        let end = time.map { began + $0 }
        func isLate() -> Bool { Task.isCancelled || end.map { .now >= $0 } ?? false }
        while !isLate(), runs.map({ result.performed < $0 }) ?? true {
            let count = min(explored.jobs * 2, runs.map { $0 - result.performed } ?? .max)
            let plans = (0..<count).map { index in
                if let plan = stored.popFirst() { return plan }
                let seed = nextSeed &+ UInt64(index)
                return corpus == nil ? explored.draw(seed) : guide.plan(seed: seed)
            }
            let scenarios = plans.compactMap { try? ScenarioFile($0) }
            let alarm = end.map { time -> Stop in { try? await Task.sleep(until: time, clock: .continuous) } }
            let (outcome, _) = await cancelling(at: alarm) { await explored.stage(scenarios) }
            for performance in outcome.performances { watch.note(performance.history) }
            if let problem = foreign(watch) ?? (isLate() ? nil : outcome.startProblem?.description) {
                result.startProblem = problem
                return result
            }
            let performed = outcome.performances.filter { $0.skipped == nil }
            if performed.isEmpty, !isLate() {
                result.startProblem = Self.nothingPerformed(outcome.performances.first, after: result.performed)
                return result
            }
            for (index, plan) in plans.enumerated() {
                guard let performance = performed.first(where: { $0.scenario == plan.name }) else { continue }
                guard !performance.wasInterrupted, performance.startProblem == nil else { continue }
                let seed = nextSeed &+ UInt64(index)
                result.performed += 1
                progress.note { $0.performed = result.performed }
                result.problems += performance.problems.map { "seed \(seed): \($0)" }
                if let failure = performance.failure { result.failures.append((seed, failure)) }
                let verdicts = performance.verdicts(under: specification)
                result.keep(performance, verdicts, seed: seed)
                let isStored = corpus?.plans.contains(plan) ?? true
                if guide.learn(from: plan, Coverage(of: performance.history, verdicts)), !isStored {
                    corpus?.keep(plan)
                }
                progress.note { $0.reached = guide.coverage.marks.count }
                for verdict in verdicts
                where verdict.outcome == .violation && known.insert(Self.cause(verdict)).inserted {
                    guard let found = await shrunk(plan, performance, verdict, seed: seed, progress) else { continue }
                    // Other clauses that the small plan violates have the same cause.
                    known.formUnion(found.broken.map(Self.cause))
                    result.keep(found)
                    progress.note { $0.found = result.found.count }
                    notify(found)
                }
            }
            nextSeed &+= UInt64(count)
            if let count = refusedCount(performed), !isLate() {
                result.startProblem = gone(after: count)
                return result
            }
        }
        return result
    }

    private static func nothingPerformed(_ first: Performance?, after performed: Int = 0) -> String {
        """
        no \(performed > 0 ? "further " : "")plan could run
          expected: a server that accepts connections and follows scripts, or a client whose driver answers
          actual: \(first?.skipped ?? "nothing began")
          fix: give --scripted-agent if the server's agent follows scripts, or --start a command with {model}; 'conformance doctor' checks a server, 'conformance client' a client
        """
    }

    /// The number of plans whose connections the server refused; nil if it accepted one, or none was tried.
    private func refusedCount(_ performances: [Performance]) -> Int? {
        let received = performances.compactMap(\.wasReceived)
        return explored.role == .server && !received.isEmpty && !received.contains(true) ? received.count : nil
    }

    private func gone(after plans: Int) -> String {
        """
        \(explored.address): no connection accepted in \(counted(plans, "plan")) in a row
          expected: a server that runs until the search ends
          fix: restart it, or give --start 'COMMAND' and let conformance start it
        """
    }

    /// The identity of a violation: its clause and its words, without the words that differ between plans.
    static func cause(_ verdict: Verdict) -> String {
        let words = (verdict.findings.first?.what ?? "").split(separator: " ").filter { word in
            !word.contains(where: { $0.isNumber || $0 == "'" || $0 == "‘" || $0 == "“" })
        }
        return "\(verdict.clause) \(words.joined(separator: " "))"
    }

    /// Shrinks a plan that breaks a clause, and reruns the result.
    /// - Returns: The finding; nil if the server ended, which is reported separately.
    private func shrunk(
        _ plan: Plan, _ performance: Performance, _ verdict: Verdict, seed: UInt64, _ progress: Progress
    ) async -> Found? {
        let began = ContinuousClock.now
        let cause = Self.cause(verdict)
        var last = Seen(history: performance.history, broken: [verdict], verdict: verdict)
        var isGone = false
        func results(_ plans: [Plan]) async -> [Seen?] {
            let scenarios = plans.enumerated().compactMap { index, plan in
                var named = plan.settled
                named.name += "-\(index)"
                return try? ScenarioFile(named)
            }
            let performances = await explored.stage(scenarios).performances
            isGone = refusedCount(performances) != nil
            return scenarios.map { scenario in
                guard let performance = performances.first(where: { $0.scenario == scenario.name }) else { return nil }
                let broken = broken(performance)
                return broken.first { Self.cause($0) == cause }
                    .map { Seen(history: performance.history, broken: broken, verdict: $0) }
            }
        }
        progress.note { $0.activity = "making it small" }
        defer { progress.note { $0.activity = nil } }
        func hits(_ plan: Plan, of count: Int) async -> Int {
            await results(Array(repeating: plan, count: count)).count { $0 != nil }
        }
        // A plan that usually breaks the clause is not replaced by one that does so only by luck.
        let isFrequent = await hits(plan, of: Self.repetitions) > Self.repetitions / 2
        let small = await Shrinking(attempts: Self.shrinkingAttempts).smallest(plan, width: explored.jobs) { plans in
            guard !Task.isCancelled, .now - began < Self.shrinkingTime else { return nil }
            for (index, result) in await results(plans).enumerated() {
                guard let result else { continue }
                if isFrequent, await hits(plans[index], of: Self.confirmations) < Self.confirmations { continue }
                last = result
                return index
            }
            return nil
        }
        let again = Task.isCancelled ? [] : await results(Array(repeating: small, count: Self.repetitions))
        if let result = again.compactMap(\.self).last {
            last = result
        } else if isGone {
            return nil
        }
        return Found(
            clause: verdict.clause, what: last.verdict.findings.first?.what ?? "", plan: small.settled,
            history: last.history, seed: seed, times: (again.compactMap(\.self).count, again.count),
            broken: last.broken)
    }

    private struct Seen {
        let history: History
        let broken: [Verdict]
        let verdict: Verdict
    }

    private final class Progress: Sendable {
        struct State {
            var performed = 0
            var found = 0
            var reached = 0
            var activity: String?
        }

        private let runs: Int?
        private let state = Mutex(State())

        init(_ runs: Int?) { self.runs = runs }

        var content: TextProgress {
            state.withLock { state in
                let total = runs.map { "/\($0)" } ?? ""
                return TextProgress(
                    done: "\(state.performed)\(total) plans, \(counted(state.reached, "situation"))",
                    flaws: state.found == 0 ? nil : counted(state.found, "violation"),
                    running: [state.activity].compactMap(\.self))
            }
        }

        func note(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    }
}
