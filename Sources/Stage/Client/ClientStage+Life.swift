import Holdfast
import HoldfastBasics
import HoldfastTranscript

extension ClientStage {
    /// Performs one life: one app on one phone, never reset, round after round until the time is up.
    ///
    /// A step that cannot be performed is omitted. From time to time, and at the end, it pauses and checks everything.
    ///
    /// * `scenario`: The server's sessions, and the beginning of the life.
    package func live(_ scenario: ClientScenario, by script: LifeScript) async -> LifePerformance {
        var stage = self
        // Long histories are shown repeatedly.
        stage.bounds = .life
        let startedAt = WallClock.now()
        let performance = await stage.perform(scenario) { performer, performance in
            let start = performer.recorder.start
            let end = start + script.time
            performer.shortenOptionalWaits()
            var due = ContinuousClock.now + LifeScript.firstStretch
            var steps = scenario.steps
            while !Task.isCancelled, performer.failure == nil, !performer.recorder.wasFlooded {
                for step in steps where performer.failure == nil && .now < end {
                    do {
                        try await performer.perform([step])
                    } catch StepEnd.unmet, StepEnd.unsuitable {
                        // The check at rest finds everything that is still missing.
                    } catch {
                        return performance.note(error)
                    }
                }
                if .now >= min(due, end) {
                    if .now >= end { performer.server.act { $0.comparedAt = [:] } }
                    await performer.audit(limit: nil)
                    if .now >= end { return }
                    script.observe(stage.history(scenario, performer.recorder, since: startedAt))
                    due = .now + LifeScript.stretch
                }
                performer.beginRound()
                // Look for lost messages before the person leaves the session; after that, a read restores them.
                let sampling = [IdleStep.mend, .finish(speaking: true), .compare(session: nil)]
                steps =
                    sampling.map { ClientStep(.rest($0)) } + ClientScenarioReader.steps(script.next(.now - start).steps)
            }
        }
        let time = performance.duration
        let isEarly = time < script.time && !performance.wasInterrupted
        let reason = performance.failure == nil ? "the record was full" : "the client was gone"
        let notes = isEarly ? ["it ended after \(readable(time)), because \(reason)"] : []
        return LifePerformance(performance: performance, notes: notes)
    }
}
