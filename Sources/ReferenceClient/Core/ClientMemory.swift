import HoldfastJSON

/// What survives the app: questions without an ending, the cursor in the stream, and the conversations as last seen.
package struct ClientMemory: Sendable, Equatable {
    fileprivate let position: Position?
    fileprivate let conversations: [Int: Conversation]
    var outbox: [Question]
    fileprivate let shown: Int

    /// The most messages kept of one conversation, and the most conversations.
    private static let keptMessages = 200
    private static let keptConversations = 50

    /// Everything worth keeping, as JSON text.
    package var text: String {
        let kept = conversations.values.sorted { $0.number > $1.number }.filter { !$0.messages.isEmpty }
            .filter { $0.session != nil || hasQuestions($0.number) }.prefix(Self.keptConversations)
        return JSONValue(members: [
            "version": 1, "position": position.map { JSONValue(members: ["epoch": $0.epoch, "seq": $0.seq]) },
            "conversations": kept.map(written), "outbox": outbox.map(written), "shown": shown,
        ]).text()
    }

    package static func == (left: ClientMemory, right: ClientMemory) -> Bool { left.text == right.text }

    private func hasQuestions(_ number: Int) -> Bool { outbox.contains { $0.conversation == number } }

    private func written(_ conversation: Conversation) -> JSONValue {
        let open = Set(outbox.map(\.key))
        let messages = conversation.messages.suffix(Self.keptMessages).filter {
            // A message that is neither confirmed nor on its way has failed: it is shown once, not for ever; elsewhere
            // nobody may have seen it yet.
            $0.id != nil || $0.status == .sent || $0.key.map(open.contains) ?? true || conversation.number != shown
        }
        return JSONValue(members: [
            "number": conversation.number, "session": conversation.session, "messages": messages.map(written),
        ])
    }

    private func written(_ message: Message) -> JSONValue {
        JSONValue(members: [
            "role": message.role.rawValue, "text": message.text, "status": message.status.rawValue, "id": message.id,
            "key": message.key, "turn": message.turn,
        ])
    }

    private func written(_ question: Question) -> JSONValue {
        let phase =
            switch question.phase {
            case .queued: "queued"
            case .sent, .posted, .doubtful: "doubtful"
            case .accepted: "accepted"
            case .limited: "limited"
            }
        return JSONValue(members: [
            "key": question.key, "text": question.text, "conversation": question.conversation, "turn": question.turn,
            "phase": phase, "until": question.heldUntil, "isResent": question.isResent,
            "isGivenUp": question.isGivenUp, "firstSentAt": question.firstSentAt, "sentIn": question.sentIn,
        ])
    }
}

extension ClientCore {
    /// What is to be kept now; written only when somebody asks for its text.
    var memory: ClientMemory {
        ClientMemory(position: cursor.held, conversations: conversations, outbox: outbox, shown: shown)
    }

    /// Takes up what an earlier run has kept; what cannot be read is forgotten, and the server has it anyway.
    mutating func recall(_ text: String) {
        guard let memory = try? JSONParser.value(text), memory["version"]?.intValue == 1 else { return }
        if let epoch = memory["position"]?.text("epoch"), let seq = memory["position"]?["seq"]?.intValue {
            cursor.held = Position(epoch: epoch, seq: seq)
        }
        var numbers: [Int: Int] = [:]
        for value in (memory["conversations"]?.arrayValue ?? []).reversed() {
            let number = newConversation(session: value.text("session"))
            let messages = (value["messages"]?.arrayValue ?? []).compactMap(message)
            conversations[number]?.messages = messages
            conversations[number]?.isStale = true
            if let old = value["number"]?.intValue { numbers[old] = number }
        }
        for value in memory["outbox"]?.arrayValue ?? [] {
            guard let key = value.text("key"), let text = value.text("text"),
                let number = value["conversation"]?.intValue.flatMap({ numbers[$0] })
            else { continue }
            var question = Question(key: key, text: text, conversation: number)
            question.turn = value.text("turn")
            question.isLost = value.text("phase") != "queued"
            question.firstSentAt = value["firstSentAt"]?.intValue
            question.sentIn = value.text("sentIn")
            question.heldUntil = value["until"]?.intValue
            question.isResent = value["isResent"]?.boolValue == true
            question.phase = phase(value)
            question.isGivenUp = question.phase == .accepted && value["isGivenUp"]?.boolValue == true
            outbox.append(question)
        }
        if let shown = memory["shown"]?.intValue.flatMap({ numbers[$0] }) { self.shown = shown }
    }

    private func message(_ value: JSONValue) -> Message? {
        guard let role = value.text("role").flatMap(Message.Role.init(rawValue:)),
            let text = value.text("text")
        else { return nil }
        return Message(
            id: value.text("id"), key: value.text("key"), turn: value.text("turn"), role: role,
            text: text, status: value.text("status").flatMap(Message.Status.init(rawValue:)) ?? .sent)
    }

    private func phase(_ value: JSONValue) -> Question.Phase {
        switch value.text("phase") {
        case "queued": .queued
        case "accepted": .accepted
        case "limited": .limited(until: value["until"]?.intValue ?? 0)
        default: .doubtful
        }
    }
}
