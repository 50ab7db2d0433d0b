import Holdfast
import HoldfastBasics
import HoldfastJSON

/// Answers over REST; each is handled according to the purpose of its request, however late it arrives.
extension ClientCore {
    /// A nil answer means that none arrived.
    mutating func answered(_ request: Int, _ answer: RESTAnswer?) {
        guard let purpose = purposes.removeValue(forKey: request) else { return }
        link.restWorks = answer.map { $0.status < 500 } ?? false
        guard let answer, answer.status < 500 || purpose.isPost else { return failed(purpose, request: request) }
        let body = Self.object(answer.body) ?? .null
        switch purpose {
        case .read(let session, let number): readAnswered(session, number, answer.status, body)
        case .start: startAnswered(body, succeeded: answer.status == 200)
        case .list: if answer.status == 200 { listRead(body) }
        case .search(let number): searched(body, for: number, succeeded: answer.status == 200)
        case .post(let key, let number): posted(key, number, answer, body)
        }
    }

    mutating func failed(_ purpose: Purpose, request: Int) {
        switch purpose {
        case .read(_, let number), .search(let number): readEnded(number, succeeded: false)
        case .start: startIsDue = true
        case .list: return
        case .post(let key, _):
            guard let index = index(of: key) else { return }
            outbox[index].mayLackEnding = true
            guard outbox[index].phase == .posted(request: request) else { return }
            stopWaiting(.confirmation(key: key))
            outbox[index].phase = .doubtful
            outbox[index].avoidsREST = true
            if link.live != nil { pump() }
        }
    }

    private mutating func readAnswered(_ session: String, _ number: Int, _ status: Int, _ body: JSONValue) {
        guard status == 200, let history = body["session"], history.text("id") == session else {
            return refused(session, number, status, body)
        }
        // The conversation may have been merged into another in the meantime.
        let number = conversations[number]?.session == session ? number : conversation(of: session)
        take(history: history, of: number)
        readEnded(number, succeeded: true)
    }

    private mutating func refused(_ session: String, _ number: Int, _ status: Int, _ body: JSONValue) {
        let code = body.text("code")
        // Only the server's own errors say that a session does not exist; a gateway has no error body.
        guard status == 404 || status == 400, body.text("error") != nil else {
            if status == 401 { showError("Please sign in again.", code: code) }
            return readEnded(number, succeeded: false)
        }
        conversations[number]?.wanted = nil
        conversations[number]?.isStale = false
        showError("This conversation no longer exists.", code: code ?? "session_not_found")
        readEnded(number, succeeded: true)
        guard conversations[number]?.messages.isEmpty == true, number == shown else { return }
        show(newConversation())
    }

    /// A session's history: adds missing messages, and settles open questions as far as it can.
    private mutating func take(history: JSONValue, of number: Int) {
        needsSaving = true
        let messages = Self.messages(of: history)
        for message in messages {
            guard let key = message.key, let index = index(of: key), let session = conversations[number]?.session else {
                continue
            }
            // Found by its key, in whichever conversation the client expected it.
            bind(question: index, to: session)
            accept(key, turn: message.turn, message: message.id)
        }
        for key in messages.compactMap(\.key) { removeCopies(key, in: number) }
        conversations[number, default: Conversation(number: number)].merge(history: messages)
        if let wanted = conversations[number]?.wanted,
            let position = conversations[number]?.position(id: wanted)
        {
            // The notification already counted the message as unread, or its tap is about to show the message.
            conversations[number]?.messages[position].isCounted = true
            conversations[number]?.wanted = nil
        }
        let turns = history["turns"]?.arrayValue ?? []
        for turn in turns where turn.text("status") == "done" {
            clearFailure(key: turn.text("clientMessageId"), turn: turn.text("turnId"), in: number)
        }
        for question in outbox where question.conversation == number {
            learn(of: question, in: number, turns: turns)
        }
        pump()
    }

    /// Ends a question if its turn has ended according to the history.
    private mutating func learn(of question: Question, in number: Int, turns: [JSONValue]) {
        guard let messages = conversations[number]?.messages,
            let position = messages.lastIndex(where: { $0.key == question.key }), messages[position].id != nil
        else { return }
        let turn = question.turn ?? messages[position].turn
        let stored = turns.last {
            $0.text("clientMessageId") == question.key || turn != nil && $0.text("turnId") == turn
        }
        if let turn { accept(question.key, turn: turn) }
        if stored?.text("status") == "failed" { return fail(question.key, "The answer failed. Try again.", code: nil) }
        if stored?.text("status") == "done" { finish(question.key) }
    }

    static func messages(of history: JSONValue) -> [Message] {
        (history["messages"]?.arrayValue ?? []).compactMap(message)
    }

    private static func message(_ value: JSONValue) -> Message? {
        guard let id = value.text("id"),
            let role = value.text("role").flatMap(Message.Role.init(rawValue:))
        else { return nil }
        return Message(
            id: id, key: role == .user ? value.text("clientMessageId") : nil,
            turn: value.text("turnId"),
            role: role, text: MessageContent.text(of: value["content"]))
    }

    private mutating func posted(_ key: String, _ number: Int, _ answer: RESTAnswer, _ body: JSONValue) {
        let code = body.text("code")
        let words = body.text("error") ?? "The message was refused with status \(answer.status)."
        switch ChatOutcome(status: answer.status, body: body) {
        case .answered: takeOutcome(body, ofPostOf: key)
        case .failed:
            learnSession(from: body, of: key)
            fail(key, words, code: code)
        case .refused:
            learnSession(from: body, of: key)
            let isTemporary = answer.status == 429 || code == "rate_limited"
            guard isTemporary else { return refuse(key, words, code: code) }
            // The longer of the waits that header and body ask for.
            let header = answer.retryAfter.flatMap(Double.init).map { Int(min($0, 86_400) * 1000) }
            let pause = max(header ?? 0, body["retryAfterMs"]?.intValue ?? (header == nil ? 60_000 : 0))
            limit(key, words, milliseconds: max(1, pause))
        case .unknown: failedPost(key)
        }
    }

    private mutating func takeOutcome(_ body: JSONValue, ofPostOf key: String) {
        guard let session = body.text("sessionId"), let text = body.text("text"), let id = body.text("messageId") else {
            return failedPost(key)
        }
        let turn = body.text("turnId")
        let number = conversationNumber(session, key: key)
        let isPlaceUnknown = isPlaceUnknown(ofAnswerTo: key)
        accept(key, turn: turn)
        finish(key)
        needsSaving = true
        let message = Message(id: id, turn: turn, role: .assistant, text: text)
        let arrival = conversations[number, default: Conversation(number: number)].take(message)
        if arrival == .inserted || isPlaceUnknown { refresh(number) }
        pump()
    }

    private mutating func failedPost(_ key: String) {
        guard let index = index(of: key), case .posted = outbox[index].phase else { return }
        stopWaiting(.confirmation(key: key))
        outbox[index].phase = .doubtful
        outbox[index].mayLackEnding = true
        outbox[index].avoidsREST = true
        if link.live != nil { return pump() }
        beginReading(outbox[index].conversation, atOnce: false)
    }
}
