/// A position in the stream of numbered frames; a number means nothing without its epoch.
struct Position: Sendable, Equatable {
    var epoch: String
    var seq: Int
}

/// Where the client is in the stream, and whether a hole before it is still to be filled.
struct Cursor: Sendable {
    /// Everything up to here has been received or read; survives a restart of the app.
    var held: Position?
    /// The hole that a `sync` was asked to fill.
    var gap: Gap?

    /// A hole between what is held and the live frames that come already.
    struct Gap: Sendable {
        /// The last number asked from.
        var asked: Int
        /// Whether a page said that frames before it are gone: no further page brings them.
        var isHoled = false
        /// The highest number among the live frames of this connection.
        var ahead = 0
        /// Where the stream stands, once the server has said it cannot replay: taken up when the reads are answered.
        var afterReads: Position?
        /// The conversations whose reads are still to come.
        var unread: Set<Int> = []
    }

    /// Takes note of a numbered frame that came live.
    mutating func passed(_ seq: Int, epoch: String?) {
        if var open = gap {
            open.ahead = max(open.ahead, seq)
            gap = open
        } else if let position = held, position.epoch == epoch {
            held?.seq = max(position.seq, seq)
        }
    }

    /// The hole is filled: the live frames that came meanwhile count now.
    mutating func fill(upTo position: Position) {
        held = Position(epoch: position.epoch, seq: max(position.seq, gap?.ahead ?? 0))
        gap = nil
    }
}
