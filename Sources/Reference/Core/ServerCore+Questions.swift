import HoldfastJSON

// From a question to a turn: repeats, refusals, and acceptance once the question is stored.
extension ServerCore {
    mutating func ask(_ chat: ClientMessage.Chat, of principal: String, from origin: Origin) {
        do throws(Refusal) {
            try take(chat, of: principal, from: origin)
        } catch {
            var refusal = error
            refusal.clientMessageId = chat.key
            refuse(refusal, to: origin)
        }
    }

    private mutating func take(
        _ chat: ClientMessage.Chat, of principal: String, from origin: Origin
    ) throws(Refusal) {
        if let first = ledger.entry(chat.key, of: principal) {
            guard first.matches(chat) else {
                throw Refusal(.idempotencyMismatch, "'\(chat.key)' already stands for another question")
            }
            return repeated(chat, first, from: origin)
        }
        try accept(chat, of: principal, from: origin)
    }

    mutating func refuse(_ refusal: Refusal, to origin: Origin) {
        switch origin {
        case .socket(let socket): send(Frames.refused(refusal), to: socket)
        case .request(let request): answer(request, with: refusal)
        }
    }

    /// Checks a question without leaving a trace if it is refused: it is counted and reserved only at the end.
    private mutating func accept(
        _ chat: ClientMessage.Chat, of principal: String, from origin: Origin
    ) throws(Refusal) {
        func refusal(_ code: ErrorCode, _ text: String) -> Refusal { Refusal(code, text, clientMessageId: chat.key) }
        if isStopping { throw refusal(.persistFailed, "the server is stopping; ask again soon") }
        let session = try session(for: chat, of: principal)
        let isStoring = turns.values.contains { $0.names.session == session && $0.state == .storing }
        if rules.variations.contains(.busyInsteadOfQueueing), queue.isBusy(session) || isStoring {
            throw refusal(.busy, "a turn of this session runs")
        }
        try charge(principal, for: chat)
        let names = TurnNames(session: session, turn: ids.next("trn"), question: ids.next("msg"), key: chat.key)
        let question = StoredRecord.Post(principal: principal, names: names, content: chat.content, at: stamp())
        ledger.record(question)
        var turn = LiveTurn(question: question, origin: origin, chargedAt: now.steady)
        if case .request(let request) = origin {
            turn.waiters.append(LiveTurn.Waiter(request: request, isRepeat: false))
        }
        turns[names.turn] = turn
        store(.question(question), as: .question(question))
    }

    /// Returns a new session if the question names none; otherwise the session must be the principal's.
    private mutating func session(for chat: ClientMessage.Chat, of principal: String) throws(Refusal) -> String {
        guard let id = chat.session else { return ids.next("ses") }
        if sessions.session(id, of: principal) != nil { return id }
        throw Refusal(.sessionNotFound, "no session '\(id.prefix(128))'", clientMessageId: chat.key)
    }

    private mutating func charge(_ principal: String, for chat: ClientMessage.Chat) throws(Refusal) {
        if let refusal = mockRules.refusal(of: chat, rules) { throw refusal }
        guard let budget = rules.messagesPerMinute else { return }
        let window = RateWindow(budget: budget, rules)
        if let wait = rates[principal, default: window].take(at: now.steady) {
            throw Refusal(
                .rateLimited,
                "at most \(budget) questions in \(rules.rateWindowMs / 1000) s; the next one in \(wait) ms",
                clientMessageId: chat.key, retryAfterMs: wait, limit: budget, windowMs: rules.rateWindowMs)
        }
    }

    /// Answers a repeat of an accepted question with the outcome of its turn; nothing runs again or counts again.
    private mutating func repeated(_ chat: ClientMessage.Chat, _ first: StoredRecord.Post, from origin: Origin) {
        var names = first.names
        names.key = chat.key
        guard turns[names.turn] == nil else { return join(names.turn, from: origin) }
        // A turn that neither runs nor has an ending was interrupted, and a restart records that.
        let ending = sessions.ending(of: names.turn, in: names.session) ?? Self.interrupted
        switch origin {
        case .socket(let socket):
            send(Frames.ack(names, duplicate: true), to: socket)
            send(Frames.ending(ending, of: names, duplicate: true), to: socket)
        case .request(let request):
            answer(request, names, with: ending, isRepeat: true)
        }
    }

    private mutating func join(_ turn: String, from origin: Origin) {
        guard let live = turns[turn] else { return }
        if live.state == .storing {
            turns[turn]?.repeats.append(origin)
            return
        }
        switch origin {
        case .socket(let socket):
            sendDueAck(of: live)
            send(Frames.ack(live.names, duplicate: true), to: socket)
        case .request(let request):
            turns[turn]?.waiters.append(LiveTurn.Waiter(request: request, isRepeat: true))
        }
    }
}
