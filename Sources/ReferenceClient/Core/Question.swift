/// A user's message in transit, from typing to the end of its turn.
struct Question: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        case queued
        case sent(socket: Int)
        case posted(request: Int)
        /// Sent, but its connection or request has ended: it must be resent with the same key.
        case doubtful
        /// Refused by the rate limit; not to be sent before this time.
        case limited(until: Int)
        /// The server has it, and its turn is running.
        case accepted

        var isLimited: Bool { if case .limited = self { true } else { false } }
    }

    /// The `clientMessageId`: generated once, the same on every transport.
    let key: String
    let text: String
    var conversation: Int
    /// The session that the first send named, if any; a resend names the same one, or none.
    var sentIn: String?
    var phase = Phase.queued
    /// Comes from the `ack` or any frame with the key.
    var turn: String?
    /// Whether the connection that would deliver its ending has ended or was silent for too long.
    var mayLackEnding = false
    var firstSentAt: Int?
    /// The end of the wait that a rate limit requires; nothing that arrives shortens it.
    var heldUntil: Int?
    /// Whether polling ended without a loss of its connection; after a long silence, one more read is then enough.
    var hasBeenPolled = false
    var isResent = false
    /// Whether it is shown as failed after the longest acceptable wait; anything that arrives later corrects that.
    var isGivenUp = false
    var sentAt = 0
    /// Whether REST failed since the connection was lost; then it waits for the next connection.
    var avoidsREST = false

    var wasSent: Bool { phase != .queued }

    var isAwaited: Bool {
        switch phase {
        case .queued, .limited: false
        case .sent, .posted, .doubtful, .accepted: !isGivenUp
        }
    }

    var isUnconfirmed: Bool { phase != .accepted }
}
