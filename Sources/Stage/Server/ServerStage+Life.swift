import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript

extension ServerStage {
    /// Performs a life: rounds, one after another, on one server and with the same people, until its time is up.
    ///
    /// If the subject cuts a round short, the lost connections are reopened, and the next round begins.
    package func live(_ script: LifeScript, needs: Scenario.Needs) async -> LifePerformance {
        let scenario = LifeReader.scenario(script.name, needs: needs)
        let course = LifeCourse(script, of: subject)
        let people = Array(subject.principals.prefix(needs.principals))
        @Sendable func live(on stage: ServerStage, by performer: ScenarioPerformer) async throws {
            let reader = LifeReader(script.name, needs: needs)
            try await course.perform(by: performer, reading: reader) { stage.history(of: performer, scenario) }
        }
        guard let start = subject.startCommand, subject.obstacle(to: scenario) == nil else {
            let performance = await perform(scenario, principals: people, on: nil) { try await live(on: self, by: $0) }
            return LifePerformance(performance: performance, notes: course.notes)
        }
        let performance = await perform(
            scenario, principals: people, startedBy: start, data: start.folder(for: "life"), live)
        return LifePerformance(performance: performance, notes: course.notes)
    }
}

private final class LifeCourse: Sendable {
    private struct State {
        var cuts: [String] = []
        var passedOver: [String] = []
        var waited = Duration.zero
        var budget: ChatBudget
        var count: ChatCount
        var checkedAt = ContinuousClock.now - LifeScript.stretch + LifeScript.firstStretch
        var rounds = 0
        /// The number of consecutive rounds without a server.
        var unanswered = 0
        var end: String?
    }

    /// After this many consecutive rounds without a server, the life ends.
    private static let patience = 3

    private let script: LifeScript
    private let state: Mutex<State>

    init(_ script: LifeScript, of subject: ServerSubject) {
        self.script = script
        var budget = ChatBudget(subject, now: .now)
        budget.learn(from: subject.greeting)
        state = Mutex(State(budget: budget, count: ChatCount(budget: budget.limit ?? 0)))
    }

    var notes: [String] {
        let state = state.withLock { $0 }
        var notes = [state.end].compactMap(\.self)
        if let first = state.cuts.first {
            notes.append("\(counted(state.cuts.count, "round")) ended early, the first because \(first)")
        }
        if state.waited > .seconds(1) {
            notes.append(
                "it waited \(readable(state.waited)) for the rate limit; raise messagesPerMinute, or add principals")
        }
        if let first = state.passedOver.first {
            notes.append("\(counted(state.passedOver.count, "round")) could not be performed: \(first)")
        }
        return notes
    }

    func perform(
        by performer: ScenarioPerformer, reading reader: LifeReader, _ history: @Sendable () -> History
    ) async throws {
        let start = performer.recorder.start
        let end = start + script.time
        while ContinuousClock.now < end {
            if performer.recorder.isNearlyFull {
                noteEnd("the record was full", at: .now - start)
                break
            }
            let round = script.next(.now - start)
            let (open, steps) = try read(round, reader)
            // A round that uses up the limit does not wait for a budget.
            let isSpending = round.features.contains("spent budget")
            guard await waitForBudget(isSpending ? [] : steps, until: end) else {
                if !Task.isCancelled { noteEnd("the rate limit allows no further round", at: .now - start) }
                break
            }
            performer.beginRound()
            try await perform(steps, opening: open, by: performer, reader)
            if round.features.contains("refused writes") {
                // A round that was cut short may have left writes refused.
                try? await performer.perform(reader.steps([["do": "acceptWrites"]]))
            }
            let isDue = state.withLock { $0.checkedAt + LifeScript.stretch <= .now }
            let hasRestarted = round.features.contains("restart")
            if isDue || hasRestarted {
                try await checkEverything(performer, atChangesOnly: !hasRestarted, except: round.resting)
                script.observe(history())
            }
        }
        performer.beginRound()
        try await checkEverything(performer)
        let (cuts, rounds) = state.withLock { ($0.cuts, $0.rounds) }
        // Behind a dialect, a round may end at a value that the wire has no place for.
        if cuts.count * 2 > rounds, performer.subject.dialect.isCanonical, let first = cuts.first {
            throw StepEnd.unmet("\(cuts.count) of \(rounds) rounds ended early, the first because \(first)")
        }
    }

    private func noteEnd(_ reason: String, at time: Duration) {
        state.withLock { $0.end = "it ended after \(readable(time)), because \(reason)" }
    }

    private func read(_ round: LifeRound, _ reader: LifeReader) throws -> (open: [ScenarioStep], steps: [ScenarioStep])
    {
        do throws(InputProblems) {
            return (try reader.steps(round.open), try reader.steps(round.steps))
        } catch {
            throw StepEnd.harness(HarnessProblem(.malformedReference("\(error)"), at: script.name))
        }
    }

    /// Returns false if the rate limit does not allow the round before the end.
    private func waitForBudget(_ steps: [ScenarioStep], until end: ContinuousClock.Instant) async -> Bool {
        let now = ContinuousClock.now
        let (asked, readyAt) = state.withLock { state in
            let before = state.count.byPrincipal
            state.count.add(steps)
            let asked = state.count.byPrincipal.mapValues { $0 }.merging(before) { $0 - $1 }.filter { $0.value > 0 }
            let moments = asked.map {
                state.budget.earliest($0.key, for: min($0.value, state.budget.limit ?? .max), at: now)
            }
            return (asked, moments.compactMap(\.self).max() ?? now)
        }
        guard readyAt < end else { return false }
        if readyAt > now { try? await Task.sleep(until: readyAt, clock: .continuous) }
        state.withLock { state in
            state.waited += max(.zero, readyAt - now)
            for (principal, count) in asked { state.budget.note(count, of: principal, at: .now) }
        }
        return !Task.isCancelled
    }

    private func perform(
        _ steps: [ScenarioStep], opening open: [ScenarioStep], by performer: ScenarioPerformer, _ reader: LifeReader
    ) async throws {
        var cut: String?
        state.withLock { $0.rounds += 1 }
        do {
            try await revive(performer, open, reader)
            for part in Self.parts(of: steps) {
                // If one part gets no value, the next parts continue without it.
                do { try await performer.perform(part) } catch StepEnd.unmet(let reason) { cut = cut ?? reason }
            }
        } catch StepEnd.unmet(let reason) {
            cut = reason
        } catch StepEnd.outOfReach(let reason), StepEnd.unsuitable(let reason) {
            return state.withLock { $0.passedOver.append(reason) }
        }
        guard let cut else { return state.withLock { $0.unanswered = 0 } }
        // A step may fail although the server is healthy.
        let isThere = await isServed(performer, reader)
        let unanswered = state.withLock { state in
            state.cuts.append(cut)
            state.unanswered = isThere ? 0 : state.unanswered + 1
            return state.unanswered
        }
        guard unanswered >= Self.patience else { return }
        throw StepEnd.unmet("no connection accepted after \(Self.patience) rounds in a row; the last: \(cut)")
    }

    /// Whether the server still serves a connection; a server that accepts no new ones may still serve old ones.
    private func isServed(_ performer: ScenarioPerformer, _ reader: LifeReader) async -> Bool {
        if (try? await performer.perform(reader.steps([["do": "alive"]]))) != nil { return true }
        for lane in performer.openLanes where lane.isAuthenticated && !lane.isPaused {
            if await performer.fence(lane) { return true }
        }
        return false
    }

    /// The steps, split at those with branches; each of the latter is a part of its own.
    private static func parts(of steps: [ScenarioStep]) -> [[ScenarioStep]] {
        steps.reduce(into: []) { parts, step in
            if case .together = step.action {
                parts += [[step], []]
            } else {
                parts = parts.isEmpty ? [[step]] : parts.dropLast() + [(parts.last ?? []) + [step]]
            }
        }
    }

    private func revive(
        _ performer: ScenarioPerformer, _ open: [ScenarioStep], _ reader: LifeReader
    ) async throws {
        if let instance = performer.instance, instance.exit != nil {
            try await performer.perform(reader.steps([["do": "start"]]))
        }
        // The round that should have resumed reading may have been cut short.
        for lane in performer.openLanes where lane.isPaused { lane.resumeReading() }
        for step in open {
            guard case .connect(let connect) = step.action else { continue }
            let lane = performer.lane(connect.on)
            if lane == nil || lane?.mailbox.hasEnded == true { try await performer.perform([step]) }
        }
    }

    private func checkEverything(
        _ performer: ScenarioPerformer, atChangesOnly: Bool = false, except resting: [String] = []
    ) async throws {
        do {
            try await performer.checkEverything(atChangesOnly: atChangesOnly, except: resting)
        } catch StepEnd.unmet(let reason) {
            state.withLock { $0.cuts.append(reason) }
        }
        state.withLock { $0.checkedAt = .now }
    }
}
