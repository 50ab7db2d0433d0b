import Holdfast
import JSON
import Transcript

/// How long a client waits for an answer, and how the waiting ends.
extension CLIENT {
    static let polling: [Check] = [
        Check(.CLIENT, 22, pollingIsBounded), Check(.CLIENT, 23, pollingEndsInTheOpen),
        Check(.CLIENT, 24, anEndingEndsTheWaiting),
    ]

    /// CLIENT-22: "A client MUST poll for an answer with at most 12 reads, the last of them no later than 65 s after
    /// the first".
    ///
    /// Once for each time that a client read at least twice for an answer, with nothing else to make it read, and was watched
    /// to the end of the bound. The first read after a return, a reconnect or a loss is the recovery, those that follow it are
    /// the polling; what a client reads without a socket after it gave up serves CLIENT-40.
    static func pollingIsBounded(_ history: Observations, _ evidence: inout Evidence) {
        for wait in history.waitsForAnswers {
            let polls = history.polls(in: wait)
            guard let first = polls.first else { continue }
            let limit = history.patience(of: first) + history.clientBound(\.polling).microseconds
            let late = polls.first { history.patience(of: $0) > limit }
            let many = polls.count > 12 ? polls[12] : nil
            if let event = [late, many].compactMap({ $0 }).min() {
                evidence.violate(
                    "polling goes on", expected: "at most 12 reads, the last within \(history.clientBound(\.polling))",
                    actual: event == many ? "the 13th" : "another one later", at: [first, event])
            } else if wait.end > (history.proof(after: first, limit: limit) ?? .max) {
                evidence.keep()
            }
        }
    }

    /// CLIENT-23: "A client MUST end the thinking state, and show the message as failed with its retry or an error,
    /// when polling ends without an answer".
    ///
    /// Once for each time that a client polled at least twice for an answer that did not come.
    static func pollingEndsInTheOpen(_ history: Observations, _ evidence: inout Evidence) {
        for wait in history.waitsForAnswers where wait.question.ended == nil {
            let polls = history.polls(in: wait)
            guard polls.count > 1 else { continue }
            let shown = history.shown(after: polls[0], within: history.clientBound(\.polling), before: wait.end) {
                state in
                guard wait.isOnScreen(state) else { return nil }
                let isFailed = state.place(of: wait.question).map { state.messages[$0].status == "failed" } ?? false
                return !state.thinking && (isFailed || !state.errors.isEmpty)
            }
            switch shown {
            case .kept: evidence.keep()
            case .broken(let event):
                let isThinking = history.client.state(at: event)?.thinking == true
                evidence.violate(
                    "polling ended and the person is not told",
                    expected: "thinking false, and a failed message or an error",
                    actual: isThinking ? "still thinking" : "neither", at: [polls[0], event])
            case .unknown: break
            }
        }
    }

    /// CLIENT-24: "A client MUST end the thinking state when it receives the ending of the turn, by any road".
    ///
    /// Once for each turn that was awaited on the screen when its ending came, and no other with it.
    static func anEndingEndsTheWaiting(_ history: Observations, _ evidence: inout Evidence) {
        let questions = ClientQuestion.all(in: history)
        for (index, question) in questions.enumerated() {
            guard let ended = question.ended, let state = history.client.state(at: ended), state.thinking,
                history.endOfLife(at: question.event) > ended
            else { continue }
            let sessions = question.sessions(before: ended + 1).union(question.requests.compactMap(\.sessionAsked))
            if let session = state.sessionId, !sessions.isEmpty, !sessions.contains(session) { continue }
            let isAlone = questions.indices.allSatisfy { other in
                other == index || questions[other].event > ended
                    || questions[other].news.contains { $0.kind != .proof && $0.event <= ended }
            }
            guard isAlone else { continue }
            let end = history.end(
                of: ended, at: ["send", "selectSession", "openPush", "background", "quit", "launch", "exit"])
            evidence.test(
                history.shown(after: ended, within: history.clientPatience, before: end, holds: { !$0.thinking })
            ) { event in
                Finding(
                    "the answer is there and the client still waits for it", expected: "thinking false",
                    actual: "thinking true", at: [ended, event])
            }
        }
    }
}

extension Observations {
    /// A time in which a client waits for an answer, and nothing from outside makes it read.
    struct AnswerWait: Sendable {
        /// The message.
        let question: ClientQuestion
        /// The requests of its reads of that session, in order; of the list while the session is not known.
        let reads: [Int]
        /// The event that ended this time: the answer, something that makes it read anew, or the end of the history.
        let end: Int

        /// Whether a screen is the one on which the answer is awaited.
        func isOnScreen(_ state: ObservedClient.State) -> Bool {
            let sessions = question.sessions(before: end).union(question.requests.compactMap(\.sessionAsked))
            return state.sessionId.map { sessions.isEmpty || sessions.contains($0) } ?? true
        }
    }

    /// Every time in which a client waited for an answer and read for it.
    var waitsForAnswers: [AnswerWait] {
        let reasons = Set(recoveryTriggers).union(
            connections.indices.compactMap { connections[$0].connected == nil ? nil : loss(of: $0) }
        ).union(
            client.acts("send", "background", "networkDown", "openPush", "selectSession", "launch", "quit", "exit").map(
                \.event)
        ).sorted()
        return ClientQuestion.all(in: self).flatMap { question -> [AnswerWait] in
            guard let asked = question.requests.first?.event else { return [] }
            let over = question.news.first { $0.kind != .proof }?.event ?? history.events.endIndex
            let borders = [asked] + reasons.filter { $0 > asked && $0 < over } + [over]
            let sessions = question.sessions(before: over).union(question.requests.compactMap(\.sessionAsked))
            return zip(borders, borders.dropFirst()).compactMap { first, last in
                let reads = client.reads.filter { read in
                    guard read.request > first, read.request < last else { return false }
                    if case .session(let id) = read.route { return sessions.contains(id) }
                    return sessions.isEmpty
                }
                guard !reads.isEmpty else { return nil }
                return AnswerWait(question: question, reads: reads.map(\.request), end: last)
            }
        }
    }

    /// How long a change of the screen may go unseen on a busy machine.
    private static let unseenMicroseconds = 500_000

    /// The reads of a wait that were made for the answer: the client is seen waiting after them, was waiting and is seen
    /// otherwise only a while later, or has a socket that would tell the rest.
    ///
    /// A stage records what it sees when it differs from what it saw before, and looks several times a second: what it saw
    /// last was so until shortly before it saw something else.
    func polls(in wait: AnswerWait) -> [Int] {
        let looks = looks(after: wait.reads.first ?? wait.end, before: wait.end)
        let thinking = looks.last { $0.state.thinking }?.event
        let change = looks.first { $0.event > thinking ?? -1 && !$0.state.thinking }?.event
        let sockets = connections.compactMap { connection in
            connection.connected.map { $0..<max($0, connection.ending?.event ?? .max) }
        }
        return wait.reads.dropFirst().filter { read in
            thinking.map { read < $0 } == true || sockets.contains { $0.contains(read) }
                || change.map {
                    client.state(at: read)?.thinking == true && time(of: $0) - time(of: read) > Self.unseenMicroseconds
                } == true
        }
    }
}
