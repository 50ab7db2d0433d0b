import Holdfast
import HoldfastTranscript

extension Observations {
    /// The event that proves that a client did not do something in time: it ran in the foreground with a network, the
    /// bound was watched to its end, and the connection, if one is needed, stayed open.
    ///
    /// Returns nil if an act with one of the given names comes first, or the end of the program or its next start.
    /// Without names, the client may be in the background.
    func clientDeadline(
        after cause: Int, within bound: Duration, on connection: Int? = nil,
        unless names: Set<String> = ["background", "networkDown"]
    ) -> Expiry? {
        guard names.isEmpty || client.mayBeInForeground(at: cause) && client.hasNetwork(at: cause) else { return nil }
        let limit = effectiveTime(of: cause) + bound.microseconds
        let stop = end(of: cause, at: ObservedClient.endsOfLife.union(names).union(["hang"]))
        if stop < events.endIndex, effectiveTime(of: stop) < limit { return nil }
        if let connection { return deadline(after: cause, within: bound, on: connection) }
        return proof(after: cause, limit: limit)
    }

    /// The first connection that a client requested after an event.
    func attempt(after event: Int) -> Int? {
        let next = client.attempts.boundary { connections[$0].opening > event }
        return client.attempts[next...].first
    }

    /// The connections that the client requested in a range of events, in the order of the requests.
    func attempts(in events: Range<Int>) -> ArraySlice<Int> {
        let first = client.attempts.boundary { connections[$0].opening >= events.lowerBound }
        return client.attempts[first...].prefix { connections[$0].opening < events.upperBound }
    }

    func wasEndedByClient(_ connection: ObservedConnection) -> Bool {
        switch connection.ending?.kind {
        case .closed(.toServer, _), .lost: true
        default: false
        }
    }

    /// The event of a close that sends a client away: 4001 or 4010 (CLIENT-3).
    func terminalClose(of connection: ObservedConnection) -> Int? {
        guard let ending = connection.ending, case .closed(.fromServer, let code?) = ending.kind,
            code == 4001 || code == 4010, endOfLife(at: connection.opening) > ending.event
        else { return nil }
        return ending.event
    }

    /// Whether the next connection after a refused version offers another one: not tried in this life, and in the list
    /// of the refusal if it has one.
    ///
    /// - Returns: True if it does, false if it has not offered any version yet, nil otherwise.
    func offersAnotherVersion(after close: Int, of index: Int) -> Bool? {
        func offer(_ index: Int) -> Int? { connections[index].sent.first { $0.kind == .auth }?["protocol"]?.intValue }
        let refusal = connections[index].received.last { $0.code == "unsupported_version" }
        let listed = refusal?["supported"]?.arrayValue.map { Set($0.compactMap(\.intValue)) }
        let start = client.launch(at: close)?.events.lowerBound ?? 0
        let isTerminal = connections[index].ending?.kind == .closed(.fromServer, code: 4010)
        // After a greeting each version may be offered again: a deployment changes the versions of a server.
        let greeted = connections.lazy.compactMap(\.connected).last { $0 < close } ?? 0
        let tried = Set((attempts(in: max(start, greeted)..<close) + [index]).compactMap(offer))
        guard isTerminal, listed?.isSubset(of: tried) != true, let next = attempt(after: close) else { return nil }
        guard let offered = offer(next) else { return false }
        return !tried.contains(offered) && listed?.contains(offered) != false ? true : nil
    }

    /// Whether the server sent the client away before an event, in the life at the event.
    func wasSentAway(before event: Int) -> Bool {
        let start = client.launch(at: event)?.events.lowerBound ?? 0
        return attempts(in: start..<event).contains { index in
            if let close = terminalClose(of: connections[index]), close < event {
                // A client that was greeted after offering another version is no longer excluded.
                return !attempts(in: close..<event).contains { connections[$0].connected.map { $0 < event } == true }
            }
            guard let refused = connections[index].refused, refused < event,
                case .refused(let status?, _) = history.events[refused].kind
            else { return false }
            return status == 401 || status == 403
        }
    }

    /// Whether a greeted connection was open, as far as the client could tell, at some moment between two events.
    func wasGreeted(between first: Int, and last: Int) -> Bool {
        connections.indices.contains { index in
            guard let connected = connections[index].connected, connected < last else { return false }
            return client.ends[index].map { $0 > first } ?? true
        }
    }

    /// The time from one event to another, in microseconds.
    func span(from first: Int, to last: Int) -> Int { time(of: last) - time(of: first) }

    /// The time from one event to another, as it counts toward a bound; see ``Observations/effectiveTime(of:)``.
    func effectiveSpan(from first: Int, to last: Int) -> Int { effectiveTime(of: last) - effectiveTime(of: first) }
}
