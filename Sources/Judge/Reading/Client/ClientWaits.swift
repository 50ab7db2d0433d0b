import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension Observations {
    /// A period in which a client waits for an answer, and no external event makes it read.
    struct AnswerWait: Sendable {
        let question: ClientQuestion
        let start: Int
        /// Its reads of the session, in order; its reads of the list while the session was unknown.
        let reads: [Int]
        /// The event that ended this period: the answer, another reason to read, or the end of the history.
        let end: Int
    }

    private static let actsEndingWaits = ObservedClient.interruptions.union(
        ["send", "sendAgain", "openPush", "selectSession"])

    var waitsForAnswers: [AnswerWait] {
        // A list that differs from the previous one shows that there is something to read (CLIENT-40).
        let lists = zip(listReads, listReads.dropFirst()).filter { before, list in
            list.entries.map(\.messageCount) != before.entries.map(\.messageCount)
        }
        let losses = connections.indices.compactMap { connections[$0].connected == nil ? nil : loss(of: $0) }
        let acts = client.acts.filter { Self.actsEndingWaits.contains($0.name) }.map(\.event)
        let reasons = Set(recoveryTriggers + losses + acts + gaps.map(\.reportedAt) + lists.map(\.1.event)).sorted()
        return clientQuestions.flatMap { question -> [AnswerWait] in
            let endings = question.signs.filter { $0.kind != .proof }
            // A refused question is awaited again once it is resent.
            let refused = endings.filter { $0.kind == .refusal }.map(\.event)
            let starts = ([-1] + refused).compactMap { event in question.requests.first { $0.event > event }?.event }
            return Set(starts).sorted().flatMap { waits(for: question, from: $0, until: endings, reasons) }
        }
    }

    /// The periods in which a client waited for an answer after a request, until it got the answer or an error.
    private func waits(
        for question: ClientQuestion, from asked: Int, until endings: [ClientQuestion.Sign], _ reasons: [Int]
    ) -> [AnswerWait] {
        let end = endings.map(\.event).filter { $0 > asked }.min() ?? history.events.endIndex
        // A resent question is awaited anew.
        let repeats = question.requests.dropFirst().map(\.event)
        let reported = received.filter { frame in
            frame.isOf(.done, .message, .toolUse)
                && frame.sessionId.map(question.namedSessions(before: end).contains) == true
        }.map(\.event)
        let borders = [asked] + Set(reasons + repeats + reported).filter { $0 > asked && $0 < end }.sorted() + [end]
        let sessions = question.namedSessions(before: end)
        return zip(borders, borders.dropFirst()).compactMap { first, last in
            let reads = client.reads.filter { read in
                guard read.request > first, read.request < last else { return false }
                if case .session(let id) = read.route { return sessions.contains(id) }
                return question.namedSessions(before: read.request).isEmpty
            }
            guard !reads.isEmpty else { return nil }
            return AnswerWait(question: question, start: first, reads: reads.map(\.request), end: last)
        }
    }

    /// The reads of a wait that were made for the answer: the client is seen waiting after them, or has a socket that
    /// would bring everything else.
    func polls(in wait: AnswerWait) -> [Int] {
        let samples = samples(after: wait.reads.first ?? wait.end, before: wait.end)
        let thinking = samples.last { $0.state.thinking }?.event
        let sockets = connections.compactMap { connection in
            connection.connected.map { $0..<max($0, connection.ending?.event ?? .max) }
        }
        // An immediate read is recovery, not polling, and so is the first read.
        let later = wait.reads.drop { mayCross(wait.start, $0) || mayCross(wait.reads[0], $0) }
        return later.filter { read in
            // A client rereads after a failed or hanging read in any case (CLIENT-18).
            let before = wait.reads.last { $0 < read }
            let isRetry = client.reads.contains { $0.request == before && !$0.isAnswered }
            return !isRetry && (thinking.map { read < $0 } == true || sockets.contains { $0.contains(read) })
        }
    }

    /// The number of answers for which reads may have polled: a read of a session serves every answer awaited there.
    func answers(served polls: [Int], among waits: [AnswerWait]) -> Int {
        let reads = Set(polls)
        return waits.count { !reads.isDisjoint(with: $0.reads) }
    }

    /// The periods in which nothing could bring the answer, as far as the client can tell.
    ///
    /// No connection can bring it, and no request asks for it: a read of its session, of the list while the session is
    /// unknown, a `sync`, or the question itself over REST.
    ///
    /// Each ends with a connection, a request, an act, the answer or the end of the history. A change of the session on
    /// the screen ends one too, unless `acrossVisits`.
    func undeliverablePeriods(of question: ClientQuestion, acrossVisits: Bool = false) -> [Range<Int>] {
        guard let asked = question.requests.first?.event else { return [] }
        let ending = question.signs.first { $0.kind != .proof }?.event ?? history.events.endIndex
        let sessions = question.namedSessions(before: ending)
        let requests = exchanges.filter { exchange in
            if let session = exchange.sessionRead { return sessions.isEmpty || sessions.contains(session) }
            return exchange.isChat || sessions.isEmpty && exchange.isRead(of: .sessions)
        }
        // A request that is pending for longer than polling may last will bring nothing; time in the background does
        // not count.
        func pending(_ begun: Int, until end: Int) -> Range<Int> {
            let counted = client.returns.last { $0.event > begun && $0.event < end }?.event ?? begun
            let limit = effectiveTime(of: counted) + clientBound(\.polling).microseconds
            return begun..<max(begun + 1, min(end, history.events.indices.boundary { effectiveTime(of: $0) >= limit }))
        }
        // A connection brings nothing while there is no network.
        func networked(_ span: Range<Int>) -> [Range<Int>] {
            let losses = client.acts("networkDown").map(\.event).filter { span.contains($0) && $0 > span.lowerBound }
            let returns = client.acts("networkUp").map(\.event).filter { span.contains($0) && $0 > span.lowerBound }
            let starts = [span.lowerBound] + returns
            return starts.map { start in start..<(losses.first { $0 > start } ?? span.upperBound) }
        }
        let chances =
            requests.map { pending($0.request, until: end(of: $0)) }
            + syncs.map { pending($0.request.event, until: end(of: $0)) }
            + connections.indices.flatMap { index in
                firstSign(of: question, on: index).map { networked($0..<max($0 + 1, client.ends[index] ?? .max)) } ?? []
            }
        let names =
            Self.actsEndingWaits.subtracting(acrossVisits ? ["selectSession"] : [])
            + ["foreground", "networkUp", "receivePush", "hang"]
        let acts = names.flatMap { client.acts($0) }.map(\.event)
        let starts = Set(chances.map(\.upperBound) + acts + [asked]).filter { start in
            start >= asked && start < ending && !chances.contains { $0.contains(start) }
                && client.isForeground(at: start)
        }
        return starts.sorted().map { start in
            let next = (chances.map(\.lowerBound) + acts).filter { $0 > start }.min() ?? ending
            return start..<min(next, ending)
        }
    }

    /// The first event at which a client could know that a connection will bring a turn's ending: the question or a
    /// frame on it, a read with the running turn or, once the server was known to have it, a complete replay.
    private func firstSign(of question: ClientQuestion, on index: Int) -> Int? {
        guard let connected = connections[index].connected, let asked = question.requests.first?.event else {
            return nil
        }
        let end = client.ends[index] ?? .max
        let sent = question.requests.filter { $0.connection == index }.map(\.event)
        let reported = question.signs.filter { $0.connection == index && $0.kind == .proof }.map(\.event)
        let replayed = syncs.filter { $0.connection == index && $0.claimsComplete && $0.request.event > asked }
            .compactMap { $0.result?.event }
            .filter { result in question.signs.contains { $0.kind == .proof && $0.event <= result } }
        let read = sessionReads.filter { read in
            read.request > connected && read.event < end
                && read.turns.contains { turn in
                    turn.status == "running"
                        && (turn.turnId.map(question.turnIds.contains) == true
                            || turn.clientMessageId.map(question.keys.contains) == true)
                }
        }.map(\.event)
        return (sent + reported + replayed + read).min().map { max($0, connected) }
    }

    /// Whether a client may have missed a sign about a message, because no screen of that life reflects it.
    func mayBeMissed(_ sign: ClientQuestion.Sign, of question: ClientQuestion, before event: Int) -> Bool {
        let departed = departure(after: sign.event, on: sign.connection) ?? .max
        // A resend over another transport a moment later may have crossed the sign.
        let resend = question.requests.first { $0.event == event }
        let hasCrossed = resend.map { $0.connection != sign.connection } == true && mayCross(sign.event, event)
        let sends = question.requests.prefix { $0.event < sign.event }.map(\.event)
        // If the network failed while the request was on its way, no response arrives.
        let downs = client.acts("networkDown").map(\.event)
        let isAbandoned = sign.connection == nil && downs.contains { $0 < sign.event && mayCross($0, sends.last ?? $0) }
        guard departed < event || hasCrossed || isAbandoned else { return false }
        let isLate = sends.first.map { !mayCross(question.event, $0) } ?? false
        // Another request over the same transport follows the loss or end of the last one.
        let last = question.requests.last { $0.event < event && ($0.connection == nil) == (resend?.connection == nil) }
        let isDue = last.map { last in end(of: last).map { $0 < sign.event } ?? false } ?? true
        // The resend left soon after its reason: a loss, or the greeting of its own connection.
        let greeted = resend?.connection.flatMap { connections[$0].connected }
        let reasons = [greeted, sends.count > 1 ? nil : sends.first] + question.requests.map(end)
        let isResent =
            hasCrossed && isDue && (sends.count > 1 || isLate)
            && reasons.contains { reason in
                reason.map { $0 < event && effectiveSpan(from: $0, to: event) < timeouts.scheduling.microseconds }
                    == true
            }
        let before = client.state(at: sign.event)
        let hadFailed = before?.showsAsFailed(question) == true
        lazy var others = otherErrorCodes(than: question, after: min(before?.event ?? 0, inFlight(before: sign.event)))
        // A change that appears much later may have another reason.
        let limit = effectiveTime(of: sign.event) + timeouts.scheduling.microseconds
        return !samples(after: sign.event, before: min(event, endOfLife(at: sign.event))).contains { sample in
            guard effectiveTime(of: sample.event) <= limit else { return false }
            // A resend that was due anyway may have left before that sample, and arrived after it.
            if isResent, departed >= event, mayCross(sample.event, event) { return false }
            if sign.kind == .proof {
                return sample.state.places(of: question).contains { sample.state.messages[$0].status == "sent" }
            }
            // An error shown after another request for the message failed may concern that request.
            let hasFailedSince = question.requests.compactMap(exchange).contains { exchange in
                guard let end = exchange.response ?? exchange.failure, exchange.status != 200 else { return false }
                return end > sign.event && end < sample.event
            }
            // A rejected client shows all its messages as failed.
            let isSentAway = wasSentAway(before: sample.event + 1) && !wasSentAway(before: sign.event + 1)
            if hasFailedSince || sign.isAnswer || isSentAway { return false }
            if !hadFailed, sample.state.showsAsFailed(question) { return true }
            return sample.state.errors.contains { shown in
                guard before?.errors.contains(shown) != true else { return false }
                if let key = shown.key { return question.keys.contains(key) }
                return shown.code.map { $0 == sign.error?.code && !others.contains($0) } == true
            }
        }
    }

    /// The event at which a request ended without an answer: its connection was lost, or its exchange failed.
    func end(of request: ObservedRequest) -> Int? {
        switch request.origin {
        case .connection(let index): loss(of: index)
        case .exchange(let index): exchanges[index].failure
        }
    }

    /// The first `sync` of each connection, with the requested position, in order.
    var firstSyncs: [(sync: ObservedSync, position: Int)] {
        var seen: Set<Int> = []
        return syncs.compactMap { sync in
            guard seen.insert(sync.connection).inserted, let position = sync.lastSeqSeen else { return nil }
            return (sync, position)
        }
    }

    /// Whether the client awaits an answer at an event: it sent a question in this life, its last screen shows
    /// `thinking`, and it has received no ending in any way.
    ///
    /// A response that arrived a moment after a frame may have been read before it.
    func isAwaiting(_ questions: [ClientQuestion], at event: Int) -> Bool {
        guard let life = client.launch(at: event)?.events.lowerBound, client.state(at: event)?.thinking == true else {
            return false
        }
        return questions.contains { question in
            question.event > life && question.requests.contains { $0.event < event }
                && !question.signs.contains { sign in
                    guard sign.kind != .proof else { return false }
                    return sign.event < event
                        || sign.connection == nil && mayCross(event, sign.event)
                }
        }
    }

    /// The screen at the person's return to a question that was awaited while they were in another session.
    ///
    /// Only then does the screen show whether the client had given up; no sign or request came in between.
    func stateOnReturn(to question: ClientQuestion, elsewhereAt event: Int) -> ObservedClient.State? {
        let sessions = question.namedSessions(before: event)
        guard sessions.count == 1, let life = client.launch(at: event)?.events, life.contains(question.event),
            let away = client.state(at: event)?.sessionId, !sessions.contains(away),
            question.requests.contains(where: { $0.event < event }),
            let back = client.states.first(where: { state in
                state.event > event && life.contains(state.event) && state.sessionId.map(sessions.contains) == true
            }), !awaitsOthers(than: question, on: back),
            !question.signs.contains(where: { $0.kind != .proof && $0.event < back.event }),
            !question.requests.contains(where: { $0.event > event && $0.event < back.event })
        else { return nil }
        return back
    }

    /// Whether a screen shows another question that may still be awaited, and not as failed.
    func awaitsOthers(than question: ClientQuestion, on state: ObservedClient.State) -> Bool {
        clientQuestions.contains { other in
            other.event != question.event && other.event < state.event && !state.showsAsFailed(other)
                && mayAppear(other, on: state, before: state.event)
                && !other.signs.contains { other.settles($0, before: state.event) }
        }
    }

    /// Whether a message may have to wait for an earlier one that was refused temporarily or whose fate is unknown.
    func mayWaitForEarlier(_ question: ClientQuestion) -> Bool {
        clientQuestions.contains { earlier in
            guard earlier.event < question.event, let last = earlier.signs.last(where: { $0.event < question.event })
            else {
                return earlier.event < question.event && !earlier.requests.isEmpty
            }
            return last.kind == .refusal && last.error?.retryAfter != nil
        }
    }
}
