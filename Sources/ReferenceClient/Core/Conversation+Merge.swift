/// How messages from four sources become one list: live frames, replayed frames, reads and answers over REST.
///
/// Two rules do it. A message is known by its id, never by its text or by how many there are; and nothing that is shown
/// is taken away because one source lacks it. What is shown as failed stays so until its turn is known to have ended
/// well.
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
        if let index = messages.firstIndex(where: { $0.isSame(as: message) }) {
            if messages[index].status == .sending { messages[index].status = .sent }
            let hadPlace = messages[index].position != nil
            messages[index].complete(from: message)
            if !hadPlace { settle(index) }
            return .known
        }
        let index = insert(message)
        let isLast = messages[(index + 1)...].allSatisfy { $0.id == nil && $0.role == .user }
        return isLast ? .added : .inserted
    }

    /// A numbered frame tells the place of a message that is shown already.
    mutating func learn(_ position: Position, of index: Int) {
        guard messages[index].position == nil else { return }
        messages[index].position = position
        settle(index)
    }

    /// Moves a message to where its number belongs: what an `ack`, a copy or an answer over REST brought may stand
    /// elsewhere.
    private mutating func settle(_ index: Int) {
        let message = messages[index]
        let isInPlace =
            !messages[..<index].contains { $0.position != nil && comesAfter($0, message) }
            && !messages[(index + 1)...].contains { $0.position != nil && comesAfter(message, $0) }
        if !isInPlace { insert(messages.remove(at: index)) }
    }

    /// Puts in a message where its number belongs.
    ///
    /// What the person typed and nobody has yet comes after everything stored.
    @discardableResult
    private mutating func insert(_ message: Message) -> Int {
        var index = messages.count
        while index > 0, comesAfter(messages[index - 1], message) { index -= 1 }
        // Whatever without a number stands between, it comes before what has a greater one.
        if let mine = message.position,
            let later = messages.firstIndex(where: {
                $0.position?.epoch == mine.epoch && ($0.position?.seq ?? 0) > mine.seq
            })
        {
            index = min(index, later)
        }
        messages.insert(message, at: index)
        return index
    }

    /// Takes in the history as the server has it: its messages in its order, and ours where they are not in it.
    ///
    /// A read may be older than what is shown. What it lacks stays: what came after everything it knows at the end, the
    /// rest before the message it stood before.
    mutating func merge(history: [Message]) {
        var pairs: [Int: Int] = [:]
        var taken: Set<Int> = []
        for (index, message) in history.enumerated() {
            guard let mine = messages.indices.first(where: { !taken.contains($0) && messages[$0].isSame(as: message) })
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
            if messages[mine].status == .failed { copy.status = .failed }
            merged.append(copy)
        }
        merged += messages.indices.filter { $0 > last && !taken.contains($0) && !kept.contains($0) }.map {
            messages[$0]
        }
        messages = merged
    }

    private func comesAfter(_ earlier: Message, _ message: Message) -> Bool {
        if let mine = earlier.position, let other = message.position, mine.epoch == other.epoch {
            return mine.seq > other.seq
        }
        return earlier.role == .user && earlier.id == nil && message.key != earlier.key && earlier.status == .sending
    }
}
