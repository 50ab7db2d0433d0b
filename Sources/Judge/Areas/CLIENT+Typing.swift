import Holdfast
import JSON
import Transcript

/// What a client does with what a person types: kept, sent in order, sent again, and not called failed when it is answered.
extension CLIENT {
    /// CLIENT-50: "A client MUST send to a server that stated `idempotency` what the person sends again under the key
    /// of its first send while neither a refusal nor an ending of its turn has arrived, and under a new key after an
    /// ending or `idempotency_mismatch`".
    ///
    /// Once for each `sendAgain` that a request followed, to a server that remembers keys. An error that names no turn may have
    /// refused or ended; then either key is right.
    static func whatIsSentAgainHasItsKey(_ history: Observations, _ evidence: inout Evidence) {
        let questions = ClientQuestion.all(in: history)
        for question in questions where !question.isAmbiguous && question.key != nil {
            for again in question.repeats {
                let later = question.requests + questions.filter { $0.typed == again }.flatMap(\.requests)
                guard let request = later.filter({ $0.event > again }).min(by: { $0.event < $1.event }),
                    !question.repeats.contains(where: { $0 > again && $0 < request.event }),
                    history.remembersKeys(before: request.event) == true
                else { continue }
                let hasOldKey = request.clientMessageId.map(question.keys.contains) == true
                let news = question.news.filter { $0.event < again && $0.kind != .proof }
                let isOver = news.contains { news in
                    news.kind == .ending
                        ? news.error.map(\.namesTurn) ?? true : news.error?.code == "idempotency_mismatch"
                }
                // A status without a word that refuses may stand for either, like an error without a turn.
                let isVague = question.requests.contains { request in
                    guard case .exchange(let index) = request.origin else { return false }
                    let exchange = history.exchanges[index]
                    return exchange.response.map { $0 < again } == true && exchange.status.map { $0 >= 400 } == true
                }
                guard news.isEmpty && !isVague || isOver else { continue }
                evidence.test(
                    hasOldKey == news.isEmpty,
                    otherwise: hasOldKey
                        ? "what is over is sent again under its old key"
                        : "a message that may have arrived is sent again under a new key",
                    expected: hasOldKey ? "a new key" : shown(question.key), actual: shown(request.clientMessageId),
                    at: [again, request.event])
            }
        }
    }

    /// CLIENT-51: "A client MUST send a message that was typed while it had no connection within `resend` of the next one
    /// that stands, unless it tells the person that the message was not sent".
    ///
    /// Once for each message that was typed without network, or with no greeted connection, and was sent or shown as failed.
    /// Broken when a connection stands for `resend` without either or a new error, and no earlier message is still awaited.
    static func whatIsTypedWithoutConnectionIsSent(_ history: Observations, _ evidence: inout Evidence) {
        let questions = ClientQuestion.all(in: history)
        for (index, question) in questions.enumerated() where !question.isAmbiguous && question.repeats.isEmpty {
            guard let typed = question.typed, let life = history.client.launch(at: typed)?.events,
                history.client.acts.contains(where: { $0.event == typed && $0.name == "send" })
            else { continue }
            let hadNone =
                !history.client.hasNetwork(at: typed)
                || !history.attempts(in: life.lowerBound..<typed).contains { history.mayBeInUse($0, at: typed) }
            guard hadNone else { continue }
            let isFailed = history.hasFailed(question, from: typed, to: life.upperBound)
            let earlier = questions[..<index].filter { $0.event > life.lowerBound }.map { other in
                other.news.first { $0.kind != .proof }?.event
            }
            // What an earlier message holds up may go once that is over.
            let released = max(typed, earlier.compactMap(\.self).max() ?? typed)
            let proof =
                earlier.contains(nil)
                ? nil : history.standing(after: typed, within: history.clientPatience) { max($0, released) }
            let isSent = question.requests.contains { life.contains($0.event) && $0.event < proof ?? .max }
            // Any new word may be about it, and who has gone elsewhere does not see what becomes of it.
            let isOpen = proof.map {
                history.endOfStay(at: typed) <= $0 || history.mayHaveBeenTold(of: question, from: typed, to: $0 + 1)
            }
            evidence.test(isSent || isFailed, orBy: isOpen == false ? proof : nil) { proof in
                Finding(
                    "a message typed without a connection is not sent in time",
                    expected: "its chat, or a word that it was not sent",
                    actual: "neither within \(history.clientPatience) on a connection that stands", at: [typed, proof])
            }
        }
    }

    /// CLIENT-52: "A client MUST show or send, when it is launched again after its end, every message of the person of which
    /// neither a confirmation nor a refusal had arrived and that it had not shown as failed".
    ///
    /// Once for each such message that is shown or sent after `quit` and `launch`. Broken when a connection stands for `resend`
    /// while its session is on the screen, and neither happens.
    static func nothingTypedIsForgotten(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        let questions = ClientQuestion.all(in: history)
        for quit in client.acts("quit") {
            guard let launch = client.nextAct("launch", after: quit.event),
                let life = client.launch(at: launch.event), !life.isFresh
            else { continue }
            for question in questions where !question.isAmbiguous && question.repeats.isEmpty {
                guard let typed = question.typed, client.launch(at: typed)?.events.upperBound == quit.event,
                    question.news.allSatisfy({ $0.event > quit.event }),
                    !history.hasFailed(question, from: typed, to: quit.event),
                    let session = history.sessionOnScreen(at: typed),
                    !questions.contains(where: { $0.typed != typed && exactlyEqual($0.text, question.text) })
                else { continue }
                let isSent = question.requests.contains { life.events.contains($0.event) }
                let isShown = client.states(from: launch.event, to: life.events.upperBound).contains {
                    $0.sessionId == session && $0.entry(of: question) != nil
                }
                let proof = history.standing(after: launch.event, within: history.clientPatience) { greeted in
                    client.states.first { $0.event > launch.event && $0.sessionId == session }
                        .map { max($0.event, greeted) }
                }
                let isOnScreen = proof.map { proof in
                    client.states(from: launch.event, to: proof + 1).drop { $0.sessionId != session }
                        .allSatisfy { $0.sessionId == session }
                }
                // A new word before the end may have been that it was not taken.
                let isOpen = isOnScreen != true || history.mayHaveBeenTold(of: question, from: typed, to: quit.event)
                evidence.test(isSent || isShown, orBy: isOpen ? nil : proof) { proof in
                    Finding(
                        "a message is forgotten with the end of the app", expected: "shown in its session, or sent",
                        actual: "neither after the next launch", at: [typed, quit.event, proof])
                }
            }
        }
    }

    /// CLIENT-53: "A client MUST NOT show a message as failed once the `done` of its turn has arrived, by any road".
    ///
    /// Once for each answer of a message that was shown as failed before, or beside an error that names it, when a look at it
    /// followed.
    static func anAnswerEndsTheFailure(_ history: Observations, _ evidence: inout Evidence) {
        for question in ClientQuestion.all(in: history) where !question.isAmbiguous {
            guard let answer = question.news.first(where: \.isAnswer)?.event,
                let sent = question.requests.last(where: { $0.event < answer })?.event,
                history.endOfLife(at: sent) > answer
            else { continue }
            let hasFailed = history.client.states(from: sent, to: answer).contains { state in
                guard let index = state.place(of: question) else { return false }
                if state.messages[index].status == "failed" { return true }
                return state.errors.contains { error in error.key.map { question.keys.contains($0) } ?? false }
            }
            guard hasFailed else { continue }
            let ends = [
                history.end(of: answer, at: leavings.union(["sendAgain"])),
                question.requests.first { $0.event > answer }?.event ?? .max,
            ]
            let sighting = history.shown(
                after: answer, within: history.clientPatience, before: ends.min() ?? .max
            ) { state in
                state.place(of: question).map { state.messages[$0].status != "failed" }
            }
            evidence.test(sighting) { event in
                Finding(
                    "a message is shown as failed although its answer is there", expected: "status sent",
                    actual: "status failed", at: [answer, event])
            }
        }
    }

    /// CLIENT-54: "A client MUST send the messages of one session, for the first time and again after a reconnect, in the
    /// order in which the person typed them, but for those that were refused or are shown as failed".
    ///
    /// Once for each two neighbors of one session that waited together and were both sent then. Broken only by two frames on
    /// one connection: requests over REST may overtake others on the way.
    static func theOrderOfTypingIsKept(_ history: Observations, _ evidence: inout Evidence) {
        let questions = ClientQuestion.all(in: history).filter { $0.typed != nil && !$0.isAmbiguous }
        for (place, first) in questions.enumerated() {
            guard let session = first.requests.first?.sessionAsked,
                let second = questions[(place + 1)...].first(where: { $0.requests.first?.sessionAsked == session })
            else { continue }
            for (early, late) in waitingTogether(first, second, in: history) {
                let start = min(early.event, late.event)
                guard !first.news.contains(where: { $0.event < start }),
                    !second.news.contains(where: { $0.event < start })
                else { continue }
                if early.event < late.event {
                    evidence.keep()
                } else if early.connection != nil, early.connection == late.connection,
                    !history.mayHaveBeenTold(of: first, from: first.event, to: start)
                {
                    evidence.violate(
                        "messages are sent in another order than they were typed",
                        expected: "\(shown(first.text)) first", actual: "\(shown(second.text)) first",
                        at: [late.event, early.event])
                }
            }
        }
    }

    /// The requests by which two messages went out that had waited together: for their first road, and for another one each
    /// time that both were lost with their connection.
    private static func waitingTogether(
        _ first: ClientQuestion, _ second: ClientQuestion, in history: Observations
    ) -> [(early: ObservedRequest, late: ObservedRequest)] {
        var pairs: [(early: ObservedRequest, late: ObservedRequest)] = []
        if let early = first.requests.first, let late = second.requests.first, second.event < early.event {
            pairs.append((early, late))
        }
        for index in history.connections.indices {
            guard let loss = history.loss(of: index),
                first.requests.last(where: { $0.event < loss })?.connection == index,
                second.requests.last(where: { $0.event < loss })?.connection == index,
                let early = first.requests.first(where: { $0.event > loss }),
                let late = second.requests.first(where: { $0.event > loss })
            else { continue }
            pairs.append((early, late))
        }
        return pairs
    }
}
