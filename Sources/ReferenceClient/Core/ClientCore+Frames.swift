import HoldfastJSON

/// Frames from the server.
///
/// IDs decide where a frame belongs: the session determines the conversation, the key or turn determines the
/// question. Unknown members, types and codes are ignored, but the `seq` of any frame counts.
extension ClientCore {
    mutating func received(_ text: String, on socket: Int) {
        guard link.socket == socket, let frame = Self.object(text), let type = frame.text("type") else { return }
        if case .greeting = link.phase { return greet(frame, type, on: socket) }
        guard link.live == socket else { return }
        lastFrameAt = now
        link.heardAt = now
        if type != "syncResult", type != "pong" { link.delivered() }
        if link.isPinged { checkSilence() }
        if type == "syncResult" { return replayed(frame) }
        take(frame, type, isReplay: false)
        guard let seq = frame["seq"]?.intValue else { return }
        stream.passed(seq, epoch: link.epoch)
        needsSaving = true
    }

    static func object(_ text: String) -> JSONValue? {
        guard let value = try? JSONParser.document(text).root, value.objectValue != nil else { return nil }
        return value
    }

    mutating func take(_ frame: JSONValue, _ type: String, isReplay: Bool) {
        switch type {
        case "ack": takeAck(frame)
        case "message": takeMessage(frame, isReplay: isReplay)
        case "toolUse":
            guard let key = question(of: frame) else { break }
            accept(key, turn: frame.text("turnId"))
            if !isReplay { heard(key) }
        case "done": takeDone(frame, isReplay: isReplay)
        case "error": takeError(frame)
        default: break
        }
    }

    func question(of frame: JSONValue) -> String? {
        if let key = frame.text("clientMessageId") { return index(of: key).map { outbox[$0].key } }
        guard let turn = frame.text("turnId") else { return nil }
        return outbox.first { $0.turn == turn }?.key
    }

    /// The conversation of a frame, which may be that of a question whose session this frame reveals.
    mutating func conversationNumber(_ session: String, key: String?) -> Int {
        if let key, let index = index(of: key) { bind(question: index, to: session) }
        return conversation(of: session)
    }

    private mutating func greet(_ frame: JSONValue, _ type: String, on socket: Int) {
        switch type {
        case "connected": greeted(frame, on: socket)
        case "error":
            link.supported = frame["supported"]?.arrayValue.map { Set($0.compactMap(\.intValue)) }
            showError(words(of: frame), code: frame.text("code"))
        default: return
        }
    }

    private mutating func takeAck(_ frame: JSONValue) {
        guard let key = frame.text("clientMessageId"), let session = frame.text("sessionId") else { return }
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
        let number = conversationNumber(session, key: key)
        if let key {
            accept(key, turn: message.turn, message: id)
            removeCopies(key, in: number)
        }
        add(message, to: number, isReplay: isReplay)
    }

    private mutating func takeDone(_ frame: JSONValue, isReplay: Bool) {
        guard let session = frame.text("sessionId"), let id = frame.text("messageId"), let text = frame.text("text")
        else { return }
        let key = question(of: frame)
        let number = conversationNumber(session, key: key)
        let message = Message(
            id: id, turn: frame.text("turnId"), role: .assistant, text: text, position: stamp(of: frame))
        let isPlaceUnknown = key.map { self.isPlaceUnknown(ofAnswerTo: $0) } ?? false
        if let key {
            accept(key, turn: message.turn)
            finish(key)
        }
        clearFailure(key: frame.text("clientMessageId"), turn: message.turn, in: number)
        let isNew = conversations[number]?.has(id: id) != true
        add(message, to: number, isReplay: isReplay)
        // Another device's question may be missing.
        if isPlaceUnknown || key == nil && isNew && !knowsQuestion(of: message, in: number) { refresh(number) }
        pump()
    }

    /// An `error` ends the turn it names; one that names only a question refuses that question.
    private mutating func takeError(_ frame: JSONValue) {
        let (code, text) = (frame.text("code"), words(of: frame))
        guard frame["turnId"] != nil || frame["clientMessageId"] != nil else { return showError(text, code: code) }
        // Ignore the failure of another device's question.
        guard let key = question(of: frame) else { return }
        learnSession(from: frame, of: key)
        if frame["turnId"] != nil { return fail(key, text, code: code) }
        if code == "rate_limited" {
            return limit(key, text, milliseconds: max(1, frame["retryAfterMs"]?.intValue ?? 60_000))
        }
        refuse(key, text, code: code)
    }

    /// Learns a question's session from an error, which may be the first frame to name the session.
    mutating func learnSession(from error: JSONValue, of key: String) {
        guard let session = error.text("sessionId"), error.text("code") != "session_not_found" else { return }
        _ = conversationNumber(session, key: key)
    }

    mutating func learnPlace(from frame: JSONValue) {
        // A `done` has the key of the question, but not its position.
        let key = frame.type == "message" ? frame.text("clientMessageId") : nil
        guard let position = stamp(of: frame), let number = frame.text("sessionId").flatMap(knownNumber),
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
        // The client guessed the position; the server knows it.
        if arrival == .inserted { refresh(number) }
    }

    /// Counts a new answer as unread, once, if its conversation is not visible; a read or a notification may have
    /// counted it before.
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
