import HoldfastJSON

/// A conversation as the client keeps it, whether it is on the screen or not.
struct Conversation: Sendable {
    /// The client's own number: a conversation exists on the phone before it has a session on the server.
    let number: Int
    /// The `sessionId`; nil until the server has told it.
    var session: String?
    var messages: [Message] = []
    var unread = 0
    var errors: [Complaint] = []

    /// Whether the server may have messages this copy lacks.
    var isStale = false
    /// A message that a notification named and that has to be shown.
    var wanted: String?
    /// The messages that notifications counted as unread; the push service may deliver one twice.
    var announced: Set<String> = []
    /// The read under way; there is never a second one.
    var reading: Int?
    /// When the last read was asked for.
    var readBegan = 0
    /// Something happened after the read under way was asked for.
    var readsAgain = false
    /// The reads for something that is awaited; they are bounded.
    var poll: Poll?
    /// What the list said of it last.
    var listed: JSONValue?

    /// The reads since something began to be awaited.
    struct Poll: Sendable, Equatable {
        var reads = 0
        var firstRead: Int?
        /// The conversation whose question is looked for here: these reads are some of its own.
        var seeker: Int?
    }

    init(number: Int, session: String? = nil) { (self.number, self.session) = (number, session) }

    /// Whether a message is there.
    func has(id: String) -> Bool { messages.contains { $0.id == id } }

    func position(key: String) -> Int? { messages.lastIndex { $0.key == key } }

    func position(id: String?) -> Int? { id.flatMap { id in messages.firstIndex { $0.id == id } } }
}

/// Something that went wrong, as a person is told.
struct Complaint: Sendable, Equatable {
    var text: String
    var code: String?
    /// The message it concerns.
    var key: String?

    /// What a notification named cannot be read now.
    static let unread = "The message could not be loaded."
    static let tooLong = "This message is too long."
}
