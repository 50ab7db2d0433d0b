import HoldfastBasics
import HoldfastJSON

/// Reads histories when something may be missing: one read at a time per conversation, and only so often.
///
/// Foreground, reconnect, push and silence often coincide; each only marks a conversation for reading. A read in
/// progress serves them all, and one more follows if something happened after its request.
extension ClientCore {
    /// Whether a history could contain something new.
    func needsReading(_ number: Int) -> Bool {
        guard let conversation = conversations[number] else { return false }
        let awaitsAnswer = outbox.contains { $0.conversation == number && $0.mayLackEnding && $0.isAwaited }
        guard conversation.session != nil else { return awaitsAnswer }
        return conversation.isStale || conversation.wanted != nil || awaitsAnswer
    }

    /// Whether the user looks at the conversation or waits for it, and a history could contain something new.
    func isDue(_ number: Int) -> Bool {
        let awaitsAnswer = outbox.contains { $0.conversation == number && $0.mayLackEnding && $0.isAwaited }
        return needsReading(number) && (number == shown || conversations[number]?.wanted != nil || awaitsAnswer)
    }

    /// Reads until nothing is missing, starting now or after the stream has had time to deliver.
    mutating func beginReading(_ number: Int, atOnce: Bool) {
        // A read in progress may return an older state, so another must follow, even if it has to wait.
        if atOnce, conversations[number]?.reading != nil { conversations[number]?.readsAgain = true }
        guard mayRequest, conversations[number] != nil else { return }
        let isNew = conversations[number]?.poll == nil
        if isNew { conversations[number]?.poll = Conversation.Poll() }
        // Reconnects must not postpone a read that is due. A read in progress may fail, so a timer follows it too.
        if isNew, !atOnce || conversations[number]?.reading != nil { wait(.poll(conversation: number), interval) }
        if atOnce { read(number) }
    }

    mutating func refresh(_ number: Int) {
        conversations[number]?.isStale = true
        beginReading(number, atOnce: true)
    }

    /// Reads a conversation that may contain the question of `seeker`; a new poll continues the seeker's.
    mutating func search(for seeker: Int, in number: Int) {
        if mayRequest {
            var poll = conversations[number]?.poll ?? conversations[seeker]?.poll ?? Conversation.Poll()
            poll.seeker = seeker
            conversations[number]?.poll = poll
        }
        refresh(number)
    }

    mutating func tick(_ number: Int) {
        guard mayRequest, let poll = conversations[number]?.poll else { return }
        guard needsReading(number) else { return stopPolling(number) }
        let isOver = poll.reads >= readsAllowed || poll.firstRead.map { now - $0 >= rules.real(rules.pollTime) } == true
        if isOver {
            giveUp(number, sentBefore: conversations[number]?.readBegan ?? .max)
            let mustReadAgain = number == shown && conversations[number].map { $0.isStale && $0.session != nil } == true
            guard mustReadAgain else {
                // The position stops waiting for this read: opening the conversation reads it anyway (CLIENT-20).
                gapReadEnded(number)
                return pump()
            }
            // No answer is awaited any longer, but the visible conversation needs this read.
            conversations[number]?.poll = Conversation.Poll()
            wait(.poll(conversation: number), rules.degradedInterval)
            return pump()
        }
        if isReadElsewhere(number) {
            conversations[number]?.poll?.reads += 1
        } else if conversations[number]?.reading == nil {
            return read(number)
        }
        wait(.poll(conversation: number), interval)
    }

    /// Whether another poll already searches for this answer: in a conversation that may contain the question or, if
    /// this conversation has no session, in the list for an earlier conversation.
    private func isReadElsewhere(_ number: Int) -> Bool {
        conversations.values.contains { other in
            other.poll?.seeker == number && other.isStale
                || conversations[number]?.session == nil && other.session == nil && other.poll != nil
                    && other.number < number && needsReading(other.number)
        }
    }

    mutating func stopPolling(_ number: Int) {
        guard conversations[number]?.poll != nil else { return }
        conversations[number]?.poll = nil
        stopWaiting(.poll(conversation: number))
    }

    /// Gives up after the longest acceptable wait: shows the questions as failed, with an offer to retry.
    ///
    /// Unconfirmed questions stay in the outbox and are sent on the next connection. If `limit`, a time, is given, two
    /// kinds are not given up, as no read has looked for them: those on a live connection (CLIENT-31), and those posted
    /// over REST since that time.
    mutating func giveUp(_ number: Int, sentBefore limit: Int? = nil) {
        stopPolling(number)
        if let wanted = conversations[number]?.wanted {
            conversations[number]?.wanted = nil
            showError(ScreenError.notLoaded, in: number)
            if conversations[number]?.has(id: wanted) == true { conversations[number]?.isStale = false }
        }
        for index in outbox.indices where outbox[index].conversation == number && outbox[index].isAwaited {
            let question = outbox[index]
            // Over REST, a loss is not noticed in time.
            let post = Purpose.post(key: question.key, conversation: question.conversation)
            if let limit, !question.mayLackEnding, !purposes.values.contains(post) || question.sentAt >= limit {
                outbox[index].hasBeenPolled = true
                continue
            }
            let key = question.key
            outbox[index].isGivenUp = true
            if let position = conversations[number]?.position(key: key) {
                conversations[number]?.messages[position].status = .failed
            }
            showError("No answer yet. Try again.", key: key, in: number)
            needsSaving = true
        }
    }

    mutating func read(_ number: Int) {
        guard let conversation = conversations[number] else { return }
        guard conversation.reading == nil else {
            conversations[number]?.readsAgain = true
            return
        }
        var poll = conversation.poll ?? Conversation.Poll()
        poll.reads += 1
        poll.firstRead = poll.firstRead ?? now
        conversations[number]?.poll = poll
        conversations[number]?.readsAgain = false
        conversations[number]?.readBegan = now
        if let session = conversation.session {
            let purpose = Purpose.read(session: session, conversation: number)
            // Valid ids need no escaping, but a notification may contain anything.
            let path = "/api/sessions/" + percentEncoded(session).replacing(".", with: "%2E")
            let request = ask("GET", path, for: purpose)
            conversations[number]?.reading = request
            if uses(.listsBeforeItReads), number == shown { _ = ask("GET", "/api/sessions", for: .list) }
        } else {
            let request = ask("GET", "/api/sessions", for: .search(conversation: number))
            conversations[number]?.reading = request
        }
        wait(.poll(conversation: number), interval)
    }

    mutating func readEnded(_ number: Int, succeeded: Bool) {
        conversations[number]?.reading = nil
        let isStale = conversations[number]?.readsAgain == true
        if !succeeded { showNotLoaded(number) }
        if succeeded {
            conversations[number]?.isStale = isStale
            conversations[number]?.errors.removeAll { $0.text == ScreenError.notLoaded }
            if !isStale { gapReadEnded(number) }
        }
        guard needsReading(number) else { return stopPolling(number) }
        // After a failure, the next read waits for the timer; after a success, a read for a later event starts at once.
        guard isStale, mayRequest else { return }
        if succeeded { read(number) } else { wait(.poll(conversation: number), interval) }
    }

    /// Reads the list from time to time while there is no connection.
    mutating func pollList() {
        guard mayRequest, link.live == nil else { return }
        for index in outbox.indices { outbox[index].avoidsREST = false }
        pump()
        if !purposes.values.contains(.list) { _ = ask("GET", "/api/sessions", for: .list) }
        if uses(.readsInsteadOfLooking) { refresh(shown) }
        wait(.degraded, rules.degradedInterval)
    }

    var readsAllowed: Int { uses(.pollsWithFewerReads) ? 5 : rules.pollReads }

    private var interval: Int { uses(.pollsWithFewerReads) ? 11_000 : rules.pollInterval }
}
