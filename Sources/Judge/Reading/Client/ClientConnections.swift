import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension Observations {
    func nextOpening(after event: Int) -> Int? { attempt(after: event).map { connections[$0].opening } }

    /// Everything that arrived from the server on a connection, including WebSocket pings and pongs, in order.
    func arrivals(on index: Int) -> [Int] {
        let connection = connections[index]
        let next = connections.first { $0.device == connection.device && $0.opening > connection.opening }?.opening
        return (connection.opening..<(next ?? events.endIndex)).filter { event in
            guard events[event].lane == .connection(connection.device) else { return false }
            switch events[event].kind {
            case .text(.fromServer, _), .binary(.fromServer, _), .ping(.fromServer), .pong(.fromServer): return true
            default: return false
            }
        }
    }

    /// Whether a greeted connection may be the one in use: it is open or has just ended, and the client has not come
    /// back from the background with a newer one.
    func mayBeInUse(_ index: Int, at event: Int) -> Bool {
        let connection = connections[index]
        guard let connected = connection.connected, connected < event else { return false }
        if let end = client.ends[index], end < event, !mayCross(end, event) { return false }
        let back = client.returns.last { $0.event < event }
        guard let back, connection.opening < back.left else { return true }
        return attempt(after: back.event).map { connections[$0].opening > event } ?? true
    }

    /// Whether a client has waited long enough on a connection to end it: for its greeting, for any sign of life, or
    /// for a sign of a question (CLIENT-4).
    func hasWaited(on index: Int, at event: Int) -> Bool {
        let connection = connections[index]
        let last = arrivals(on: index).last { $0 < event } ?? connection.opening
        let greeting = connection.connected.map { span(from: connection.opening, to: $0) } ?? 0
        return greeting >= clientWindow(\.connect).microseconds
            || span(from: last, to: event) >= clientWindow(\.silence).microseconds / 4
            || clientQuestions.contains { question in
                question.requests.contains { request in
                    guard request.connection == index, request.event < event else { return false }
                    // The client may not have received a frame on a connection that was over, and a frame without a key
                    // names no question.
                    let sign = question.signs.first { sign in
                        sign.event > request.event && frames[sign.event].map { $0.clientMessageId != nil } ?? true
                            && sign.connection.flatMap { loss(of: $0) }.map { $0 < sign.event } != true
                    }
                    return span(from: request.event, to: min(event, sign?.event ?? event))
                        >= clientWindow(\.resend).microseconds / 4
                }
            }
    }

    /// The greeted connection that had died silently, and that the client had no reason to doubt.
    func deadConnection(at event: Int) -> Int? {
        guard let life = client.launch(at: event)?.events else { return nil }
        guard let last = attempts(in: life.lowerBound..<event).last,
            connections[last].connected.map({ $0 < event }) == true, client.ends[last].map({ $0 > event }) ?? true,
            let ending = connections[last].ending, ending.kind == .cut, ending.event < event,
            client.returns.allSatisfy({ $0.event > event || $0.left < connections[last].opening })
        else { return nil }
        return last
    }

    /// A connection problem that lasted long enough to be shown, with the states that the client may show.
    func trouble(at event: Int) -> (since: Int, expected: Set<ObservedClient.Connection>)? {
        let tolerance = timeouts.scheduling.microseconds
        guard client.isForeground(at: event), let life = client.launch(at: event)?.events else { return nil }
        let acts = client.acts("launch", "networkDown", "networkUp").map(\.event) + client.returns.map(\.event)
        guard let change = acts.filter({ $0 < event }).max() else { return nil }
        if !client.hasNetwork(at: event) {
            // An app that was launched without a network is not notified; it learns from its attempts.
            let wasReported = client.acts("networkDown").contains { life.contains($0.event) && $0.event < event }
            guard wasReported, effectiveSpan(from: change, to: event) >= tolerance else { return nil }
            return (change, [.offline])
        }
        let attempts = attempts(in: life.lowerBound..<event)
        let lost = attempts.compactMap { index -> Int? in
            connections[index].connected.map { $0 < event } == true ? client.ends[index] ?? .max : nil
        }.max()
        let since = max(lost ?? change, change)
        guard since < event, effectiveSpan(from: since, to: event) >= tolerance, !wasSentAway(before: event) else {
            return nil
        }
        let tries = attempts.filter { connections[$0].opening > since }
        let ends = tries.compactMap { client.ends[$0] }
        let isTrying = ends.count < tries.count || ends.contains { $0 > event && !mayCross(event, $0) }
        // An attempt that has just ended may still be on the screen.
        if isTrying || ends.contains(where: { mayCross($0, event) }) {
            let start = lost ?? change
            let hasPolled = exchanges.contains { exchange in
                exchange.request < event && (end(of: exchange) > start || mayCross(end(of: exchange), start))
            }
            return (since, hasPolled || !isTrying ? [.connecting, .degraded] : [.connecting])
        }
        let reads = client.reads.filter { $0.request > since && $0.status == 200 && end(of: $0) < event }
        // One read may belong to the start; a second one is polling.
        guard !tries.isEmpty, reads.count > 1, !mayCross(end(of: reads[1]), event) else { return nil }
        // A client that still waits for a response, or received an error, does not know that reads work.
        let isInDoubt = exchanges.contains { exchange in
            exchange.request < event && end(of: exchange) > since
                && (exchange.status != 200 || end(of: exchange) > event)
        }
        return (since, isInDoubt ? [.connecting, .degraded] : [.degraded])
    }

    /// The attempts after a launch, until the client is greeted or an act disturbs it.
    func undisturbedAttempts(of launch: ObservedClient.Launch) -> [Int] {
        let attempts = attempts(in: launch.events)
        let greeted = attempts.lazy.compactMap { self.connections[$0].connected }.min()
        let disturbed = client.acts.first { $0.event > launch.events.lowerBound && $0.name != "selectSession" }?.event
        let end = earliest(greeted, disturbed) ?? .max
        return attempts.map { connections[$0].opening }.filter { $0 < end }
    }

    /// Whether the client had another connection, or an undecided attempt, as far as it could tell.
    ///
    /// A connection that died silently before this one was opened does not count.
    func hasAnother(than index: Int, at event: Int, in life: Range<Int>) -> Bool {
        attempts(in: life.lowerBound..<event).contains { other in
            let isDead = connections[other].ending.map { $0.event < connections[index].opening } ?? false
            return other != index && !isDead && (client.ends[other].map { $0 > event } ?? true)
        }
    }
}
