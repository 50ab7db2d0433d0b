import HoldfastJSON

/// Reading histories: when something may be missing, one read at a time for each conversation, and not for ever.
///
/// Foreground, reconnect, push and silence all come at once; each only says that a conversation needs reading. A read
/// under way serves them all, and one more follows if something happened after it was asked for.
extension ClientCore {
    /// Whether a history could tell something that is missing.
    func needsReading(_ number: Int) -> Bool {
        guard let conversation = conversations[number] else { return false }
        let awaits = outbox.contains { $0.conversation == number && $0.isLost && $0.isAwaited }
        guard conversation.session != nil else { return awaits }
        return conversation.isStale || conversation.wanted != nil || awaits
    }

    /// Whether a person looks at the conversation or waits for it, and a history could tell something.
    func isDue(_ number: Int) -> Bool {
        let awaits = outbox.contains { $0.conversation == number && $0.isLost && $0.isAwaited }
        return needsReading(number) && (number == shown || conversations[number]?.wanted != nil || awaits)
    }

    /// Begins to read until nothing is missing, at once or when the stream has had time to tell.
    mutating func beginReading(_ number: Int, atOnce: Bool) {
        // A read under way was asked for before, also where another has to wait.
        if atOnce, conversations[number]?.reading != nil { conversations[number]?.readsAgain = true }
        guard mayAsk, conversations[number] != nil else { return }
        let isNew = conversations[number]?.poll == nil
        if isNew { conversations[number]?.poll = Conversation.Poll() }
        // Connections that come and go must not put off a read that is due; one that is under way may yet fail.
        if isNew, !atOnce || conversations[number]?.reading != nil { wait(.poll(conversation: number), interval) }
        if atOnce { read(number) }
    }

    /// The history may have changed: reads it.
    mutating func refresh(_ number: Int) {
        conversations[number]?.isStale = true
        beginReading(number, atOnce: true)
    }

    /// Reads the conversation in which the question of another may be; what was read for its answer before counts.
    mutating func look(for seeker: Int, in number: Int) {
        if mayAsk {
            var poll = conversations[number]?.poll ?? conversations[seeker]?.poll ?? Conversation.Poll()
            poll.seeker = seeker
            conversations[number]?.poll = poll
        }
        refresh(number)
    }

    /// It is time for another read, or to stop.
    mutating func tick(_ number: Int) {
        guard mayAsk, let poll = conversations[number]?.poll else { return }
        guard needsReading(number) else { return stopPolling(number) }
        let isOver = poll.reads >= readsAllowed || poll.firstRead.map { now - $0 >= rules.real(rules.pollTime) } == true
        if isOver {
            giveUp(number, sentBefore: conversations[number]?.readBegan ?? .max)
            let isOwed = number == shown && conversations[number].map { $0.isStale && $0.session != nil } == true
            guard isOwed else {
                // Whoever opens the conversation reads it; the cursor waits no longer (CLIENT-20).
                wasRead(number)
                return pump()
            }
            // Nobody is kept waiting any more, but what is on the screen waits for this read.
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

    /// Whether other reads look for the answer that is awaited in a conversation without a session: of one where its
    /// question may be, or of the list for another conversation.
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

    /// Nothing came in the time a person may be kept waiting: says so, and offers to try again.
    ///
    /// What was never confirmed stays in the outbox all the same, and goes out with the next connection. Where there is
    /// a limit, a turn whose connection stands is not given up (CLIENT-31), nor what went out over REST since: nothing
    /// has looked for it.
    mutating func giveUp(_ number: Int, sentBefore limit: Int? = nil) {
        stopPolling(number)
        if let wanted = conversations[number]?.wanted {
            conversations[number]?.wanted = nil
            complain(Complaint.unread, in: number)
            if conversations[number]?.has(id: wanted) == true { conversations[number]?.isStale = false }
        }
        for index in outbox.indices where outbox[index].conversation == number && outbox[index].isAwaited {
            let question = outbox[index]
            if let limit, !question.isLost, !isPosted(question) || question.sentAt >= limit {
                outbox[index].wasReadFor = true
                continue
            }
            let key = question.key
            outbox[index].isGivenUp = true
            if let position = conversations[number]?.position(key: key) {
                conversations[number]?.messages[position].status = .failed
            }
            complain("No answer yet. Try again.", key: key, in: number)
            needsSaving = true
        }
    }

    /// Whether a question is under way over REST, where nothing tells in time that it is lost.
    private func isPosted(_ question: Question) -> Bool {
        errands.values.contains(.post(key: question.key, conversation: question.conversation))
    }

    /// Reads the conversation, or looks for it where its session is not known.
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
            let errand = Errand.read(session: session, conversation: number)
            let request = ask("GET", "/api/sessions/" + escaped(session), for: errand)
            conversations[number]?.reading = request
            if differs(.listsBeforeItReads), number == shown { _ = ask("GET", "/api/sessions", for: .look) }
        } else {
            let request = ask("GET", "/api/sessions", for: .search(conversation: number))
            conversations[number]?.reading = request
        }
        wait(.poll(conversation: number), interval)
    }

    /// After a read: whether it was enough.
    mutating func hasRead(_ number: Int, succeeded: Bool) {
        conversations[number]?.reading = nil
        let isStale = conversations[number]?.readsAgain == true
        if !succeeded { tellUnread(number) }
        if succeeded {
            conversations[number]?.isStale = isStale
            conversations[number]?.errors.removeAll { $0.text == Complaint.unread }
            if !isStale { wasRead(number) }
        }
        guard needsReading(number) else { return stopPolling(number) }
        // After a failure there is time until the next turn of the clock; what happened meanwhile is no part of the
        // polling.
        guard isStale, mayAsk else { return }
        if succeeded { read(number) } else { wait(.poll(conversation: number), interval) }
    }

    /// A look at the list from time to time, while no connection tells what is new.
    mutating func look() {
        guard mayAsk, link.live == nil else { return }
        for index in outbox.indices { outbox[index].avoidsREST = false }
        pump()
        if !errands.values.contains(.look) { _ = ask("GET", "/api/sessions", for: .look) }
        if differs(.readsInsteadOfLooking) { refresh(shown) }
        wait(.degraded, rules.degradedInterval)
    }

    var readsAllowed: Int { differs(.pollsWithFewerReads) ? 5 : rules.pollReads }

    private var interval: Int { differs(.pollsWithFewerReads) ? 11_000 : rules.pollInterval }

    /// A session id in a path; ids that need escaping are no ids of this protocol, but a notification may hold
    /// anything.
    private func escaped(_ session: String) -> String {
        session.utf8.map { byte in
            let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            if isPlain || byte == 45 || byte == 95 { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }
}
