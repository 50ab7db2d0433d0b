import HoldfastJSON

/// The position in the stream: where to resume after a disconnect, and when a number can be trusted.
///
/// The position moves with received frames, but never past a gap that a `sync` is to fill. While a gap is open, live
/// frames are shown at once and only their numbers are noted; if the connection ends first, the next `sync` starts at
/// the old position. Epoch and number change together.
extension ClientCore {
    mutating func recoverStream(lastSeq: Int?) {
        let awaitsAnswer = outbox.contains { $0.wasSent }
        guard let epoch = link.epoch else {
            // A server without a stream: read the histories.
            return recoverByReading()
        }
        guard stream.held != nil || awaitsAnswer else {
            stream.held = Position(epoch: epoch, seq: lastSeq ?? 0)
            needsSaving = true
            // An earlier read of the history may lack messages up to this number.
            if conversations[shown]?.session != nil { refresh(shown) }
            return
        }
        // A stream that began after a question cannot replay its answer, so read too.
        if stream.held == nil { recoverByReading() }
        // A sync from number 0 keeps that position until its answer arrives, even if that is on another connection.
        let held = stream.held ?? Position(epoch: epoch, seq: 0)
        stream.held = held
        needsSaving = true
        if uses(.readsBesideSync) { recoverByReading() }
        sync(from: held)
    }

    mutating func sync(from position: Position) {
        guard let socket = link.live else { return }
        var gap = stream.gap ?? StreamState.Gap(asked: position.seq)
        gap.asked = position.seq
        stream.gap = gap
        var frame: JSONValue = [
            "type": "sync", "lastSeqSeen": .init(position.seq), "epoch": .string(position.epoch),
        ]
        if uses(.syncsInSmallPages) { frame["limit"] = 2 }
        send(frame, on: socket)
    }

    mutating func replayed(_ frame: JSONValue) {
        guard let gap = stream.gap, gap.afterReads == nil, let epoch = frame.text("epoch"),
            let lastSeq = frame["lastSeq"]?.intValue, let missed = frame["missed"]?.arrayValue
        else { return }
        needsSaving = true
        // REST answers and copies have no positions, but the replay has: learn them all before inserting anything.
        for missedFrame in missed { learnPlace(from: missedFrame) }
        var last = gap.asked
        for missedFrame in missed {
            guard let type = missedFrame.text("type") else { continue }
            take(missedFrame, type, isReplay: true)
            if let seq = missedFrame["seq"]?.intValue { last = max(last, seq) }
        }
        let hasLostFrames = gap.hasLostFrames || (frame.text("reason") ?? "too_many") != "too_many"
        stream.gap?.hasLostFrames = hasLostFrames
        if frame["complete"]?.boolValue == true, !hasLostFrames {
            stream.fill(upTo: Position(epoch: epoch, seq: lastSeq))
        } else if frame["more"]?.boolValue == true, last > gap.asked {
            // The position does not pass frames that only a read returns.
            if !hasLostFrames { stream.held = Position(epoch: epoch, seq: last) }
            return sync(from: Position(epoch: epoch, seq: last))
        } else {
            readInstead(upTo: Position(epoch: epoch, seq: lastSeq))
        }
        finishRecovery()
    }

    /// A read ended; the last one that replaces a replay moves the position.
    mutating func gapReadEnded(_ number: Int) {
        guard let position = stream.gap?.afterReads else { return }
        stream.gap?.conversationsToRead.remove(number)
        guard stream.gap?.conversationsToRead.isEmpty == true else { return }
        stream.fill(upTo: position)
        needsSaving = true
    }

    /// The server cannot replay: reads fill the gap, and the position moves after them.
    private mutating func readInstead(upTo position: Position) {
        for number in conversations.keys { conversations[number]?.isStale = true }
        let due = numbersToRead()
        stream.gap?.afterReads = position
        stream.gap?.conversationsToRead = Set(due)
        guard !due.isEmpty else { return stream.fill(upTo: position) }
        for number in due { beginReading(number, atOnce: true) }
    }

    private mutating func recoverByReading() {
        for number in numbersToRead() {
            conversations[number]?.isStale = true
            beginReading(number, atOnce: true)
        }
        finishRecovery()
    }

    /// Requests, a little later, what the stream could not deliver.
    private mutating func finishRecovery() {
        for number in conversations.keys.sorted() where isDue(number) { beginReading(number, atOnce: false) }
    }

    private func numbersToRead() -> [Int] {
        let numbers = Set(outbox.filter(\.wasSent).map(\.conversation)).union([shown])
        return numbers.filter { conversations[$0]?.session != nil }.sorted()
    }
}
