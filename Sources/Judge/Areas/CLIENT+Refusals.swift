import Holdfast
import JSON
import Transcript

/// What a client is told against a message.
extension CLIENT {
    static let refusals: [Check] = [
        Check(.CLIENT, 31, errorsAreShown), Check(.CLIENT, 32, rateLimitsAreWaitedFor),
    ]

    /// CLIENT-31: "A client MUST show every `error` that ends or refuses one of its turns, on the message it concerns
    /// or among `errors`".
    ///
    /// Once for each first error of a message, until it is sent again or proves to be taken up. Shown is a message marked as
    /// failed, or an error that was not there before; its words are the client's own.
    static func errorsAreShown(_ history: Observations, _ evidence: inout Evidence) {
        for question in ClientQuestion.all(in: history) {
            var told: Int?
            for news in question.news {
                guard let error = news.error, error.code != nil || error.text != nil else { continue }
                // A repeat of what was told says nothing new, unless the message was sent in between.
                let isNew = question.requests.contains { $0.event > told ?? -1 && $0.event < news.event }
                told = news.event
                if isNew { judge(error, news, of: question, in: history, &evidence) }
            }
        }
    }

    private static func judge(
        _ error: ClientQuestion.ClientError, _ news: ClientQuestion.News, of question: ClientQuestion,
        in history: Observations, _ evidence: inout Evidence
    ) {
        let ends = [
            history.end(of: news.event, at: ["selectSession", "openPush", "background", "quit", "launch", "exit"]),
            question.requests.first { $0.event > news.event }?.event,
            question.news.first { $0.event > news.event && $0.error == nil }?.event,
        ]
        let before = history.client.state(at: news.event)
        let sessions = question.sessions(before: news.event + 1).union(question.requests.compactMap(\.sessionAsked))
        let shown = history.shown(
            after: news.event, within: history.clientPatience, before: ends.compactMap { $0 }.min() ?? .max
        ) { state in
            if state.shows(error, of: question, unlike: before) { return true }
            // On another session's screen the message may carry it out of sight.
            if let session = state.sessionId, !sessions.isEmpty, !sessions.contains(session) { return nil }
            return !state.errors.isEmpty && state.errors == before?.errors ? nil : false
        }
        evidence.test(shown) { event in
            Finding(
                "an error is not shown", expected: "the message marked as failed, or an entry in errors",
                actual: "neither, after \(error.code ?? "an error without code")", at: [news.event, event])
        }
    }

    /// CLIENT-32: "A client MUST NOT send a message refused with `rate_limited` again before `retryAfterMs` has
    /// passed".
    ///
    /// Once for each refusal that names a time, when the message came again, or the time was watched to its end.
    static func rateLimitsAreWaitedFor(_ history: Observations, _ evidence: inout Evidence) {
        for question in ClientQuestion.all(in: history) {
            for news in question.news where news.kind == .refusal && news.error?.code == "rate_limited" {
                guard let wait = news.error?.retryAfter, wait > 0 else { continue }
                let limit = history.time(of: news.event) + wait
                if let again = question.requests.first(where: { $0.event > news.event }) {
                    evidence.test(
                        history.time(of: again.event) >= limit,
                        otherwise: "a message refused for its rate comes again too soon",
                        expected: "not within \(wait / 1_000) ms",
                        actual: "after \((history.time(of: again.event) - history.time(of: news.event)) / 1_000) ms",
                        at: [news.event, again.event])
                } else if let proof = history.proof(after: news.event, limit: limit),
                    history.isAble(from: news.event, to: proof)
                {
                    evidence.keep()
                }
            }
        }
    }
}

extension ObservedClient.State {
    /// Whether this screen shows an error of a message: the message marked as failed, or an error that is about it or new.
    func shows(
        _ error: ClientQuestion.ClientError, of question: ClientQuestion, unlike before: ObservedClient.State?
    ) -> Bool {
        if let place = place(of: question), messages[place].status == "failed" { return true }
        let keys = question.keys
        if errors.contains(where: { shown in
            (shown.code != nil && shown.code == error.code) || shown.key.map(keys.contains) == true
                || (error.text.map { !$0.isEmpty && shown.text.contains($0) } ?? false)
        }) {
            return true
        }
        return !errors.isEmpty && errors != before?.errors
    }
}
