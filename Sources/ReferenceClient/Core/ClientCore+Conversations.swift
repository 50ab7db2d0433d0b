import HoldfastJSON

extension ClientCore {
    mutating func select(_ session: String?) {
        isUntouched = false
        guard let session else { return show(newConversation()) }
        let number = conversation(of: session)
        show(number)
        // Earlier reads for an answer do not count: the user is looking now.
        conversations[number]?.poll = nil
        refresh(number)
    }

    mutating func show(_ number: Int) {
        if let previous = conversations[shown], previous.session == nil, previous.messages.isEmpty, number != shown {
            conversations[shown] = nil
        }
        // The previous and the new conversation count as seen.
        for seen in [shown, number] {
            for position in conversations[seen]?.messages.indices ?? 0..<0 {
                conversations[seen]?.messages[position].isCounted = true
            }
        }
        shown = number
        conversations[number]?.unread = 0
        needsSaving = true
    }

    /// Removes copies of a finished message from all conversations but the server's: a failed message may have been
    /// typed into a conversation that got a different session later.
    mutating func removeCopies(_ key: String, in number: Int) {
        guard index(of: key) == nil else { return }
        for other in conversations.keys where other != number {
            guard let position = conversations[other]?.position(key: key) else { continue }
            // A new conversation that holds only this message is the server's conversation.
            if conversations[other]?.session == nil, !outbox.contains(where: { $0.conversation == other }),
                let session = conversations[number]?.session
            {
                bind(other, to: session)
                continue
            }
            conversations[other]?.messages.remove(at: position)
            conversations[other]?.errors.removeAll { $0.key == key }
            needsSaving = true
        }
    }

    /// Assigns an open question, and its conversation, to a session.
    ///
    /// A question that was given up or rate-limited delays no other. If another question has already started the
    /// session of their conversation, this one moves to a session of its own.
    mutating func bind(question index: Int, to session: String) {
        let (key, own) = (outbox[index].key, outbox[index].conversation)
        let isWaitedFor = !outbox[index].phase.isLimited && !outbox[index].isGivenUp
        let isLeftBehind =
            !isWaitedFor && conversations[own]?.session == nil
            && outbox.contains { $0.conversation == own && $0.key != key && $0.wasSent && !$0.phase.isLimited }
        let belongsElsewhere = conversations[own]?.session.map { $0 != session } == true
        guard isLeftBehind || belongsElsewhere, let position = conversations[own]?.position(key: key),
            let message = conversations[own]?.messages.remove(at: position)
        else { return bind(own, to: session) }
        let number = conversation(of: session)
        let errors = conversations[own]?.errors.filter { $0.key == key } ?? []
        conversations[own]?.errors.removeAll { $0.key == key }
        conversations[number]?.messages.append(message)
        conversations[number]?.errors += errors
        outbox[index].conversation = number
        // Only the server knows the order.
        if conversations[number]?.messages.count ?? 1 > 1 { refresh(number) }
    }

    mutating func bind(_ number: Int, to session: String) {
        guard let own = conversations[number], own.session != session else { return }
        needsSaving = true
        guard let other = knownNumber(session) else {
            guard own.session == nil else { return }
            conversations[number]?.session = session
            return
        }
        guard own.session == nil else { return }
        let bothHaveMessages = !own.messages.isEmpty && conversations[other]?.messages.isEmpty == false
        for message in own.messages where conversations[other]?.messages.contains(where: message.isSame) != true {
            conversations[other]?.messages.append(message)
        }
        conversations[other]?.errors += own.errors
        for index in outbox.indices where outbox[index].conversation == number { outbox[index].conversation = other }
        stopPolling(number)
        conversations[number] = nil
        if shown == number { show(other) }
        // Only the server knows the order.
        if bothHaveMessages { refresh(other) }
    }
}
