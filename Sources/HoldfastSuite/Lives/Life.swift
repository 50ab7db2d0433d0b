@preconcurrency import Dispatch
import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastJudge
import HoldfastPlatform
import HoldfastReport
import HoldfastStage
import HoldfastTranscript

/// One life of a peer: drawn from a seed, performed and judged round by round, and shrunk if a fresh, shorter life
/// shows the same violation.
package final class Life: Sendable {
    package let role: Role
    package let seed: UInt64
    package let time: LifeTime
    let specification: Specification
    let notify: @Sendable (String) -> Void
    private let live: @Sendable (LifeScript) async -> LifePerformance
    /// Performs small plans against the same peer.
    let perform: @Sendable ([ScenarioFile]) async -> SuiteRun.Outcome
    let state: Mutex<State>
    private let judging = DispatchQueue(label: "holdfast.life")

    struct State {
        var planner: any LifePlanner
        /// The rounds so far, each with the time in the life at which it began.
        var rounds: [(at: Duration, round: LifeRound)] = []
        /// The moment from which all times of the life count.
        var began = ContinuousClock.now
        var isJudging = false
        /// The time of the next check by the judge, and the duration of the last one.
        var nextCheck = ContinuousClock.now
        var lastDuration = Duration.zero
        /// The violations that were reported, by cause.
        var reported: Set<String> = []
        /// The work after the life, and its deadline.
        var activity: (words: String, until: ContinuousClock.Instant?)?
    }

    package struct Options: Sendable {
        /// Whether the run consists only of the life.
        package var isAlone = false
        /// The clauses that a life without scenarios reports; nil for all.
        package var clauses: Set<ClauseID>?
        /// Stores a small scenario that breaks a clause, and returns the command that runs it.
        package var keep: (@Sendable (ClauseID, String) throws -> String)?

        package init() {}
    }

    /// The maximum number of principals in the life of a server.
    private static let maxPrincipals = 5

    /// The longest heartbeat, in seconds, that a life waits for.
    private static let longestHeartbeat = 2

    /// A life of a server from a seed; `notify` gets each finding at once.
    package init(
        of subject: ServerSubject, seed: UInt64, for time: LifeTime, under specification: Specification,
        skipsCrashes: Bool = false, notify: @escaping @Sendable (String) -> Void
    ) {
        (role, self.seed, self.time, self.specification, self.notify) = (.server, seed, time, specification, notify)
        var grammar = ServerGrammar(
            profiles: subject.profiles, disturbing: [], startsServer: subject.start != nil && !skipsCrashes)
        grammar.isAlone = false
        grammar.longestWatch = 400
        grammar.principals = min(Self.maxPrincipals, subject.principals.count)
        let limits = subject.greeting?["limits"]
        let questions = limits?["messagesPerMinute"]?.intValue ?? subject.limits["messagesPerMinute"]
        grammar.rateLimit = questions.map { ($0, subject.stated("rateWindowSeconds")) }
        let planner = ServerPlanner(
            grammar, seed: seed, to: ReachTable.goals(of: .server), isScripted: subject.hasScriptedAgent,
            largestFrame: limits?["maxFrameBytes"]?.intValue ?? 1 << 20,
            isQuick: max(subject.stated("heartbeatSeconds"), subject.stated("authSeconds")) <= Self.longestHeartbeat)
        state = Mutex(State(planner: planner))
        var needs = Scenario.Needs()
        (needs.keys, needs.start) = (true, grammar.startsServer)
        needs.principals = subject.profiles.contains(.auth) ? grammar.principals : 1
        let stage = ServerStage(subject: subject, specification: specification)
        live = { [needs] in await stage.live($0, needs: needs) }
        perform = Explored(subject, under: specification, skipsCrashes: skipsCrashes).stage
    }

    /// A life of a client from a seed: one app on one phone.
    package init(
        of subject: ClientSubject, at location: String, seed: UInt64, for time: LifeTime,
        under specification: Specification, notify: @escaping @Sendable (String) -> Void
    ) throws {
        (role, self.seed, self.time, self.specification, self.notify) = (.client, seed, time, specification, notify)
        let planner = ClientPlanner(
            ClientGrammar(profiles: subject.profiles, disturbing: [], without: subject.unsupported), seed: seed,
            to: ReachTable.goals(of: .client))
        state = Mutex(State(planner: planner))
        var opening = try planner.plan(of: [], after: []).clientScenario()
        opening.name = "client/life/\(seed)"
        let stage = ClientStage(subject: subject, specification: specification)
        live = { [opening] in await stage.live(opening, by: $0) }
        perform = Explored(subject, at: location, under: specification).stage
    }

    package var name: String { "\(role)/life/\(seed)" }

    package var again: String { "--life \(time) --seed \(seed)" }

    struct LifeResult {
        let result: ScenarioResult
        let wasInterrupted: Bool
        /// Whether it ended because of a finding.
        let hasStopped: Bool
        /// The sizes it reached, and the obstacles to more; one line each.
        let diagnostics: [String]
    }

    /// Performs the life to its end, or until `stop` returns, or until `isEnough` is true of the findings.
    /// - Throws: The reason why a server could not be started, if the run consists only of the life.
    func run(
        _ options: Options, until stop: Stop?, showing show: ProgressDisplay?,
        endingWhen isEnough: @escaping @Sendable (ScenarioResult) -> Bool
    ) async throws(SuiteProblem) -> LifeResult {
        let end = show?({ [self] in progress })
        defer { end?() }
        let enough = Latch<Void>()
        let script = LifeScript(
            name: name, time: time.duration, next: { [self] in next(at: $0) },
            observe: { [self] history in
                judgeSoFar(history) { [self] verdicts in
                    if isEnough(ScenarioResult(name: name, history: history, verdicts: verdicts)) { enough.set(()) }
                }
            })
        let (lived, _) = await cancelling(at: first(of: stop, enough.untilSet)) { [live] in await live(script) }
        let hasStopped = enough.value != nil
        var performance = lived.performance
        performance.wasInterrupted = performance.wasInterrupted && !hasStopped
        if role == .server, options.isAlone, let problem = performance.startProblem {
            throw SuiteProblem(.unreachable, problem.description)
        }
        state.withLock { $0.activity = ("judging it", nil) }
        let result = await result(performance)
        if let keep = options.keep, !performance.wasInterrupted, !hasStopped {
            await shrink(result, until: stop, keeping: keep)
        }
        return LifeResult(
            result: result, wasInterrupted: performance.wasInterrupted, hasStopped: hasStopped,
            diagnostics: diagnostics(of: result, lived) + [[performance].lateness].compactMap(\.self))
    }

    private func next(at time: Duration) -> LifeRound {
        state.withLock { state in
            if state.rounds.isEmpty { state.began = .now - time }
            let round = state.planner.round(at: time / self.time.duration)
            state.rounds.append((time, round))
            return round
        }
    }

    // MARK: judging

    /// Judges the events so far while the life goes on: one judgment at a time, for a fifth of the time at most, and
    /// not if the final judgment would have to wait.
    private func judgeSoFar(_ history: History, then take: @escaping @Sendable ([Verdict]) -> Void) {
        let isFree = state.withLock { state in
            let now = ContinuousClock.now
            guard !state.isJudging, now >= state.nextCheck, now + state.lastDuration * 1.5 < state.began + time.duration
            else { return false }
            state.isJudging = true
            return true
        }
        guard isFree else { return }
        judging.async { [self] in
            let start = ContinuousClock.now
            let verdicts = judge(history, under: specification)
            note(verdicts, in: history)
            take(verdicts)
            state.withLock { state in
                state.isJudging = false
                state.lastDuration = .now - start
                state.nextCheck = .now + state.lastDuration * 4
            }
        }
    }

    /// Reports new violations: the first with its finding, and the others found with it only by name.
    private func note(_ verdicts: [Verdict], in history: History) {
        let violations = verdicts.filter { verdict in
            verdict.outcome == .violation
                && state.withLock { $0.reported.insert(Exploration.cause(verdict)).inserted }
        }.map { (moment: Self.moment(of: $0, in: history), verdict: $0) }.sorted { $0.moment < $1.moment }
        guard let first = violations.first else { return }
        let others = violations.dropFirst().map { "\($0.verdict.clause) (\(readable($0.moment)))" }
        notify(
            "violation \(first.verdict.clause) after \(readable(first.moment)) of this life\n"
                + "  \(visible(first.verdict.findings.first?.what ?? ""))\n"
                + (others.isEmpty ? "" : "  with it: \(listed(others, limit: 8))\n")
                + "  again: the same command with \(again)\n")
    }

    private func result(_ performance: Performance) async -> ScenarioResult {
        await withCheckedContinuation { continuation in
            judging.async { [self] in
                let verdicts = performance.verdicts(under: specification)
                note(verdicts, in: performance.history)
                continuation.resume(returning: ScenarioResult(performance, verdicts, named: name, isLife: true))
            }
        }
    }

    /// The time from the beginning of the life to the completion of a finding.
    static func moment(of verdict: Verdict, in history: History) -> Duration {
        let events = verdict.findings.first?.events ?? []
        let last = events.max().flatMap { history.events.indices.contains($0) ? history.events[$0].at : nil }
        return .microseconds(last ?? history.events.last?.at ?? 0)
    }

    // MARK: reporting

    private var progress: TextProgress {
        state.withLock { state in
            let flaws = state.reported.isEmpty ? nil : counted(state.reported.count, "violation")
            if let (words, end) = state.activity {
                let left = end.map { ", at most \(readable(max(.zero, $0 - .now))) more" } ?? ""
                return TextProgress(done: "life of \(time) over, \(words)\(left)", flaws: flaws)
            }
            return TextProgress(
                done: "life \(readable(.now - state.began)) of \(time), \(counted(state.rounds.count, "round"))",
                flaws: flaws, running: state.rounds.last?.round.features ?? [])
        }
    }

    private func diagnostics(of result: ScenarioResult, _ lived: LifePerformance) -> [String] {
        guard result.skipped == nil else { return [] }
        let (count, pairs) = state.withLock { ($0.rounds.count, $0.planner.summary) }
        let applicable = result.verdicts.count { $0.outcome != .notApplicable }
        var lines = [
            "\(counted(count, "round")), \(pairs)",
            "it decided \([result].decided.count) of \(counted(applicable, "clause")); the others stay open",
        ]
        let table = result.reach.flatMap { ReachTable($0, of: result.history.header.subject) }
        if let short = table?.shortfalls, !short.isEmpty {
            lines.append("it was too short for: \(short.joined(separator: ", "))")
        }
        return (lines + lived.notes).map { "\(name): \($0)" }
    }
}
