import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension Observations {
    struct LostQuestion {
        /// The request, or the command that typed it if no request ever arrived.
        let sent: Int
        /// Its transport; nil if it never arrived.
        let origin: ObservedRequest.Origin?
        /// The event that ended the connection or the request.
        let event: Int

        /// Whether it was resent over another transport, or at all if it had not arrived.
        func isSentAgain(_ question: ClientQuestion) -> Bool {
            question.requests.contains { $0.event > sent && $0.origin != origin }
        }
    }

    /// The loss of a question: its connection, or its request, ended before any sign of it.
    ///
    /// If it was sent on several connections, the last one counts.
    func loss(of question: ClientQuestion) -> LostQuestion? {
        for request in question.requests.reversed() {
            guard let event = end(of: request) ?? emptyResponse(to: request), event > request.event,
                !question.signs.contains(where: { $0.event < event })
            else { continue }
            let lost = LostQuestion(sent: request.event, origin: request.origin, event: event)
            // The last of several requests may be lost only because the history ends; the earlier ones were resent.
            if lost.isSentAgain(question) || question.requests.first?.event == request.event { return lost }
            if proofOfConnection(after: event, within: clientPatience) != nil { return lost }
        }
        // Typed into a connection that had ended but was still shown as connected.
        guard let typed = question.typed, client.state(at: typed)?.connection == .connected,
            question.requests.first?.connection != lastConnection(before: typed),
            let connection = lastConnection(before: typed), let ending = connections[connection].ending?.event,
            ending < typed
        else { return nil }
        return LostQuestion(sent: typed, origin: nil, event: ending)
    }

    /// A response without a sign of the question, such as a gateway's.
    private func emptyResponse(to request: ObservedRequest) -> Int? {
        guard let exchange = exchange(of: request), let status = exchange.status,
            ChatOutcome(status: status, body: exchange.answer?.root) == .unknown
        else { return nil }
        return exchange.response
    }

    /// The event that proves that a lost question was not resent: in the life of the app that lost it, else in the next
    /// one, if the screen shows the message as if it were on its way.
    func proofNotSentAgain(of question: ClientQuestion, lostAt lost: LostQuestion) -> Expiry? {
        if let proof = proofOfConnection(after: lost.sent, within: clientPatience, from: { max($0, lost.event) }) {
            return proof
        }
        let end = endOfLife(at: lost.sent)
        guard let launch = client.acts("launch").after(end - 1).first, let life = client.launch(at: launch.event),
            !life.isFresh, question.repeats.isEmpty, !hasFailed(question, from: lost.sent, to: life.events.upperBound),
            !mayCross(lost.sent, end),
            let proof = proofOfConnection(after: launch.event, within: clientPatience),
            client.state(at: proof.event)?.places(of: question).isEmpty == false
        else { return nil }
        return proof
    }

    /// Whether a client had certainly received a given `connected` before an event: it sent something that must follow
    /// it, or it had time.
    func wasSurelyGreeted(before event: Int, by greeting: Int) -> Bool {
        connections.enumerated().contains { index, connection in
            connection.connected == greeting && greeting < event
                && (hadTime(for: greeting, on: index, before: event)
                    || connection.sent.contains { $0.event > greeting && $0.event <= event && $0.kind != .auth })
        }
    }

    /// The event that proves that a connection was greeted after an event, and lasted for the whole of a bound while
    /// the client could act; nil if none did.
    ///
    /// `start` maps the greeting to the event at which the bound begins; nil if it never begins.
    func proofOfConnection(after event: Int, within bound: Duration, from start: (Int) -> Int? = { $0 }) -> Expiry? {
        for (index, connection) in connections.enumerated() {
            guard let greeted = connection.connected, greeted > event, greeted < endOfLife(at: event),
                let first = start(greeted), first < endOfLife(at: event),
                let proof = deadline(after: first, within: bound, on: index), isAble(from: first, to: proof.event)
            else { continue }
            return proof
        }
        return nil
    }

    func hasFailed(_ question: ClientQuestion, from first: Int, to last: Int) -> Bool {
        failure(of: question, after: first).map { $0 < last } ?? false
    }

    /// The first event after another one at which a message was shown as failed.
    func failure(of question: ClientQuestion, after event: Int) -> Int? {
        client.states[client.states.boundary { $0.event > event }...].first { state in
            state.entries(of: question).contains { state.messages[$0].status == "failed" }
        }?.event
    }

    /// Whether a message was shown as failed between two events, or an error appeared that names no other message; an
    /// error without a key counts only with `mayBeNameless`.
    func wasReported(of question: ClientQuestion, from first: Int, to last: Int, mayBeNameless: Bool = false) -> Bool {
        let before = client.state(at: first)?.errors ?? []
        let others = Set(clientQuestions.filter { $0.event != question.event }.flatMap(\.keys))
        return hasFailed(question, from: first, to: last)
            || client.states.contains { state in
                state.event > first && state.event < last
                    && state.errors.contains { error in
                        !before.contains(error) && (error.key.map { !others.contains($0) } ?? mayBeNameless)
                    }
            }
    }

    private func lastConnection(before event: Int) -> Int? {
        connections.lastIndex { $0.opening < event && $0.connected.map { $0 < event } == true }
    }
}
