import HoldfastJSON

struct Conversation: Sendable {
    /// The client's own number: a conversation can exist before it has a session on the server.
    let number: Int
    /// The `sessionId`; nil until the server has assigned it.
    var session: String?
    var messages: [Message] = []
    var unread = 0
    var errors: [ScreenError] = []

    /// Whether the server may have messages that this copy lacks.
    var isStale = false
    /// A message that a notification named and that must be shown.
    var wanted: String?
    /// The messages that notifications counted as unread; the push service may deliver one twice.
    var announced: Set<String> = []
    /// The read in progress; there is at most one.
    var reading: Int?
    var readBegan = 0
    /// Whether something happened after the current read was requested.
    var readsAgain = false
    /// The bounded series of reads for something awaited.
    var poll: Poll?
    /// Its last entry in the list.
    var listed: JSONValue?

    /// The reads since something was first awaited.
    struct Poll: Sendable, Equatable {
        var reads = 0
        var firstRead: Int?
        /// The conversation whose question is searched for here; these reads count as its own.
        var seeker: Int?
    }

    init(number: Int, session: String? = nil) { (self.number, self.session) = (number, session) }

    func has(id: String) -> Bool { messages.contains { $0.id == id } }

    func position(key: String) -> Int? { messages.lastIndex { $0.key == key } }

    func position(id: String?) -> Int? { id.flatMap { id in messages.firstIndex { $0.id == id } } }
}

struct ScreenError: Sendable, Equatable {
    var text: String
    var code: String?
    var key: String?

    /// For a notification whose message cannot be read now.
    static let notLoaded = "The message could not be loaded."
    static let tooLong = "This message is too long."
}
