/// A message of the person on its way: from the moment it was typed to the ending of its turn.
struct Question: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        /// Not sent yet.
        case queued
        /// Sent on a connection; no sign of its arrival yet.
        case sent(socket: Int)
        /// Sent over REST; no sign of its arrival yet.
        case posted(request: Int)
        /// Sent, and its connection or request has ended: it must be sent again, with the same key.
        case doubtful
        /// Refused for its rate; not before this moment.
        case limited(until: Int)
        /// The server has it; its turn runs.
        case accepted

        var isLimited: Bool {
            if case .limited = self { return true }
            return false
        }
    }

    /// The `clientMessageId`: drawn once, the same on every transport.
    let key: String
    let text: String
    var conversation: Int
    /// The session that its first send named; every further send names the same, or none too.
    var sentIn: String?
    var phase = Phase.queued
    /// From the `ack`, or from any frame that carried the key.
    var turn: String?
    /// The connection on which its ending would have come has ended, or was silent for too long.
    var isLost = false
    var firstSentAt: Int?
    /// When the wait ends that a refusal for its rate asked for, whatever was told of it since.
    var heldUntil: Int?
    /// Polling has ended while it ran on a connection that stands: once that is silent for long, one more read is
    /// enough.
    var wasReadFor = false
    /// It was sent more than once.
    var isResent = false
    /// Nothing came in the time a person may be kept waiting; it is shown as failed, and healed by whatever comes yet.
    var isGivenUp = false
    var sentAt = 0
    /// REST failed since the connection was lost; the next connection takes it.
    var avoidsREST = false

    /// Whether the server may have it without the client knowing, or has it.
    var wasSent: Bool { phase != .queued }

    /// Whether the client waits for its answer.
    var isAwaited: Bool {
        switch phase {
        case .queued, .limited: false
        case .sent, .posted, .doubtful, .accepted: !isGivenUp
        }
    }

    /// Whether nothing proved yet that the server has it.
    var isUnproven: Bool { phase != .accepted }
}
