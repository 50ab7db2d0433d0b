import Holdfast
import HoldfastTranscript

/// Events that may have crossed: the only tolerance in judging clients.
extension Observations {
    /// The largest delay between an act of the client and its record, or between sending and receiving a frame.
    ///
    /// A quarter of `scheduling`, the delay that a busy machine adds to a timer, or, if longer, the time that the
    /// driver then took to report the screen.
    private func latency(at event: Int) -> Int {
        let margin = timeouts.scheduling.microseconds / 4
        let moment = time(of: event)
        let answers = history.header.slowAnswers
        return answers[answers.boundary { $0.to + margin >= moment }...].prefix { $0.from - margin <= moment }
            .reduce(margin) { max($0, $1.to - $1.from) }
    }

    /// Whether two events may have happened in the reverse order.
    func mayCross(_ one: Int, _ other: Int) -> Bool {
        abs(effectiveSpan(from: one, to: other)) < max(latency(at: one), latency(at: other))
    }

    /// The first event after another that cannot have crossed with it.
    func endOfCrossing(with event: Int) -> Int {
        let limit = effectiveTime(of: event) + latency(at: event)
        return events.indices.boundary { effectiveTime(of: $0) > limit }
    }

    /// The first event that may still be on its way to a client at another event.
    func inFlight(before event: Int) -> Int {
        let limit = effectiveTime(of: event) - timeouts.scheduling.microseconds
        return events.indices.boundary { effectiveTime(of: $0) >= limit }
    }

    /// The event that may have kept a client from receiving a frame: the client left, or its connection ended, before a
    /// busy machine would have read the frame; nil if there was time.
    func departure(after event: Int, on connection: Int?) -> Int? {
        let left = end(of: event, at: ObservedClient.interruptions)
        let over = min(left, connection.flatMap { loss(of: $0) } ?? .max)
        guard over < events.endIndex, effectiveSpan(from: event, to: over) < timeouts.scheduling.microseconds else {
            return nil
        }
        return over
    }

    /// The event by which a client has received a frame, or never will.
    func latestArrival(_ event: Int) -> Int {
        let limit = effectiveTime(of: event) + timeouts.scheduling.microseconds
        return events.indices.boundary { effectiveTime(of: $0) >= limit }
    }

    /// Whether a client certainly receives a frame: it is in the foreground, and nothing prevents it.
    func isSurelyHandled(_ event: Int, on connection: Int?) -> Bool {
        client.mayBeInForeground(at: event) && departure(after: event, on: connection) == nil
    }

    /// Whether a client certainly received a frame before another event: there was time, and nothing prevented it.
    func hadTime(
        for event: Int, on connection: Int? = nil, before other: Int, atLeast time: Duration = .zero
    ) -> Bool {
        effectiveSpan(from: event, to: other) >= max(latency(at: event), latency(at: other), time.microseconds)
            && departure(after: event, on: connection).map { $0 >= other } ?? true
    }
}
