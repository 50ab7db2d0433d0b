import Holdfast
import JSON

extension StepContext {
    /// Waits until the server ends a connection; a told time is added to the bound.
    func awaitClose(_ bound: ScenarioStep.Bound, after told: ScenarioStep.Told?, on letter: String) async throws {
        // A connection that never was one needs no end.
        if performer.wasRefused(letter) { return }
        let lane = try open(letter)
        let wait = try told.map(duration) ?? .zero
        guard await lane.mailbox.waitForEnd(within: wait + performer.limit(bound.within)) else {
            return try missed("close", on: lane.lane, isOptional: bound.isOptional)
        }
    }

    /// Watches until a told time is over, and records that it did.
    func watch(_ told: ScenarioStep.Told) async throws {
        try? await Task.sleep(for: try duration(of: told), clock: .continuous)
        if Task.isCancelled { throw StepEnd.interrupted }
        recorder.note(.wait(awaited: "time", met: true), on: .server)
    }

    /// A told time, where the patience of the run covers it.
    private func duration(of told: ScenarioStep.Told) throws -> Duration {
        guard let duration = told.duration(of: try number(told.amount)) else {
            throw StepEnd.harness(HarnessProblem(.notANumber(name: "\(told.amount)"), at: place))
        }
        let total = performer.addToldWait(duration)
        guard total <= subject.patience else {
            throw StepEnd.unsuitable(
                "it waits \(seconds(total)) as told, longer than the patience of \(seconds(subject.patience)); "
                    + "configure the subject with a shorter time, or give --patience \(seconds(total, unit: ""))")
        }
        return duration
    }
}

/// A duration in whole seconds, rounded up.
func seconds(_ duration: Duration, unit: String = " s") -> String {
    let (whole, rest) = duration.components
    return "\(whole + (rest > 0 ? 1 : 0))\(unit)"
}
