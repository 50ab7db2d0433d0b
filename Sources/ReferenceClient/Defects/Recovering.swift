import JSON

/// Broken ways to recover.
extension ClientDefect {
    static let recoversOnlyAfterErrors = ClientDefect(
        "client-recovers-only-after-errors", .CLIENT, 15, "Asks for what it missed only when it shows an error.")
    static let appendsOnlyTheLastMessage = ClientDefect(
        "client-appends-only-the-last-message", .CLIENT, 19, "Takes only the last message it lacks from a history.")
    static let appendsWhatItLacked = ClientDefect(
        "client-appends-what-it-lacked", .CLIENT, 19, "Puts what it lacked at the end, wherever the history has it.")
    static let clearsBeforeItReads = ClientDefect(
        "client-clears-before-it-reads", .CLIENT, 20, "Empties the screen when it begins to read a session.")
    static let replacesByWhatItRead = ClientDefect(
        "client-replaces-by-what-it-read", .CLIENT, 20, "Shows what a read brought and nothing else, however old it is."
    )
    static let readsForEveryTrigger = ClientDefect(
        "client-reads-for-every-trigger", .CLIENT, 21,
        "Begins a read for every trigger, whether one is under way or not.")
    static let pollsWithoutEnd = ClientDefect(
        "client-polls-without-end", .CLIENT, 22, "Reads the session for an answer until it comes.")
    static let thinksForEver = ClientDefect(
        "client-thinks-for-ever", .CLIENT, 23, "Stops polling and goes on thinking.")
    static let heedsLiveEndingsOnly = ClientDefect(
        "client-heeds-live-endings-only", .CLIENT, 24, "Shows a recovered answer and goes on thinking.")
    static let takesTheMostRecentSession = ClientDefect(
        "client-takes-the-most-recent-session", .CLIENT, 38,
        "Takes the newest session of the list for that of a question whose session it does not know.")

    static let recovering = [
        recoversOnlyAfterErrors, appendsOnlyTheLastMessage, appendsWhatItLacked, clearsBeforeItReads,
        replacesByWhatItRead, readsForEveryTrigger, pollsWithoutEnd, thinksForEver, heedsLiveEndingsOnly,
        takesTheMostRecentSession,
    ]
}

extension ClientSaboteur {
    /// Joins a history to a conversation.
    func merge(_ history: [Message], into conversation: inout Conversation) {
        guard !isHealthy else { return _ = conversation.merge(history: history) }
        let before = conversation.messages
        let ids = Set(before.compactMap(\.id))
        if has(.tellsMessagesApartByText) {
            for message in history where !conversation.messages.contains(where: { $0.text == message.text }) {
                conversation.messages.append(message)
            }
            return
        }
        if has(.appendsWhateverComes) {
            let confirmed = Set(before.compactMap(\.key))
            conversation.messages += history.filter { $0.key.map { !confirmed.contains($0) } ?? true }
            return
        }
        if has(.countsInsteadOfComparing) {
            let mine = before.count
            if history.count > mine { conversation.messages += history.suffix(history.count - mine) }
            return
        }
        _ = conversation.merge(history: history)
        if has(.replacesByWhatItRead) { conversation.messages = history }
        guard !before.isEmpty else { return }
        let lacked = history.filter { message in
            message.id.map { !ids.contains($0) } ?? true && !before.contains(where: { $0.isSame(as: message) })
        }
        if has(.appendsOnlyTheLastMessage), let last = lacked.last?.id {
            conversation.messages.removeAll { message in
                message.id != last && lacked.contains { $0.id == message.id }
            }
        }
        if has(.appendsWhatItLacked) {
            let late = conversation.messages.filter { message in lacked.contains { $0.id == message.id } }
            conversation.messages.removeAll { message in lacked.contains { $0.id == message.id } }
            conversation.messages += late.reversed()
        }
    }
}

extension ClientCore {
    /// Whether anything is asked for after a loss.
    var recovers: Bool {
        !broken(.recoversOnlyAfterErrors) || !errors.isEmpty || conversations[shown]?.errors.isEmpty == false
    }

    /// Takes a session for that of a question, without proof.
    mutating func adopt(_ session: String, for number: Int) {
        bind(number, to: session)
        refresh(conversation(of: session))
    }
}
