import Holdfast
import HoldfastTranscript

/// How connections end.
extension LIVE {
    /// LIVE-10: "A server MUST NOT end an open connection without a cause".
    ///
    /// Once for each greeted connection that was answered and that the server did not end, and for each that it ended
    /// without such a reason. Other clauses judge these ends: a terminal code (LIVE-9), an idle peer and 4004 (LIVE-3),
    /// a spent budget (RATE-4), the effect of a malformed message on this or other connections (ENV-5), and the end of
    /// the process itself.
    static func connectionsEndForAReason(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.pauses.isEmpty {
            guard let connected = connection.connected else { continue }
            guard let ending = connection.ending, connection.wasEndedByServer else {
                let isOurs = connection.ending.map { $0.kind != .lost } ?? true
                if isOurs, connection.received.contains(where: { $0.event > connected }) { evidence.keep() }
                continue
            }
            guard ending.event > connected, !hasReason(ending, of: index, history) else { continue }
            let last = connection.received.last { $0.event < ending.event }
            evidence.violate(
                "the server ended a connection for no allowed reason", expected: "it stays open",
                actual: ending.kind == .lost
                    ? "the end of the connection without a close frame" : "a close frame from the server",
                at: [last?.event ?? connected, ending.event])
        }
    }

    /// Whether the server had a reason for the end, or another clause judges it.
    private static func hasReason(
        _ ending: ObservedConnection.Ending, of index: Int, _ history: Observations
    ) -> Bool {
        let connection = history.connections[index]
        let connected = connection.connected ?? connection.opening
        if ending.isExcused || ending.isOwnStop { return true }
        if ending.isForSilence { return true }
        if case .closed(_, let code?) = ending.kind, [4001, 4010].contains(code) { return true }
        // Without an announced limit, a message may have exceeded it.
        if ending.kind == .closed(.fromServer, code: 1009), connection.limit("maxFrameBytes") == nil { return true }
        if history.isAfterHostileFrame(ending.event) || history.wasDisturbed(between: connected, and: ending.event) {
            return true
        }
        if history.endedWithItsProcess(ending.event) { return true }
        if isWithinBudgetWait(ending.event, on: index, history) { return true }
        guard let heartbeat = heartbeat(of: connection, history)?.microseconds else { return true }
        if wasSilent(index, until: ending.event, history) { return true }
        let spoke = max(connected, connection.sent.last { $0.event < ending.event }?.event ?? 0)
        return history.span(from: spoke, to: ending.event) >= heartbeat
            && signs(on: index, history).contains { $0 > spoke && $0 < ending.event }
    }

    /// Whether the client had sent nothing for two heartbeats.
    static func wasSilent(_ index: Int, until event: Int, _ history: Observations) -> Bool {
        let connection = history.connections[index]
        guard let heartbeat = heartbeat(of: connection, history)?.microseconds else { return false }
        // The server counts from the last sign it received, at the latest `auth`, shortly before the stage noted it.
        let sign = signs(on: index, history).last { $0 < event } ?? connection.auth ?? connection.opening
        return history.span(from: sign, to: event) >= 2 * heartbeat - heartbeat / 4
    }

    /// Whether a question had been refused for its rate, and its wait was not over.
    static func isWithinBudgetWait(_ event: Int, on index: Int, _ history: Observations) -> Bool {
        history.connections[index].received.contains { frame in
            guard frame.type == "error", frame.code == "rate_limited", frame.event < event else { return false }
            let wait = min(max(frame["retryAfterMs"]?.intValue ?? 0, 0), 3_600_000) * 1000
            return history.span(from: frame.event, to: event) < wait
        }
    }
}
