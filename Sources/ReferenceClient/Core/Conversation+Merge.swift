/// How messages of four roads become one list: live frames, replayed frames, reads and answers over REST.
///
/// Two rules do it. A message is known by its id, never by its text or by how many there are; and nothing that is shown is
/// taken away because a road did not bring it.
extension Conversation {
    /// What became of a message that came.
    enum Arrival: Sendable, Equatable {
        /// It was there already.
        case known
        /// It is the last now.
        case added
        /// It was put before others, by what the client knows of the order; a read will tell.
        case inserted
    }

    /// Takes in a message that came by itself.
    mutating func take(_ message: Message) -> Arrival {
        if let position = copy(of: message) {
            messages[position].complete(from: message)
            messages[position].status = .sent
            return .known
        }
        // What the person typed and nobody has yet comes after everything the server has.
        var position = messages.count
        while position > 0, comesAfter(messages[position - 1], message) { position -= 1 }
        messages.insert(message, at: position)
        let isLast = messages[(position + 1)...].allSatisfy { $0.id == nil && $0.role == .user }
        return isLast ? .added : .inserted
    }

    /// Takes in the history as the server has it: its messages in its order, and ours where they are not in it.
    ///
    /// A read may be older than what is shown. What it lacks stays: what came after everything it knows at the end, the rest
    /// before the message it stood before.
    mutating func merge(history: [Message]) {
        var pairs: [Int: Int] = [:]
        var taken: Set<Int> = []
        for (index, message) in history.enumerated() {
            guard let mine = messages.indices.first(where: { !taken.contains($0) && messages[$0].isSame(as: message) })
            else { continue }
            pairs[index] = mine
            taken.insert(mine)
        }
        // Second, so that a copy without an id never takes the place of one that is certain.
        for (index, message) in history.enumerated() where pairs[index] == nil {
            guard let mine = messages.indices.first(where: { !taken.contains($0) && messages[$0].mayBe(message) })
            else { continue }
            pairs[index] = mine
            taken.insert(mine)
        }
        let last = taken.max() ?? -1
        var merged: [Message] = []
        var kept: Set<Int> = []
        for (index, message) in history.enumerated() {
            guard let mine = pairs[index] else {
                merged.append(message)
                continue
            }
            for earlier in messages.indices where earlier < mine && !taken.contains(earlier) && !kept.contains(earlier)
            {
                merged.append(messages[earlier])
                kept.insert(earlier)
            }
            var copy = message
            copy.complete(from: messages[mine])
            merged.append(copy)
        }
        merged += messages.indices.filter { $0 > last && !taken.contains($0) && !kept.contains($0) }.map {
            messages[$0]
        }
        messages = merged
    }

    /// Where the client has the same message.
    private func copy(of message: Message) -> Int? {
        if let position = messages.firstIndex(where: { $0.isSame(as: message) }) { return position }
        if message.id != nil { return messages.firstIndex { $0.mayBe(message) } }
        guard message.role == .assistant, let turn = message.turn else { return nil }
        return messages.lastIndex { $0.role == .assistant && $0.turn == turn }
    }

    private func comesAfter(_ earlier: Message, _ message: Message) -> Bool {
        if let mine = earlier.position, let other = message.position, mine.epoch == other.epoch {
            return mine.seq > other.seq
        }
        return earlier.role == .user && earlier.id == nil && message.key != earlier.key && earlier.status == .sending
    }
}
