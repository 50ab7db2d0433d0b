import HoldfastJSON

/// State that survives the app: unfinished questions, the position, and the conversations as last seen.
package struct ClientMemory: Sendable, Equatable {
    fileprivate let position: Position?
    fileprivate let conversations: [Int: Conversation]
    var outbox: [Question]
    fileprivate let shown: Int

    private static let keptMessages = 200
    private static let keptConversations = 50

    package var text: String {
        let kept = conversations.values.sorted { $0.number > $1.number }.filter { !$0.messages.isEmpty }
            .prefix(Self.keptConversations)
        return JSONValue(members: [
            "version": 1, "position": position.map { JSONValue(members: ["epoch": $0.epoch, "seq": $0.seq]) },
            "conversations": kept.map(encoded), "outbox": outbox.map(encoded), "shown": shown,
        ]).text()
    }

    package static func == (left: ClientMemory, right: ClientMemory) -> Bool { left.text == right.text }

    private func encoded(_ conversation: Conversation) -> JSONValue {
        JSONValue(members: [
            "number": conversation.number, "session": conversation.session,
            "messages": conversation.messages.suffix(Self.keptMessages).map(encoded),
        ])
    }

    private func encoded(_ message: Message) -> JSONValue {
        JSONValue(members: [
            "role": message.role.rawValue, "text": message.text, "status": message.status.rawValue, "id": message.id,
            "key": message.key, "turn": message.turn,
        ])
    }

    private func encoded(_ question: Question) -> JSONValue {
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
    /// The state to save; encoded only when its text is needed.
    var memory: ClientMemory {
        ClientMemory(position: stream.held, conversations: conversations, outbox: outbox, shown: shown)
    }

    /// Restores the state of an earlier run; unreadable parts are dropped, since the server has them.
    mutating func recall(_ text: String) {
        guard let memory = try? JSONParser.value(text), memory["version"]?.intValue == 1 else { return }
        if let epoch = memory["position"]?.text("epoch"), let seq = memory["position"]?["seq"]?.intValue {
            stream.held = Position(epoch: epoch, seq: seq)
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
            question.mayLackEnding = value.text("phase") != "queued"
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
