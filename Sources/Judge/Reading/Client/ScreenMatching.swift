import HoldfastJSON

extension ObservedClient.State {
    /// Whether this screen shows an error of a message: an entry with its key, or a new entry without a key that fits
    /// no other message; nil if only an earlier entry may be about it.
    func shows(
        _ error: ClientQuestion.ClientError, of keys: Set<String>, unlike before: ObservedClient.State?,
        others: Set<String>
    ) -> Bool? {
        var old = before?.errors ?? []
        var mayBeOld = false
        for shown in errors {
            let isOld = old.firstIndex(of: shown).map { old.remove(at: $0) } != nil
            if let key = shown.key {
                if keys.contains(key) { return true }
                continue
            }
            // An entry whose code belongs only to another message's error is that error.
            if let code = shown.code, code != error.code, others.contains(code) { continue }
            if !isOld { return true }
            mayBeOld = true
        }
        return mayBeOld ? nil : false
    }

    /// Whether a message of another sample is on this screen too: by its id, its key, else by its text.
    func has(_ other: ObservedClient.ShownMessage) -> Bool {
        messages.contains { message in
            if let id = other.id, let own = message.id { return id == own }
            if let key = other.key, let own = message.key { return key == own }
            return message.role == other.role && exactlyEqual(message.text, other.text)
        }
    }
}

extension ClientQuestion {
    /// The sessions that it was sent to, and those that the client associated with it before an event.
    func namedSessions(before event: Int) -> Set<String> {
        sessions(before: event).union(requests.compactMap(\.sessionAsked))
    }

    /// Whether it may be in a session, as far as the client knew before an event.
    func mayAppear(in session: String?, before event: Int) -> Bool {
        let sessions = namedSessions(before: event)
        return session.map { sessions.isEmpty || sessions.contains($0) } ?? true
    }
}

extension Observations {
    /// Whether a question may be on a screen, as far as the client knew before an event; if the client knew no session,
    /// only until the person has left the conversation in which the question was typed.
    func mayAppear(_ question: ClientQuestion, on state: ObservedClient.State, before event: Int) -> Bool {
        guard question.mayAppear(in: state.sessionId, before: event) else { return false }
        let isNamed = state.sessionId.map(question.namedSessions(before: event).contains) == true
        return isNamed || endOfStay(at: question.event) > state.event
            || state.places(of: question).contains {
                !isInHistory(state.messages[$0], apartFrom: question, before: state.event)
            }
    }

    /// Whether an entry that matches a question only by its text is in a history, and so may be another message.
    func isInHistory(
        _ shown: ObservedClient.ShownMessage, apartFrom question: ClientQuestion, before event: Int
    ) -> Bool {
        guard let id = shown.id, shown.key == nil, !question.ids.contains(id) else { return false }
        return sessionReads.contains { $0.event < event && $0.messages.contains { $0.id == id } }
    }

    /// The codes of errors after an event that do not concern a message.
    func otherErrorCodes(than question: ClientQuestion, after event: Int) -> Set<String> {
        let own = Set(question.signs.map(\.event))
        let frames = allFrames.filter { $0.kind == .error }.map { ($0.event, $0.code) }
        let responses = exchanges.compactMap { exchange in
            exchange.response.map { ($0, exchange.answer?.root.string("code")) }
        }
        return Set((frames + responses).filter { $0.0 > event && !own.contains($0.0) }.compactMap(\.1))
    }
}
