import Holdfast
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-29: "A client MUST show the session and message that a tapped notification names, at launch, from the
    /// background and on the screen, unless it cannot be found or read".
    ///
    /// Tested once for each tap that led to its message, or could have. Another session on the way is allowed; another
    /// session afterwards is not.
    static func tapsLeadToTheMessage(_ history: Observations, _ evidence: inout Evidence) {
        for notice in ClientNotice.all(in: history) where notice.isTapped {
            guard let session = notice.sessionId, let id = notice.messageId else { continue }
            let named = history.clientDeliveries.filter { $0.id == id && $0.sessionId == session && $0.text != nil }
            func isThere(_ state: ObservedClient.State) -> Bool {
                guard state.sessionId == session else { return false }
                return state.messages.contains { shown in shown.id == id || named.contains { $0.isSame(as: shown) } }
            }
            let end = history.end(of: notice.event, at: departures)
            let samples = history.samples(after: notice.event, before: end)
            let goal = "message \(shown(id)) in session \(shown(session))"
            let since = cause(of: notice, named, before: end, history)
            if let there = samples.first(where: { isThere($0.state) }) {
                let lost = samples.first { $0.isAfter(there.event) && $0.state.sessionId != session }
                // A message that was on the screen before any request for it is in time.
                let taken = since.map { history.effectiveSpan(from: $0, to: there.event) } ?? .min
                let isInTime = taken < history.timeouts.pong.microseconds
                evidence.test(no: lost, keptIf: isInTime) { lost in
                    Finding(
                        "another session replaced the one that a notification opened", expected: goal,
                        actual: "session \(shown(lost.state.sessionId))", at: [notice.event, there.event, lost.event])
                }
                if isInTime || lost != nil { continue }
            }
            guard let since, let late = history.lateAppearance(after: since, before: end, isThere),
                let state = history.client.state(at: late)
            else { continue }
            let actual = "\(state.messages.count) messages of session \(shown(state.sessionId))"
            let what = "a tapped notification does not open its message"
            evidence.violate(what, expected: goal, actual: actual, at: [notice.event, late])
        }
    }

    /// The event after which a message must be on the screen: the tap if the client has it or requests nothing, else
    /// the response that brought it, else the last response to a read from before the tap; nil while the suite
    /// withholds it, there is no network, or the server sent the client away.
    private static func cause(
        of notice: ClientNotice, _ named: [ClientDelivery], before end: Int, _ history: Observations
    ) -> Int? {
        let life = history.client.launch(at: notice.event)?.events.lowerBound ?? 0
        if named.contains(where: { item in
            item.isBefore(notice.event) && item.isAfter(life) && item.channel == .read
                && history.departure(after: item.event, on: nil).isOpen(at: notice.event)
        }) {
            return notice.event
        }
        // Requests after the person has left the session say nothing about the tap.
        let brought = named.first { $0.isAfter(notice.event) && $0.isBefore(end) && $0.channel == .read }
        if let brought { return brought.event }
        guard history.client.hasNetwork(at: notice.event), !history.wasSentAway(before: notice.event) else {
            return nil
        }
        let reads = history.client.reads(of: notice.sessionId ?? "").filter {
            $0.isAsked(after: life) && $0.isAsked(before: end) && history.end(of: $0).isAfter(notice.event)
        }
        if reads.contains(where: { $0.isAsked(after: notice.event) }) { return nil }
        // A read from before the tap may lack the message; it is then repeated.
        if !reads.isEmpty {
            return reads.allSatisfy { $0.status == 200 } ? reads.compactMap(\.response).max() : nil
        }
        // A client may read the list before the session; while the list is withheld, it cannot go on.
        let lists = history.client.reads.filter {
            $0.route == .sessions && $0.isAsked(before: end)
                && ($0.isAsked(after: notice.event) || $0.response.isOpen(at: notice.event))
        }
        return lists.isEmpty ? notice.event : lists.compactMap(\.response).min()
    }

    /// CLIENT-32, rule 2: an error is shown if the session of a tapped notification cannot be found or read.
    ///
    /// Tested once for each tapped notification whose session is answered with 404, or is in no list that was requested
    /// since, or whose message the client does not have while there is no network or a read has failed.
    static func lostSessionsAreReported(_ history: Observations, _ evidence: inout Evidence) {
        for notice in ClientNotice.all(in: history) where notice.isTapped {
            guard let period = history.unreadablePeriod(of: notice) else { continue }
            // An earlier error may stand for this one, and certainly does so while there is no connection.
            let before = history.client.state(at: notice.event)?.errors ?? []
            let samples = history.samples(after: notice.event, before: period.cause)
            func reports(_ state: ObservedClient.State) -> Bool? {
                let isCutOff = state.connection == .offline || state.connection == .degraded
                let isReported = state.errors.count > before.count || state.errors.contains { !before.contains($0) }
                if isReported || isCutOff && !state.errors.isEmpty || history.isShown(notice, in: state) { return true }
                let mayBeOld = state.errors.contains { $0.key == nil && $0.code.map(transientCodes.contains) != true }
                return mayBeOld ? nil : false
            }
            if samples.contains(where: { reports($0.state) == true }) {
                evidence.keep()
                continue
            }
            let shown = history.shown(after: period.cause, within: period.bound, before: period.end, holds: reports)
            evidence.test(shown) { late in
                Finding(
                    "a notification names a session that cannot be read, and no error is shown",
                    expected: "an error on the screen until the session is read",
                    actual: "none within \(period.bound)", at: [notice, period.cause, late])
            }
        }
    }

    /// CLIENT-22: "A client MUST recover the session of a push that arrives in the foreground while no open connection
    /// brings frames, unless a terminal close ended the last".
    ///
    /// Tested once for each push of a message that had not arrived otherwise, while no greeted connection was open, or
    /// had died silently just after a frame. Recovery is a `sync` or a read of that session; it may wait for a new
    /// connection, so the bound is the longest wait between two attempts.
    static func pushesRecover(_ history: Observations, _ evidence: inout Evidence) {
        let deliveries = history.clientDeliveries
        for notice in ClientNotice.all(in: history) where !notice.isTapped {
            guard let session = notice.sessionId, let id = notice.messageId,
                !history.wasSentAway(before: notice.event),
                !deliveries.contains(where: { $0.id == id && $0.isBefore(notice.event) && $0.channel != .push }),
                !history.connections.indices.contains(where: { history.delivers($0, at: notice.event) })
            else { continue }
            let late = history.clientDeadline(after: notice.event, within: history.clientBound(\.backoff))
            let end = late?.event ?? history.events.endIndex
            let syncs = history.syncs.map(\.request.event)
            let reads = history.client.reads(of: session)
            let requests = (syncs + reads.map(\.request)).filter { $0.isAfter(notice.event) && $0 < end }
            if requests.isEmpty {
                // A client that is refused while it connects requests nothing more.
                guard let late, !history.wasSentAway(before: late.event),
                    !reads.contains(where: { $0.isAsked(before: notice.event) && $0.response.isOpen(at: notice.event) })
                else { continue }
                evidence.violate(
                    "a push arrived without a working connection, and the client recovered nothing",
                    expected: "a sync, or a read of session \(shown(session))",
                    actual: "none within the bound 'backoff'", at: [notice.event, late])
                continue
            }
            evidence.keep()
        }
    }
}

extension Observations {
    fileprivate func lateAppearance(
        after cause: Int, before end: Int, _ holds: (ObservedClient.State) -> Bool?
    ) -> Int? {
        guard case .broken(let late) = shown(after: cause, within: timeouts.pong, before: end, holds: holds) else {
            return nil
        }
        return late
    }

    /// Whether a connection delivers frames, as far as a client can tell: it was greeted, and is open, or died silently
    /// but brought a frame just before the event.
    fileprivate func delivers(_ index: Int, at event: Int) -> Bool {
        let connection = connections[index]
        guard let connected = connection.connected, connected < event else { return false }
        guard let ending = connection.ending, ending.isBefore(event) else { return true }
        let last = connection.received.last { $0.isBefore(event) }?.event ?? connected
        let isSilent = client.ends[index].isOpen(at: event)
        return isSilent && mayCross(last, event)
    }

    fileprivate func isShown(_ notice: ClientNotice, in state: ObservedClient.State) -> Bool {
        state.sessionId == notice.sessionId && notice.messageId.map(state.ids.contains) == true
    }

    /// The period in which a client knows that it cannot read the target of a tap, and the bound for showing that; nil
    /// if it has the message, or nothing failed.
    fileprivate func unreadablePeriod(of notice: ClientNotice) -> (cause: Int, bound: Duration, end: Int)? {
        guard let session = notice.sessionId else { return nil }
        let departure = end(of: notice.event, at: CLIENT.departures)
        if let item = notFound(session, after: notice.event) { return (item, timeouts.pong, departure) }
        guard let id = notice.messageId else { return nil }
        let brought = clientDeliveries.first { $0.id == id && $0.channel != .push && $0.channel != .typed }
        if let brought, brought.isBefore(notice.event) { return nil }
        if client.states.contains(where: { $0.isBefore(notice.event) && isShown(notice, in: $0) }) { return nil }
        let reads = client.reads(of: session).filter { end(of: $0).isAfter(notice.event) }
        let failed = reads.filter(\.hasFailed).map { end(of: $0) }.min()
        guard let cause = client.hasNetwork(at: notice.event) ? failed : notice.event else { return nil }
        let answered = reads.filter(\.isAnswered).map { end(of: $0) }.min()
        let ends = [brought?.event, answered, departure].compactMap(\.self)
        guard let end = ends.min(), end > cause else { return nil }
        return (cause, clientPatience, end)
    }

    /// The first response after an event that shows that there is no such session.
    private func notFound(_ session: String, after event: Int) -> Int? {
        let reads = client.reads(of: session).filter { $0.isAsked(after: event) }
        if reads.contains(where: { $0.status == 200 }) { return nil }
        let refused = reads.filter(\.showsNoSession).compactMap(\.response)
        let lists = listReads.filter { $0.isAsked(after: event) && !$0.ids.contains(session) }.map(\.event)
        return refused.min() ?? (reads.isEmpty ? lists.min() : nil)
    }
}
