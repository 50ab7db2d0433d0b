extension ArrivalQueue {
    /// The next event within a time; one that arrives at the last moment is delivered, never lost.
    func next(
        within limit: Duration,
        _ what: String,
        at place: String
    ) async throws(TransportProblem) -> WebSocketArrival? {
        if let waiting = poll() { return waiting }
        let caught = CaughtArrival()
        do {
            return try await withDeadline(limit, what, at: place) {
                let arrival = await self.next()
                caught.set(arrival)
                return arrival
            }
        } catch {
            // The deadline cancelled the wait, and still an event may have been taken in that moment.
            if let arrival = caught.get() { return arrival }
            throw TransportProblem(error, at: place)
        }
    }
}
