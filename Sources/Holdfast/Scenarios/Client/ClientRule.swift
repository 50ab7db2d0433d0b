import JSON

/// What a server does when something comes, in place of what is usual.
package struct ClientRule: Sendable, Equatable {
    /// What comes from a client: the request for a connection, a frame by its type, a question (`post`), a read of a session
    /// or of the list over REST.
    package enum Arrival: String, Sendable, CaseIterable { case upgrade, auth, chat, post, sync, read, list, ping }

    /// What becomes of it.
    package enum Reaction: String, Sendable, CaseIterable {
        /// What a correct server does.
        case serve
        /// It is refused in words.
        case refuse
        /// It is refused as a broken server does, with a status and no code of the protocol.
        case fail
        /// Nothing is answered, ever.
        case silent
        /// Taken up and not answered before it is released, or its turn has ended.
        case hold
        /// Answered later.
        case delay
        /// Not taken up, and not answered.
        case drop
        /// A question is taken up and its turn runs on; acknowledged.
        case ack
        /// A question is taken up and its turn runs on; nothing is said of it.
        case store
        /// Answered with what was so when the rule was made.
        case stale
        /// A replay that says it is not whole.
        case incomplete
        /// A replay in pages.
        case page
        /// The connection ends by a reset, with a close frame, or as `cut` says.
        case reset, close, cut
    }

    package var comes: Arrival
    package var then: Reaction
    /// Only what concerns this session, where given.
    package var session: String?
    /// How often it holds; nil for ever.
    package var times: Int?
    /// An HTTP status.
    package var status: Int?
    /// A close code.
    package var code: Int?
    /// The code of an `error`.
    package var error: String?
    /// A frame in place of the usual answer; references are filled in when it is used.
    package var frame: JSONValue?
    /// A body in place of the usual one; references are filled in when it is used.
    package var body: JSONValue?
    /// Whole seconds of `Retry-After`.
    package var retryAfter: Int?
    /// How long an answer is put off.
    package var milliseconds: Int?
    /// The reason of an incomplete replay.
    package var reason: String?
    /// The most frames of a page.
    package var size: Int?
    /// What is set, or with null removed, in `connected`.
    package var greeting: JSONObject?
    /// How the connection is cut, right after the reaction.
    package var cut: String?

    package init(_ comes: Arrival, _ then: Reaction = .serve) {
        self.comes = comes
        self.then = then
    }
}

/// The answer to something that was held back.
package struct ClientRelease: Sendable, Equatable {
    /// What had come.
    package var comes: ClientRule.Arrival
    /// Only what concerns this session, where given.
    package var session: String?
    /// Whether it is answered as things were when it came; else as they are now.
    package var isAsAsked: Bool
    /// Whether the newest is answered; else the oldest.
    package var isNewest: Bool
    /// Whether the scenario goes on when nothing is held back.
    package var isOptional: Bool

    package init(
        _ comes: ClientRule.Arrival, session: String? = nil, isAsAsked: Bool = false, isNewest: Bool = false,
        isOptional: Bool = false
    ) {
        self.comes = comes
        self.session = session
        self.isAsAsked = isAsAsked
        self.isNewest = isNewest
        self.isOptional = isOptional
    }
}
