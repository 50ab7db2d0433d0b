import Holdfast
import JSON
import Transcript

/// How a client finds what it lost sight of.
extension CLIENT {
    static let finding: [Check] = [Check(.CLIENT, 38, aTurnIsFoundByItsKey)]

    /// CLIENT-38: "A client MUST find a turn whose session it does not know by its `clientMessageId`, and take no other
    /// session in its place".
    ///
    /// Once for each question of a new conversation that was lost before anything was said of it. A conversation is the right
    /// one only after a frame, response or history has named it together with the key or the turn; asking again with the same
    /// key is one way to find it, reading is another.
    static func aTurnIsFoundByItsKey(_ history: Observations, _ evidence: inout Evidence) {
        for question in ClientQuestion.all(in: history) where !question.isAmbiguous {
            guard let first = question.requests.first, first.sessionAsked == nil, let lost = history.end(of: first),
                !question.news.contains(where: { $0.event < lost })
            else { continue }
            let end = min(history.end(of: lost, at: ["selectSession", "openPush"]), history.endOfLife(at: first.event))
            let wrong = wrongSend(of: question, after: lost) ?? wrongScreen(of: question, from: lost, to: end, history)
            if let wrong {
                evidence.violate(
                    "another session is taken for the one that is not known",
                    expected: "the session in which the clientMessageId is found", actual: "session \(wrong.session)",
                    at: [first.event, lost, wrong.event])
                continue
            }
            evidence.test(found(question, after: lost, before: end, history)) { event in
                Finding(
                    "a turn whose session is not known is not found",
                    expected: "its session on the screen, with the message",
                    actual: "session \(history.client.state(at: event)?.sessionId ?? "none")", at: [lost, event])
            }
        }
    }

    /// A request for the same message that names a session nobody had tied to it.
    private static func wrongSend(of question: ClientQuestion, after lost: Int) -> (session: String, event: Int)? {
        question.requests.lazy.filter { $0.event > lost }.compactMap { request in
            guard let session = request.sessionAsked, !question.sessions(before: request.event).contains(session) else {
                return nil
            }
            return (session, request.event)
        }.first
    }

    /// A screen that shows a session nobody had tied to the message, and was not shown before the loss.
    private static func wrongScreen(
        of question: ClientQuestion, from lost: Int, to end: Int, _ history: Observations
    ) -> (session: String, event: Int)? {
        let before = history.client.state(at: lost)?.sessionId
        return history.looks(after: lost, before: end).lazy.compactMap { look in
            guard let session = look.state.sessionId, session != before,
                !question.sessions(before: look.event).contains(session)
            else { return nil }
            return (session, look.event)
        }.first
    }

    /// Whether the right session came to the screen, counted from the moment the client could ask for it.
    private static func found(
        _ question: ClientQuestion, after lost: Int, before end: Int, _ history: Observations
    ) -> Observations.Sighting {
        let news = question.news.first { $0.kind != .refusal && $0.sessionId != nil }?.event
        // What was sent again and not answered cannot be found.
        if news == nil, question.requests.count > 1 { return .unknown }
        let greeted = history.connections.lazy.compactMap(\.connected).first { $0 > lost }
        guard let cause = news ?? greeted else { return .unknown }
        guard news != nil || history.neglect(after: lost, within: history.clientBound(\.polling)) != nil else {
            return .unknown
        }
        return history.shown(after: cause, within: history.clientBound(\.polling), before: end) { state in
            guard let session = state.sessionId else { return false }
            return question.sessions(before: .max).contains(session) && state.place(of: question) != nil
        }
    }
}

extension Observations {
    /// When a request was over without an answer: its connection lost, or its exchange failed.
    func end(of request: ObservedRequest) -> Int? {
        switch request.origin {
        case .connection(let index): loss(of: index)
        case .exchange(let index): exchanges[index].failure
        }
    }
}
