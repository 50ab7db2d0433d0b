import Holdfast
import HoldfastBasics
import HoldfastTranscript

extension ClientStage {
    /// Lives one life: one app on one phone, never reset, round after round until the time is up.
    ///
    /// A step that cannot be performed is left out. Now and then and at the end everything comes to rest and is looked at.
    ///
    /// * `scenario`: What the server holds, and how the life begins.
    package func live(_ scenario: ClientScenario, by script: LifeScript) async -> Performance {
        var stage = self
        // Long histories are shown again and again.
        stage.bounds = Recorder.Bounds(bytes: 512 << 20, events: 1_000_000)
        let startedAt = WallClock.now()
        return await stage.perform(scenario) { performer, performance in
            let end = ContinuousClock.now + script.time
            var due = ContinuousClock.now + LifeScript.stretch
            var steps = scenario.steps
            while !Task.isCancelled, performer.failure == nil, !performer.recorder.wasFlooded {
                for step in steps where performer.failure == nil && .now < end {
                    do {
                        try await performer.perform([step])
                    } catch StepEnd.unmet, StepEnd.unsuitable {
                        // What is owed all the same shows at rest.
                    } catch {
                        return performance.note(error)
                    }
                }
                if .now >= min(due, end) {
                    await performer.audit(most: nil)
                    script.look(stage.history(scenario, performer.recorder.events(), startedAt))
                    if .now >= end { return }
                    due = .now + LifeScript.stretch
                }
                performer.beginRound()
                // What was lost shows on the screen before the person goes elsewhere, and a read heals it.
                let looks = [ClientRest.mend, .finish(speaking: true), .compare(session: nil)]
                steps = looks.map { ClientStep(.rest($0)) } + ClientScenarioReader.steps(script.next().steps)
            }
        }
    }
}
