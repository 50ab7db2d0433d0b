import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// The client's recovery after a reconnect.
extension CLIENT {
    /// Acts after which what was told or asked need not be shown any more.
    static let navigationAwayActs = ObservedClient.endsOfLife.union(["selectSession", "openPush", "background"])

    /// CLIENT-14: "A client MUST recover, by `sync` from a held position or else a session read, after each reconnect
    /// while it lacks the ending of a turn whose session it knows".
    ///
    /// Once for each greeted connection after another one and each turn that the client knew to run then. A read counts
    /// from the end of the old connection on, also one that was still under way then; a sync counts where the server
    /// has an epoch, and the client may have held a position in it. A capture may be of several clients.
    static func reconnectsAreFollowedByRecovery(_ history: Observations, _ evidence: inout Evidence) {
        guard history.isOfOneClient else { return }
        let questions = history.clientQuestions
        for (index, connection) in history.connections.enumerated() {
            guard let greeted = connection.connected, let lost = history.lossBefore(connection: index) else { continue }
            for question in questions {
                guard let asked = question.requests.first?.event, asked < lost,
                    question.news.contains(where: { news in
                        news.event < lost && news.kind == .proof
                            && !history.mayBeMissed(news, of: question, before: greeted)
                    }),
                    !question.news.contains(where: { $0.event < greeted && $0.kind != .proof }),
                    history.endOfLife(at: asked) > greeted
                else { continue }
                let sessions = question.namedSessions(before: greeted)
                if sessions.isEmpty { continue }
                let proof = history.deadline(after: greeted, within: history.clientPatience, on: index).flatMap {
                    history.isAble(from: greeted, to: $0) ? $0 : nil
                }
                // A request on a later connection is the recovery of that one.
                let end = proof ?? history.loss(of: index) ?? history.events.endIndex
                if let recovery = history.recovery(of: sessions, since: lost, of: index), recovery < end {
                    let isInTime = question.ended.map { recovery < $0 } ?? true
                    if isInTime { evidence.keep() }
                } else if let proof, question.ended.map({ $0 > proof }) ?? true {
                    evidence.violate(
                        "the client reconnected while a turn runs and recovered nothing",
                        expected: "a sync, or a read of its session",
                        actual: "neither within \(history.clientPatience)", at: [lost, greeted, proof])
                }
            }
        }
    }

    /// CLIENT-25: "A client MUST show after recovery the whole history in its order, and during it all that it showed
    /// before, unless a read begun since it came lacks it".
    ///
    /// Once for each read or replay of the session on the screen that brings a message which was not shown, and for each
    /// read that has those that were in another order.
    static func allThatWasMissedIsShown(_ history: Observations, _ evidence: inout Evidence) {
        for told in history.toldHistories {
            guard let before = history.client.state(at: told.event), before.sessionId == told.sessionId,
                told.messages.contains(where: { !before.shows($0) })
                    || told.connection == nil && !before.shows(inOrder: told.messages),
                history.end(of: told.asked, at: navigationAwayActs) > told.event,
                // A client that asked again before the answer has given the first read up.
                !history.client.reads(of: told.sessionId).contains(where: {
                    $0.request > told.asked && $0.request < told.event
                })
            else { continue }
            // Frames that arrived as the client left may never have been taken.
            let departure = history.departure(after: told.event, on: told.connection) ?? .max
            let end = min(history.end(of: told.event, at: navigationAwayActs), departure)
            let result = history.shown(after: told.event, within: history.clientPatience, before: end) { state in
                state.sessionId == told.sessionId ? state.shows(inOrder: told.messages) : nil
            }
            evidence.test(result) { event in
                let ids = told.messages.map { $0.id ?? "a message without id" }.joined(separator: " ")
                let shown = history.client.state(at: event)?.messages.map { $0.id ?? $0.key ?? "a message without id" }
                return Finding(
                    "recovered messages are missing or out of order", expected: "\(ids), in this order",
                    actual: shown?.joined(separator: " ") ?? "nothing", at: [told.event, event])
            }
        }
    }

    /// CLIENT-25, rule 2: nothing that was shown goes, unless a read begun since it came lacks it.
    ///
    /// Once for each read or sync during which, or after which, the screen of its session was looked at. Two entries
    /// for one message that become one are not a loss, and neither is a question that went to a conversation of its
    /// own.
    static func recoveryNeverShowsLess(_ history: Observations, _ evidence: inout Evidence) {
        let states = history.client.states
        let questions = history.clientQuestions
        var accused: Set<Int> = []
        func isElsewhere(_ message: ObservedClient.ShownMessage, than session: String, at event: Int) -> Bool {
            guard message.id == nil, let key = message.key else { return false }
            let homes = questions.first { $0.keys.contains(key) }?.sessions(before: event) ?? []
            return !homes.isEmpty && !homes.contains(session)
        }
        func accuse(_ after: ObservedClient.State, after before: ObservedClient.State) {
            guard let session = before.sessionId, after.sessionId == session, after.count < before.count,
                after.count < before.count
                    - before.messages.count(where: { isElsewhere($0, than: session, at: after.event) }),
                !history.isGone(session, before: after.event), accused.insert(after.event).inserted
            else { return }
            evidence.violate(
                "a recovery shows fewer messages than before", expected: "at least \(before.count)",
                actual: "\(after.count)", at: [before.event, after.event])
        }
        for (before, after) in zip(states, states.dropFirst()) {
            guard let session = before.sessionId, history.endOfStay(at: before.event) > after.event,
                history.isRecovering(session, between: before.event, and: after.event)
            else { continue }
            accuse(after, after: before)
            guard let gone = history.answerTaken(from: session, between: before, and: after),
                accused.insert(after.event).inserted
            else { continue }
            evidence.violate(
                "a recovery takes an answer away", expected: "'\(gone.id ?? "")' still there", actual: "it is gone",
                at: [before.event, after.event])
        }
        let reads = history.client.reads.compactMap { read -> (begun: Int, ended: Int)? in
            guard case .session(let id) = read.route, history.client.state(at: read.request)?.sessionId == id else {
                return nil
            }
            return (read.request, history.end(of: read))
        }
        // A frame sent on an ended connection is lost at once.
        let syncs = history.syncs.map { (begun: $0.request.event, ended: max($0.request.event, history.end(of: $0))) }
        let looks = history.looks(after: -1, before: .max).map(\.event)
        for recovery in reads + syncs {
            guard let before = history.client.state(at: recovery.begun), before.sessionId != nil, before.count > 0
            else { continue }
            let end = history.endOfStay(at: recovery.begun)
            let next = looks[looks.boundary { $0 > recovery.begun }...].first
            if next.map({ $0 < end }) == true { evidence.keep() }
            guard recovery.ended < end else { continue }
            // An answer of the stage is still on its way to the screen; meanwhile a refused question may be sent.
            let patience = history.patience(of: recovery.ended) + history.clientPatience.microseconds
            let stored = Set(before.messages.compactMap(\.id))
            for after in states[states.boundary { $0.event > recovery.ended }...] {
                guard after.event < end, history.patience(of: after.event) <= patience else { break }
                if !stored.isSubset(of: after.messages.compactMap(\.id)) { accuse(after, after: before) }
            }
        }
    }

    /// CLIENT-20: "A client MUST NOT have more than one recovery read of a session under way, nor poll for one answer
    /// with more than 12 reads or over 65 s".
    ///
    /// Once for each return, reconnect and push while a read of a session is under way. A read that the person caused
    /// by going there, and one that takes the place of a read the client gave up, is not counted.
    static func oneReadServesAll(_ history: Observations, _ evidence: inout Evidence) {
        let triggers = history.recoveryTriggers
        for (index, read) in history.client.reads.enumerated() {
            guard case .session(let session) = read.route, history.isForRecovery(read) else { continue }
            let end = min(history.end(of: read), history.endOfLife(at: read.request))
            let second = history.client.reads[(index + 1)...].prefix { $0.request < end }.first { other in
                other.route == .session(session)
                    && history.end(of: read.request, at: ["selectSession", "openPush"]) > other.request
                    && !history.wasGivenUp(read, for: other)
            }
            if let second {
                evidence.violate(
                    "two reads of one session overlap", expected: "one read at a time",
                    actual: "a second read of \(session) before the first was answered",
                    at: [read.request, second.request])
            } else {
                for trigger in triggers where trigger > read.request && trigger < end { evidence.keep() }
            }
        }
    }

    // MARK: How long a client waits for an answer, and how the waiting ends

    /// CLIENT-20, rule 2: polling for one answer has 12 reads and 65 s at most.
    ///
    /// Once for each time that a client read at least twice for an answer, with nothing else to make it read, and was
    /// watched to the end of the bound. The first read after a return, a reconnect or a loss is the recovery, those
    /// that follow it are the polling; what a client reads without a socket after it gave up serves CLIENT-40.
    static func pollingIsBounded(_ history: Observations, _ evidence: inout Evidence) {
        let waits = history.waitsForAnswers
        let lists = Set(history.client.reads.filter { $0.isRead(of: .sessions) }.map(\.request))
        let bound = history.clientBound(\.polling)
        for wait in waits {
            // Without a socket, a list may as well be read for what is new (CLIENT-40), and beside any read it is a
            // part of that.
            let polls = history.polls(in: wait).reduce(into: [Int]()) { polls, poll in
                let isBeside = polls.last.map { last in
                    history.mayCross(last, poll) && (lists.contains(last) || lists.contains(poll))
                }
                let isForNews = lists.contains(poll) && history.connectionInUse(at: poll) == nil
                if isBeside != true, !isForNews { polls.append(poll) }
            }
            guard let first = polls.first else { continue }
            let answers = history.answers(served: polls, among: waits)
            let end = history.proof(after: first, limit: history.patience(of: first) + bound.microseconds)
            evidence.test(no: surplus(of: polls, for: answers, within: bound, history), keptIf: wait.end > end ?? .max)
            {
                Finding(
                    "the client polls too often or too long",
                    expected: "at most 12 reads for each of \(counted(answers, "answer")), the last within \(bound)",
                    actual: "one more", at: [first, $0])
            }
        }
    }

    /// The first read that polling for so many answers, one after another, does not explain.
    private static func surplus(
        of polls: [Int], for answers: Int, within bound: Duration, _ history: Observations
    ) -> Int? {
        var rest = polls[...]
        for _ in 0..<answers {
            guard let first = rest.first else { return nil }
            let limit = history.patience(of: first) + bound.microseconds
            rest = rest.dropFirst(min(12, rest.prefix { history.patience(of: $0) <= limit }.count))
        }
        return rest.first
    }

    /// CLIENT-39: "A client MUST end the thinking state, and show the message failed, an error or, without network,
    /// `offline`, when polling ends without an answer or nothing could bring one".
    ///
    /// Once for each time that a client polled at least twice for an answer that did not come, and once for each
    /// period in which it waited on the screen and had nothing that could bring the answer. Without a network,
    /// `offline` says as much as an error.
    static func pollingEndsInTheOpen(_ history: Observations, _ evidence: inout Evidence) {
        let bound = history.clientBound(\.polling)
        let waits = history.waitsForAnswers
        for wait in waits {
            let polls = history.polls(in: wait)
            guard polls.count > 1 else { continue }
            let before = history.client.state(at: polls[0])
            // One answer may be polled for after another (CLIENT-20).
            let answers = history.answers(served: polls, among: waits)
            let shown = history.shown(after: polls[0], within: bound * answers, before: wait.end) { state in
                guard history.mayStand(wait.question, on: state, before: wait.end) else { return nil }
                let isWaiting = state.thinking && !history.awaitsOthers(than: wait.question, on: state)
                return isWaiting ? false : state.tellsOfAnEnd(of: wait.question, unlike: before)
            }
            evidence.test(shown) { event in
                let isThinking = history.client.state(at: event)?.thinking == true
                return Finding(
                    "polling ended, and the screen does not say so",
                    expected: "thinking false, and a failed message or an error",
                    actual: isThinking ? "still thinking" : "neither", at: [polls[0], event])
            }
        }
        for question in history.clientQuestions {
            for period in history.undeliverablePeriods(of: question, acrossVisits: true) {
                guard
                    let due = history.proof(
                        after: period.lowerBound, limit: history.patience(of: period.lowerBound) + bound.microseconds),
                    due < period.upperBound, history.isAble(from: period.lowerBound, to: due),
                    let back = history.firstLookOnReturn(to: question, elsewhereAt: due),
                    back.event < period.upperBound
                        || history.mayCross(period.upperBound, back.event)
                else { continue }
                evidence.test(
                    !back.thinking, otherwise: "the client waits elsewhere for an answer that nothing can bring",
                    expected: "the message failed, or an error, as the person comes back", actual: "still thinking",
                    at: [period.lowerBound, due, back.event])
            }
            for period in history.undeliverablePeriods(of: question) {
                guard let state = history.client.state(at: period.lowerBound), state.thinking,
                    history.mayStand(question, on: state, before: period.upperBound)
                else { continue }
                let before = state
                let shown = history.shown(after: period.lowerBound, within: bound, before: period.upperBound) { state in
                    guard history.mayStand(question, on: state, before: period.upperBound) else { return nil }
                    let isWaiting = state.thinking && !history.awaitsOthers(than: question, on: state)
                    if isWaiting { return false }
                    if state.connection == .offline, !history.client.hasNetwork(at: state.event) { return true }
                    return state.tellsOfAnEnd(of: question, unlike: before)
                }
                evidence.test(shown) { event in
                    Finding(
                        "the client waits for an answer that nothing can bring",
                        expected: "thinking false, and a failed message or an error",
                        actual: "neither, and no request or connection could bring the answer",
                        at: [period.lowerBound, event])
                }
            }
        }
    }

    // MARK: How a client finds what it lost sight of

    /// CLIENT-21: "A client MUST find a turn whose session it does not know by its `clientMessageId`, and take no other
    /// session in its place".
    ///
    /// Once for each question of a new conversation that was lost before anything was said of it. A conversation is the
    /// right one only after a frame, response or history has named it together with the key or the turn; asking again
    /// with the same key is one way to find it, reading is another.
    static func aTurnIsFoundByItsKey(_ history: Observations, _ evidence: inout Evidence) {
        for question in history.clientQuestions where !question.isAmbiguous {
            guard let first = question.requests.first, first.sessionAsked == nil, let lost = history.end(of: first),
                lost > first.event, !question.news.contains(where: { $0.event < lost })
            else { continue }
            // A refusal settles it: nothing is lost that could be found.
            let settled = question.news.first { $0.kind == .refusal && $0.event > lost }?.event ?? .max
            let failed = history.client.states.first { $0.event > lost && $0.showsAsFailed(question) }?.event ?? .max
            let end = min(
                history.end(of: lost, at: ["selectSession", "openPush"]), history.endOfLife(at: first.event), settled)
            // Other messages typed there, or refused for a while, may begin the session of their conversation once this
            // one failed (CLIENT-12); the moment of failure is unknown between two looks.
            let unfailed = history.client.states.last { $0.event < failed }?.event ?? failed
            let neighbors = history.clientQuestions.filter { other in
                guard other.event != question.event, other.requests.contains(where: { $0.sessionAsked == nil }) else {
                    return false
                }
                let (first, last) = other.event < question.event ? (other, question) : (question, other)
                // A conversation that the app takes up again at its next launch is the same.
                return last.event < history.endOfStay(at: first.event)
                    || history.client.state(at: last.event)?.shows(first) == true
            }
            let homes =
                [question]
                + neighbors.filter { other in
                    failed < .max && other.requests.contains { $0.sessionAsked == nil && $0.event > unfailed }
                }
            // An earlier one, which only waited, brings its session to the screen of their conversation once it is
            // found.
            let onScreen =
                homes
                + neighbors.filter { other in
                    other.event < question.event
                        && other.news.contains { $0.kind == .refusal && $0.event < first.event }
                }
            let before = history.client.state(at: lost)?.sessionId
            // In a later life of the app the message itself tells which screen is meant.
            let wrong =
                wrongSend(
                    of: question, among: homes, after: lost, before: min(settled, history.endOfData(at: lost)), history)
                ?? wrongScreen(
                    among: onScreen, from: history.endOfLife(at: lost) - 1,
                    to: min(settled, history.endOfData(at: lost)), history
                ) { state in state.messages.contains { $0.key.map(question.keys.contains) == true } }
                ?? wrongScreen(among: onScreen, from: lost, to: end, history) { $0.sessionId != before }
            // A person who left before the loss sees something else.
            let hasLeft = question.typed.map { history.endOfStay(at: $0) < lost } == true
            if hasLeft, wrong.map({ wrong in !question.requests.contains { $0.event == wrong.event } }) ?? true {
                continue
            }
            if let wrong {
                evidence.violate(
                    "the client took another session for that of its question",
                    expected: "the session that contains the clientMessageId", actual: "session \(wrong.session)",
                    at: [first.event, lost, wrong.event])
                continue
            }
            evidence.test(found(question, after: lost, before: end, among: onScreen, history)) { event in
                Finding(
                    "the client did not find the session of its question",
                    expected: "its session on the screen, with the message",
                    actual: "session \(history.client.state(at: event)?.sessionId ?? "none")", at: [lost, event])
            }
        }
    }

    /// A request for the same message that names a session without evidence for it.
    private static func wrongSend(
        of question: ClientQuestion, among questions: [ClientQuestion], after lost: Int, before settled: Int,
        _ history: Observations
    ) -> (session: String, event: Int)? {
        question.requests.lazy.filter { $0.event > lost && $0.event < settled }.compactMap { request in
            guard let session = request.sessionAsked,
                !questions.contains(where: { $0.sessions(before: request.event).contains(session) })
            else {
                return nil
            }
            return (session, request.event)
        }.first
    }

    /// A screen of a kind that shows a session without evidence for the message.
    private static func wrongScreen(
        among questions: [ClientQuestion], from start: Int, to end: Int, _ history: Observations,
        where isMeant: (ObservedClient.State) -> Bool
    ) -> (session: String, event: Int)? {
        for look in history.looks(after: start, before: end) where isMeant(look.state) {
            guard let session = look.state.sessionId,
                !questions.contains(where: { $0.sessions(before: look.event).contains(session) })
            else { continue }
            return (session, look.event)
        }
        return nil
    }

    /// Whether the right session came to the screen, counted from the moment the client could ask for it.
    private static func found(
        _ question: ClientQuestion, after lost: Int, before end: Int, among homes: [ClientQuestion],
        _ history: Observations
    ) -> Observations.Sighting {
        // Another message of the conversation has taken it to its own session.
        let others = homes.filter { $0.event != question.event }
        let isElsewhere = history.looks(after: lost, before: end).contains { look in
            look.state.sessionId.map { session in
                others.contains { $0.sessions(before: .max).contains(session) }
            } == true
        }
        if isElsewhere { return .unknown }
        let news = question.news.first { news in
            news.kind != .refusal && news.sessionId != nil && !history.mayBeMissed(news, of: question, before: .max)
        }?.event
        // A message that was sent again and not answered cannot be found.
        if news == nil, question.requests.count > 1 { return .unknown }
        let greeted = history.connections.lazy.compactMap(\.connected).first { $0 > lost }
        guard let cause = news ?? greeted else { return .unknown }
        guard news != nil || history.standing(after: lost, within: history.clientBound(\.polling)) != nil else {
            return .unknown
        }
        return history.shown(after: cause, within: history.clientBound(\.polling), before: end) { state in
            guard let session = state.sessionId else { return false }
            return question.sessions(before: .max).contains(session) && state.shows(question)
        }
    }
}

extension Observations {
    /// An answer of a session that a screen shows no more, though the server still has it: no read lacks it that was
    /// asked for after it came.
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
            return !sessionReads.contains { read in
                read.sessionId == session && read.request > came && read.event < after.event
                    && !read.messages.contains { $0.id == id }
            }
        }
    }
}

extension ObservedClient.State {
    /// Whether it shows a message as failed, or an error that was not there before; nil where an error that was may say
    /// it again.
    fileprivate func tellsOfAnEnd(of question: ClientQuestion, unlike before: ObservedClient.State?) -> Bool? {
        let old = before?.errors ?? []
        if showsAsFailed(question) || errors.count > old.count || errors.contains(where: { !old.contains($0) }) {
            return true
        }
        return errors.contains { $0.key.map(question.keys.contains) ?? true } ? nil : false
    }
}
