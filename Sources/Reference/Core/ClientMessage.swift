import HoldfastJSON

/// A frame of a client that is what the specification says it is.
enum ClientMessage: Sendable, Equatable {
    case auth(Auth)
    case chat(Chat)
    case sync(Sync)
    case ping(nonce: String?)

    /// The client says who it is.
    struct Auth: Sendable, Equatable {
        var `protocol`: Int
        var token: String?
        var clientId: String?
    }

    /// A question; over REST the same thing is a body.
    struct Chat: Sendable, Equatable {
        /// What the last message says, text or parts; earlier messages are context the server has itself.
        var content: JSONValue
        var session: String?
        /// The client's own key for this question.
        var key: String?
    }

    /// A question for everything after a position.
    struct Sync: Sendable, Equatable {
        var lastSeqSeen: Int
        var epoch: String?
        var limit: Int?
    }
}
