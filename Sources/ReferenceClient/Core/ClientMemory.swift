import JSON

/// What survives the app: questions without an ending, the place in the stream, and the conversations as last seen.
extension ClientCore {
    /// The most messages kept of one conversation, and the most conversations.
    private static let keptMessages = 200
    private static let keptConversations = 50

    /// Everything worth keeping, as JSON text.
    var memory: String {
        var memory: JSONValue = ["version": 1]
        if let held = place.held { memory["position"] = ["epoch": .string(held.epoch), "seq": .init(held.seq)] }
        let kept = conversations.values.sorted { $0.number > $1.number }.filter { !$0.messages.isEmpty }
            .filter { $0.session != nil || hasQuestions($0.number) }.prefix(Self.keptConversations)
        memory["conversations"] = .array(kept.map(written))
        memory["outbox"] = .array(outbox.map(written))
        memory["shown"] = .init(shown)
        memory["serverKnowsKeys"] = .bool(serverKnowsKeys)
        return memory.text()
    }

    /// Takes up what an earlier run has kept; what cannot be read is forgotten, and the server has it anyway.
    mutating func recall(_ text: String) {
        guard let memory = try? JSONParser.value(text), memory["version"]?.intValue == 1 else { return }
        if let epoch = memory["position"]?.text("epoch"), let seq = memory["position"]?["seq"]?.intValue {
            place.held = Position(epoch: epoch, seq: seq)
        }
        serverKnowsKeys = memory["serverKnowsKeys"]?.boolValue == true
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
            question.phase = phase(value)
            outbox.append(question)
        }
        if let shown = memory["shown"]?.intValue.flatMap({ numbers[$0] }) { self.shown = shown }
    }

    private func hasQuestions(_ number: Int) -> Bool { outbox.contains { $0.conversation == number } }

    private func written(_ conversation: Conversation) -> JSONValue {
        var value: JSONValue = ["number": .init(conversation.number)]
        value["session"] = conversation.session.map(JSONValue.string)
        let open = Set(outbox.map(\.key))
        let messages = conversation.messages.suffix(Self.keptMessages).filter {
            // A message that is neither confirmed nor on its way has failed: it is shown once, not for ever.
            $0.id != nil || $0.status == .sent || $0.key.map(open.contains) ?? true
        }
        value["messages"] = .array(messages.map(written))
        return value
    }

    private func written(_ message: Message) -> JSONValue {
        var value: JSONValue = [
            "role": .string(message.role.rawValue), "text": .string(message.text),
            "status": .string(message.status.rawValue),
        ]
        value["id"] = message.id.map(JSONValue.string)
        value["key"] = message.key.map(JSONValue.string)
        value["turn"] = message.turn.map(JSONValue.string)
        return value
    }

    private func message(_ value: JSONValue) -> Message? {
        guard let role = value.text("role").flatMap(Message.Role.init(rawValue:)),
            let text = value.text("text")
        else { return nil }
        return Message(
            id: value.text("id"), key: value.text("key"), turn: value.text("turn"), role: role,
            text: text, status: value.text("status").flatMap(Message.Status.init(rawValue:)) ?? .sent)
    }

    private func written(_ question: Question) -> JSONValue {
        var value: JSONValue = [
            "key": .string(question.key), "text": .string(question.text), "conversation": .init(question.conversation),
        ]
        value["turn"] = question.turn.map(JSONValue.string)
        switch question.phase {
        case .queued: value["phase"] = "queued"
        case .sent, .posted, .doubtful: value["phase"] = "doubtful"
        case .accepted: value["phase"] = "accepted"
        case .limited(let until):
            value["phase"] = "limited"
            value["until"] = .init(until)
        }
        return value
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
