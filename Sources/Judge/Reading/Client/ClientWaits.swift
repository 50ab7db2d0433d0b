import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// What a client waits for, and how that shows.
extension Observations {
    /// A time in which a client waits for an answer, and nothing from outside makes it read.
    struct AnswerWait: Sendable {
        /// The message.
        let question: ClientQuestion
        /// Where it may stand; none while its session is not known.
        let sessions: Set<String>
        /// The event that began this time.
        let start: Int
        /// The requests of its reads of that session, in order; of the list as long as the session was not known.
        let reads: [Int]
        /// The event that ended this time: the answer, something that makes it read anew, or the end of the history.
        let end: Int

    }

    /// The acts that end one wait for an answer, or begin another.
    private static let turnsOfWaiting = ObservedClient.interruptions.union(
        ["send", "sendAgain", "openPush", "selectSession"])

    /// Every time in which a client waited for an answer and read for it.
    var waitsForAnswers: [AnswerWait] {
        let reasons = Set(recoveryTriggers).union(
            connections.indices.compactMap { connections[$0].connected == nil ? nil : loss(of: $0) }
        ).union(
            client.acts.filter { Self.turnsOfWaiting.contains($0.name) }.map(\.event)
        ).sorted()
        return ClientQuestion.all(in: self).flatMap { question -> [AnswerWait] in
            let endings = question.news.filter { $0.kind != .proof }
            // What was refused is waited for anew once it is sent again.
            let refused = endings.filter { $0.kind == .refusal }.map(\.event)
            let starts = ([-1] + refused).compactMap { event in question.requests.first { $0.event > event }?.event }
            return Set(starts).sorted().flatMap { waits(for: question, from: $0, over: endings, reasons) }
        }
    }

    /// The times in which a client waited for an answer since one request, until something is known of it.
    private func waits(
        for question: ClientQuestion, from asked: Int, over endings: [ClientQuestion.News], _ reasons: [Int]
    ) -> [AnswerWait] {
        let over = endings.map(\.event).filter { $0 > asked }.min() ?? history.events.endIndex
        // What is sent again is waited for anew.
        let repeats = question.requests.dropFirst().map(\.event)
        let told = received.filter { frame in
            frame.isOf("done", "message", "toolUse")
                && frame.sessionId.map(question.namedSessions(before: over).contains) == true
        }.map(\.event)
        let borders = [asked] + Set(reasons + repeats + told).filter { $0 > asked && $0 < over }.sorted() + [over]
        let sessions = question.namedSessions(before: over)
        return zip(borders, borders.dropFirst()).compactMap { first, last in
            let reads = client.reads.filter { read in
                guard read.request > first, read.request < last else { return false }
                if case .session(let id) = read.route { return sessions.contains(id) }
                return question.namedSessions(before: read.request).isEmpty
            }
            guard !reads.isEmpty else { return nil }
            return AnswerWait(
                question: question, sessions: sessions, start: first, reads: reads.map(\.request), end: last)
        }
    }

    /// The reads of a wait that were made for the answer: the client is seen waiting after them, or has a socket that
    /// would tell the rest.
    func polls(in wait: AnswerWait) -> [Int] {
        let looks = looks(after: wait.reads.first ?? wait.end, before: wait.end)
        let thinking = looks.last { $0.state.thinking }?.event
        let sockets = connections.compactMap { connection in
            connection.connected.map { $0..<max($0, connection.ending?.event ?? .max) }
        }
        // What is read at once serves what made this time begin.
        var later = wait.reads.drop { patience(from: wait.start, to: $0) < Self.inFlight.microseconds }
        if later.count == wait.reads.count { later = later.dropFirst() }
        // What failed is read again, until that is answered.
        func isAnswered(_ request: Int) -> Bool { client.reads.contains { $0.request == request && $0.isAnswered } }
        if let last = wait.reads.prefix(upTo: later.startIndex).last, !isAnswered(last),
            let first = later.firstIndex(where: isAnswered)
        {
            later = later.suffix(from: first).dropFirst()
        }
        return later.filter { read in
            let serves = isForGap(read) || isForScreen(read) || isForSearch(read, of: wait) || isForNews(read)
            guard !serves else { return false }
            // What failed is read again where nobody waits, and what hangs in any case (CLIENT-18).
            let before = wait.reads.last { $0 < read }.flatMap { last in client.reads.first { $0.request == last } }
            if let before, before.response == nil { return false }
            let isRetry = before.map { !$0.isAnswered } ?? false
            return thinking.map { read < $0 } == true || !isRetry && sockets.contains { $0.contains(read) }
        }
    }

    /// How many answers may have been polled for by some reads: a read of a session serves each that is awaited there,
    /// and a list may go with the poll of any.
    func answers(served polls: [Int], among waits: [AnswerWait]) -> Int {
        let reads = Set(polls)
        let hasList = client.reads.contains { reads.contains($0.request) && $0.isRead(of: .sessions) }
        return waits.count { wait in
            !reads.isDisjoint(with: wait.reads)
                || hasList && wait.reads.contains { $0 > polls[0] && $0 < polls[polls.count - 1] }
        }
    }

    /// Whether a request was made while a gap that a `sync` had told was still to be read for (CLIENT-17).
    private func isForGap(_ request: Int) -> Bool {
        gaps.contains { sync, result, told in
            // At once, any session may be read that the gap may have left out.
            if told < request, patience(from: told, to: request) < Self.onItsWay.microseconds { return true }
            guard told < request,
                loss(of: sync.connection).map({ $0 > request }) ?? true,
                let session = client.state(at: result.event)?.sessionId
            else { return false }
            return !client.reads(of: session).contains { read in
                read.isAnswered && read.request > told && end(of: read) < request
            }
        }
    }

    /// Whether a request reads a session at once after a list that told of something new in it (CLIENT-40).
    private func isForNews(_ request: Int) -> Bool {
        guard case .session(let id)? = client.reads.first(where: { $0.request == request })?.route else { return false }
        func count(_ list: ObservedListRead) -> Int? { list.entries.first { $0.id == id }?.messageCount }
        return zip(listReads, listReads.dropFirst()).contains { before, list in
            list.event < request && patience(from: list.event, to: request) < Self.onItsWay.microseconds
                && count(list) != count(before)
        }
    }

    /// The reads of sessions that were listed before a question was sent, and so cannot have been begun by it.
    func readsOlder(than question: ClientQuestion) -> [Int] {
        guard let sent = question.requests.first?.event else { return [] }
        let old = Set(listReads.filter { $0.event < sent }.flatMap(\.ids))
        return client.reads.filter { read in
            guard case .session(let id) = read.route else { return false }
            return old.contains(id)
        }.map(\.request)
    }

    /// Whether two requests may have left at the same moment.
    func areSimultaneous(_ one: Int, _ other: Int) -> Bool {
        patience(from: min(one, other), to: max(one, other)) < Self.onItsWay.microseconds
    }

    /// What the answer to a read may take to the client.
    static let onItsWay = Duration.milliseconds(100)

    /// Whether a request follows a list at once while another question is looked for, whose session is not known.
    private func isForSearch(_ request: Int, of wait: AnswerWait) -> Bool {
        let lists = client.reads.filter { $0.isRead(of: .sessions) }
        let listed = lists.lazy.map { self.end(of: $0) }.last { end in
            end < request && self.patience(from: end, to: request) < Self.onItsWay.microseconds
        }
        guard let listed, !lists.contains(where: { $0.request == request }) else { return false }
        return ClientQuestion.all(in: self).contains { other in
            other.event != wait.question.event && other.requests.contains { $0.event < request }
                && !isFound(other, before: listed)
        }
    }

    /// Whether a client could tell the session of a question before an event: what names only its turn says nothing
    /// while nobody has told whose turn that is.
    private func isFound(_ question: ClientQuestion, before event: Int) -> Bool {
        func isOwn(_ turn: String, before event: Int) -> Bool {
            framesTold.contains { frame in
                frame.event < event && frame.turnId == turn
                    && frame.clientMessageId.map(question.keys.contains) == true
            }
                || sessionReads.contains { read in
                    read.event < event
                        && read.messages.contains {
                            $0.turnId == turn && $0.clientMessageId.map(question.keys.contains) == true
                        }
                }
        }
        return question.requests.contains { $0.sessionAsked != nil }
            || question.news.contains { news in
                guard news.event < event, news.sessionId != nil else { return false }
                guard let frame = frames[news.event], frame.clientMessageId == nil, let turn = frame.turnId else {
                    return true
                }
                return isOwn(turn, before: event)
            }
    }

    /// Whether a request was made while the session on the screen was still to be read: since the person opened it, the
    /// app was launched with it, or a greeting without a `sync` (CLIENT-18), or since such a read failed.
    private func isForScreen(_ request: Int) -> Bool {
        guard let session = client.state(at: request)?.sessionId else { return false }
        let before = client.reads(of: session).last { $0.request < request }
        if let before, !before.isAnswered, before.response ?? before.failure ?? .max < request,
            isForScreen(before.request)
        {
            return true
        }
        let greeted = connections.filter { !$0.sent.contains { $0.type == "sync" } }.compactMap(\.connected)
        let opened = client.acts("selectSession", "openPush", "launch").filter { act in
            (act.details.id("sessionId") ?? client.states.first { $0.event > act.event }?.sessionId) == session
        }.map(\.event)
        guard let due = (greeted + opened).filter({ $0 < request }).max() else { return false }
        let acts = client.acts("launch", "selectSession", "openPush", "foreground", "networkUp", "receivePush")
        // An answer may still be on its way when the next read is asked for, and a greeting when an act calls for a
        // read.
        func isOnItsWay(_ event: Int, at later: Int) -> Bool {
            patience(from: event, to: later) < Self.onItsWay.microseconds
        }
        return !client.reads(of: session).contains { read in
            read.isAnswered && read.request > due && end(of: read) < request
                && !isOnItsWay(end(of: read), at: request)
                && !greeted.contains { greeting in
                    isOnItsWay(greeting, at: read.request)
                        && acts.contains { $0.event > greeting && $0.event < read.request }
                }
        }
    }

    /// A stretch in which nothing could bring a client an answer that it waits for.
    struct DeafStretch: Sendable {
        let start: Int
        /// What ended it: a connection, a request, an act, the answer, or the end of the history.
        let end: Int
    }

    /// The stretches without a connection that can bring the answer, as far as the client can tell, and without a
    /// request for it: a read of its session, of the list while that is not known, a `sync`, or the question itself
    /// over REST.
    ///
    /// A person who goes from one session to another ends one, unless that is to be left out.
    func deafStretches(of question: ClientQuestion, overVisits: Bool = false) -> [DeafStretch] {
        guard let asked = question.requests.first?.event else { return [] }
        let over = question.news.first { $0.kind != .proof }?.event ?? history.events.endIndex
        let sessions = question.namedSessions(before: over)
        let requests = exchanges.filter { exchange in
            if let session = exchange.sessionRead { return sessions.isEmpty || sessions.contains(session) }
            return exchange.isChat || sessions.isEmpty && exchange.isRead(of: .sessions)
        }
        // What is pending for longer than polling may last brings nothing; an app that is away counts no time.
        func pending(_ begun: Int, until end: Int) -> Range<Int> {
            let counted = client.returns.last { $0.event > begun && $0.event < end }?.event ?? begun
            let limit = patience(of: counted) + clientBound(\.polling).microseconds
            return begun..<max(begun + 1, min(end, history.events.indices.boundary { patience(of: $0) >= limit }))
        }
        // Nothing comes on a connection while there is no network.
        func networked(_ road: Range<Int>) -> [Range<Int>] {
            let losses = client.acts("networkDown").map(\.event).filter { road.contains($0) && $0 > road.lowerBound }
            let returns = client.acts("networkUp").map(\.event).filter { road.contains($0) && $0 > road.lowerBound }
            let starts = [road.lowerBound] + returns
            return starts.map { start in start..<(losses.first { $0 > start } ?? road.upperBound) }
        }
        let roads =
            requests.map { pending($0.request, until: end(of: $0)) }
            + syncs.map { pending($0.request.event, until: end(of: $0)) }
            + connections.indices.flatMap { index in
                firstSign(of: question, on: index).map { networked($0..<max($0 + 1, client.ends[index] ?? .max)) } ?? []
            }
        let names =
            Self.turnsOfWaiting.subtracting(overVisits ? ["selectSession"] : [])
            + ["foreground", "networkUp", "receivePush", "hang"]
        let acts = names.flatMap { client.acts($0) }.map(\.event)
        let starts = Set(roads.map(\.upperBound) + acts + [asked]).filter { start in
            start >= asked && start < over && !roads.contains { $0.contains(start) }
                && client.isForeground(at: start)
        }
        return starts.sorted().map { start in
            let next = (roads.map(\.lowerBound) + acts).filter { $0 > start }.min() ?? over
            return DeafStretch(start: start, end: min(next, over))
        }
    }

    /// When a client could first know that a connection will bring the ending of a turn: it was asked on it, or a
    /// frame, a read that shows it as running or, once the server was known to have it, a complete replay came there.
    private func firstSign(of question: ClientQuestion, on index: Int) -> Int? {
        guard let connected = connections[index].connected, let asked = question.requests.first?.event else {
            return nil
        }
        let end = client.ends[index] ?? .max
        let sent = question.requests.filter { $0.connection == index }.map(\.event)
        let told = question.news.filter { $0.connection == index && $0.kind == .proof }.map(\.event)
        let replayed = syncs.filter { $0.connection == index && $0.claimsComplete && $0.request.event > asked }
            .compactMap { $0.result?.event }
            .filter { result in question.news.contains { $0.kind == .proof && $0.event <= result } }
        let read = sessionReads.filter { read in
            read.request > connected && read.event < end
                && read.turns.contains { turn in
                    turn.status == "running"
                        && (turn.turnId.map(question.turnIds.contains) == true
                            || turn.clientMessageId.map(question.keys.contains) == true)
                }
        }.map(\.event)
        return (sent + told + replayed + read).min().map { max($0, connected) }
    }

    /// The first event that may still be on its way to a client when another happens.
    func inFlight(before event: Int) -> Int {
        let limit = patience(of: event) - timeouts.scheduling.microseconds
        return events.indices.boundary { patience(of: $0) >= limit }
    }

    /// What may have kept from a client what it was just sent: it left, or what it was sent on was over, before a busy
    /// machine would have read it; nil when there was time.
    func departure(after event: Int, on connection: Int?) -> Int? {
        let left = end(of: event, at: ObservedClient.interruptions)
        let over = min(left, connection.flatMap { loss(of: $0) } ?? .max)
        guard over < events.endIndex, patience(from: event, to: over) < timeouts.scheduling.microseconds else {
            return nil
        }
        return over
    }

    /// Whether a client surely took what it was sent before another event: there was time, and nothing kept it from it.
    func hadTime(
        for event: Int, on connection: Int? = nil, before other: Int, atLeast time: Duration = Observations.inFlight
    ) -> Bool {
        patience(from: event, to: other) >= time.microseconds
            && departure(after: event, on: connection).map { $0 >= other } ?? true
    }

    /// Whether a client may never have taken what it was told of a message, and no screen of that life shows it.
    func mayBeMissed(_ news: ClientQuestion.News, of question: ClientQuestion, before event: Int) -> Bool {
        let over = departure(after: news.event, on: news.connection) ?? .max
        // What went out by another transport a moment later may have crossed with it.
        let again = question.requests.first { $0.event == event }
        let hasCrossed =
            again.map { $0.connection != news.connection } == true
            && patience(from: news.event, to: event) < Self.inFlight.microseconds
        guard over < event || hasCrossed else { return false }
        let sends = question.requests.prefix { $0.event < news.event }.map(\.event)
        let isLate = sends.first.map { patience(from: question.event, to: $0) >= Self.inFlight.microseconds } ?? false
        // A further request by the same transport is due to what became of the last one.
        let last = question.requests.last { $0.event < event && ($0.connection == nil) == (again?.connection == nil) }
        let isDue = last.map { last in end(of: last).map { $0 < news.event } ?? false } ?? true
        // It left soon after what made it due: a loss, or the greeting of its own connection.
        let greeted = again?.connection.flatMap { connections[$0].connected }
        let reasons = [greeted, sends.count > 1 ? nil : sends.first] + question.requests.map(end)
        let isResent =
            hasCrossed && isDue && (sends.count > 1 || isLate)
            && reasons.contains { reason in
                reason.map { $0 < event && patience(from: $0, to: event) < timeouts.scheduling.microseconds } == true
            }
        let before = client.state(at: news.event)
        let hadFailed = before?.showsAsFailed(question) == true
        lazy var others = otherErrorCodes(than: question, after: min(before?.event ?? 0, inFlight(before: news.event)))
        // What shows much later may have another reason.
        let limit = patience(of: news.event) + timeouts.scheduling.microseconds
        return !looks(after: news.event, before: min(event, endOfLife(at: news.event))).contains { look in
            guard patience(of: look.event) <= limit else { return false }
            // What was sent again anyway may have gone out before that look, and have arrived behind it.
            if isResent, over >= event, patience(from: look.event, to: event) < Self.onItsWay.microseconds {
                return false
            }
            if news.kind == .proof {
                return look.state.places(of: question).contains { look.state.messages[$0].status == "sent" }
            }
            // What is shown once another request for it came to nothing may show only that.
            let hasFailedSince = question.requests.compactMap(exchange).contains { exchange in
                guard let over = exchange.response ?? exchange.failure, exchange.status != 200 else { return false }
                return over > news.event && over < look.event
            }
            // Who is sent away says so of everything.
            let isSentAway = wasSentAway(before: look.event + 1) && !wasSentAway(before: news.event + 1)
            if hasFailedSince || news.isAnswer || isSentAway { return false }
            if !hadFailed, look.state.showsAsFailed(question) { return true }
            return look.state.errors.contains { shown in
                guard before?.errors.contains(shown) != true else { return false }
                if let key = shown.key { return question.keys.contains(key) }
                return shown.code.map { $0 == news.error?.code && !others.contains($0) } == true
            }
        }
    }

    /// When a request was over without an answer: its connection lost, or its exchange failed.
    func end(of request: ObservedRequest) -> Int? {
        switch request.origin {
        case .connection(let index): loss(of: index)
        case .exchange(let index): exchanges[index].failure
        }
    }

    /// The first `sync` of each connection, with the position it asks from, in the order of asking.
    var firstSyncs: [(sync: ObservedSync, position: Int)] {
        var seen: Set<Int> = []
        return syncs.compactMap { sync in
            guard seen.insert(sync.connection).inserted, let position = sync.lastSeqSeen else { return nil }
            return (sync, position)
        }
    }

    /// Whether the client awaits an answer at an event: it sent a question in this life, showed last that it thinks,
    /// and was told of no ending in any way.
    ///
    /// A response that came a moment after a frame may have been read before it.
    func isAwaiting(_ questions: [ClientQuestion], at event: Int) -> Bool {
        guard let life = client.launch(at: event)?.events.lowerBound, client.state(at: event)?.thinking == true else {
            return false
        }
        return questions.contains { question in
            question.event > life && question.requests.contains { $0.event < event }
                && !question.news.contains { news in
                    guard news.kind != .proof else { return false }
                    return news.event < event
                        || news.connection == nil && patience(from: event, to: news.event) < Self.inFlight.microseconds
                }
        }
    }

    /// The first look at a question that was awaited while the person was elsewhere, as they come back.
    ///
    /// The screen tells only then whether the client has given up before; nothing of it came or went out meanwhile.
    func homecoming(to question: ClientQuestion, elsewhereAt event: Int) -> ObservedClient.State? {
        let sessions = question.namedSessions(before: event)
        guard sessions.count == 1, let life = client.launch(at: event)?.events, life.contains(question.event),
            let away = client.state(at: event)?.sessionId, !sessions.contains(away),
            question.requests.contains(where: { $0.event < event }),
            let back = client.states.first(where: { state in
                state.event > event && life.contains(state.event) && state.sessionId.map(sessions.contains) == true
            }), !awaitsOthers(than: question, on: back),
            !question.news.contains(where: { $0.kind != .proof && $0.event < back.event }),
            !question.requests.contains(where: { $0.event > event && $0.event < back.event })
        else { return nil }
        return back
    }

    /// Whether a screen shows another question that may still be awaited, and not as failed.
    func awaitsOthers(than question: ClientQuestion, on state: ObservedClient.State) -> Bool {
        ClientQuestion.all(in: self).contains { other in
            other.event != question.event && other.event < state.event && !state.showsAsFailed(other)
                && mayStand(other, on: state, before: state.event)
                && !other.news.contains { other.settles($0, before: state.event) }
        }
    }

    /// Whether what was typed may have to wait for an earlier message, which was refused for a while or of which
    /// nothing is known.
    func isHeldUp(_ typed: ObservedClient.Typed) -> Bool {
        ClientQuestion.all(in: self).contains { earlier in
            guard earlier.event < typed.event, let last = earlier.news.last(where: { $0.event < typed.event }) else {
                return earlier.event < typed.event && !earlier.requests.isEmpty
            }
            return last.kind == .refusal && last.error?.retryAfter != nil
        }
    }
}
