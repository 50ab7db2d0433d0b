@preconcurrency import Dispatch
import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastJudge
import HoldfastPlatform
import HoldfastReport
import HoldfastStage
import HoldfastTranscript

/// One life of a peer: drawn from a seed, performed round by round, judged as it goes, and made small where a fresh, shorter
/// life shows the same.
package final class Life: Sendable {
    package let role: Role
    package let seed: UInt64
    package let time: LifeTime
    let specification: Specification
    private let draw: @Sendable () -> LifeRound
    let tell: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let judging = DispatchQueue(label: "holdfast.life")
    private let began = Mutex<ContinuousClock.Instant?>(nil)

    private struct State {
        /// The rounds so far, each with the time in the life at which it began.
        var rounds: [(at: Duration, round: LifeRound)] = []
        var isJudging = false
        /// When the judge may look again.
        var nextLook = ContinuousClock.now
        /// What was told, by cause.
        var told: Set<String> = []
    }

    /// A life; `draw` draws its rounds, one after another, and `tell` gets a line for each thing found, at once.
    package init(
        of role: Role, seed: UInt64, for time: LifeTime, under specification: Specification,
        drawing draw: @escaping @Sendable () -> LifeRound, telling tell: @escaping @Sendable (String) -> Void
    ) {
        (self.role, self.seed, self.time, self.specification) = (role, seed, time, specification)
        (self.draw, self.tell) = (draw, tell)
    }

    /// The name by which reports and baselines know it.
    package var name: String { "\(role)/life/\(seed)" }

    /// The options that repeat it.
    package var again: String { "--life \(time) --seed \(seed)" }

    /// What a stage performs.
    package var script: LifeScript {
        LifeScript(name: name, time: time.duration, next: { [self] in next() }, look: { [self] in look($0) })
    }

    /// How far it is, for who looks.
    package var progress: TextProgress {
        let (rounds, found) = state.withLock { ($0.rounds, $0.told.count) }
        let passed = began.withLock { $0 }.map { ContinuousClock.now - $0 } ?? .zero
        return TextProgress(
            done: "life \(Self.words(passed)) of \(time), \(counted(rounds.count, "round"))",
            flaws: found == 0 ? nil : counted(found, "violation"), running: rounds.last?.round.features ?? [])
    }

    private func next() -> LifeRound {
        let start = began.withLock { began in
            began = began ?? .now
            return began ?? .now
        }
        let round = draw()
        state.withLock { $0.rounds.append((.now - start, round)) }
        return round
    }

    /// Judges what was seen so far, beside the life; not while it still judges, and for a fifth of the time at most.
    private func look(_ history: History) {
        let isFree = state.withLock { state in
            guard !state.isJudging, ContinuousClock.now >= state.nextLook else { return false }
            state.isJudging = true
            return true
        }
        guard isFree else { return }
        judging.async { [self] in
            let begin = ContinuousClock.now
            note(judge(history, under: specification), in: history)
            state.withLock { state in
                state.isJudging = false
                state.nextLook = .now + (.now - begin) * 4
            }
        }
    }

    /// Tells what is new.
    private func note(_ verdicts: [Verdict], in history: History) {
        for verdict in verdicts where verdict.outcome == .violation {
            guard state.withLock({ $0.told.insert(Exploration.cause(verdict)).inserted }) else { continue }
            tell(
                "violation \(verdict.clause) after \(Self.words(Self.moment(of: verdict, in: history))) of this life\n"
                    + "  \(visible(verdict.findings.first?.what ?? ""))\n  again: the same command with \(again)\n")
        }
    }

    /// The verdicts on a whole life, as one more result of a run.
    package func result(_ performance: Performance) async -> ScenarioResult {
        await withCheckedContinuation { continuation in
            judging.async { [self] in
                let verdicts =
                    performance.skipped == nil ? judge(performance.history, under: specification) : []
                note(verdicts, in: performance.history)
                continuation.resume(returning: ScenarioResult(performance, verdicts, named: name))
            }
        }
    }

    /// When a finding was complete, from the beginning of the life.
    static func moment(of verdict: Verdict, in history: History) -> Duration {
        let events = verdict.findings.first?.events ?? []
        let last = events.max().flatMap { history.events.indices.contains($0) ? history.events[$0].at : nil }
        return .microseconds(last ?? history.events.last?.at ?? 0)
    }

    /// The rounds up to the moment at which a finding was complete.
    func rounds(upTo moment: Duration) -> [LifeRound] {
        state.withLock { state in state.rounds.filter { $0.at <= moment }.map(\.round) }
    }

    /// A time in whole seconds, as people say it.
    static func words(_ time: Duration) -> String {
        let seconds = Int(time / .seconds(1))
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}
