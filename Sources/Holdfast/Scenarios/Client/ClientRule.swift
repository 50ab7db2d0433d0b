import JSON

/// What a server does when something comes, in place of what is usual.
public struct ClientRule: Sendable, Equatable {
    /// What comes from a client.
    public enum Arrival: String, Sendable, CaseIterable {
        /// A connection is asked for.
        case upgrade
        /// `auth`.
        case auth
        /// `chat`.
        case chat
        /// A question over REST.
        case post
        /// `sync`.
        case sync
        /// A session is read over REST.
        case read
        /// The sessions are listed over REST.
        case list
        /// `ping`.
        case ping
    }

    /// What becomes of it.
    public enum Reaction: String, Sendable, CaseIterable {
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
        /// The connection is reset.
        case reset
        /// The connection is closed.
        case close
        /// The connection is cut.
        case cut
    }

    /// What comes.
    public var comes: Arrival
    /// What is done.
    public var then: Reaction
    /// Only what concerns this session, where given.
    public var session: String?
    /// How often it holds; nil for ever.
    public var times: Int?
    /// An HTTP status.
    public var status: Int?
    /// A close code.
    public var code: Int?
    /// The code of an `error`.
    public var error: String?
    /// A frame in place of the usual answer; references are filled in when it is used.
    public var frame: JSONValue?
    /// A body in place of the usual one; references are filled in when it is used.
    public var body: JSONValue?
    /// Whole seconds of `Retry-After`.
    public var retryAfter: Int?
    /// How long an answer is put off.
    public var milliseconds: Int?
    /// The reason of an incomplete replay.
    public var reason: String?
    /// The most frames of a page.
    public var size: Int?
    /// What is set, or with null removed, in `connected`.
    public var greeting: JSONObject?
    /// How the connection is cut, right after the reaction.
    public var cut: String?

    /// What a correct server does.
    public init(_ comes: Arrival, _ then: Reaction = .serve) {
        self.comes = comes
        self.then = then
    }
}

/// The answer to something that was held back.
public struct ClientRelease: Sendable, Equatable {
    /// What had come.
    public var comes: ClientRule.Arrival
    /// Only what concerns this session, where given.
    public var session: String?
    /// Whether it is answered as things were when it came; else as they are now.
    public var isAsAsked: Bool
    /// Whether the newest is answered; else the oldest.
    public var isNewest: Bool
    /// Whether the scenario goes on when nothing is held back.
    public var isOptional: Bool

    /// An answer to the oldest, as things are now.
    public init(
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
