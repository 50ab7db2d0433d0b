import Holdfast
import JSON
import Transcript

/// What becomes of what a person sends.
extension CLIENT {
    static let sending: [Check] =
        [
            Check(.CLIENT, 11, lostQuestionsAreSentAgain), Check(.CLIENT, 12, theSameIsSentAgain),
            Check(.CLIENT, 13, eachMessageHasAKeyOfItsOwn), Check(.CLIENT, 14, onlyItsOwnTurnProvesDelivery),
        ] + refusals

    /// CLIENT-11: "A client MUST resend, over REST or on its next connection, every `chat` whose connection ended
    /// before its `ack` or any frame of its turn arrived".
    ///
    /// Once for each question whose connection ended before anything was said of it, and once for each that was typed into a
    /// dead connection still shown as connected. One that shows up in a replay or a history meanwhile has arrived and need not
    /// be sent again. Broken when a greeted connection stands for `resend` without it.
    static func lostQuestionsAreSentAgain(_ history: Observations, _ evidence: inout Evidence) {
        for question in ClientQuestion.all(in: history) where !question.isAmbiguous {
            guard let lost = history.loss(of: question) else { continue }
            judge(question, lostAt: lost, in: history, &evidence)
        }
    }

    /// Whether a lost question was sent again; says nothing of one that arrived all the same.
    private static func judge(
        _ question: ClientQuestion, lostAt lost: Observations.LostQuestion, in history: Observations,
        _ evidence: inout Evidence
    ) {
        if lost.isSentAgain(question) {
            evidence.keep()
        } else if !question.news.contains(where: { $0.event > lost.sent }),
            let proof = history.neglect(after: lost.sent, within: history.clientPatience)
        {
            evidence.violate(
                "a message typed is never sent again", expected: "the same chat on the next connection or over REST",
                actual: "nothing within \(history.clientPatience) on a connection that stands",
                at: [lost.sent, lost.event, proof])
        }
    }

    /// CLIENT-12: "A client MUST resend with the `clientMessageId` and content of the first send".
    ///
    /// Once for each request after the first of one message, until the client was told how it ended or that it was refused.
    static func theSameIsSentAgain(_ history: Observations, _ evidence: inout Evidence) {
        for question in ClientQuestion.all(in: history) where !question.isAmbiguous {
            guard let first = question.requests.first, let key = first.clientMessageId else { continue }
            for again in question.requests.dropFirst() {
                guard !question.news.contains(where: { $0.event < again.event && $0.kind != .proof }) else { break }
                let isSameText = again.content == first.content || exactlyEqual(again.prompt, first.prompt)
                evidence.test(
                    again.clientMessageId == key && isSameText,
                    otherwise: again.clientMessageId == key
                        ? "a message is sent again with another text" : "a message is sent again under another key",
                    expected: "\(shown(key)), \(shown(first.prompt))",
                    actual: "\(shown(again.clientMessageId)), \(shown(again.prompt))", at: [first.event, again.event])
            }
        }
    }

    /// CLIENT-13: "A client MUST give each new message of the person a `clientMessageId` of its own".
    ///
    /// Once for each message after the first, and once for each without a key. Of two equal texts the second is known to have
    /// the key of the first when the first had been answered, and the second never comes with another.
    static func eachMessageHasAKeyOfItsOwn(_ history: Observations, _ evidence: inout Evidence) {
        var used: [String: Int] = [:]
        let questions = ClientQuestion.all(in: history)
        for (index, question) in questions.enumerated() {
            guard let first = question.requests.first else {
                if let event = taken(for: question, among: questions[..<index], history) {
                    evidence.violate(shared(event.first, event.second))
                }
                continue
            }
            guard let key = first.clientMessageId else {
                evidence.violate(
                    "a message has no key", expected: "a clientMessageId", actual: "none", at: [first.event])
                continue
            }
            if let other = used[key] {
                evidence.violate(shared(other, first.event))
            } else if !used.isEmpty {
                evidence.keep()
            }
            used[key] = used[key] ?? first.event
        }
    }

    private static func shared(_ first: Int, _ second: Int) -> Finding {
        Finding(
            "two messages of the person have one key", expected: "a clientMessageId of its own for each",
            actual: "the same", at: [first, second])
    }

    /// The requests that show that an equal text went out under the key of the one before it.
    private static func taken(
        for question: ClientQuestion, among earlier: ArraySlice<ClientQuestion>, _ history: Observations
    ) -> (first: Int, second: Int)? {
        guard let typed = question.typed, let twin = earlier.last(where: { exactlyEqual($0.text, question.text) }),
            let first = twin.requests.first, let proof = twin.proof, proof < typed,
            let second = twin.requests.first(where: { $0.event > typed })
        else { return nil }
        // A turn that has ended is not asked for again; one that runs may be.
        let limit = history.patience(of: typed) + history.clientPatience.microseconds
        guard twin.ended.map({ $0 < typed }) == true || history.proof(after: typed, limit: limit) != nil else {
            return nil
        }
        return (first.event, second.event)
    }

    /// CLIENT-14: "A client MUST regard a message as sent only on a frame, response or history that carries its
    /// `clientMessageId` or the `turnId` of its `ack`".
    ///
    /// Once for each look at a message between its sending and the first proof, and once for each that was lost after frames of
    /// other turns had arrived, as in CLIENT-11.
    static func onlyItsOwnTurnProvesDelivery(_ history: Observations, _ evidence: inout Evidence) {
        let questions = ClientQuestion.all(in: history)
        for (index, question) in questions.enumerated() where !question.isAmbiguous {
            guard let sent = question.requests.first?.event else { continue }
            let isOnlyOne = !questions.indices.contains { $0 != index && questions[$0].text == question.text }
            let end = min(question.news.first?.event ?? .max, history.endOfLife(at: sent))
            for look in history.looks(after: sent, before: end) {
                guard let place = look.state.place(of: question) else { continue }
                let shown = look.state.messages[place]
                guard shown.key != nil || isOnlyOne else { continue }
                if shown.status == "sent" {
                    evidence.violate(
                        "a message counts as sent without proof",
                        expected: "its key, or the turn of its ack, in a frame, response or history",
                        actual: "status sent", at: [sent, look.event])
                    break
                }
                evidence.keep()
            }
            if let lost = history.loss(of: question), history.hasOthers(than: question, from: lost.sent, to: lost.event)
            {
                judge(question, lostAt: lost, in: history, &evidence)
            }
        }
    }
}

extension Observations {
    /// The loss of a question that nothing had been said of.
    struct LostQuestion {
        /// The request, or the command that typed it when no request ever arrived.
        let sent: Int
        /// The road it went; nil when it never arrived.
        let origin: ObservedRequest.Origin?
        /// What ended the connection.
        let event: Int

        /// Whether it came again by another road, or at all where it had not arrived.
        func isSentAgain(_ question: ClientQuestion) -> Bool {
            question.requests.contains { $0.event > sent && $0.origin != origin }
        }
    }

    /// How a question was lost: its connection ended before anything was said of it.
    ///
    /// Of one that was sent on several connections, the last.
    func loss(of question: ClientQuestion) -> LostQuestion? {
        for request in question.requests.reversed() {
            guard let connection = request.connection, let event = loss(of: connection), event > request.event,
                !question.news.contains(where: { $0.event < event })
            else { continue }
            let lost = LostQuestion(sent: request.event, origin: request.origin, event: event)
            // The last of many may be lost with the history itself; the ones before it were sent again.
            if lost.isSentAgain(question) || question.requests.first?.event == request.event { return lost }
            if neglect(after: event, within: clientPatience) != nil { return lost }
        }
        // Typed into a connection that was over and still called connected.
        guard let typed = question.typed, client.state(at: typed)?.connection == .connected,
            question.requests.first?.connection != lastConnection(before: typed),
            let connection = lastConnection(before: typed), let ending = connections[connection].ending?.event,
            ending < typed
        else { return nil }
        return LostQuestion(sent: typed, origin: nil, event: ending)
    }

    private func lastConnection(before event: Int) -> Int? {
        connections.lastIndex { $0.opening < event && $0.connected.map { $0 < event } == true }
    }

    /// Whether frames of other turns came between two events.
    func hasOthers(than question: ClientQuestion, from first: Int, to last: Int) -> Bool {
        let own = Set(question.news.map(\.event))
        return received.contains { frame in
            frame.event > first && frame.event < last && !own.contains(frame.event)
                && ["toolUse", "message", "done", "error"].contains(frame.type ?? "")
        }
    }
}
