import HoldfastJSON

/// Messages from the user until the server has them: sent over the best transport, and resent with the same key and
/// text if the connection or request ended without a sign of arrival.
extension ClientCore {
    mutating func enqueue(_ text: String) { enqueue(text, key: dice.key()) }

    mutating func enqueue(_ text: String, key: String, in number: Int? = nil) {
        isUntouched = false
        let number = number ?? shown
        outbox.append(Question(key: key, text: text, conversation: number))
        conversations[number]?.messages.append(Message(key: key, role: .user, text: text, status: .sending))
        needsSaving = true
        pump()
    }

    /// Resends a failed message for the user.
    ///
    /// If the server may have it, the key stays: a new one would ask twice. If its turn is over, it gets a new key: the
    /// old one would return the old ending.
    mutating func resend(_ key: String) {
        if let index = index(of: key) {
            guard outbox[index].isGivenUp else { return }
            // An accepted question is sent again, because a repeat returns its copy or its ending.
            outbox[index].isResent = outbox[index].isResent || outbox[index].wasSent
            outbox[index].phase = .queued
            outbox[index].isGivenUp = false
            outbox[index].avoidsREST = false
            let number = outbox[index].conversation
            if let position = conversations[number]?.position(key: key) {
                conversations[number]?.messages[position].status = .sending
            }
            conversations[number]?.errors.removeAll { $0.key == key }
            needsSaving = true
            if let until = outbox[index].heldUntil, until > now {
                limit(key, "This message has to wait.", milliseconds: until - now)
            }
            return pump()
        }
        guard let conversation = conversations.values.first(where: { $0.position(key: key) != nil }),
            let position = conversation.position(key: key), conversation.messages[position].status == .failed
        else { return }
        let message = conversation.messages[position]
        if message.id == nil {
            conversations[conversation.number]?.messages.remove(at: position)
        } else {
            conversations[conversation.number]?.messages[position].status = .sent
        }
        conversations[conversation.number]?.errors.removeAll { $0.key == key }
        enqueue(message.text, key: dice.key(), in: conversation.number)
    }

    mutating func pump() {
        for key in outbox.map(\.key) { dispatch(key) }
    }

    func index(of key: String) -> Int? { outbox.firstIndex { $0.key == key } }

    /// The server has the question, as shown by its `ack`, a frame of its turn, its answer, or the history.
    mutating func accept(_ key: String, turn: String?, message: String? = nil) {
        guard let index = index(of: key) else { return }
        needsSaving = true
        outbox[index].phase = .accepted
        outbox[index].turn = outbox[index].turn ?? turn
        stopWaiting(.confirmation(key: key))
        let number = outbox[index].conversation
        guard let position = conversations[number]?.position(key: key) else { return }
        if !outbox[index].isGivenUp { conversations[number]?.messages[position].status = .sent }
        if let message { conversations[number]?.messages[position].id = message }
        if let turn { conversations[number]?.messages[position].turn = turn }
    }

    /// A live frame of the turn arrived: the connection works, and the timer restarts.
    mutating func heard(_ key: String) {
        guard let index = index(of: key) else { return }
        outbox[index].mayLackEnding = false
        outbox[index].hasBeenPolled = false
        wait(.silence(key: key), rules.turnSilence)
    }

    mutating func finish(_ key: String) {
        guard let index = index(of: key) else { return }
        let question = outbox.remove(at: index)
        settle(question, as: .sent)
    }

    /// Whether only a read can tell where an answer belongs: its question was resent and a later one exists, or a later
    /// question is already answered.
    func isPlaceUnknown(ofAnswerTo key: String) -> Bool {
        guard let index = index(of: key), let conversation = conversations[outbox[index].conversation],
            let position = conversation.position(key: key)
        else { return false }
        let later = conversation.messages[(position + 1)...]
        let turns = Set(later.filter { $0.role == .user }.compactMap(\.turn))
        return later.contains { message in
            message.role == .user ? outbox[index].isResent : message.turn.map(turns.contains) == true
        }
    }

    /// A turn succeeded: its question is no longer shown as failed, whatever came before (CLIENT-31).
    mutating func clearFailure(key: String?, turn: String?, in number: Int) {
        guard var conversation = conversations[number],
            let position = conversation.messages.firstIndex(where: {
                $0.role == .user && (key != nil && $0.key == key || turn != nil && $0.turn == turn)
            }), let key = conversation.messages[position].key, index(of: key) == nil
        else { return }
        conversation.messages[position].status = .sent
        conversation.errors.removeAll { $0.key == key }
        conversations[number] = conversation
    }

    /// If this was a resend, the key stays: the server may still have the first copy (CLIENT-6).
    mutating func refuse(_ key: String, _ text: String, code: String?) {
        guard let index = index(of: key) else { return }
        end(index, text, code: code, keepsKey: outbox[index].isResent && code != "idempotency_mismatch")
    }

    mutating func fail(_ key: String, _ text: String, code: String?) {
        guard let index = index(of: key) else { return }
        end(index, text, code: code, keepsKey: false)
    }

    private mutating func end(_ index: Int, _ text: String, code: String?, keepsKey: Bool) {
        let question = outbox[index]
        settle(question, as: .failed)
        if keepsKey {
            outbox[index].phase = .accepted
            outbox[index].isGivenUp = true
        } else {
            outbox.remove(at: index)
        }
        showError(text, code: code, key: question.key, in: question.conversation)
        pump()
    }

    /// The budget is spent: the question waits for as long as the server asked, and nothing shortens that.
    mutating func limit(_ key: String, _ text: String, milliseconds: Int) {
        guard let index = index(of: key) else { return }
        outbox[index].phase = .limited(until: now + milliseconds)
        outbox[index].heldUntil = now + milliseconds
        stopWaiting(.confirmation(key: key))
        showError(text, code: "rate_limited", key: key, in: outbox[index].conversation)
        effects.append(.wait(.retry(key: key), ms: milliseconds))
        needsSaving = true
    }

    mutating func retry(_ key: String) {
        guard let index = index(of: key), case .limited(let until) = outbox[index].phase else { return }
        guard now >= until else { return effects.append(.wait(.retry(key: key), ms: until - now)) }
        outbox[index].phase = .queued
        pump()
    }

    /// A question was not confirmed in time: its connection is dead.
    mutating func confirmationIsLate(_ key: String) {
        guard let index = index(of: key), mayRequest else { return }
        switch outbox[index].phase {
        case .sent(let socket):
            guard link.socket == socket else { return }
            giveUpConnection()
        case .posted(let request):
            purposes[request] = nil
            effects.append(.cancel(request: request))
            outbox[index].phase = .doubtful
            outbox[index].avoidsREST = true
            pump()
        case .queued, .doubtful, .limited, .accepted: return
        }
    }

    /// A turn has been silent for long: its ending may be lost.
    mutating func silenceIsLong(_ key: String) {
        guard let index = index(of: key), outbox[index].isAwaited, mayRequest else { return }
        outbox[index].mayLackEnding = true
        // If the question already had a series of reads, one more read is enough.
        let (number, usedReads) = (outbox[index].conversation, outbox[index].hasBeenPolled ? readsAllowed : nil)
        guard conversations[number]?.poll == nil else { return }
        beginReading(number, atOnce: true)
        if let usedReads { conversations[number]?.poll?.reads = usedReads }
    }

    /// A connection or request ended: unconfirmed messages that it carried are doubtful, and endings may be lost.
    mutating func transportEnded(_ socket: Int, code: Int?) {
        stream.gap = nil
        for key in outbox.map(\.key) {
            guard let index = index(of: key) else { continue }
            if outbox[index].wasSent { outbox[index].mayLackEnding = true }
            guard outbox[index].phase == .sent(socket: socket) else { continue }
            stopWaiting(.confirmation(key: key))
            outbox[index].phase = .doubtful
            outbox[index].avoidsREST = false
            if code == 1009 { refuse(key, ScreenError.tooLong, code: "too_large") }
        }
        needsSaving = true
    }

    private mutating func dispatch(_ key: String) {
        guard let index = index(of: key), mayRequest, isNext(outbox[index]) else { return }
        let question = outbox[index]
        switch question.phase {
        case .sent, .posted, .limited, .accepted: return
        // The server may have forgotten the key since the first send (CLIENT-9).
        case .doubtful where question.firstSentAt.map { now - $0 > rules.real(rules.keyMemory) } ?? false:
            return end(index, "Not confirmed for a day. Try again.", code: nil, keepsKey: true)
        case .queued, .doubtful: break
        }
        guard chat(of: index).text().utf8.count <= link.maxFrameBytes else {
            return end(index, ScreenError.tooLong, code: "too_large", keepsKey: question.wasSent || question.isResent)
        }
        if let socket = link.live { return sendChat(index, on: socket) }
        guard !question.avoidsREST else { return }
        let isResend = question.phase == .doubtful && !uses(.resendsOverTheSocket)
        guard isResend || screen.connection == .degraded, !hasEarlierInTransit(question) else { return }
        post(index)
    }

    /// Whether a question may be sent: in a conversation without a session, the first question creates the session and
    /// the others wait, but not for one that is rate-limited.
    private func isNext(_ question: Question) -> Bool {
        guard conversations[question.conversation]?.session == nil else { return true }
        let others = outbox.filter { other in
            other.conversation == question.conversation && other.isUnconfirmed && !other.phase.isLimited
        }
        return (others.first(where: \.wasSent) ?? others.first)?.key == question.key
    }

    /// Whether an earlier question of the conversation is in transit: over REST, a later one could overtake it.
    private func hasEarlierInTransit(_ question: Question) -> Bool {
        outbox.prefix { $0.key != question.key }.contains { earlier in
            guard earlier.conversation == question.conversation, !earlier.isGivenUp else { return false }
            switch earlier.phase {
            case .queued, .sent, .posted, .doubtful: return true
            case .limited, .accepted: return false
            }
        }
    }

    mutating func sendChat(_ index: Int, on socket: Int) {
        let frame = chat(of: index)
        begin(index, as: .sent(socket: socket))
        send(frame, on: socket)
    }

    private mutating func post(_ index: Int) {
        let question = outbox[index]
        let request = ask(
            "POST", "/api/chat", body: body(of: index),
            for: .post(key: question.key, conversation: question.conversation))
        begin(index, as: .posted(request: request))
    }

    private mutating func begin(_ index: Int, as phase: Question.Phase) {
        let question = outbox[index]
        if question.phase == .queued, !question.isResent {
            outbox[index].sentIn = conversations[question.conversation]?.session
        }
        outbox[index].phase = phase
        outbox[index].sentAt = now
        outbox[index].firstSentAt = question.firstSentAt ?? now
        outbox[index].isGivenUp = false
        outbox[index].hasBeenPolled = false
        outbox[index].isResent = question.isResent || question.phase == .doubtful
        needsSaving = true
        if let position = conversations[question.conversation]?.position(key: question.key) {
            conversations[question.conversation]?.messages[position].status = .sending
        }
        conversations[question.conversation]?.errors.removeAll { $0.key == question.key && $0.code == nil }
        wait(.confirmation(key: question.key), uses(.resendsEarly) ? 5_000 : rules.confirmation)
        wait(.silence(key: question.key), rules.turnSilence)
        link.heardAt = now
        checkSilence()
    }

    func chat(of index: Int) -> JSONValue {
        var frame = body(of: index)
        frame["type"] = "chat"
        return frame
    }

    func body(of index: Int) -> JSONValue {
        let question = outbox[index]
        var messages: [JSONValue] = [["role": "user", "content": .string(question.text)]]
        if uses(.sendsTheConversation) { messages = context(before: question) + messages }
        var body: JSONValue = ["messages": .array(messages)]
        let isRepeat = question.isResent || question.phase == .doubtful
        let session = isRepeat ? question.sentIn : conversations[question.conversation]?.session
        if let session { body["sessionId"] = .string(session) }
        body["clientMessageId"] = .string(question.key)
        return body
    }

    mutating func settle(_ question: Question, as status: Message.Status) {
        needsSaving = true
        stopWaiting(.confirmation(key: question.key))
        stopWaiting(.silence(key: question.key))
        stopWaiting(.retry(key: question.key))
        guard let position = conversations[question.conversation]?.position(key: question.key) else { return }
        conversations[question.conversation]?.messages[position].status = status
        if status == .sent { conversations[question.conversation]?.errors.removeAll { $0.key == question.key } }
    }
}
