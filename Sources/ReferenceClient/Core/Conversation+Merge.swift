/// Merges messages from four sources into one list: live frames, replayed frames, reads, and REST answers.
///
/// Two rules govern it. A message is identified by its id, never by its text or by counting; and a visible message is
/// never removed because one source lacks it. A message shown as failed stays so until its turn is known to have
/// succeeded.
extension Conversation {
    enum Arrival: Sendable, Equatable {
        case known
        case added
        /// It was inserted by the order that the client knows; a read will confirm that.
        case inserted
    }

    /// Adds a message that arrived unrequested.
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

    mutating func learn(_ position: Position, of index: Int) {
        guard messages[index].position == nil else { return }
        messages[index].position = position
        settle(index)
    }

    /// Moves a message to its numbered position, because an `ack`, a copy or a REST answer may have put it elsewhere.
    private mutating func settle(_ index: Int) {
        let message = messages[index]
        let isInPlace =
            !messages[..<index].contains { $0.position != nil && comesAfter($0, message) }
            && !messages[(index + 1)...].contains { $0.position != nil && comesAfter(message, $0) }
        if !isInPlace { insert(messages.remove(at: index)) }
    }

    /// Inserts a message at its numbered position.
    ///
    /// Messages that the server does not have yet come after all stored ones.
    @discardableResult
    private mutating func insert(_ message: Message) -> Int {
        var index = messages.count
        while index > 0, comesAfter(messages[index - 1], message) { index -= 1 }
        // A message with a greater number comes after it, whatever unnumbered messages are between them.
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

    /// Merges the server's history: its messages in its order, and the client's other ones between them.
    ///
    /// A read may be older than the visible list, so messages it lacks stay: those after everything it contains at the
    /// end, the others before the message they preceded.
    mutating func merge(history: [Message]) {
        var pairs: [Int: Int] = [:]
        var used: Set<Int> = []
        for (index, message) in history.enumerated() {
            guard let mine = messages.indices.first(where: { !used.contains($0) && messages[$0].isSame(as: message) })
            else { continue }
            pairs[index] = mine
            used.insert(mine)
        }
        let last = used.max() ?? -1
        var merged: [Message] = []
        var kept: Set<Int> = []
        for (index, message) in history.enumerated() {
            guard let mine = pairs[index] else {
                merged.append(message)
                continue
            }
            for earlier in messages.indices where earlier < mine && !used.contains(earlier) && !kept.contains(earlier) {
                merged.append(messages[earlier])
                kept.insert(earlier)
            }
            var copy = message
            copy.complete(from: messages[mine])
            if messages[mine].status == .failed { copy.status = .failed }
            merged.append(copy)
        }
        merged += messages.indices.filter { $0 > last && !used.contains($0) && !kept.contains($0) }.map {
            messages[$0]
        }
        messages = merged
    }

    private func comesAfter(_ one: Message, _ other: Message) -> Bool {
        if let place = one.position, let otherPlace = other.position, place.epoch == otherPlace.epoch {
            return place.seq > otherPlace.seq
        }
        return one.role == .user && one.id == nil && other.key != one.key && one.status == .sending
    }
}
