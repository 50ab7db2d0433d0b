import HoldfastJSON
import HoldfastTranscript

/// A part of a life: the events between two moments at which everything comes to rest and is checked.
package struct LifeRound: Sendable, Equatable {
    /// Steps as in a scenario file; they may use the names and connections of earlier rounds.
    package var steps: [JSONValue]
    package var features: [String]
    /// Steps that reopen connections of earlier rounds that the subject has ended; each is performed only if needed.
    package var open: [JSONValue]
    /// The people whose data and connections are left alone, also by checks.
    package var resting: [String]

    package init(steps: [JSONValue], features: [String], open: [JSONValue] = [], resting: [String] = []) {
        (self.steps, self.features, self.open, self.resting) = (steps, features, open, resting)
    }
}

/// The script of a life: the source of its rounds, its length, and its observer.
package struct LifeScript: Sendable {
    package let name: String
    package let time: Duration
    package let next: @Sendable (Duration) -> LifeRound
    /// Receives the history at a moment of rest; it must return quickly.
    package let observe: @Sendable (History) -> Void

    package init(
        name: String, time: Duration, next: @escaping @Sendable (Duration) -> LifeRound,
        observe: @escaping @Sendable (History) -> Void
    ) {
        (self.name, self.time, self.next, self.observe) = (name, time, next, observe)
    }

    /// The longest time between two checks of everything in a life.
    package static let stretch = Duration.seconds(20)
    /// The same at the beginning, so that early faults are found soon.
    static let firstStretch = Duration.seconds(5)
}

package struct LifePerformance: Sendable {
    package var performance: Performance
    package var notes: [String]
}
