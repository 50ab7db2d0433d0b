import HoldfastJSON
import HoldfastTranscript

/// A piece of a life: what happens between two moments at which everything comes to rest and is looked at.
package struct LifeRound: Sendable, Equatable {
    /// Steps as a scenario file has them; they may use the names and connections of earlier rounds.
    package var steps: [JSONValue]
    /// The features that meet in it, by name.
    package var features: [String]
    /// Steps that open again what an earlier round left open and the subject has ended since; each is performed if it is needed.
    package var open: [JSONValue]

    package init(steps: [JSONValue], features: [String], open: [JSONValue] = []) {
        (self.steps, self.features, self.open) = (steps, features, open)
    }
}

/// A life while it is performed: where its rounds come from, how long it lasts, and who looks at it.
package struct LifeScript: Sendable {
    package let name: String
    package let time: Duration
    /// Draws the next round, told how long the life has gone on.
    package let next: @Sendable (Duration) -> LifeRound
    /// Takes everything that was seen, at a moment of rest; it must not take long.
    package let look: @Sendable (History) -> Void

    package init(
        name: String, time: Duration, next: @escaping @Sendable (Duration) -> LifeRound,
        look: @escaping @Sendable (History) -> Void
    ) {
        (self.name, self.time, self.next, self.look) = (name, time, next, look)
    }

    /// How long a life goes on without a look at everything.
    package static let stretch = Duration.seconds(20)
    /// The same at its beginning, which shows what breaks at once.
    static let firstStretch = Duration.seconds(5)
}

/// A life as it went.
package struct LifePerformance: Sendable {
    package var performance: Performance
    /// The obstacles to it, one line each.
    package var notes: [String]
}
