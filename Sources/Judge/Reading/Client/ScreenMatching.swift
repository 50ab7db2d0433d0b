import JSON

/// What of a question, and of an earlier screen, a screen shows.
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

    /// Whether a message of another look is on this screen too: by its id, its key, else by its words.
    func has(_ other: ObservedClient.ShownMessage) -> Bool {
        messages.contains { message in
            if let id = other.id, let own = message.id { return id == own }
            if let key = other.key, let own = message.key { return key == own }
            return message.role == other.role && exactlyEqual(message.text, other.text)
        }
    }
}

extension ClientQuestion {
    /// The conversations that it was sent to, and those that the client was told it stands in, before an event.
    func namedSessions(before event: Int) -> Set<String> {
        sessions(before: event).union(requests.compactMap(\.sessionAsked))
    }

    /// Whether it can stand in a session, as far as the client was told before an event.
    func mayStand(in session: String?, before event: Int) -> Bool {
        let sessions = namedSessions(before: event)
        return session.map { sessions.isEmpty || sessions.contains($0) } ?? true
    }
}
