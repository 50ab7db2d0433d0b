import Holdfast
import Transcript

/// What a client says of its connection, and what it does without one.
extension CLIENT {
    static let honesty: [Check] = [
        Check(.CLIENT, 4, connectedIsShownWhenTold), Check(.CLIENT, 10, silenceEndsTheConnection),
        Check(.CLIENT, 39, troublesAreToldApart), Check(.CLIENT, 40, messagesComeWithoutSocket),
    ]

    /// What an answer of the driver may be older than the moment it is recorded.
    private static let inFlight = Duration.milliseconds(500)

    /// CLIENT-4: "A client MUST show itself as connected only after `connected` has arrived on the connection it uses".
    ///
    /// Once for each state shown while a handshake was pending and nothing else could be in use, and for each `connected`
    /// shown when nothing had been greeted.
    static func connectedIsShownWhenTold(_ history: Observations, _ evidence: inout Evidence) {
        for state in history.client.states {
            guard let life = history.client.launch(at: state.event)?.events else { continue }
            let attempts = history.attempts(in: life.lowerBound..<state.event)
            guard !attempts.contains(where: { mayBeInUse($0, at: state.event, history) }) else { continue }
            let pending = attempts.last { isPending($0, at: state.event, history) }
            if state.connection != .connected {
                if pending != nil { evidence.keep() }
                continue
            }
            let wasGreeted = attempts.contains { index in
                history.connections[index].connected.map { $0 < state.event } ?? false
            }
            if let pending {
                let opening = history.connections[pending].opening
                let isSettled = history.patience(from: opening, to: state.event) >= inFlight.microseconds
                guard !wasGreeted || isSettled else { continue }
                violate(state, since: opening, into: &evidence)
            } else if !wasGreeted {
                violate(state, since: life.lowerBound, into: &evidence)
            }
        }
    }

    private static func violate(_ state: ObservedClient.State, since event: Int, into evidence: inout Evidence) {
        evidence.violate(
            "the client showed itself as connected without having been greeted",
            expected: "connecting until connected arrives", actual: "connected", at: [event, state.event])
    }

    /// Whether an upgrade was asked for and its greeting had not come yet.
    private static func isPending(_ index: Int, at event: Int, _ history: Observations) -> Bool {
        let connection = history.connections[index]
        return connection.connected.map { $0 > event } ?? true && history.client.ends[index].map { $0 > event } ?? true
    }

    /// Whether a greeted connection may be the one in use: it has not ended for long, and the client has not come back from
    /// the background with a newer one.
    private static func mayBeInUse(_ index: Int, at event: Int, _ history: Observations) -> Bool {
        let connection = history.connections[index]
        guard let connected = connection.connected, connected < event else { return false }
        if let end = history.client.ends[index], end < event,
            history.patience(from: end, to: event) > inFlight.microseconds
        {
            return false
        }
        let back = history.client.returns.last { $0.event < event }
        guard let back, connection.opening < back.left else { return true }
        return history.attempt(after: back.event).map { history.connections[$0].opening > event } ?? true
    }

    /// CLIENT-10: "A client MUST treat a failed send, and a `chat` for which neither `ack` nor any frame of its turn arrived
    /// within `resend`, as the end of that connection".
    ///
    /// Once for each `chat` that nothing came of, and for each message typed into a socket that had died in silence. What
    /// the client does about it is another connection or a request; afterwards it leaves the old connection alone.
    static func silenceEndsTheConnection(_ history: Observations, _ evidence: inout Evidence) {
        for typed in history.client.typed {
            for send in typed.sends {
                guard case .socket(let index) = send.road else { continue }
                silenceEnds(index, after: send.event, key: send.key, history, into: &evidence)
            }
            guard typed.sends.first.map({ history.span(from: typed.event, to: $0.event) > 0 }) ?? true,
                let dead = deadConnection(at: typed.event, history)
            else { continue }
            silenceEnds(dead, after: typed.event, key: typed.key, history, into: &evidence)
        }
    }

    private static func silenceEnds(
        _ index: Int, after event: Int, key: String?, _ history: Observations, into evidence: inout Evidence
    ) {
        let client = history.client
        let bound = history.clientBound(\.resend)
        guard client.isForeground(at: event), client.hasNetwork(at: event), let life = client.launch(at: event)?.events
        else { return }
        let limit = history.patience(of: event) + bound.microseconds
        if let end = client.ends[index], history.patience(of: end) <= limit,
            !history.wasEndedByClient(history.connections[index])
        {
            return
        }
        let opening = history.attempt(after: event).map { history.connections[$0].opening }
        let request = history.exchanges.first { $0.request > event }?.request
        let reaction = [opening, request].compactMap { $0 }.filter { $0 < life.upperBound }.min()
        let news = news(of: key, on: index, after: event, history)
        if let news, history.patience(of: news) <= limit, reaction.map({ news < $0 }) ?? true { return }
        guard let reaction, history.patience(of: reaction) <= limit else {
            guard let late = history.clientSilence(after: event, within: bound) else { return }
            evidence.violate(
                "a message that was never answered did not end the connection",
                expected: "a new connection or a request within the bound 'resend'", actual: "neither",
                at: [event, late])
            return
        }
        let used = history.connections[index].sent.first { history.patience(of: $0.event) > limit }
        evidence.test(no: used) { used in
            Finding(
                "a connection that never answered was used again", expected: "nothing after the bound 'resend'",
                actual: called(used), at: [event, used.event])
        }
    }

    /// The first thing that told the client that its message had arrived, or what became of it.
    private static func news(of key: String?, on connection: Int, after event: Int, _ history: Observations)
        -> Int?
    {
        let frames = history.received.filter { $0.event > event }
        let turns = Set(frames.filter { key != nil && $0.clientMessageId == key }.compactMap(\.turnId))
        let told = frames.first { frame in
            if let name = frame.clientMessageId { return name == key }
            if let turn = frame.turnId { return turns.contains(turn) }
            return frame.connection == connection && frame.isOf("toolUse", "done", "message", "error")
        }?.event
        let response = history.exchanges.first {
            $0.isChat && ($0.response ?? 0) > event && $0.body?["clientMessageId"]?.stringValue == key
        }?.response
        let read = history.sessionReads.first { read in
            read.event > event && read.messages.contains { $0.clientMessageId != nil && $0.clientMessageId == key }
        }?.event
        return [told, response, read].compactMap { $0 }.min()
    }

    /// The greeted connection that had died in silence and that the client had no reason to doubt.
    private static func deadConnection(at event: Int, _ history: Observations) -> Int? {
        guard let life = history.client.launch(at: event)?.events else { return nil }
        guard let last = history.attempts(in: life.lowerBound..<event).last,
            history.connections[last].connected.map({ $0 < event }) == true,
            history.client.ends[last].map({ $0 > event }) ?? true, let ending = history.connections[last].ending,
            ending.kind == .cut, ending.event < event,
            history.client.returns.allSatisfy({ $0.event > event || $0.left < history.connections[last].opening })
        else { return nil }
        return last
    }

    // MARK: What a client says and does while it has no socket

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
