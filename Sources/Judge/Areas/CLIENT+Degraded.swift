import Holdfast
import Transcript

/// What a client says and does while it has no socket.
extension CLIENT {
    /// CLIENT-39: "A client SHOULD show `connecting`, `degraded` (polling without a socket) and `offline` (no network) as
    /// different states".
    ///
    /// Once for each state shown in one of these troubles, when it had lasted long enough to be seen.
    static func troublesAreToldApart(_ history: Observations, _ evidence: inout Evidence) {
        for state in history.client.states {
            guard let (since, expected) = trouble(at: state.event, history) else { continue }
            if let shown = state.connection, shown == .connected || expected.contains(shown) {
                // Connected without a greeting is the matter of CLIENT-4.
                if shown != .connected { evidence.keep() }
                continue
            }
            evidence.violate(
                "the client gave its trouble another name",
                expected: expected.map(\.rawValue).sorted().joined(separator: " or "),
                actual: state.connection?.rawValue ?? "an unknown word", at: [since, state.event])
        }
    }

    /// The trouble a client had been in for long enough to say so, with what it may call it.
    private static func trouble(
        at event: Int, _ history: Observations
    ) -> (since: Int, expected: Set<ObservedClient.Connection>)? {
        let client = history.client
        let settled = history.timeouts.scheduling.microseconds
        guard client.isForeground(at: event), let life = client.launch(at: event)?.events else { return nil }
        let changes = client.acts.filter {
            $0.event < event && ["launch", "foreground", "openPush", "networkDown", "networkUp"].contains($0.name)
        }
        guard let change = changes.last else { return nil }
        if !client.hasNetwork(at: event) {
            guard history.patience(from: change.event, to: event) >= settled else { return nil }
            return (change.event, [.offline])
        }
        let attempts = history.attempts(in: life.lowerBound..<event)
        let lost = attempts.compactMap { index -> Int? in
            history.connections[index].connected.map { $0 < event } == true ? client.ends[index] ?? .max : nil
        }.max()
        let since = max(lost ?? change.event, change.event)
        guard since < event, history.patience(from: since, to: event) >= settled, !history.wasSentAway(before: event)
        else { return nil }
        let reads = client.reads.filter { read in
            read.request > since && read.status == 200 && read.response.map { $0 < event } == true
        }
        let tries = attempts.filter { history.connections[$0].opening > since }
        // An attempt that has just ended may still be on the screen.
        let isTrying = tries.contains {
            guard let end = client.ends[$0] else { return true }
            return end > event || history.patience(from: end, to: event) < Self.redraw.microseconds
        }
        if isTrying { return (since, reads.isEmpty ? [.connecting] : [.connecting, .degraded]) }
        // One read may be part of the start; a second one is polling.
        guard !tries.isEmpty, let second = reads.dropFirst().first?.response,
            history.patience(from: second, to: event) >= Self.redraw.microseconds
        else { return nil }
        return (since, [.degraded])
    }

    /// What a client may take to draw what it has just learnt.
    private static let redraw = Duration.milliseconds(500)

    /// CLIENT-40: "A client SHOULD show new messages within 35 s while only REST works".
    ///
    /// Once for each time messages were stored in the session on the screen while no socket delivered and reads were
    /// answered.
    static func messagesComeWithoutSocket(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        let bound = history.clientBound(\.degraded)
        for stored in client.stored {
            guard client.isForeground(at: stored.event), client.hasNetwork(at: stored.event),
                client.state(at: stored.event)?.sessionId == stored.sessionId
            else { continue }
            let states = client.states.filter { $0.event > stored.event }
            let limit = history.patience(of: stored.event) + bound.microseconds
            if let first = states.first(where: { shows(stored, $0) }), history.patience(of: first.event) <= limit {
                if !history.wasGreeted(between: stored.event, and: first.event) { evidence.keep() }
                continue
            }
            guard
                let late = history.clientSilence(
                    after: stored.event, within: bound,
                    unless: ["background", "networkDown", "selectSession", "openPush"]),
                let after = states.first(where: { $0.event >= late }), after.sessionId == stored.sessionId,
                !history.wasGreeted(between: stored.event, and: after.event),
                readsWork(from: stored.event, to: late, history)
            else { continue }
            if shows(stored, after) {
                // Nobody asked in between.
                evidence.keep()
            } else {
                evidence.violate(
                    "messages stored while only REST works were not shown",
                    expected: "\(listed(stored.ids)) within the bound 'degraded'", actual: listed(after.ids),
                    at: [stored.event, after.event])
            }
        }
    }

    private static func shows(_ stored: ObservedClient.Stored, _ state: ObservedClient.State) -> Bool {
        state.sessionId == stored.sessionId && Set(stored.ids).isSubset(of: state.ids)
    }

    /// Whether no read between two events failed or was withheld.
    private static func readsWork(from first: Int, to last: Int, _ history: Observations) -> Bool {
        history.client.reads.filter { $0.request > first && $0.request < last }.allSatisfy { read in
            read.status == 200 || history.span(from: read.request, to: last) < Duration.seconds(1).microseconds
        }
    }
}
