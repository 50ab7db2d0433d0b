import Holdfast
import HoldfastTranscript

/// What may have crossed: the only tolerance of the judge of clients.
extension Observations {
    /// How much later than it happened the stage may record what a client did, or the client take what it was sent.
    ///
    /// A quarter of `scheduling`, which a busy machine adds to a timer.
    private var latency: Int { timeouts.scheduling.microseconds / 4 }

    /// Whether two events may have happened in the other order.
    func mayCross(_ one: Int, _ other: Int) -> Bool { abs(patience(from: one, to: other)) < latency }

    /// The first event after another that cannot have crossed with it.
    func endOfCrossing(with event: Int) -> Int {
        let limit = patience(of: event) + latency
        return events.indices.boundary { patience(of: $0) > limit }
    }

    /// The first event that may still be on its way to a client when another happens.
    func inFlight(before event: Int) -> Int {
        let limit = patience(of: event) - timeouts.scheduling.microseconds
        return events.indices.boundary { patience(of: $0) >= limit }
    }

    /// What may have kept from a client what it was just sent: it left, or what it was sent on was over, before a busy
    /// machine would have read it; nil when there was time.
    func departure(after event: Int, on connection: Int?) -> Int? {
        let left = end(of: event, at: ObservedClient.interruptions)
        let over = min(left, connection.flatMap { loss(of: $0) } ?? .max)
        guard over < events.endIndex, patience(from: event, to: over) < timeouts.scheduling.microseconds else {
            return nil
        }
        return over
    }

    /// The event by which a client has taken what it was sent, or never will.
    func due(_ event: Int) -> Int {
        let limit = patience(of: event) + timeouts.scheduling.microseconds
        return events.indices.boundary { patience(of: $0) >= limit }
    }

    /// Whether a client surely takes what it was sent: it is there, and nothing keeps it from it.
    func isSurelyTaken(_ event: Int, on connection: Int?) -> Bool {
        (client.launches.isEmpty || client.isForeground(at: event)) && departure(after: event, on: connection) == nil
    }

    /// Whether a client surely took what it was sent before another event: there was time, and nothing kept it from it.
    func hadTime(
        for event: Int, on connection: Int? = nil, before other: Int, atLeast time: Duration = .zero
    ) -> Bool {
        patience(from: event, to: other) >= max(latency, time.microseconds)
            && departure(after: event, on: connection).map { $0 >= other } ?? true
    }
}
