import JSON

// From a question to a turn: repeats, refusals, and the acceptance that only the disk can give.
extension ServerCore {
    /// Takes a question, whichever road it came by.
    mutating func ask(_ chat: ClientMessage.Chat, of principal: String, from origin: Origin) {
        do throws(Refusal) {
            let scope = saboteur.scope(of: principal, origin)
            if let key = chat.key, let entry = ledger.entry(key, of: scope), !broken(.idemRunsRepeatsAgain) {
                guard entry.matches(chat) || broken(.idemAnswersMismatchesWithTheFirst) else {
                    try mishandleMismatch(chat, entry, of: principal, from: origin)
                    throw Refusal(
                        .idempotencyMismatch, "'\(key)' stands for another question already", clientMessageId: key)
                }
                return try repeated(chat, entry, of: principal, from: origin)
            }
            try accept(chat, of: principal, scope: scope, from: origin)
        } catch {
            if broken(.idemBurnsRefusedIds), let key = chat.key { mischief.burntKeys.insert(key) }
            if broken(.turnKeepsWhatItRefused), error.code == .sessionNotFound { invent(chat.content, of: principal) }
            refuse(error, to: origin)
            if broken(.rateClosesTheConnection), error.code == .rateLimited, case .socket(let socket) = origin {
                close(socket, code: 1008, reason: "too fast")
            }
        }
    }

    /// Tells the asker that a question was not taken.
    mutating func refuse(_ refusal: Refusal, to origin: Origin) {
        switch origin {
        case .socket(let socket): send(Frames.refused(refusal), to: socket)
        case .request(let request):
            var refusal = refusal
            if broken(.restFailsOnUnknownSessions), refusal.code == .sessionNotFound { refusal.status = 500 }
            answer(request, with: refusal)
        }
    }

    /// Checks in an order that leaves no trace of what is refused: nothing is counted or reserved before the last check.
    private mutating func accept(
        _ chat: ClientMessage.Chat, of principal: String, scope: String, from origin: Origin
    ) throws(Refusal) {
        func refusal(_ code: ErrorCode, _ text: String) -> Refusal { Refusal(code, text, clientMessageId: chat.key) }
        if isStopping { throw refusal(.interrupted, "the server is stopping; ask again soon") }
        if let key = chat.key, mischief.burntKeys.contains(key) {
            throw refusal(.idempotencyMismatch, "'\(key)' was used already")
        }
        let session = try session(for: chat, of: principal, from: origin)
        if rules.variations.contains(.busyInsteadOfQueueing), queue.isBusy(session) || isStoring(session) {
            throw refusal(.busy, "a turn of this session runs")
        }
        try charge(principal, for: chat, from: origin)
        remember(chat, of: principal)
        let names = TurnNames(session: session, turn: ids.next("trn"), question: ids.next("msg"), key: chat.key)
        if let key = chat.key {
            ledger.record(
                IdempotencyLedger.Entry(
                    session: session, turn: names.turn, message: names.question, content: chat.content),
                under: key, of: scope)
        }
        var turn = LiveTurn(
            names: names, principal: principal, content: chat.content, origin: origin, chargedAt: now.steady)
        if case .request(let request) = origin {
            turn.waiters.append(LiveTurn.Waiter(request: request, isRepeat: false))
        }
        turns[names.turn] = turn
        let question = StoredRecord.Question(
            principal: principal, session: session, turn: names.turn, message: names.question, key: chat.key,
            content: chat.content, at: stamp())
        if postpones(question) { return }
        if broken(.turnAcksWhatACrashTakes) {
            storeLater(.question(question), as: .afterthought, ms: 30)
            sessions.apply(.question(question))
            return begin(question)
        }
        store(.question(question), as: .question(question))
    }

    /// The session a question belongs to: a new one, or one that its principal has.
    private mutating func session(
        for chat: ClientMessage.Chat, of principal: String, from origin: Origin
    ) throws(Refusal) -> String {
        guard let id = chat.session, !broken(.idStartsANewSessionEachTime) else {
            return saboteur.sessionID(ids.next("ses"))
        }
        if sessions.session(id, of: principal) != nil { return id }
        if let id = mistakenSession(id, chat, of: principal) { return id }
        throw Refusal(.sessionNotFound, "no session '\(id.prefix(128))'", clientMessageId: chat.key)
    }

    private mutating func charge(
        _ principal: String, for chat: ClientMessage.Chat, from origin: Origin
    ) throws(Refusal) {
        if let refusal = standing.refusal(of: chat, rules) { throw refusal }
        guard let budget = rules.messagesPerMinute, counts(origin) else { return }
        let account = account(of: principal, origin)
        let window = RateWindow(budget: saboteur.budget(budget), lengthMs: rules.rateWindowMs)
        if let wait = rates[account, default: window].take(at: now.steady), !broken(.rateNeverRefuses) {
            mishandleExcess(chat, of: principal, origin)
            let refusal = Refusal(
                .rateLimited,
                "at most \(budget) questions in \(rules.rateWindowMs / 1000) s; the next one in \(wait) ms",
                clientMessageId: keyToName(for: chat, of: principal), retryAfterMs: wait, limit: budget,
                windowMs: rules.rateWindowMs)
            guard broken(.rateRunsWhatItRefuses) else { throw refusal }
            refuse(refusal, to: origin)
        }
    }

    private func isStoring(_ session: String) -> Bool {
        turns.values.contains { $0.names.session == session && $0.state == .storing }
    }

    /// A question that was accepted before: the answer is what became of it, and nothing is run or counted.
    private mutating func repeated(
        _ chat: ClientMessage.Chat, _ entry: IdempotencyLedger.Entry, of principal: String, from origin: Origin
    ) throws(Refusal) {
        try mishandleRepeat(chat, entry, of: principal)
        let names = TurnNames(session: entry.session, turn: entry.turn, question: entry.message, key: chat.key)
        guard turns[entry.turn] == nil else { return join(entry.turn, from: origin) }
        let ending = sessions.ending(of: entry.turn, in: entry.session)
        switch origin {
        case .socket(let socket):
            send(Frames.ack(names, duplicate: true), to: socket)
            sendCopy(of: ending, names, to: socket)
            announceRepeat(names, ending, of: principal)
        case .request(let request):
            answer(request, names, with: outcome(names, ending), isRepeat: true)
        }
    }

    /// A repeat of a turn that still runs waits for its one ending like everybody else.
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
            if broken(.idemCopiesRunningTurns) {
                send(Frames.done(live.names, message: ids.next("msg"), text: "", duplicate: true), to: socket)
            }
        case .request(let request):
            turns[turn]?.waiters.append(LiveTurn.Waiter(request: request, isRepeat: true))
        }
    }

    private mutating func sendCopy(of ending: SessionStore.Ending?, _ names: TurnNames, to socket: Int) {
        var copy: JSONValue
        switch outcome(names, ending) {
        case .answered(let message, let text):
            if broken(.idemSendsNoCopy) { return }
            copy = Frames.done(names, message: message, text: text, duplicate: true)
        case .failed(let code, let text):
            if broken(.idemForgetsFailures) { return }
            copy = Frames.failed(names, code: ErrorCode(rawValue: code) ?? .internal, text: text, duplicate: true)
        }
        if broken(.idemNumbersCopies) {
            copy["seq"] = JSONValue(streams[connections[socket]?.principal ?? ""]?.lastSeq ?? 1)
        }
        send(copy, to: socket)
    }

    /// How a turn ended; one without an ending that nothing runs was interrupted, and a restart will say so.
    func outcome(_ names: TurnNames, _ ending: SessionStore.Ending?) -> SessionStore.Ending {
        ending ?? .failed(code: ErrorCode.interrupted.rawValue, text: "the server stopped while this turn ran")
    }
}
