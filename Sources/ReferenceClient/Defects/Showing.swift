import JSON

/// Broken ways to show what came.
extension ClientDefect {
    static let appendsWhateverComes = ClientDefect(
        "client-appends-whatever-comes", .CLIENT, 25, "Appends every answer it receives, whether it is there or not.")
    static let tellsMessagesApartByText = ClientDefect(
        "client-tells-messages-apart-by-text", .CLIENT, 25, "Drops a message whose text is there already.")
    static let countsInsteadOfComparing = ClientDefect(
        "client-counts-instead-of-comparing", .CLIENT, 25,
        "Takes as many messages from the end of a history as it has fewer.")
    static let showsTheLastAnswerToArrive = ClientDefect(
        "client-shows-the-last-answer-to-arrive", .CLIENT, 26,
        "Shows what a read brings in the session on the screen, whichever was asked for.")
    static let showsFramesOfOtherSessions = ClientDefect(
        "client-shows-frames-of-other-sessions", .CLIENT, 26, "Shows every answer in the session on the screen.")
    static let swallowsErrors = ClientDefect(
        "client-swallows-errors", .CLIENT, 31, "Shows no error, and takes a refused question for sent.")
    static let retriesAtOnceWhenLimited = ClientDefect(
        "client-retries-at-once-when-limited", .CLIENT, 32,
        "Sends a question again at once when it was refused for its rate.")
    static let scalesToldPauses = ClientDefect(
        "client-ignores-retry-after", .CLIENT, 32, "Waits a second after a 429, whatever the answer says.")
    static let showsOfflineForEverything = ClientDefect(
        "client-shows-offline-for-everything", .CLIENT, 39, "Shows itself as offline whenever it is not connected.")
    static let isDeafWithoutASocket = ClientDefect(
        "client-is-deaf-without-a-socket", .CLIENT, 40, "Looks for nothing new while it has no connection.")
    static let countsNoUnread = ClientDefect(
        "client-counts-no-unread", .CLIENT, 42, "Does not count answers of other sessions.")
    static let blanksOnEverySwitch = ClientDefect(
        "client-blanks-on-every-switch", .CLIENT, 43, "Forgets the messages of a session when the person returns to it."
    )

    static let showing = [
        appendsWhateverComes, tellsMessagesApartByText, countsInsteadOfComparing, showsTheLastAnswerToArrive,
        showsFramesOfOtherSessions, swallowsErrors, retriesAtOnceWhenLimited, scalesToldPauses,
        showsOfflineForEverything, isDeafWithoutASocket, countsNoUnread, blanksOnEverySwitch,
    ]
}

extension ClientSaboteur {
    /// The conversation a message is put into.
    func target(_ number: Int, shown: Int, isRead: Bool) -> Int {
        if has(.showsFramesOfOtherSessions), !isRead { return shown }
        if has(.showsTheLastAnswerToArrive), isRead { return shown }
        return number
    }

    /// Puts a message into a conversation.
    func add(_ message: Message, to conversation: inout Conversation) -> Conversation.Arrival {
        if has(.appendsWhateverComes), message.role == .assistant {
            conversation.messages.append(message)
            return .added
        }
        if has(.tellsMessagesApartByText), conversation.messages.contains(where: { $0.text == message.text }) {
            return .known
        }
        return conversation.take(message)
    }

    /// How long a refusal for the rate over REST asks to wait, in milliseconds: as long as either place says.
    func pause(_ answer: RESTAnswer, _ body: JSONValue) -> Int {
        if has(.scalesToldPauses) { return 100 }
        let header = answer.retryAfter.flatMap(Double.init).map { Int(min($0, 86_400) * 1000) }
        return max(1, max(header ?? 0, body["retryAfterMs"]?.intValue ?? (header == nil ? 60_000 : 0)))
    }
}

extension ClientCore {
    /// The screen as broken clients draw it.
    func sabotaged(_ screen: Screen) -> Screen {
        guard broken(.swallowsErrors) else { return screen }
        var screen = screen
        screen.messages = screen.messages.map { message in
            var message = message
            if message.status == .failed { message.status = .sent }
            return message
        }
        return screen
    }
}
