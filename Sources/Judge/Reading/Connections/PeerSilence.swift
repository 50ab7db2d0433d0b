import Holdfast
import HoldfastTranscript

extension Observations {
    /// The last message of a client on a connection before an event; its greeting if that is later.
    func lastSign(on connection: ObservedConnection, before event: Int) -> Int {
        max(connection.connected ?? connection.opening, connection.signs.last { $0 < event } ?? 0)
    }

    /// Whether a client had sent nothing for two heartbeats.
    ///
    /// The server counts from its own receipt of the last sign, which may be shortly before the stage noted that sign.
    func wasSilent(_ connection: ObservedConnection, before event: Int) -> Bool {
        guard let heartbeat = connection.heartbeat else { return false }
        return span(from: lastSign(on: connection, before: event), to: event) >= 2 * heartbeat - heartbeat / 4
    }

    /// Whether a client had sent only WebSocket pings or pongs, and no frame, for a heartbeat.
    func wasIdle(_ connection: ObservedConnection, before event: Int) -> Bool {
        guard let heartbeat = connection.heartbeat, let connected = connection.connected else { return false }
        let lastFrame = max(connected, connection.sent.last { $0.event < event }?.event ?? 0)
        return span(from: lastFrame, to: event) >= heartbeat
            && connection.signs.contains { $0 > lastFrame && $0 < event }
    }

    /// Whether a connection lasted for more than three heartbeats in which its client sent no frames, only WebSocket
    /// pings or pongs less than two heartbeats apart.
    func wasKeptIdle(_ connection: ObservedConnection) -> Bool {
        guard let heartbeat = connection.heartbeat, let connected = connection.connected else { return false }
        let texts = connection.sent.map(\.event)
        let received = connection.received
        return ([connected] + texts).contains { start in
            func isLater(_ event: Int) -> Bool { span(from: start, to: event) > 3 * heartbeat }
            guard let heard = received[received.boundary { isLater($0.event) }...].first?.event else { return false }
            let end = min(heard, texts[texts.boundary { $0 > start }...].first ?? heard)
            guard start >= connected, isLater(end) else { return false }
            let signs = connection.signs.filter { $0 > start && $0 < end }
            let steps = zip([start] + signs, signs + [end])
            return !signs.isEmpty && steps.allSatisfy { span(from: $0, to: $1) < 2 * heartbeat }
        }
    }

    /// Whether a question had been refused for its rate on a connection, and the wait was not over at an event.
    func isWithinBudgetWait(_ event: Int, on index: Int) -> Bool {
        connections[index].received.before(event).contains { frame in
            frame.kind == .error && frame.code == "rate_limited" && isWithinWait(event, after: frame)
        }
    }

    /// Whether the wait in a refusal was not over at an event; at most an hour.
    func isWithinWait(_ event: Int, after refusal: Frame) -> Bool {
        let wait = min(max(refusal["retryAfterMs"]?.intValue ?? 0, 0), 3_600_000) * 1000
        return span(from: refusal.event, to: event) < wait
    }
}
