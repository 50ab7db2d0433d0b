import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-6, rule 2: resending by the person takes a new key after an ending or `idempotency_mismatch`, else the
    /// last one while it is open.
    ///
    /// Tested once for each `sendAgain` that a request followed. All signs up to the request count; if one arrived so
    /// shortly before it that the client may not have processed it, either key is right.
    static func resendsKeepTheirKey(_ history: Observations, _ evidence: inout Evidence) {
        let questions = history.clientQuestions
        for question in questions where !question.isAmbiguous && question.key != nil {
            for again in question.repeats {
                let later = question.requests + questions.filter { $0.typed == again }.flatMap(\.requests)
                guard question.requests.contains(where: { $0.isBefore(again) }),
                    let request = later.filter({ $0.isAfter(again) }).min(by: { $0.isBefore($1.event) }),
                    !question.repeats.contains(where: { $0 > again && $0.isBefore(request.event) })
                else { continue }
                let hasOldKey = request.clientMessageId.map(question.keys.contains) == true
                let signs = question.signs.filter { $0.isBefore(request.event) && $0.kind != .proof }
                let endings = signs.filter { $0.kind == .ending || $0.error?.code == "idempotency_mismatch" }
                let isOver = endings.contains { sign in
                    history.handled(sign, of: question, before: request, reported: again)
                        && !history.mayBeMissed(sign, of: question, before: again)
                }
                // Each refusal answers one send.
                let isOpen = endings.isEmpty && signs.count < question.requests.count { $0.isBefore(again) }
                guard isOpen || isOver else { continue }
                evidence.test(
                    hasOldKey == isOpen,
                    otherwise: hasOldKey
                        ? "a finished message was resent under its old key"
                        : "a message that may have arrived was resent under a new key",
                    expected: hasOldKey ? "a new key" : shown(question.key), actual: shown(request.clientMessageId),
                    at: [again, request.event])
            }
        }
    }

    /// CLIENT-38: "A client MUST send a typed message within `resend` of the latest of typing, connecting and the end
    /// of what it awaited before, unless it shows it as failed".
    ///
    /// Tested once for each message that was sent or shown as failed. Violated if neither happens while a connection is
    /// open for `resend`, no earlier message is still awaited, and no error names the message. Texts that were sent but
    /// not typed may be altered forms of typed ones.
    static func typedMessagesAreSent(_ history: Observations, _ evidence: inout Evidence) {
        let questions = history.clientQuestions
        for (index, question) in questions.enumerated() where !question.isAmbiguous {
            guard let typed = question.typed, let life = history.client.launch(at: typed)?.events,
                history.client.acts.contains(where: { $0.event == typed && $0.name == "send" })
            else { continue }
            guard question.repeats.isEmpty else {
                judgeRepeats(of: question, among: questions, history, &evidence)
                continue
            }
            let proof = history.proofNotSent(of: question, typed, behind: questions[..<index], in: life)
            let isSent = history.areSent(question, typed, before: proof?.event ?? .max, in: life)
            // A failure shown later is too late.
            let isFailed = history.hasFailed(question, from: typed, to: proof.map { $0.event + 1 } ?? life.upperBound)
            let isOpen = proof.map { proof in
                history.wasReported(of: question, from: typed, to: proof.event + 1)
                    || questions.contains { $0.typed == nil && $0.isAfter(typed) && $0.isBefore(proof.event) }
            }
            evidence.test(isSent || isFailed, brokenBy: isOpen == false ? proof : nil) { proof in
                Finding(
                    "a typed message was not sent in time", expected: "its chat, or the message shown as failed",
                    actual: "neither within \(history.clientPatience) on an open connection", at: [typed, proof])
            }
            // A trimmed or differently composed text is the same; one with fewer characters is not.
            if let cut = question.requests.first(where: { visible($0.prompt) < visible(question.text) }) {
                evidence.violate(
                    "a part of a typed message was not sent", expected: shown(question.text),
                    actual: shown(cut.prompt), at: [typed, cut.event])
            }
        }
    }

    /// CLIENT-38, rule 2: at rest, each message typed into the session on the screen was sent or shown as failed.
    ///
    /// Tested once for each session that was checked at rest after messages were typed into it in the same life of the
    /// app. Equal texts must be sent as often as they were typed. A message that waits for `retryAfterMs`, or for one
    /// that the server never answered, may still wait at rest.
    static func nothingIsUnsentAtRest(_ history: Observations, _ evidence: inout Evidence) {
        let questions = history.clientQuestions
        for rest in history.rests {
            guard let life = history.client.launch(at: rest.event)?.events else { continue }
            let isTyped = { (question: ClientQuestion) in question.isTyped(in: life, before: rest.event) }
            let typed = questions.filter {
                $0.repeats.isEmpty && isTyped($0) && history.screen(at: $0.event)?.sessionId == rest.sessionId
            }
            // Texts that were sent but not typed may be altered forms of the typed ones.
            let isOpen = questions.contains { $0.typed == nil && life.contains($0.event) && $0.isBefore(rest.end) }
            if isOpen || typed.isEmpty { continue }
            let lost = typed.first { question in
                let alike = questions.filter { $0.hasText(question.text) }
                let requests = alike.flatMap(\.requests).filter { life.contains($0.event) && $0.isBefore(rest.end) }
                let owed = alike.count(where: isTyped) - Set(requests.map { $0.clientMessageId ?? "\($0.event)" }).count
                return owed > alike.count { history.hasFailed($0, from: $0.event, to: rest.end) }
            }
            let last = min(rest.event, lost?.event ?? .max)
            let earlier = questions.filter { !$0.requests.isEmpty && $0.isBefore(last) }
            if earlier.contains(where: { mayWait($0, at: rest, history) }) { continue }
            let settled = earlier.flatMap(\.signs).map(\.event).filter { $0.isBefore(rest.event) }.max() ?? 0
            let looked = history.client.states.last { $0.isBefore(rest.end) && $0.sessionId == rest.sessionId }?.event
            let proof = lost.flatMap { history.standing(from: $0.event, released: max($0.event, settled)) }
                .flatMap { looked.isOpen(at: max($0.event, rest.event) - 1) ? looked : nil }
            evidence.test(lost == nil, brokenBy: proof) { proof in
                Finding(
                    "a typed message was never sent", expected: "its chat, or the message shown as failed",
                    actual: "neither at rest", at: [lost?.event ?? rest.event, proof])
            }
        }
    }

    /// Whether a message may hold up others at rest: refused temporarily, or awaited, and not shown as failed.
    private static func mayWait(_ question: ClientQuestion, at rest: IdleScreen, _ history: Observations) -> Bool {
        if history.hasFailed(question, from: question.event, to: rest.end) { return false }
        let last = question.signs.last { question.settles($0, before: rest.event) }
        return last.map { $0.error?.retryAfter != nil || !isFinal($0) } ?? true
    }

    private static func visible(_ text: String) -> Int { text.count { !$0.isWhitespace } }

    /// Judges the last message that was refused and resent, if nothing else was awaited then; a message that the server
    /// has need not be sent.
    private static func judgeRepeats(
        of question: ClientQuestion, among questions: [ClientQuestion], _ history: Observations,
        _ evidence: inout Evidence
    ) {
        guard let again = question.repeats.last, let life = history.client.launch(at: again)?.events,
            history.client.state(at: again)?.showsAsFailed(question) == true,
            question.signs.allSatisfy({ $0.kind == .refusal && $0.isBefore(again) }),
            questions.allSatisfy({ other in
                other.isAfter(again) || other.typed == question.typed
                    || other.signs.contains { other.settles($0, before: again) }
            })
        else { return }
        let alike = questions.filter { $0.hasText(question.text) }.flatMap(\.requests)
        let proof = history.standing(from: again, released: again)
        let isSent = alike.contains { $0.isAfter(again) && life.contains($0.event) }
        let isReported = history.wasReported(of: question, from: again + 1, to: proof?.event ?? life.upperBound)
        let isOpen = isReported || proof.map { !$0.isBefore(history.endOfStay(at: again)) } ?? true
        evidence.test(isSent, brokenBy: isOpen ? nil : proof) { proof in
            Finding(
                "a message was not resent", expected: "its chat, or the message shown as failed",
                actual: "neither within \(history.clientPatience) on an open connection", at: [again, proof])
        }
    }

    /// CLIENT-12: "A client MUST send a message to the session where it was typed or, in a new conversation, to that of
    /// its first message that stands".
    ///
    /// Tested once for each message that was typed into a session, once for each after the first in a new conversation
    /// whose session the client knew before it sent it, and once for the first in an empty conversation that the person
    /// chose: it begins a session. A session that is gone, or that left the screen by itself, does not bind the client.
    static func messagesGoToTheirSession(_ history: Observations, _ evidence: inout Evidence) {
        let questions = history.clientQuestions
        for (index, question) in questions.enumerated() where !question.isAmbiguous && question.repeats.isEmpty {
            guard let typed = question.typed, let request = question.requests.first,
                let screen = history.screen(at: typed)
            else { continue }
            var session = screen.sessionId
            if session == nil {
                let conversation = history.newConversation(of: question, on: screen, after: questions[..<index])
                judge(conversation, typed, request, history, &evidence)
                session = conversation.session(for: request, in: history)
            } else {
                let stay = history.endOfStay(at: typed)
                let next = history.client.states.first { $0.isAfter(typed) && $0.isBefore(stay) }
                if next.map({ $0.sessionId != session }) == true { continue }
            }
            guard let session, !history.isGone(session, before: request.event) else { continue }
            // A repeated message belongs to its first session.
            let stray = question.requests.first {
                $0.sessionAsked != session && ($0.event == request.event || screen.sessionId != nil)
            }
            evidence.test(no: stray) { stray in
                Finding(
                    "a message was sent to a session other than where it was typed", expected: "sessionId \(session)",
                    actual: stray.sessionAsked.map { "sessionId \($0)" } ?? "no sessionId", at: [typed, stray.event])
            }
        }
    }

    private static func judge(
        _ conversation: NewConversation, _ typed: Int, _ request: ObservedRequest, _ history: Observations,
        _ evidence: inout Evidence
    ) {
        if conversation.isBegun {
            evidence.test(no: request.sessionAsked) { asked in
                Finding(
                    "the first message of a new conversation was sent to a session", expected: "no sessionId",
                    actual: "sessionId \(asked)", at: [typed, request.event])
            }
        }
        guard let first = conversation.first(before: request, in: history), request.sessionAsked == nil,
            conversation.sessions(reportedFor: first, before: request, in: history).isEmpty,
            history.mayBegin(first, before: request.event)
        else { return }
        evidence.violate(
            "a second message begins a conversation while the first is under way",
            expected: "nothing until the session of the first is known", actual: "no sessionId",
            at: [first.requests.first?.event ?? typed, request.event])
    }

    /// CLIENT-35: "A client MUST show or send, when it is launched again, every unconfirmed message of the person".
    ///
    /// Tested once for each such message that is shown or sent after the app ended and was launched again; a refused or
    /// failed one counts as shown. Violated if neither happens although a connection is open for `resend` while the
    /// screen shows the session of the message, or a new conversation if it was typed into one. A message typed at the
    /// moment of a crash may not have been stored.
    static func typedMessagesSurvive(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        for end in client.acts where ObservedClient.deaths.contains(end.name) {
            guard let launch = client.acts("launch").after(end.event).first,
                let life = client.launch(at: launch.event), !life.isFresh
            else { continue }
            for question in history.clientQuestions {
                guard let typed = question.typed, let screen = history.screen(at: typed),
                    history.mustOutlive(question, typed, end)
                else { continue }
                // A conversation that the server does not know yet may have got any session since, and cannot be found
                // again once left; a tap leads away from it.
                let session = screen.sessionId
                let next = client.states.first { $0.isAfter(typed) && $0.isBefore(end.event) }
                let isLeft = history.end(of: typed, at: ["selectSession", "openPush"]).isBefore(end.event)
                if session == nil, isLeft || next?.sessionId != nil || launch.details["opened"] != nil { continue }
                let isSent = question.requests.contains { life.events.contains($0.event) }
                let isShown = client.states(from: launch.event, to: life.events.upperBound).contains {
                    (session == nil || $0.sessionId == session) && !$0.entries(of: question).isEmpty
                }
                let proof = history.standing(on: session, since: launch.event)
                evidence.test(isSent || isShown, brokenBy: proof) { proof in
                    Finding(
                        "a message was lost when the app ended", expected: "shown in its session, or sent",
                        actual: "neither after the next launch", at: [typed, end.event, proof])
                }
            }
        }
    }

    /// CLIENT-10: "A client MUST send the unsettled messages of one session on one connection or over REST in the order
    /// in which the person typed them, also after a reconnect".
    ///
    /// Tested once for each pair of successive messages of one conversation that waited together to be sent, or sent
    /// again, and went on one connection or over REST. REST requests may overtake each other.
    static func typingOrderIsKept(_ history: Observations, _ evidence: inout Evidence) {
        let questions = history.clientQuestions.filter { $0.typed != nil && !$0.isAmbiguous }
        for (place, first) in questions.enumerated() {
            let others = questions[(place + 1)...].filter { history.isOneConversation(first, $0) }
            for (number, second) in others.enumerated() {
                for (early, late) in waitingTogether(first, second, in: history) {
                    let start = min(early.event, late.event)
                    guard !(first.signs + second.signs).contains(where: { $0.isBefore(start) }) else { continue }
                    if early.isBefore(late.event) {
                        if number == 0 { evidence.keep() }
                    } else if early.connection == late.connection,
                        early.connection != nil
                            || !history.mayCross(late.event, early.event),
                        !history.mayBeOvertaken(first, at: late.event, until: early.event)
                    {
                        evidence.violate(
                            "messages were not sent in the order of typing",
                            expected: "\(shown(first.text)) first", actual: "\(shown(second.text)) first",
                            at: [late.event, early.event])
                    }
                }
            }
        }
    }

    /// The requests by which two messages that had waited together were sent: neither was on its way when the first of
    /// the two was sent, because it had just been typed, or because its connection had ended.
    private static func waitingTogether(
        _ first: ClientQuestion, _ second: ClientQuestion, in history: Observations
    ) -> [(early: ObservedRequest, late: ObservedRequest)] {
        func isWaiting(_ question: ClientQuestion, at event: Int) -> Bool {
            guard question.isBefore(event) else { return false }
            return question.requests.prefix { $0.isBefore(event) }.allSatisfy { request in
                guard let end = history.end(of: request), end < event else { return false }
                // The client may not know yet that a REST request has failed.
                return request.connection != nil
                    || !history.mayCross(end, event)
            }
        }
        return first.requests.compactMap { early in
            let start = early.event
            // The nearest request of the other message: before this one, or after it.
            let before = second.requests.last { $0.isBefore(start) && isWaiting(second, at: $0.event) }
            if let before, isWaiting(first, at: before.event) {
                let isNext = first.requests.first { $0.isAfter(before.event) }?.event == start
                return isNext ? (early, before) : nil
            }
            guard isWaiting(first, at: start), isWaiting(second, at: start),
                let late = second.requests.first(where: { $0.isAfter(start) })
            else { return nil }
            return (early, late)
        }
    }
}

/// A conversation that had no session when a message was typed into it.
private struct NewConversation {
    let others: [ClientQuestion]
    /// Whether the message is the first in an empty conversation that the person chose.
    let isBegun: Bool

    private func isOver(_ other: ClientQuestion, before event: Int, in history: Observations) -> Bool {
        other.signs.contains { ($0.kind == .refusal || $0.error != nil) && $0.isBefore(event) }
            || history.hasFailed(other, from: other.event, to: event)
    }

    /// The first message that determines the session; also nil if an earlier one may have begun the session, because
    /// only its resend was refused.
    func first(before request: ObservedRequest, in history: Observations) -> ClientQuestion? {
        let first = others.first { !$0.isAmbiguous && !isOver($0, before: request.event, in: history) }
        let mayBeBegun = others.contains { other in
            (first?.event).isOpen(at: other.event) && other.requests.count > 1
                && other.signs.contains { $0.kind == .refusal && $0.isBefore(request.event) }
        }
        return mayBeBegun ? nil : first
    }

    /// The sessions that the client certainly knew for a message when it sent another one.
    func sessions(reportedFor first: ClientQuestion, before request: ObservedRequest, in history: Observations) -> Set<
        String
    > {
        // The client may not have known a sign that arrived a moment before the request.
        let known = request.sessionAsked == nil ? history.inFlight(before: request.event) : request.event
        let signs = first.signs.filter {
            $0.isBefore(known) && !history.mayBeMissed($0, of: first, before: request.event)
        }
        return Set(signs.compactMap(\.sessionId))
    }

    func session(for request: ObservedRequest, in history: Observations) -> String? {
        guard let first = first(before: request, in: history) else { return nil }
        let reported = sessions(reportedFor: first, before: request, in: history)
        return reported.count == 1 ? reported.first : nil
    }
}

extension Observations {
    fileprivate func newConversation(
        of question: ClientQuestion, on screen: ObservedClient.State, after earlier: ArraySlice<ClientQuestion>
    ) -> NewConversation {
        let typed = question.typed ?? question.event
        let arrival = client.acts("launch", "selectSession", "openPush").last { $0.isBefore(typed) }?.event
        let others = earlier.filter { other in other.typed.map { $0 > arrival ?? 0 } == true }
        let isChosen = client.acts("selectSession").contains { act in
            act.event == arrival && act.details.id("sessionId") == nil
        }
        return NewConversation(others: others, isBegun: others.isEmpty && isChosen && screen.messages.isEmpty)
    }

    fileprivate func mustOutlive(_ question: ClientQuestion, _ typed: Int, _ end: ObservedClient.Act) -> Bool {
        !question.isAmbiguous && question.repeats.isEmpty
            && client.launch(at: typed)?.events.upperBound == end.event
            && (end.name == "quit" || !mayCross(typed, end.event))
            && question.signs.allSatisfy { $0.kind == .refusal || $0.isAfter(end.event) }
            && !clientQuestions.contains { $0.typed != typed && $0.hasText(question.text) }
    }

    /// Whether a message was sent; with equal texts, whether as many were sent as had waited.
    ///
    /// CLIENT-5 judges a message sent under the key of an equal text.
    fileprivate func areSent(_ question: ClientQuestion, _ typed: Int, before end: Int, in life: Range<Int>) -> Bool {
        let equals = clientQuestions.filter { $0.hasText(question.text) }
        let waiting = equals.count { equal in
            !equal.isAfter(typed) && (equal.requests.first?.event).isOpen(at: typed)
                && !hasFailed(equal, from: equal.event, to: typed)
        }
        let sent = equals.flatMap(\.requests).between(typed, end).filter { life.contains($0.event) }
        return sent.count >= max(1, waiting)
    }

    /// The event that proves that a message was not sent in time, although the client could send it: a connection was
    /// open once nothing earlier delayed it, and the person was there, or came back, to see its fate.
    fileprivate func proofNotSent(
        of question: ClientQuestion, _ typed: Int, behind earlier: ArraySlice<ClientQuestion>, in life: Range<Int>
    ) -> (any HasEvent)? {
        // A message typed before the app was launched again is still awaited, unless that launch erased everything.
        let start = client.launches.last { $0.isFresh && $0.events.lowerBound < typed }?.events.lowerBound
        let settled = earlier.filter { $0.isAfter(start ?? 0) }.map { other -> Int? in
            // A message that was refused, but not finally, may delay later ones until it is shown as failed; one that
            // was refused for a time is sent again, and may go first.
            let ending = other.signs.first { sign in
                other.settles(sign, before: .max) && CLIENT.isFinal(sign)
                    && !mayBeMissed(sign, of: other, before: typed)
            }
            let isTransient = other.signs.contains { CLIENT.transientCodes.contains($0.error?.code ?? "") }
            let last = max(other.event, other.requests.last?.event ?? 0, other.repeats.last ?? 0)
            return ending?.event ?? (isTransient ? nil : failure(of: other, after: last))
        }
        // A message delayed by an earlier one may be sent once that one is settled.
        let released = max(typed, settled.compactMap(\.self).max() ?? typed)
        guard !settled.contains(nil), let stood = standing(from: typed, released: released) else { return nil }
        // A person who left sees the message's fate only on return, and never returns to a new conversation, where a
        // message that is too long stays.
        let isNew = screen(at: typed).map { $0.sessionId == nil } ?? false
        // The frame around the text counts too.
        let isTooLong = frameLimits.contains { $0.at > typed && $0.bytes < question.text.utf8.count + 256 }
        return isNew && !isTooLong || stood.isBefore(endOfStay(at: typed))
            ? stood : sighting(of: question, after: stood.event, before: life.upperBound)
    }

    fileprivate func mayBegin(_ question: ClientQuestion, before event: Int) -> Bool {
        guard let last = question.requests.last(where: { $0.isBefore(event) }), last.sessionAsked == nil,
            question.signs.allSatisfy({ $0.isAfter(event) })
        else { return false }
        return exchange(of: last)?.response.map { $0 > event } ?? (end(of: last).map { $0 > event } ?? true)
    }

    /// Whether two messages belong to one conversation: both name its session, and the first was typed into it, or both
    /// were typed into the same unnamed one.
    fileprivate func isOneConversation(_ first: ClientQuestion, _ second: ClientQuestion) -> Bool {
        guard let one = first.requests.first, let other = second.requests.first else { return false }
        let isOneStay = endOfStay(at: first.event).isAfter(second.event)
        guard let one = one.sessionAsked, let other = other.sessionAsked else { return isOneStay }
        return one == other && (isOneStay || client.state(at: first.event)?.sessionId == one)
    }

    /// Whether a message may have been overtaken by a later one: refused, shown as failed or reported before the later
    /// one was sent or so shortly after it that the screen was late, or resent by the person although it was not seen
    /// waiting.
    fileprivate func mayBeOvertaken(_ question: ClientQuestion, at start: Int, until sent: Int) -> Bool {
        let late = min(sent, endOfCrossing(with: start))
        if wasReported(of: question, from: question.event, to: late, mayBeNameless: true) { return true }
        guard let again = question.repeats.first(where: { $0 < sent }) else { return false }
        return !samples(after: late - 1, before: again).contains { sample in
            sample.state.shows(question) && !sample.state.showsAsFailed(question)
        }
    }

    /// The event up to which a connection was open for `resend` after a launch, while a session stayed on the screen.
    fileprivate func standing(on session: String?, since launch: Int) -> Expiry? {
        let proof = proofOfConnection(after: launch, within: clientPatience) { greeted in
            client.states.first { $0.isAfter(launch) && $0.sessionId == session }.map { max($0.event, greeted) }
        }
        guard let proof, session.map({ isGone($0, before: proof.event) }) != true else { return nil }
        let shown = client.states(from: launch, to: proof.event + 1).drop { $0.sessionId != session }
        return shown.allSatisfy { $0.sessionId == session } ? proof : nil
    }

    /// The event that proves that a typed message could have been sent: the connection in use, or the next lasting one,
    /// was open for `resend` after nothing delayed it.
    fileprivate func standing(from typed: Int, released: Int) -> Expiry? {
        let start = client.launch(at: typed)?.events.lowerBound ?? 0
        if client.hasNetwork(at: typed),
            let inUse = attempts(in: start..<typed).last(where: { mayBeInUse($0, at: typed) })
        {
            // A client that waits for missed frames may delay the message until they have arrived.
            let replayed = syncs.filter { $0.connection == inUse && $0.request.isBefore(released) }.map { end(of: $0) }
            let ready = max(released, replayed.max() ?? released)
            if ready < events.endIndex, let proof = deadline(after: ready, within: clientPatience, on: inUse),
                isAble(from: ready, to: proof.event)
            {
                return proof
            }
        }
        return proofOfConnection(after: typed, within: clientPatience) { max($0, released) }
    }

    fileprivate func sighting(of question: ClientQuestion, after event: Int, before end: Int) -> Int? {
        guard let session = screen(at: question.event)?.sessionId else { return nil }
        return samples(after: event, before: end).first { sample in
            sample.state.sessionId == session && !sample.state.entries(of: question).isEmpty
        }?.event
    }

    /// Whether a client had certainly processed a sign before it sent something: its screen changed between the sign
    /// and an act of the person, and no failed request explains that, or a busy machine had enough time.
    ///
    /// After a long wait, a client may report by itself that nothing arrived.
    fileprivate func handled(
        _ sign: ClientQuestion.Sign, of question: ClientQuestion, before request: ObservedRequest, reported act: Int
    ) -> Bool {
        if hadTime(for: sign.event, on: sign.connection, before: request.event, atLeast: timeouts.scheduling) {
            return true
        }
        // A message sent on an ended connection is resent over another transport, and may have left before the sign.
        let last = question.requests.last { $0.isBefore(sign.event) }
        if last.map({ min(end(of: $0) ?? .max, endOfLife(at: $0.event)).isBefore(sign.event) }) == true,
            request.connection == nil || request.connection != sign.connection,
            mayCross(sign.event, request.event)
        {
            return false
        }
        let before = client.state(at: sign.event)
        let start = inFlight(before: before?.event ?? 0)
        let failed = question.requests.compactMap(exchange).filter { $0.status != 200 }
            .compactMap { $0.response ?? $0.failure }.filter { $0 >= start && $0 != sign.event }
        let isLong =
            last.map { effectiveSpan(from: $0.event, to: sign.event) >= clientBound(\.resend).microseconds } == true
        // A sign that arrived as the client left, and again later, may have been processed only later.
        let isMissed = departure(after: sign.event, on: sign.connection) != nil
        let again = isMissed ? question.signs.first { $0.isAfter(sign.event) && $0.kind != .proof }?.event : nil
        return client.states.contains { state in
            state.isAfter(sign.event) && state.isBefore(min(act, again ?? .max))
                && !failed.contains { $0.isBefore(state.event) }
                && (state.messages != before?.messages || state.errors != before?.errors)
                && (!isLong || sign.error == nil || state.errors.contains { $0.code == sign.error?.code })
        }
    }
}

extension ClientQuestion {
    fileprivate func isTyped(in life: Range<Int>, before event: Int) -> Bool {
        typed.map { life.contains($0) && $0.isBefore(event) } == true
    }
}
