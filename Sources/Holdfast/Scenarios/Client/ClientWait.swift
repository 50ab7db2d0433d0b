import JSON

/// A wait for something from a client; each arrival satisfies one wait at most.
public struct AwaitedArrival: Sendable, Equatable {
    /// What is waited for.
    public enum Kind: String, Sendable, CaseIterable {
        /// A connection that was greeted with `connected`.
        case connection
        /// A request for a WebSocket, whatever became of it.
        case attempt
        /// The first frame of a connection.
        case auth
        /// A question over a socket.
        case chat
        /// A question over REST.
        case post
        /// A question over either.
        case question
        /// A question for what was missed.
        case sync
        /// A read of one session.
        case read
        /// A read of the list.
        case list
        /// `ping`.
        case ping
        /// A connection that the client ended, or that broke.
        case end
    }

    /// What is waited for.
    public var kind: Kind
    /// Only what concerns this session, where given.
    public var session: String?
    /// Only the message of this name, by its key or its text.
    public var name: String?
    /// How many are waited for.
    public var count: Int
    /// The name of the bound.
    public var within: String
    /// Whether the scenario goes on without it.
    public var isOptional: Bool
}

/// A wait for what a client shows.
public struct AwaitedState: Sendable, Equatable {
    /// The connection as the client calls it: one of these.
    public var connection: [String]?
    /// Whether it waits for an answer.
    public var thinking: Bool?
    /// The session on the screen; `.some(nil)` for none.
    public var session: String??
    /// Messages that are shown, by id or by the name of a message of the person.
    public var shows: [String]
    /// Messages that are not.
    public var hides: [String]
    /// How many messages are shown.
    public var count: Int?
    /// Whether an error is shown.
    public var errors: Bool?
    /// The message of this name is marked as failed.
    public var failed: String?
    /// The message of this name is marked as sent.
    public var sent: String?
    /// An error is shown, or the message of this name is marked as failed.
    public var told: String?
    /// Unread messages by session.
    public var unread: [String: Int]
    /// The name of the bound.
    public var within: String
    /// Whether the scenario goes on without it.
    public var isOptional: Bool
}

/// A time in which nothing is done.
public enum ClientWatch: Sendable, Equatable {
    /// The bound of this name, shortened by the time scale where it is a client's own.
    case bound(String)
    /// So many milliseconds, as they are.
    case milliseconds(Int)
}
