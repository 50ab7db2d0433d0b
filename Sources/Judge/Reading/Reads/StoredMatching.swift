import HoldfastJSON

/// Finds the question and the answer of a turn in a session read.
extension Observations {
    /// The index of a turn's question: by message id, key, turn id, else by its text.
    func question(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int? {
        func user(_ matches: (ObservedSessionRead.StoredMessage) -> Bool) -> Int? {
            read.messages.firstIndex { $0.role == "user" && matches($0) }
        }
        if let id = turn.ack?.messageId, let index = user({ $0.id == id }) { return index }
        if let key = turn.clientMessageId, let index = user({ $0.clientMessageId == key }) { return index }
        if let turnId = turn.turnId, let index = user({ $0.turnId == turnId }) { return index }
        let texts = read.messages.indices.filter {
            let message = read.messages[$0]
            return message.role == "user" && exactlyEqual(message.text, turn.request.prompt)
                && belongsToNoOther(message, than: turn)
        }
        // Equal texts stand in the order in which they were asked.
        let earlier = index.turns(of: read.sessionId).filter { index in
            let other = turns[index]
            return other.event < turn.event && !other.isRefused && other.clientMessageId == nil && other.turnId == nil
                && exactlyEqual(other.request.prompt, turn.request.prompt)
        }
        return texts.indices.contains(earlier.count) ? texts[earlier.count] : texts.last
    }

    /// The index of a turn's question without looking at its text; nil when no id tells and it is not the only one.
    func questionByName(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int? {
        for (index, message) in read.messages.enumerated() where message.role == "user" {
            if let id = turn.ack?.messageId, message.id == id { return index }
            if let key = turn.clientMessageId, message.clientMessageId == key { return index }
            if let turnId = turn.turnId, message.turnId == turnId { return index }
        }
        let users = read.messages.indices.filter { read.messages[$0].role == "user" }
        let inSession = index.turns(of: read.sessionId).filter { turns[$0].event < read.event }
        guard users.count == 1, inSession.count == 1, turn.sessionAsked == nil,
            belongsToNoOther(read.messages[users[0]], than: turn)
        else { return nil }
        return users[0]
    }

    /// The index of a turn's answer: by message id, turn id, else the message that follows its question.
    func answer(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int? {
        func assistant(_ matches: (ObservedSessionRead.StoredMessage) -> Bool) -> Int? {
            read.messages.firstIndex { $0.role == "assistant" && matches($0) }
        }
        for ending in turn.endings + turn.replayed where ending.type == "done" {
            if let id = ending.messageId, let index = assistant({ $0.id == id }) { return index }
        }
        if let turnId = turn.turnId, let index = assistant({ $0.turnId == turnId }) { return index }
        guard let question = question(of: turn, in: read) else { return nil }
        // Where the conversation names its turns and no frame does, it tells itself which answer is whose.
        if turn.turnId == nil, let named = read.messages[question].turnId,
            read.messages.contains(where: { $0.role == "assistant" && $0.turnId != nil })
        {
            return assistant { $0.turnId == named }
        }
        let next = question + 1
        guard next < read.messages.count, read.messages[next].role == "assistant" else { return nil }
        let message = read.messages[next]
        if let known = turn.turnId, let other = message.turnId { return known == other ? next : nil }
        return answersInTurn(question, of: turn, in: read) ? next : nil
    }

    /// Whether the message behind a question can be nothing but its answer.
    ///
    /// So it is where every earlier question had ended before this one was asked, or is answered before it is stored.
    /// Otherwise several waited, and the message may answer any of them.
    private func answersInTurn(_ question: Int, of turn: ObservedTurn, in read: ObservedSessionRead) -> Bool {
        let waiting = index.turns(of: read.sessionId).map { turns[$0] }.filter { other in
            other.event < turn.event && !other.isRefused && !(other.ended.map { $0 < turn.event } ?? false)
        }
        let before = read.messages[..<question]
        let first = before.firstIndex { message in
            message.role == "user" && waiting.contains { exactlyEqual($0.request.prompt, message.text) }
        }
        guard let first else { return true }
        let open = before[first...]
        return open.count { $0.role == "user" } == open.count { $0.role == "assistant" }
    }

    private func belongsToNoOther(_ message: ObservedSessionRead.StoredMessage, than turn: ObservedTurn) -> Bool {
        if let key = message.clientMessageId, turn.clientMessageId != nil, key != turn.clientMessageId { return false }
        if let id = message.turnId, let known = turn.turnId, id != known { return false }
        return true
    }

    /// Session reads of a turn's conversation by its principal, in order.
    func reads(of turn: ObservedTurn) -> [ObservedSessionRead] {
        guard let session = turn.session else { return [] }
        let reads = index.reads(of: session, by: turn.principal)
        return isCapture ? reads.filter { namesItsMessages($0) } : reads
    }
}

/// What else checks ask about a session.
extension Observations {
    /// Whether the frames of a turn are surely its own.
    ///
    /// An ack or the key tells, or nothing else ran in its session that was asked on another transport: without names, frames go
    /// by the order of asking, which only one connection fixes.
    func isToldApart(_ turn: ObservedTurn) -> Bool {
        let key = turn.clientMessageId
        if !turn.acks.isEmpty || (key != nil && turn.endings.contains { $0.clientMessageId == key }) { return true }
        let places = turn.session.map { index.turns(of: $0) } ?? index.unplaced
        return !places.contains { place in
            turns[place].principal == turn.principal
                && (turn.request.connection == nil || turns[place].request.connection != turn.request.connection)
                && turns[place].overlaps(turn)
        }
    }

    /// Whether a text is the answer of another turn of the session that ran at the same time.
    func isAnswer(_ text: String, besides turn: ObservedTurn) -> Bool {
        let beside = turn.session.map { index.turns(of: $0) } ?? []
        return beside.contains { place in
            turns[place].overlaps(turn)
                && turns[place].endings.contains { $0.type == "done" && exactlyEqual($0.text ?? "", text) }
        }
    }

    /// Whether a turn of a session ran, or was asked, at some moment between two events; `surely` leaves out questions that
    /// nothing shows to be accepted.
    func runs(in session: String, for principal: String, from first: Int, to last: Int, surely: Bool = false) -> Bool {
        // A question without a session may turn out to belong to this one.
        (index.turns(of: session) + index.unplaced).contains { place in
            let turn = turns[place]
            guard turn.principal == principal, !turn.isRefused, turn.event < last, turn.isAccepted || !surely else {
                return false
            }
            return turn.ended ?? .max > first
        }
    }

    /// Whether a question of which only a guess says how it ended was asked in a session before an event.
    func mayHaveRun(in session: String, for principal: String, before event: Int) -> Bool {
        let sure = Set(turns.map(\.event))
        return (guessedTurns + questions.filter { !sure.contains($0.event) }).contains { turn in
            turn.principal == principal && !turn.isRefused && turn.event < event && turn.session ?? session == session
        }
    }

    func listBody(at event: Int) -> JSONValue? {
        body(ofResponse: event)
    }

    /// Every text of a session that this history knows: questions, answers and stored messages.
    func texts(of session: String, for principal: String) -> [String] {
        let asked = index.turns(of: session).map { turns[$0] }.filter { $0.principal == principal }
        let stored = index.reads(of: session, by: principal)
        return asked.map(\.request.prompt) + asked.flatMap(\.endings).compactMap(\.text)
            + stored.flatMap(\.messages).map(\.text)
    }
}
