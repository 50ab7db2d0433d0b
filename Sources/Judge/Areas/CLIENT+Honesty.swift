import Holdfast
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-23: "A client MUST show itself as connected only after `connected` has arrived on the connection it
    /// uses".
    ///
    /// Tested once for each state shown while a handshake was pending and no other connection could be in use, and for
    /// each `connected` shown before any greeting.
    static func connectedFollowsTheGreeting(_ history: Observations, _ evidence: inout Evidence) {
        for state in history.client.states {
            guard let life = history.client.launch(at: state.event)?.events else { continue }
            let attempts = history.attempts(in: life.lowerBound..<state.event)
            guard !attempts.contains(where: { history.mayBeInUse($0, at: state.event) }) else { continue }
            // A client that opens another connection has given up the one before.
            let pending = attempts.last.flatMap { index in
                history.connections[index].connected.isOpen(at: state.event)
                    && history.client.ends[index].isOpen(at: state.event) ? index : nil
            }
            if state.connection != .connected {
                if pending != nil { evidence.keep() }
                continue
            }
            let wasGreeted = attempts.contains { index in
                history.connections[index].connected.isBefore(state.event)
            }
            let opening = pending.map { history.connections[$0].opening }
            let isSettled = opening.map {
                !history.mayCross($0, state.event)
            }
            guard !wasGreeted || isSettled == true else { continue }
            evidence.violate(
                "the client showed connected before it received connected",
                expected: "connecting until connected arrives", actual: "connected",
                at: [opening ?? life.lowerBound, state.event])
        }
    }

    /// CLIENT-4: "A client MUST treat a connection as ended when a send on it fails, a `chat` is unanswered for
    /// `resend`, or it is silent for `silence`".
    ///
    /// Tested once for each `chat` without any reaction, and for each message typed into a socket that had died
    /// silently. The client reacts with another connection or a request; afterwards it leaves the old connection alone.
    static func silenceEndsTheConnection(_ history: Observations, _ evidence: inout Evidence) {
        for question in history.clientQuestions {
            for request in question.requests {
                guard let connection = request.connection else { continue }
                silenceEnds(connection, after: request.event, of: question, history, into: &evidence)
            }
            guard let typed = question.typed,
                question.requests.first.map({ history.span(from: typed, to: $0.event) > 0 }) ?? true,
                let dead = history.deadConnection(at: typed), !history.mayWaitForEarlier(question)
            else { continue }
            // A message shown as failed at once, such as for its size, was not sent.
            if history.hasFailed(question, from: typed, to: history.endOfCrossing(with: typed)) { continue }
            silenceEnds(dead, after: typed, of: question, history, into: &evidence)
        }
    }

    private static func silenceEnds(
        _ index: Int, after event: Int, of question: ClientQuestion, _ history: Observations,
        into evidence: inout Evidence
    ) {
        let client = history.client
        let bound = history.clientBound(\.resend)
        if !client.isForeground(at: event) || !client.hasNetwork(at: event) || client.launch(at: event) == nil {
            return
        }
        let limit = history.effectiveTime(of: event) + bound.microseconds
        func isInTime(_ event: Int?) -> Bool { event.map { history.effectiveTime(of: $0) <= limit } ?? false }
        if let end = client.ends[index], isInTime(end) {
            if history.wasEndedByClient(history.connections[index]) { evidence.keep() }
            return
        }
        if isReported(question, on: index, after: event, isInTime: isInTime, history) { return }
        guard let reaction = history.reaction(after: event, { _ in true }), isInTime(reaction) else {
            guard let late = history.clientDeadline(after: event, within: bound) else { return }
            let expected = "a new connection or a request within the bound 'resend'"
            let what = "the client stayed on a connection that never answered"
            return evidence.violate(what, expected: expected, actual: "neither", at: [event, late])
        }
        let used = history.connections[index].sent.first { !isInTime($0.event) }
        // A session that the person opens, or a push names, is read in any state of the connection.
        let isCaused = client.acts("selectSession", "openPush", "receivePush").contains {
            $0.isAfter(event) && $0.isBefore(reaction)
        }
        let isOwn = isInTime(history.reaction(after: event, \.isChat))
        evidence.test(no: used, keptIf: isOwn || !isCaused) { used in
            Finding(
                "the client used a connection again that had never answered",
                expected: "nothing after the bound 'resend'", actual: called(used), at: [event, used.event])
        }
    }

    /// Whether a sign of a question arrived so soon that there was no silence to react to.
    ///
    /// It counts if it arrived on the connection, or before the client reconnected or resent the message over REST.
    private static func isReported(
        _ question: ClientQuestion, on index: Int, after event: Int, isInTime: (Int?) -> Bool, _ history: Observations
    ) -> Bool {
        // The sign may have crossed with the question.
        guard let sign = question.signs.first(where: { !$0.isBefore(history.inFlight(before: event)) })?.event else {
            return false
        }
        let sentAgain = history.reaction(after: event) { exchange in
            exchange.isChat && exchange.body?.id("clientMessageId").map(question.keys.contains) == true
        }
        return sign < event
            || isInTime(sign) && (history.arrivals(on: index).contains(sign) || sentAgain.isOpen(at: sign))
    }

    /// CLIENT-4, rule 2: a connection that is silent for `silence` while a turn is awaited counts as ended.
    ///
    /// Tested once for each connection that the stage silenced after the question was accepted, and that the client
    /// replaced. Broken if the client still waits after the bound and the longest wait before an attempt.
    static func silentConnectionsEnd(_ history: Observations, _ evidence: inout Evidence) {
        let questions = history.clientQuestions
        for index in history.client.attempts {
            guard let connected = history.connections[index].connected else { continue }
            let arrivals = history.arrivals(on: index).drop { $0 < connected }
            for (arrival, next) in zip(arrivals, arrivals.dropFirst().map(Optional.some) + [nil]) {
                let isAwaited = questions.contains { question in
                    question.proof.map { $0 <= arrival } == true
                        && !question.signs.contains { $0.kind != .proof && !$0.isAfter(arrival) }
                }
                if isAwaited { silenceEnds(index, after: arrival, before: next, questions, history, &evidence) }
            }
        }
    }

    private static func silenceEnds(
        _ index: Int, after arrival: Int, before next: Int?, _ questions: [ClientQuestion], _ history: Observations,
        _ evidence: inout Evidence
    ) {
        let connection = history.connections[index]
        let whole = history.clientBound(\.silence) + history.clientWindow(\.backoff)
        let limit = history.effectiveTime(of: arrival) + whole.microseconds
        func isInTime(_ event: Int?) -> Bool { event.map { history.effectiveTime(of: $0) <= limit } ?? false }
        if isInTime(next) { return }
        let reaction = earliest(history.nextOpening(after: arrival), history.client.ends[index])
        if let reaction, isInTime(reaction) {
            // A client that leaves a live connection has other reasons; so has one that returned or lost the network.
            let isSilenced = connection.ending.map { $0.kind == .cut && $0.isBefore(reaction) } == true
            if isSilenced, history.isAble(from: arrival, to: reaction) { evidence.keep() }
            return
        }
        let isWaitedFor = history.exchanges.contains {
            $0.isChat && ($0.response ?? $0.failure).isOpen(at: arrival)
        }
        guard !isWaitedFor, let proof = history.clientDeadline(after: arrival, within: whole),
            history.isAble(from: arrival, to: proof.event),
            // Polling may end soon after, and with it the waiting.
            let late = history.samples(after: arrival, before: proof.event + 1).first(where: { sample in
                history.effectiveTime(askedFor: sample) - history.effectiveTime(of: arrival)
                    >= history.clientWindow(\.silence).microseconds
            })?.event,
            history.isAwaiting(questions, at: late)
                || questions.contains(where: { history.stateOnReturn(to: $0, elsewhereAt: late)?.thinking == true }),
            !history.hasAnother(than: index, at: arrival, in: 0..<history.events.endIndex)
        else { return }
        evidence.violate(
            "the client waits forever on a silent connection",
            expected: "a new connection, or the end of this one, within the bound 'silence'", actual: "neither",
            at: [arrival, proof])
    }

    // MARK: Without a socket

    /// CLIENT-33: "A client SHOULD show `connecting`, `degraded` (polling without a socket) and `offline` (no network)
    /// as different states".
    ///
    /// Tested once for each state shown during one of these problems, if it had lasted long enough to be noticed.
    static func troublesAreDistinguished(_ history: Observations, _ evidence: inout Evidence) {
        for state in history.client.states {
            guard let (since, expected) = history.trouble(at: state.event) else { continue }
            if let shown = state.connection, shown == .connected || expected.contains(shown) {
                // CLIENT-23 judges a client that shows itself as connected without a greeting.
                if shown != .connected { evidence.keep() }
                continue
            }
            evidence.violate(
                "the client shows the wrong connection state",
                expected: expected.map(\.rawValue).sorted().joined(separator: " or "),
                actual: state.connection?.rawValue ?? "an unknown word", at: [since, state.event])
        }
    }

    /// CLIENT-40: "A client SHOULD show new messages within 35 s while only REST works".
    ///
    /// Tested once for each time that messages were stored in the session on the screen while no socket delivered and
    /// reads were answered.
    static func messagesArriveWithoutSocket(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        let bound = history.clientBound(\.degraded)
        for stored in client.stored {
            guard client.isForeground(at: stored.event), client.hasNetwork(at: stored.event),
                client.state(at: stored.event)?.sessionId == stored.sessionId
            else { continue }
            let states = client.states.filter { $0.isAfter(stored.event) }
            let limit = history.effectiveTime(of: stored.event) + bound.microseconds
            if let first = states.first(where: { shows(stored, $0) }), history.effectiveTime(of: first.event) <= limit {
                if !history.wasGreeted(between: stored.event, and: first.event) { evidence.keep() }
                continue
            }
            guard
                let late = history.clientDeadline(
                    after: stored.event, within: bound,
                    unless: ["background", "networkDown", "selectSession", "openPush"]),
                let after = states.first(where: { !$0.isBefore(late.event) }), after.sessionId == stored.sessionId,
                !history.wasGreeted(between: stored.event, and: after.event),
                !history.wasSentAway(before: after.event), readsWork(from: stored.event, to: late.event, history),
                !stored.ids.contains(where: {
                    history.lacks($0, in: stored.sessionId, askedAfter: stored.event, before: late.event)
                }),
                // If a later screen shows them, the time of their appearance is unknown.
                !shows(stored, after)
            else { continue }
            evidence.violate(
                "messages stored while only REST works are not shown",
                expected: "\(listed(stored.ids)) within the bound 'degraded'", actual: listed(after.ids),
                at: [stored.event, after.event])
        }
    }

    private static func shows(_ stored: ObservedClient.Stored, _ state: ObservedClient.State) -> Bool {
        state.sessionId == stored.sessionId && Set(stored.ids).isSubset(of: state.ids)
    }

    /// Whether no read that was pending between two events failed or was withheld.
    private static func readsWork(from first: Int, to last: Int, _ history: Observations) -> Bool {
        history.client.reads.filter { $0.isAsked(before: last) && history.end(of: $0) > first }.allSatisfy { read in
            read.status == 200 || history.span(from: read.request, to: last) < Duration.seconds(1).microseconds
        }
    }
}

extension Observations {
    /// The first connection or matching request after an event, in the same life of the app.
    fileprivate func reaction(after event: Int, _ isMeant: (ObservedExchange) -> Bool) -> Int? {
        let request = exchanges.first { $0.isAsked(after: event) && isMeant($0) }?.request
        return [nextOpening(after: event), request].compactMap(\.self).filter { $0 < endOfLife(at: event) }.min()
    }
}
