import Holdfast
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-18: "A client MUST read the session on its screen over REST, until a read is answered, whenever it may
    /// have a gap, unless a terminal close ended the last connection".
    ///
    /// Tested once for each session that the person selects, or opens by a tap without a network, and once for each
    /// greeting without a `sync` while a session is on the screen. A pending read may suffice, and proves nothing if it
    /// is answered. A client without a connection may read after the next greeting; one without a network reads then,
    /// within the bound for a failed read. Doubt about the stream favors the client: with an epoch, any message of the
    /// session is enough, as long as each greeting since was followed by a `sync` and no gap was announced.
    static func openedSessionsAreRead(_ history: Observations, _ evidence: inout Evidence) {
        for act in history.client.acts("selectSession", "openPush") {
            guard let session = act.details.id("sessionId"),
                let before = history.client.state(at: act.event), before.sessionId != session,
                !history.mayBeWhole(session, at: act.event), !history.wasSentAway(before: act.event)
            else { continue }
            if history.client.hasNetwork(at: act.event) {
                if act.name == "openPush" { continue }  // CLIENT-29
                judge(
                    session, after: act.event, on: history.connectionInUse(at: act.event),
                    "the client opened a session and did not read it", history, &evidence)
            } else if let (greeted, connection) = history.returnOfNetwork(after: act.event) {
                judge(
                    session, opened: act.event, after: greeted, on: connection,
                    "the client opened a session without network and did not read it afterwards", history, &evidence)
            }
        }
        for (index, connection) in history.connections.enumerated() {
            guard let greeted = connection.connected, let session = history.client.state(at: greeted)?.sessionId,
                !history.syncs.contains(where: { $0.connection == index && history.mayHold($0) }),
                !history.isGone(session, before: greeted)
            else { continue }
            // A client that opens another session may show it only once it is read.
            let goal = history.client.acts("selectSession", "openPush", "launch").last { $0.isBefore(greeted) }
            if let goal = goal?.details.id("sessionId"), goal != session { continue }
            judge(
                session, after: greeted, on: index,
                "the client reconnected without a sync and did not read the session on the screen",
                history, &evidence)
        }
    }

    private static func judge(
        _ session: String, opened: Int? = nil, after cause: Int, on connection: Int?, _ what: String,
        _ history: Observations, _ evidence: inout Evidence
    ) {
        let stay = history.endOfStay(at: cause)
        // A pending read suffices if it is answered, unless it is lost by then.
        let pending = history.client.reads(of: session).last { pending in
            pending.isAsked(before: cause) && history.end(of: pending) > cause
                && history.effectiveSpan(from: pending.request, to: cause) < history.clientBound(\.polling).microseconds
        }
        // A read that failed without a network is repeated with the network, possibly before the greeting.
        let back = opened.map { history.end(of: $0, at: ["networkUp"]) }
        var read = OwedRead(
            session: session, cause: cause, since: pending.map { $0.request - 1 } ?? back ?? cause,
            bound: history.clientBound(opened == nil ? \.rest : \.backoff), connection: connection)
        let outcome = read.follow(until: stay, in: history)
        if outcome == .answered || outcome == .pending {
            guard read.since > cause else { return }
            let hasGap = history.answeredSyncs.contains { sync in
                sync.result.complete == false && sync.result.isAfter(cause) && sync.result.isBefore(read.since)
            }
            if !hasGap, !history.mayHaveRead(at: read.since, forOthersThan: cause) { evidence.keep() }
            return
        }
        guard let late = read.late, history.client.state(at: late.event)?.sessionId == session else { return }
        // A replay may have brought all of a session that began meanwhile.
        if opened != nil, history.mayBeWhole(session, at: late.event) { return }
        evidence.violate(read.finding(what, at: opened ?? cause, late))
    }

    /// A read that a client must make of a session on the screen, repeated until it is answered.
    struct OwedRead {
        let session: String
        /// The event that made it due: at first a frame or an act of the person, then each read that failed.
        var cause: Int
        /// The event after which a read counts; the request of the last read, if there was one.
        var since: Int
        var bound: Duration
        /// The connection whose end makes it due again; nil if there is none.
        let connection: Int?
        /// The event at which a read was late; nil if none was due, or something else came first.
        private(set) var late: Expiry?

        init(session: String, cause: Int, since: Int, bound: Duration, connection: Int?) {
            (self.session, self.cause, self.since, self.bound) = (session, cause, since, bound)
            self.connection = connection
        }

        enum Outcome {
            /// Answered with the session, or refused.
            case answered
            /// Requested in time, and still pending.
            case pending
            /// Answered with a permanent error; or not requested, and perhaps late.
            case neither
        }

        mutating func follow(until stay: Int, in history: Observations) -> Outcome {
            let reads = history.client.reads(of: session)
            while true {
                late = history.clientDeadline(after: cause, within: bound, on: connection)
                if let end = late, end.isAfter(stay) || history.wasSentAway(before: end.event) { late = nil }
                if connection == nil, let end = late, history.wasGreeted(between: cause, and: end.event) { late = nil }
                let end = min(late?.event ?? .max, stay)
                guard let read = reads.asked(after: since).first, read.isAsked(before: end) else { return .neither }
                since = read.request
                late = nil
                // A read without a response for as long as polling may last counts as lost, even if one arrives later.
                let limit = history.clientDeadline(after: read.request, within: history.clientBound(\.polling))
                let lost = limit.flatMap { $0.isBefore(history.end(of: read)) ? $0.event : nil }
                if read.isAnswered, lost == nil { return .answered }
                bound = history.clientBound(\.backoff)
                guard lost != nil || read.hasFailed else { return read.status == nil ? .pending : .neither }
                cause = lost ?? history.end(of: read)
            }
        }

        func finding(_ what: String, at start: Int, _ late: Expiry) -> Finding {
            Finding(
                what, expected: "GET of session \(session) until it is answered",
                actual: cause == start
                    ? "none within the bound 'rest'" : "none within the bound 'backoff' after a failed read",
                at: cause == start ? [start, late] : [start, since, late])
        }
    }
}

extension Observations {
    /// Whether a client may have read for a reason other than an event: a turn that it awaited, an act of the person, a
    /// push, the network, a return, or another connection.
    func mayHaveRead(at read: Int, forOthersThan cause: Int) -> Bool {
        let acts = client.acts("launch", "selectSession", "openPush").map(\.event)
        return (recoveryTriggers + acts).contains { $0 > cause && $0 < read }
            || clientQuestions.contains { question in
                question.requests.contains { $0.isBefore(read) }
                    && !question.signs.contains { $0.kind != .proof && $0.isBefore(cause) }
            }
    }

    /// The greeted connection that a client has, as far as it can tell.
    func connectionInUse(at event: Int) -> Int? {
        connections.indices.last { index in
            guard let connected = connections[index].connected, connected < event else { return false }
            // A client that requests another connection has none in use.
            let next = attempt(after: connections[index].opening).map { connections[$0].opening }
            return [client.ends[index], next].compactMap(\.self).allSatisfy { $0 > event }
        }
    }

    /// The first greeting after the return of a network that was gone at an event, if the client stays in its session.
    fileprivate func returnOfNetwork(after event: Int) -> (greeted: Int, connection: Int)? {
        let back = end(of: event, at: ["networkUp"])
        guard let index = connections.firstIndex(where: { $0.connected.isAfter(back) }),
            let greeted = connections[index].connected, greeted < endOfStay(at: event)
        else { return nil }
        return (greeted, index)
    }

    /// Whether the stream may have brought all of a session since it was last read, or first announced.
    fileprivate func mayBeWhole(_ session: String, at event: Int) -> Bool {
        let start = client.installation(at: event)
        let greetings = connections.filter { $0.connected.map { $0 > start && $0 < event } == true }
        guard greetings.last?.greeting?.epoch != nil else { return false }
        let read = sessionReads.last { $0.sessionId == session && $0.isAfter(start) && $0.isBefore(event) }?.event
        let item = allFrames.filter {
            $0.sessionId == session && $0.isAfter(start) && $0.isBefore(event)
        }.map(\.event).min()
        guard let since = read ?? item else { return false }
        let isSynced = greetings.allSatisfy { connection in
            connection.connected.isBefore(since) || connection.sent.contains { $0.kind == .sync }
                || isPassedOver(connection, before: event)
        }
        return isSynced && !gaps.contains { $0.reportedAt > since && $0.reportedAt < event }
    }

    /// Whether a later `sync` used a position held before the greeting, and so brought what that connection did not.
    private func isPassedOver(_ connection: ObservedConnection, before event: Int) -> Bool {
        guard let greeting = connection.greeting, let epoch = greeting.epoch else { return false }
        let held = clientPositions.ceiling(of: epoch, before: greeting.event)
        return syncs.contains { sync in
            sync.request.isAfter(greeting.event) && sync.request.isBefore(event) && sync.request.epoch == epoch
                && sync.lastSeqSeen.map { $0 <= held } == true
        }
    }
}
