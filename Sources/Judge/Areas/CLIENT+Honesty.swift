import Holdfast
import HoldfastTranscript

/// The client's reports on its connection, and its behavior without one.
extension CLIENT {
    /// CLIENT-23: "A client MUST show itself as connected only after `connected` has arrived on the connection it uses".
    ///
    /// Once for each state shown while a handshake was pending and nothing else could be in use, and for each
    /// `connected` shown when nothing had been greeted.
    static func connectedIsShownWhenTold(_ history: Observations, _ evidence: inout Evidence) {
        for state in history.client.states {
            guard let life = history.client.launch(at: state.event)?.events else { continue }
            let attempts = history.attempts(in: life.lowerBound..<state.event)
            guard !attempts.contains(where: { history.mayBeInUse($0, at: state.event) }) else { continue }
            let pending = attempts.last { history.isPending($0, at: state.event) }
            if state.connection != .connected {
                if pending != nil { evidence.keep() }
                continue
            }
            let wasGreeted = attempts.contains { index in
                history.connections[index].connected.map { $0 < state.event } ?? false
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
    /// Once for each `chat` without any reaction, and for each message typed into a socket that had died in silence.
    /// The client reacts with another connection or a request; afterwards it leaves the old connection alone.
    static func silenceEndsTheConnection(_ history: Observations, _ evidence: inout Evidence) {
        for question in history.clientQuestions {
            for request in question.requests {
                guard let connection = request.connection else { continue }
                silenceEnds(connection, after: request.event, of: question, history, into: &evidence)
            }
            guard let typed = question.typed,
                question.requests.first.map({ history.span(from: typed, to: $0.event) > 0 }) ?? true,
                let dead = history.deadConnection(at: typed), !history.isHeldUp(question)
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
        guard client.isForeground(at: event), client.hasNetwork(at: event), let life = client.launch(at: event)?.events
        else { return }
        let limit = history.patience(of: event) + bound.microseconds
        if let end = client.ends[index], history.patience(of: end) <= limit {
            if history.wasEndedByClient(history.connections[index]) { evidence.keep() }
            return
        }
        // The report may have crossed with it.
        let news = question.news.first { $0.event >= history.inFlight(before: event) }?.event
        if let news, news < event { return }
        let opening = history.nextOpening(after: event)
        func reaction(_ isMeant: (ObservedExchange) -> Bool) -> Int? {
            let request = history.exchanges.first { $0.request > event && isMeant($0) }?.request
            return [opening, request].compactMap { $0 }.filter { $0 < life.upperBound }.min()
        }
        // A read, such as that of a session just opened, is no reaction to a silence that ended or a message that it
        // shows.
        if let news, history.patience(of: news) <= limit,
            history.arrivals(on: index).contains(news)
                || reaction({ $0.isChat && $0.body?.id("clientMessageId").map(question.keys.contains) == true }).map({
                    news < $0
                }) ?? true
        {
            return
        }
        let own = reaction({ $0.isChat }).map { history.patience(of: $0) <= limit } ?? false
        guard let reaction = reaction({ _ in true }), history.patience(of: reaction) <= limit else {
            guard let late = history.clientSilence(after: event, within: bound) else { return }
            evidence.violate(
                "the client stayed on a connection that never answered",
                expected: "a new connection or a request within the bound 'resend'", actual: "neither",
                at: [event, late])
            return
        }
        let used = history.connections[index].sent.first { history.patience(of: $0.event) > limit }
        // A session that the person opens, or a push names, is read whatever the state of the connection.
        let acts = history.client.acts("selectSession", "openPush", "receivePush")
        let isCaused = acts.contains { $0.event > event && $0.event < reaction }
        evidence.test(no: used, keptIf: own || !isCaused) { used in
            Finding(
                "the client used a connection again that had never answered",
                expected: "nothing after the bound 'resend'",
                actual: called(used), at: [event, used.event])
        }
    }

    /// CLIENT-4, rule 2: a connection that is silent for `silence` while a turn is awaited is over.
    ///
    /// Once for each connection that the stage silenced after the question was taken, and the client left for another
    /// one. Broken when it goes on waiting for the bound and for the longest wait before another attempt.
    static func silentConnectionsEnd(_ history: Observations, _ evidence: inout Evidence) {
        let questions = history.clientQuestions
        for index in history.client.attempts {
            guard let connected = history.connections[index].connected else { continue }
            let arrivals = history.arrivals(on: index).drop { $0 < connected }
            for (arrival, next) in zip(arrivals, arrivals.dropFirst().map(Optional.some) + [nil]) {
                let isAwaited = questions.contains { question in
                    question.proof.map { $0 <= arrival } == true
                        && !question.news.contains { $0.kind != .proof && $0.event <= arrival }
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
        let bound = history.clientBound(\.silence)
        let whole = bound + history.clientWindow(\.backoff)
        let limit = history.patience(of: arrival) + whole.microseconds
        if let next, history.patience(of: next) <= limit { return }
        let end = history.client.ends[index] ?? .max
        let reaction = min(history.nextOpening(after: arrival) ?? .max, end)
        if reaction < .max, history.patience(of: reaction) <= limit {
            // A client that leaves a living connection has other reasons, and so has one that returned or was turned
            // away.
            let isSilenced = connection.ending.map { $0.kind == .cut && $0.event < reaction } == true
            if isSilenced, history.isAble(from: arrival, to: reaction) { evidence.keep() }
            return
        }
        let isWaitedFor = history.exchanges.contains { exchange in
            exchange.isChat && exchange.response.map { $0 > arrival } ?? (exchange.failure.map { $0 > arrival } ?? true)
        }
        guard !isWaitedFor, let proof = history.clientSilence(after: arrival, within: whole),
            history.isAble(from: arrival, to: proof),
            // Polling may end soon after, and the waiting with it.
            let late = history.looks(after: arrival, before: proof + 1).first(where: { look in
                history.patience(from: arrival, to: look.event) >= history.clientWindow(\.silence).microseconds
            })?.event,
            history.isAwaiting(questions, at: late)
                || questions.contains(where: { history.firstLookOnReturn(to: $0, elsewhereAt: late)?.thinking == true }),
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
    /// Once for each state shown in one of these troubles, when it had lasted long enough to be seen.
    static func troublesAreToldApart(_ history: Observations, _ evidence: inout Evidence) {
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
                !history.wasSentAway(before: after.event), readsWork(from: stored.event, to: late, history),
                // A server may show a read of what was there before.
                !history.sessionReads.contains(where: { read in
                    read.sessionId == stored.sessionId && read.request > stored.event && read.event < late
                        && !Set(stored.ids).isSubset(of: read.messages.compactMap(\.id))
                })
            else { continue }
            // If it shows them later, the screen was not looked at in between.
            if shows(stored, after) { continue }
            evidence.violate(
                "messages stored while only REST works are not shown",
                expected: "\(listed(stored.ids)) within the bound 'degraded'", actual: listed(after.ids),
                at: [stored.event, after.event])
        }
    }

    private static func shows(_ stored: ObservedClient.Stored, _ state: ObservedClient.State) -> Bool {
        state.sessionId == stored.sessionId && Set(stored.ids).isSubset(of: state.ids)
    }

    /// Whether no read that was under way between two events failed or was withheld.
    private static func readsWork(from first: Int, to last: Int, _ history: Observations) -> Bool {
        history.client.reads.filter { $0.request < last && history.end(of: $0) > first }.allSatisfy { read in
            read.status == 200 || history.span(from: read.request, to: last) < Duration.seconds(1).microseconds
        }
    }
}
