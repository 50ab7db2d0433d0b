import HoldfastJSON

/// What the server says on a connection.
///
/// Names decide where a frame belongs: the session tells the conversation, key or turn tell the question. What the client does
/// not know (members, types, codes) it passes over, and a number counts whatever carries it.
extension ClientCore {
    mutating func received(_ text: String, on socket: Int) {
        guard link.socket == socket, let frame = Self.object(text), let type = frame.text("type") else {
            return
        }
        if case .greeting = link.phase { return greet(frame, type, on: socket) }
        guard link.live == socket else { return }
        lastFrame = now
        link.heardAt = now
        if type != "syncResult", type != "pong" { link.proved() }
        if link.isAsked { listen() }
        if type == "syncResult" { return replayed(frame) }
        take(frame, type, isReplay: false)
        guard let seq = frame["seq"]?.intValue else { return }
        cursor.passed(seq, epoch: link.epoch)
        needsSaving = true
    }

    static func object(_ text: String) -> JSONValue? {
        guard let value = try? JSONParser.document(text).root, value.objectValue != nil else { return nil }
        return value
    }

    /// A frame that names nothing but a session nobody knew: it may be that of a question without one, and its history tells.
    private mutating func lookInto(_ frame: JSONValue, _ type: String) {
        guard !serverKnowsKeys, ["message", "toolUse", "done", "error"].contains(type), frame["clientMessageId"] == nil,
            let session = frame.text("sessionId"), newcomers.contains(session) || known(session) == nil,
            let question = outbox.first(where: {
                $0.wasSent && $0.isUnproven && conversations[$0.conversation]?.session == nil
            })
        else { return }
        newcomers.insert(session)
        look(for: question.conversation, in: conversation(of: session))
    }

    /// Takes in a frame, live or replayed.
    mutating func take(_ frame: JSONValue, _ type: String, isReplay: Bool) {
        lookInto(frame, type)
        switch type {
        case "ack": takeAck(frame)
        case "message": takeMessage(frame, isReplay: isReplay)
        case "toolUse":
            guard let key = question(of: frame, isReplay: isReplay) else { break }
            presume(key, by: frame)
            accept(key, turn: frame.text("turnId"))
            if !isReplay { heard(key) }
        case "done": takeDone(frame, isReplay: isReplay)
        case "error": takeError(frame, isReplay: isReplay)
        default: break
        }
    }

    /// The key of the open question a frame belongs to.
    func question(of frame: JSONValue, isReplay: Bool) -> String? {
        let (key, turn) = (frame.text("clientMessageId"), frame.text("turnId"))
        if let key { return outbox.first { $0.key == key }?.key }
        if let turn { return outbox.first { $0.turn == turn }?.key }
        // A server without ids for questions: its session has one open question, or nobody can tell.
        guard let session = frame.text("sessionId"), let number = known(session) else { return nil }
        // A question that was sent after the `sync` is answered live.
        let isYounger = { (question: Question) in isReplay && cursor.gap?.mayHold.contains(question.key) == false }
        let open = outbox.filter { $0.conversation == number && $0.wasSent && !isYounger($0) }
        let awaited = open.filter(\.isAwaited)
        if awaited.count == 1 { return awaited.first?.key }
        return open.count == 1 ? open.first?.key : nil
    }

    /// The conversation a frame belongs to; it may be that of a question whose session is told by this frame.
    mutating func conversationNumber(_ session: String, key: String?) -> Int {
        if let key, let index = index(of: key) { bind(question: index, to: session) }
        return conversation(of: session)
    }

    private mutating func greet(_ frame: JSONValue, _ type: String, on socket: Int) {
        switch type {
        case "connected": greeted(frame, on: socket)
        case "error":
            link.supported = frame["supported"]?.arrayValue.map { Set($0.compactMap(\.intValue)) }
            complain(words(of: frame), code: frame.text("code"))
        default: return
        }
    }

    private mutating func takeAck(_ frame: JSONValue) {
        guard let key = frame.text("clientMessageId"), let session = frame.text("sessionId") else {
            return
        }
        _ = conversationNumber(session, key: key)
        accept(key, turn: frame.text("turnId"), message: frame.text("messageId"))
        heard(key)
        pump()
    }

    private mutating func takeMessage(_ frame: JSONValue, isReplay: Bool) {
        guard let session = frame.text("sessionId"), let id = frame.text("messageId"),
            let role = frame.text("role").flatMap(Message.Role.init(rawValue:)),
            let text = frame.text("text")
        else { return }
        let key = role == .user ? frame.text("clientMessageId") : nil
        let message = Message(
            id: id, key: key, turn: frame.text("turnId"), role: role, text: text, position: stamp(of: frame))
        if !serverKnowsKeys { recognize([message], of: conversation(of: session)) }
        let number = conversationNumber(session, key: key)
        if let key {
            accept(key, turn: message.turn, message: id)
            keepApart(key, in: number)
        }
        add(message, to: number, isReplay: isReplay)
    }

    private mutating func takeDone(_ frame: JSONValue, isReplay: Bool) {
        guard let session = frame.text("sessionId"), let text = frame.text("text") else { return }
        let key = question(of: frame, isReplay: isReplay)
        let number = conversationNumber(session, key: key)
        let message = Message(
            id: frame.text("messageId"), turn: frame.text("turnId"), role: .assistant, text: text,
            position: stamp(of: frame))
        let isNameless = message.id == nil && message.turn == nil && frame["clientMessageId"] == nil
        if key != nil, isNameless, conversations[number]?.hasStored(.assistant, text) == true {
            // A read may have overtaken it: then it ends a question before this one. Another read tells whose it is.
            return refresh(number)
        }
        let isPlaceUnknown = key.map { self.isPlaceUnknown(ofAnswerTo: $0) } ?? false
        if let key {
            presume(key, by: frame)
            accept(key, turn: message.turn)
            finish(key)
        } else if message.id == nil, let position = message.position, cursor.has(position.seq, epoch: position.epoch) {
            return
        } else if message.id == nil, message.position == nil, frame["duplicate"]?.boolValue == true {
            return
        } else if message.id == nil, conversations[number]?.mayHave(message) == true {
            // A read or the answer over REST may have brought it before; another one tells whether it was said a second time.
            return refresh(number)
        }
        forgive(key: frame.text("clientMessageId"), turn: message.turn, in: number)
        let isNew = conversations[number]?.messages.contains { $0.id != nil && $0.id == message.id } != true
        add(message, to: number, isReplay: isReplay)
        // Somebody else's question may be missing.
        if isPlaceUnknown || key == nil && isNew && !knowsQuestion(of: message, in: number) { refresh(number) }
        pump()
    }

    private mutating func takeError(_ frame: JSONValue, isReplay: Bool) {
        let (code, text) = (frame.text("code"), words(of: frame))
        guard let key = question(of: frame, isReplay: isReplay) ?? lastUnanswered(frame) else {
            if let key = frame.text("clientMessageId"), unconfirm(key, text, code: code) { return }
            // Not ours: somebody else's turn has failed elsewhere.
            guard frame["turnId"] == nil, frame["clientMessageId"] == nil else { return }
            return complain(text, code: code, in: frame.text("sessionId").flatMap(known))
        }
        learnSession(from: frame, of: key)
        if code == "rate_limited" {
            return limit(key, text, milliseconds: max(1, frame["retryAfterMs"]?.intValue ?? 60_000))
        }
        if frame["turnId"] == nil, code != "agent_failed", code != "interrupted" {
            refuse(key, text, code: code)
        } else {
            // What fails without a name may be another turn.
            presume(key, by: frame)
            fail(key, text, code: code)
        }
    }

    /// An error may be the first to name the session of a question.
    mutating func learnSession(from error: JSONValue, of key: String) {
        guard let session = error.text("sessionId"), error.text("code") != "session_not_found" else { return }
        _ = conversationNumber(session, key: key)
    }

    /// A refusal that names nothing answers what was sent last on this connection.
    private func lastUnanswered(_ frame: JSONValue) -> String? {
        let names = ["clientMessageId", "turnId", "sessionId"]
        guard names.allSatisfy({ frame[$0] == nil }), let socket = link.live else { return nil }
        guard frame.text("code") != "unknown_type" else { return nil }
        return outbox.last { $0.phase == .sent(socket: socket) }?.key
    }

    /// A numbered frame tells the place of a message that is shown already.
    mutating func learnPlace(from frame: JSONValue) {
        // The key of a `done` is that of the question, and its place is not.
        let key = frame.type == "message" ? frame.text("clientMessageId") : nil
        guard let position = stamp(of: frame), let number = frame.text("sessionId").flatMap(known),
            let conversation = conversations[number],
            let index = conversation.position(id: frame.text("messageId")) ?? key.flatMap(conversation.position)
        else { return }
        conversations[number]?.learn(position, of: index)
    }

    private mutating func add(_ message: Message, to number: Int, isReplay: Bool) {
        needsSaving = true
        let arrival = conversations[number, default: Conversation(number: number)].take(message)
        count(message, in: number)
        guard arrival != .known else { return }
        // The client put it where it seemed to belong; the server knows.
        if arrival == .inserted { refresh(number) }
    }

    /// Counts an answer that came, once, where nobody looks; a read or a notification may have told of it a moment before.
    private mutating func count(_ message: Message, in number: Int) {
        guard message.role == .assistant, number != shown,
            let position = conversations[number]?.messages.lastIndex(where: { $0.id == message.id }),
            conversations[number]?.messages[position].isCounted == false
        else { return }
        conversations[number]?.messages[position].isCounted = true
        let isAnnounced = message.id.map { conversations[number]?.announced.contains($0) == true } ?? false
        if !isAnnounced { conversations[number]?.unread += 1 }
    }

    private func knowsQuestion(of message: Message, in number: Int) -> Bool {
        guard let messages = conversations[number]?.messages,
            let position = messages.lastIndex(where: { $0.id == message.id && $0.role == .assistant })
        else { return true }
        if let turn = message.turn, messages.contains(where: { $0.turn == turn && $0.role == .user }) { return true }
        return position > 0 && messages[position - 1].role == .user && messages[position - 1].turn == nil
    }

    private func stamp(of frame: JSONValue) -> Position? {
        guard let epoch = link.epoch, let seq = frame["seq"]?.intValue else { return nil }
        return Position(epoch: epoch, seq: seq)
    }

    private func words(of frame: JSONValue) -> String {
        frame.text("error") ?? frame.text("code") ?? "Something went wrong."
    }
}
