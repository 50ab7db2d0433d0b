/// A position in the stream of numbered frames; a number is meaningless without its epoch.
struct Position: Sendable, Equatable {
    var epoch: String
    var seq: Int
}

/// The client's position in the stream, and the open gap after it.
struct StreamState: Sendable {
    /// Everything up to here was received or read; survives a restart of the app.
    var held: Position?
    var gap: Gap?

    /// A gap between the held position and the live frames.
    struct Gap: Sendable {
        /// The position of the last `sync`.
        var asked: Int
        /// Whether a page reported lost frames, which no further page returns.
        var hasLostFrames = false
        /// The highest number among this connection's live frames.
        var lastLiveSeq = 0
        /// The position to take once the reads are answered, if the server cannot replay.
        var afterReads: Position?
        var conversationsToRead: Set<Int> = []
    }

    mutating func passed(_ seq: Int, epoch: String?) {
        if var open = gap {
            open.lastLiveSeq = max(open.lastLiveSeq, seq)
            gap = open
        } else if let position = held, position.epoch == epoch {
            held?.seq = max(position.seq, seq)
        }
    }

    /// Moves the position past the gap, and past the live frames that arrived while it was open.
    mutating func fill(upTo position: Position) {
        held = Position(epoch: position.epoch, seq: max(position.seq, gap?.lastLiveSeq ?? 0))
        gap = nil
    }
}
