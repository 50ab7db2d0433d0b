import HoldfastJSON

/// The cursor in the stream: where to ask from after a cut, and when a number may be believed.
///
/// The cursor moves with what came, and never over a hole that a `sync` was asked to fill. While one is open, live
/// frames are shown at once but only remembered; if the connection ends first, the next `sync` asks from the old
/// cursor. Epoch and number change together.
extension ClientCore {
    /// A connection begins: asks for what was missed while there was none.
    mutating func recoverStream(lastSeq: Int?) {
        let awaits = outbox.contains { $0.wasSent }
        guard let epoch = link.epoch else {
            // A server without a stream: the histories tell.
            return recoverByReading()
        }
        guard cursor.held != nil || awaits else {
            cursor.held = Position(epoch: epoch, seq: lastSeq ?? 0)
            needsSaving = true
            // A history that was read before this moment may lack what the number counts.
            if conversations[shown]?.session != nil { refresh(shown) }
            return
        }
        // A new stream replays nothing of what was asked before it.
        if cursor.held == nil { recoverByReading() }
        // Asked from the start, it stays there until the answer comes, also when that is on another connection.
        let held = cursor.held ?? Position(epoch: epoch, seq: 0)
        cursor.held = held
        needsSaving = true
        if differs(.readsBesideSync) { recoverByReading() }
        sync(from: held)
    }

    /// Asks for the frames after a position.
    mutating func sync(from position: Position) {
        guard let socket = link.live else { return }
        var gap = cursor.gap ?? Cursor.Gap(asked: position.seq)
        gap.asked = position.seq
        cursor.gap = gap
        var frame: JSONValue = [
            "type": "sync", "lastSeqSeen": .init(position.seq), "epoch": .string(position.epoch),
        ]
        if differs(.syncsInSmallPages) { frame["limit"] = 2 }
        send(frame, on: socket)
    }

    /// The answer to a `sync`.
    mutating func replayed(_ frame: JSONValue) {
        guard let gap = cursor.gap, gap.afterReads == nil, let epoch = frame.text("epoch"),
            let lastSeq = frame["lastSeq"]?.intValue, let missed = frame["missed"]?.arrayValue
        else { return }
        needsSaving = true
        // Answers over REST and copies tell no place. The replay does, for all of them before anything is put between.
        for missedFrame in missed { learnPlace(from: missedFrame) }
        var last = gap.asked
        for missedFrame in missed {
            guard let type = missedFrame.text("type") else { continue }
            take(missedFrame, type, isReplay: true)
            if let seq = missedFrame["seq"]?.intValue { last = max(last, seq) }
        }
        let isHoled = gap.isHoled || (frame.text("reason") ?? "too_many") != "too_many"
        cursor.gap?.isHoled = isHoled
        if frame["complete"]?.boolValue == true, !isHoled {
            cursor.fill(upTo: Position(epoch: epoch, seq: lastSeq))
        } else if frame["more"]?.boolValue == true, last > gap.asked {
            // The position does not pass what only a read brings.
            if !isHoled { cursor.held = Position(epoch: epoch, seq: last) }
            return sync(from: Position(epoch: epoch, seq: last))
        } else {
            readInstead(upTo: Position(epoch: epoch, seq: lastSeq))
        }
        finishRecovery()
    }

    /// A read was answered: if it was the last one that stands in for a replay, the cursor moves.
    mutating func wasRead(_ number: Int) {
        guard let position = cursor.gap?.afterReads else { return }
        cursor.gap?.unread.remove(number)
        guard cursor.gap?.unread.isEmpty == true else { return }
        cursor.fill(upTo: position)
        needsSaving = true
    }

    /// The server cannot replay: histories fill the hole, and only then the cursor moves.
    private mutating func readInstead(upTo position: Position) {
        for number in conversations.keys { conversations[number]?.isStale = true }
        let due = numbersToRead()
        cursor.gap?.afterReads = position
        cursor.gap?.unread = Set(due)
        guard !due.isEmpty else { return cursor.fill(upTo: position) }
        for number in due { beginReading(number, atOnce: true) }
    }

    /// Everything a person waits for or looks at is read.
    private mutating func recoverByReading() {
        for number in numbersToRead() {
            conversations[number]?.isStale = true
            beginReading(number, atOnce: true)
        }
        finishRecovery()
    }

    /// What a stream could not tell is asked for a little later.
    private mutating func finishRecovery() {
        for number in conversations.keys.sorted() where isDue(number) { beginReading(number, atOnce: false) }
    }

    private func numbersToRead() -> [Int] {
        let numbers = Set(outbox.filter(\.wasSent).map(\.conversation)).union([shown])
        return numbers.filter { conversations[$0]?.session != nil }.sorted()
    }
}
