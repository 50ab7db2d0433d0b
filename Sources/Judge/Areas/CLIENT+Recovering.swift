import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

extension CLIENT {
    /// Acts after which results of earlier requests and frames need not be shown.
    static let navigationAwayActs = ObservedClient.endsOfLife.union(["selectSession", "openPush", "background"])

    /// CLIENT-14: "A client MUST recover, by `sync` from a held position or else a session read, after each reconnect
    /// while it lacks the ending of a turn whose session it knows".
    ///
    /// Tested once for each reconnect and each turn that the client then knew to be running. A read counts if it was
    /// pending at the end of the old connection or began later; a sync counts if the server has an epoch, and the
    /// client may have held a position in it. A capture of several clients is not judged.
    static func reconnectsAreFollowedByRecovery(_ history: Observations, _ evidence: inout Evidence) {
        guard history.hasOneClient else { return }
        let questions = history.clientQuestions
        for (index, connection) in history.connections.enumerated() {
            guard let greeted = connection.connected, let lost = history.lossBefore(connection: index) else { continue }
            for question in questions where history.isKnownToRun(question, lostAt: lost, before: greeted) {
                let sessions = question.namedSessions(before: greeted)
                if sessions.isEmpty { continue }
                let proof = history.deadline(after: greeted, within: history.clientPatience, on: index).flatMap {
                    history.isAble(from: greeted, to: $0.event) ? $0 : nil
                }
                // A request on a later connection belongs to the recovery of that connection.
                let end = proof?.event ?? history.loss(of: index) ?? history.events.endIndex
                if let recovery = history.recovery(of: sessions, since: lost, on: index), recovery < end {
                    let isInTime = question.ended.map { recovery < $0 } ?? true
                    if isInTime { evidence.keep() }
                } else if let proof, question.ended.isOpen(at: proof.event) {
                    evidence.violate(
                        "the client reconnected while a turn was running and recovered nothing",
                        expected: "a sync, or a read of its session",
                        actual: "neither within \(history.clientPatience)", at: [lost, greeted, proof])
                }
            }
        }
    }

    /// CLIENT-25: "A client MUST show the whole history in its order after recovery, and during recovery everything
    /// that it showed before, unless a read begun since that came lacks it".
    ///
    /// Tested once for each read or replay of the session on the screen that brings a message which was not shown, and
    /// for each read whose messages were shown in another order.
    static func missedMessagesAreShown(_ history: Observations, _ evidence: inout Evidence) {
        for batch in history.receivedHistories {
            guard let before = history.client.state(at: batch.event), before.sessionId == batch.sessionId,
                batch.messages.contains(where: { !before.shows($0) })
                    || batch.connection == nil && !before.shows(inOrder: batch.messages),
                history.end(of: batch.asked, at: navigationAwayActs).isAfter(batch.event),
                // A client that asked again before the answer has abandoned the first read.
                !history.client.reads(of: batch.sessionId).contains(where: {
                    $0.isAsked(after: batch.asked) && $0.isAsked(before: batch.event)
                })
            else { continue }
            // Frames that arrived as the client left may never have been processed.
            let departure = history.departure(after: batch.event, on: batch.connection) ?? .max
            let end = min(history.end(of: batch.event, at: navigationAwayActs), departure)
            let result = history.shown(after: batch.event, within: history.clientPatience, before: end) { state in
                state.sessionId == batch.sessionId ? state.shows(inOrder: batch.messages) : nil
            }
            evidence.test(result) { event in
                let ids = batch.messages.map { $0.id ?? "a message without id" }.joined(separator: " ")
                let shown = history.client.state(at: event)?.messages.map { $0.id ?? $0.key ?? "a message without id" }
                return Finding(
                    "recovered messages are missing or out of order", expected: "\(ids), in this order",
                    actual: shown?.joined(separator: " ") ?? "nothing", at: [batch.event, event])
            }
        }
    }

    /// CLIENT-25, rule 2: nothing that was shown disappears, unless a read begun since it arrived lacks it.
    ///
    /// Tested once for each read or sync during or after which the screen of its session was seen. Two entries for one
    /// message that become one are not a loss, and neither is a question that went to a conversation of its own.
    static func recoveryNeverShowsLess(_ history: Observations, _ evidence: inout Evidence) {
        var accused: Set<Int> = []
        let states = history.client.states
        for (before, after) in zip(states, states.dropFirst()) {
            guard let session = before.sessionId, history.endOfStay(at: before.event).isAfter(after.event),
                history.isRecovering(session, between: before.event, and: after.event)
            else { continue }
            reportLoss(after, after: before, &accused, history, &evidence)
            if let gone = history.answerTaken(from: session, between: before, and: after),
                accused.insert(after.event).inserted
            {
                evidence.violate(
                    "a recovery takes an answer away", expected: "'\(gone.id ?? "")' still there",
                    actual: "it is gone", at: [before.event, after.event])
            }
        }
        for recovery in history.recoveries {
            guard let before = history.client.state(at: recovery.begun), before.sessionId != nil, before.count > 0
            else { continue }
            let end = history.endOfStay(at: recovery.begun)
            if !history.samples(after: recovery.begun, before: end).isEmpty { evidence.keep() }
            guard recovery.ended < end else { continue }
            let stored = Set(before.messages.compactMap(\.id))
            // The answer may still be on its way to the screen, and a refused question may be resent meanwhile.
            let limit = history.effectiveTime(of: recovery.ended) + history.clientPatience.microseconds
            for after in states.between(recovery.ended, end)
            where history.effectiveTime(of: after.event) <= limit && !stored.isSubset(of: after.ids) {
                reportLoss(after, after: before, &accused, history, &evidence)
            }
        }
    }

    private static func reportLoss(
        _ after: ObservedClient.State, after before: ObservedClient.State, _ accused: inout Set<Int>,
        _ history: Observations, _ evidence: inout Evidence
    ) {
        guard history.showsLess(after, than: before), accused.insert(after.event).inserted else { return }
        evidence.violate(
            "a recovery shows fewer messages than before", expected: "at least \(before.count)",
            actual: "\(after.count)", at: [before.event, after.event])
    }

    /// CLIENT-20: "A client MUST NOT have more than one recovery read of a session under way, nor poll for one answer
    /// with more than 12 reads or over 65 s".
    ///
    /// Tested once for each return, reconnect and push while a read of a session is pending. A read that the person
    /// caused by opening the session does not count, nor does one that replaces a read the client abandoned.
    static func oneReadServesAll(_ history: Observations, _ evidence: inout Evidence) {
        let triggers = history.recoveryTriggers
        for (index, read) in history.client.reads.enumerated() {
            guard case .session(let session) = read.route, history.isForRecovery(read) else { continue }
            let end = min(history.end(of: read), history.endOfLife(at: read.request))
            let second = history.client.reads[(index + 1)...].prefix { $0.isAsked(before: end) }.first { other in
                other.route == .session(session)
                    && history.end(of: read.request, at: ["selectSession", "openPush"]).isAfter(other.request)
                    && !history.wasGivenUp(read, for: other)
            }
            if let second {
                evidence.violate(
                    "two reads of one session overlap", expected: "one read at a time",
                    actual: "a second read of \(session) before the first was answered",
                    at: [read.request, second.request])
            } else {
                for trigger in triggers where trigger.isAfter(read.request) && trigger < end { evidence.keep() }
            }
        }
    }

    // MARK: Waiting for an answer

    /// CLIENT-20, rule 2: polling for one answer takes at most 12 reads and 65 s.
    ///
    /// Tested once for each time that a client read at least twice for an answer, with no other reason to read, and was
    /// watched to the end of the bound. The first read after a return, a reconnect or a loss is the recovery, the
    /// following ones are the polling; reads without a socket after the client gave up serve CLIENT-40.
    static func pollingIsBounded(_ history: Observations, _ evidence: inout Evidence) {
        let waits = history.waitsForAnswers
        let lists = Set(history.client.reads.filter { $0.isRead(of: .sessions) }.map(\.request))
        let bound = history.clientBound(\.polling)
        for wait in waits {
            // Without a socket, a client may also read the list for news (CLIENT-40); a list read that may overlap
            // another read belongs to that read.
            let polls = history.polls(in: wait).reduce(into: [Int]()) { polls, poll in
                let isBeside = polls.last.map { last in
                    history.mayCross(last, poll) && (lists.contains(last) || lists.contains(poll))
                }
                let isForNews = lists.contains(poll) && history.connectionInUse(at: poll) == nil
                if isBeside != true, !isForNews { polls.append(poll) }
            }
            guard let first = polls.first else { continue }
            let answers = history.answers(served: polls, among: waits)
            let end = history.proof(after: first, limit: history.effectiveTime(of: first) + bound.microseconds)
            evidence.test(no: surplus(of: polls, for: answers, within: bound, history), keptIf: end.isBefore(wait.end))
            {
                Finding(
                    "the client polls too often or too long",
                    expected:
                        "at most 12 reads for each of \(counted(answers, "answer")), the last within \(readable(bound))",
                    actual: "one more", at: [first, $0])
            }
        }
    }

    /// The first read that polling for several answers, one after another, does not explain.
    private static func surplus(
        of polls: [Int], for answers: Int, within bound: Duration, _ history: Observations
    ) -> Int? {
        var rest = polls[...]
        for _ in 0..<answers {
            guard let first = rest.first else { return nil }
            let limit = history.effectiveTime(of: first) + bound.microseconds
            rest = rest.dropFirst(min(12, rest.prefix { history.effectiveTime(of: $0) <= limit }.count))
        }
        return rest.first
    }

    /// CLIENT-39: "A client MUST end the thinking state, and show the message failed, an error or, without network,
    /// `offline`, when polling ends without an answer or nothing could bring one".
    ///
    /// Tested once for each time that a client polled at least twice for an answer that did not arrive, and once for
    /// each period in which it waited on the screen although nothing could bring the answer. Without a network,
    /// `offline` is as good as an error.
    static func pollingEndsVisibly(_ history: Observations, _ evidence: inout Evidence) {
        let bound = history.clientBound(\.polling)
        let waits = history.waitsForAnswers
        for wait in waits {
            let polls = history.polls(in: wait)
            guard polls.count > 1 else { continue }
            // Several answers may be polled for one after another (CLIENT-20).
            let answers = history.answers(served: polls, among: waits)
            let outcome = history.endOfWaiting(
                for: wait.question, after: polls[0], within: bound * answers, before: wait.end)
            evidence.test(outcome) { event in
                let isThinking = history.client.state(at: event)?.thinking == true
                return Finding(
                    "polling ended, and the screen does not say so",
                    expected: "thinking false, and a failed message or an error",
                    actual: isThinking ? "still thinking" : "neither", at: [polls[0], event])
            }
        }
        for question in history.clientQuestions {
            for period in history.undeliverablePeriods(of: question, acrossVisits: true) {
                waitEndsOffScreen(for: question, in: period, history, &evidence)
            }
            for period in history.undeliverablePeriods(of: question) {
                waitEndsOnScreen(for: question, in: period, history, &evidence)
            }
        }
    }

    private static func waitEndsOnScreen(
        for question: ClientQuestion, in period: Range<Int>, _ history: Observations, _ evidence: inout Evidence
    ) {
        guard let state = history.client.state(at: period.lowerBound), state.thinking,
            history.mayAppear(question, on: state, before: period.upperBound)
        else { return }
        let outcome = history.endOfWaiting(
            for: question, after: period.lowerBound, within: history.clientBound(\.polling),
            before: period.upperBound, orOffline: true)
        evidence.test(outcome) { event in
            Finding(
                "the client waits for an answer that nothing can bring",
                expected: "thinking false, and a failed message or an error",
                actual: "neither, and no request or connection could bring the answer",
                at: [period.lowerBound, event])
        }
    }

    private static func waitEndsOffScreen(
        for question: ClientQuestion, in period: Range<Int>, _ history: Observations, _ evidence: inout Evidence
    ) {
        let start = period.lowerBound
        let limit = history.effectiveTime(of: start) + history.clientBound(\.polling).microseconds
        guard let due = history.proof(after: start, limit: limit), due.isBefore(period.upperBound),
            history.isAble(from: start, to: due.event),
            let back = history.stateOnReturn(to: question, elsewhereAt: due.event),
            back.isBefore(period.upperBound) || history.mayCross(period.upperBound, back.event)
        else { return }
        evidence.test(
            !back.thinking, otherwise: "off the screen, the client waits for an answer that nothing can bring",
            expected: "the message failed, or an error, as the person comes back", actual: "still thinking",
            at: [start, due, back.event])
    }

    // MARK: Finding a lost conversation

    /// CLIENT-21: "A client MUST find a turn whose session it does not know by its `clientMessageId`, and take no other
    /// session in its place".
    ///
    /// Tested once for each question of a new conversation that was lost before any sign of it. A conversation is the
    /// right one only after a frame, response or history has named it together with the key or the turn; asking again
    /// with the same key is one way to find it, reading is another.
    static func turnsAreFoundByKey(_ history: Observations, _ evidence: inout Evidence) {
        for question in history.clientQuestions where !question.isAmbiguous {
            guard let lost = LostConversation(of: question, in: history) else { continue }
            let wrong = lost.wrongSession
            // A person who left before the loss sees something else.
            let hasLeft = question.typed.map { history.endOfStay(at: $0).isBefore(lost.event) } == true
            if hasLeft, wrong.map({ wrong in !question.requests.contains { $0.event == wrong.event } }) ?? true {
                continue
            }
            if let wrong {
                evidence.violate(
                    "the client took another session for that of its question",
                    expected: "the session that contains the clientMessageId", actual: "session \(wrong.session)",
                    at: [lost.first.event, lost.event, wrong.event])
                continue
            }
            evidence.test(lost.find()) { event in
                Finding(
                    "the client did not find the session of its question",
                    expected: "its session on the screen, with the message",
                    actual: "session \(history.client.state(at: event)?.sessionId ?? "none")", at: [lost.event, event])
            }
        }
    }
}

private struct LostConversation {
    let question: ClientQuestion
    let first: ObservedRequest
    let event: Int
    /// The refusal that settles it, so that there is nothing to find; the maximum if there is none.
    private let settled: Int
    /// The event at which the person leaves, the app ends, or it is settled.
    private let end: Int
    /// The messages whose session may be that of the conversation.
    private let homes: [ClientQuestion]
    /// The messages whose session may be on the conversation's screen.
    private let onScreen: [ClientQuestion]
    private let history: Observations

    init?(of question: ClientQuestion, in history: Observations) {
        guard let first = question.requests.first, first.sessionAsked == nil, let lost = history.end(of: first),
            lost.isAfter(first.event), !question.signs.contains(where: { $0.isBefore(lost) })
        else { return nil }
        (self.question, self.first, event, self.history) = (question, first, lost, history)
        settled = question.signs.first { $0.kind == .refusal && $0.isAfter(lost) }?.event ?? .max
        end = min(
            history.end(of: lost, at: ["selectSession", "openPush"]), history.endOfLife(at: first.event), settled)
        let failed = history.client.states.first { $0.isAfter(lost) && $0.showsAsFailed(question) }?.event ?? .max
        // Other messages typed into it, or refused temporarily, may begin the session of their conversation once this
        // one failed (CLIENT-12); the moment of failure is unknown between two samples.
        let unfailed = history.client.states.last { $0.isBefore(failed) }?.event ?? failed
        let neighbors = history.clientQuestions.filter { Self.isNeighbor($0, of: question, in: history) }
        homes =
            [question]
            + neighbors.filter { other in
                failed < .max && other.requests.contains { $0.sessionAsked == nil && $0.isAfter(unfailed) }
            }
        // Once an earlier message that only waited is found, its session may be on their common screen.
        onScreen =
            homes
            + neighbors.filter { other in
                other.isBefore(question.event)
                    && other.signs.contains { $0.kind == .refusal && $0.isBefore(first.event) }
            }
    }

    /// Whether two questions were asked in one new conversation.
    private static func isNeighbor(
        _ other: ClientQuestion, of question: ClientQuestion, in history: Observations
    ) -> Bool {
        guard other.event != question.event, other.requests.contains(where: { $0.sessionAsked == nil }) else {
            return false
        }
        let (first, last) = other.event.isBefore(question.event) ? (other, question) : (question, other)
        // A conversation that the app resumes at its next launch counts as the same one.
        return last.isBefore(history.endOfStay(at: first.event))
            || history.client.state(at: last.event)?.shows(first) == true
    }

    var wrongSession: (session: String, event: Int)? {
        let before = history.client.state(at: event)?.sessionId
        let endOfData = min(settled, history.endOfData(at: event))
        // A request for the same message that names a session without evidence for it.
        let wrongSend = question.requests.between(event, endOfData).lazy.compactMap { request in
            request.sessionAsked.flatMap { session in
                homes.contains { $0.sessions(before: request.event).contains(session) }
                    ? nil : (session: session, event: request.event)
            }
        }.first
        // In a later life of the app, the message itself shows which screen is meant.
        return wrongSend
            ?? wrongScreen(from: history.endOfLife(at: event) - 1, to: endOfData) { state in
                state.messages.contains { $0.key.map(question.keys.contains) == true }
            } ?? wrongScreen(from: event, to: end) { $0.sessionId != before }
    }

    /// The first matching screen that shows a session without evidence for the message.
    private func wrongScreen(
        from start: Int, to end: Int, where isMeant: (ObservedClient.State) -> Bool
    ) -> (session: String, event: Int)? {
        for sample in history.samples(after: start, before: end) where isMeant(sample.state) {
            guard let session = sample.state.sessionId,
                !onScreen.contains(where: { $0.sessions(before: sample.event).contains(session) })
            else { continue }
            return (session, sample.event)
        }
        return nil
    }

    /// Whether the screen showed the right session, counted from the moment at which the client could ask for it.
    func find() -> Observations.ScreenOutcome {
        // The conversation may have moved to the session of another of its messages.
        let others = onScreen.filter { $0.event != question.event }
        let isElsewhere = history.samples(after: event, before: end).contains { sample in
            sample.state.sessionId.map { session in
                others.contains { $0.sessions(before: .max).contains(session) }
            } == true
        }
        if isElsewhere { return .unknown }
        let sign = question.signs.first { sign in
            sign.kind != .refusal && sign.sessionId != nil && !history.mayBeMissed(sign, of: question, before: .max)
        }?.event
        // A message that was resent and not answered cannot be found.
        if sign == nil, question.requests.count > 1 { return .unknown }
        let greeted = history.connections.lazy.compactMap(\.connected).first { $0 > event }
        let bound = history.clientBound(\.polling)
        guard let cause = sign ?? greeted,
            sign != nil || history.proofOfConnection(after: event, within: bound) != nil
        else { return .unknown }
        return history.shown(after: cause, within: bound, before: end) { state in
            guard let session = state.sessionId else { return false }
            return question.sessions(before: .max).contains(session) && state.shows(question)
        }
    }
}

extension Observations {
    /// Whether a client certainly knew that a question's turn ran when it lost a connection, and got no sign of an end
    /// before the next greeting in the same life.
    fileprivate func isKnownToRun(_ question: ClientQuestion, lostAt lost: Int, before greeted: Int) -> Bool {
        guard let asked = question.requests.first?.event, asked < lost, endOfLife(at: asked) > greeted else {
            return false
        }
        return !question.signs.contains { $0.isBefore(greeted) && $0.kind != .proof }
            && question.signs.contains { sign in
                sign.isBefore(lost) && sign.kind == .proof && !mayBeMissed(sign, of: question, before: greeted)
            }
    }

    /// Whether a screen showed that a message is not awaited any more: the client stops thinking and shows an end or,
    /// if that is equivalent, `offline`.
    fileprivate func endOfWaiting(
        for question: ClientQuestion, after cause: Int, within bound: Duration, before end: Int,
        orOffline countsOffline: Bool = false
    ) -> ScreenOutcome {
        let before = client.state(at: cause)
        return shown(after: cause, within: bound, before: end) { state in
            guard mayAppear(question, on: state, before: end) else { return nil }
            if state.thinking, !awaitsOthers(than: question, on: state) { return false }
            let isOffline = state.connection == .offline && !client.hasNetwork(at: state.event)
            return countsOffline && isOffline ? true : state.showsEnd(of: question, unlike: before)
        }
    }

    fileprivate var recoveries: [(begun: Int, ended: Int)] {
        let reads = client.reads.compactMap { read -> (begun: Int, ended: Int)? in
            guard case .session(let id) = read.route, client.state(at: read.request)?.sessionId == id else {
                return nil
            }
            return (read.request, end(of: read))
        }
        // A frame sent on an ended connection is lost at once.
        return reads + syncs.map { ($0.request.event, max($0.request.event, end(of: $0))) }
    }

    /// Whether a screen shows fewer messages than an earlier one, apart from those moved elsewhere or no longer stored.
    fileprivate func showsLess(_ after: ObservedClient.State, than before: ObservedClient.State) -> Bool {
        guard let session = before.sessionId, after.sessionId == session, after.count < before.count else {
            return false
        }
        let moved = before.messages.count { message in
            guard message.id == nil, let key = message.key else { return false }
            let homes = clientQuestions.first { $0.keys.contains(key) }?.sessions(before: after.event) ?? []
            return !homes.isEmpty && !homes.contains(session)
        }
        let kept = Set(after.messages.compactMap(\.id))
        let lacking = before.messages.compactMap(\.id).filter { !kept.contains($0) }.count { id in
            let came = clientDeliveries.first { $0.id == id && $0.sessionId == session && $0.isBefore(before.event) }
            return came.map { lacks(id, in: session, askedAfter: $0.event, before: after.event) } == true
        }
        return after.count < before.count - moved - lacking && !isGone(session, before: after.event)
    }

    /// An answer of a session that a screen no longer shows, though the server still has it: every read requested after
    /// it arrived contains it.
    fileprivate func answerTaken(
        from session: String, between before: ObservedClient.State, and after: ObservedClient.State
    ) -> ObservedClient.ShownMessage? {
        guard after.sessionId == session, !isGone(session, before: after.event) else { return nil }
        return before.messages.first { message in
            guard message.role == "assistant", let id = message.id,
                !after.messages.contains(where: {
                    $0.id == id || $0.role == "assistant" && $0.id == nil && $0.text == message.text
                }), let came = clientDeliveries.first(where: { $0.id == id && $0.sessionId == session })?.event
            else { return false }
            return !lacks(id, in: session, askedAfter: came, before: after.event)
        }
    }
}

extension ObservedClient.State {
    /// Whether it shows a message as failed, or an error that was not there before; nil if an earlier error may stand
    /// for it.
    fileprivate func showsEnd(of question: ClientQuestion, unlike before: ObservedClient.State?) -> Bool? {
        let old = before?.errors ?? []
        if showsAsFailed(question) || errors.count > old.count || errors.contains(where: { !old.contains($0) }) {
            return true
        }
        return errors.contains { $0.key.map(question.keys.contains) ?? true } ? nil : false
    }
}
