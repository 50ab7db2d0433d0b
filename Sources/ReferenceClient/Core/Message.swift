import HoldfastJSON

struct Message: Sendable, Equatable {
    enum Role: String, Sendable { case user, assistant, system }

    /// `sent` means that the server has it.
    enum Status: String, Sendable { case sending, sent, failed }

    /// The server's id; nil until it is known.
    var id: String?
    /// The `clientMessageId` of a user's message.
    var key: String?
    var turn: String?
    var role: Role
    var text: String
    var status = Status.sent
    /// Its position in the stream, if a numbered frame carried it; distinguishes replayed frames from later ones.
    var position: Position?
    /// Whether the user has seen it or was notified of it.
    var isCounted = false

    mutating func complete(from other: Message) {
        id = id ?? other.id
        key = key ?? other.key
        turn = turn ?? other.turn
        position = position ?? other.position
        isCounted = isCounted || other.isCounted
    }

    /// Whether both are certainly the same message: equal ids, or equal keys if an id is missing.
    func isSame(as other: Message) -> Bool {
        if let id, let otherID = other.id { return id == otherID }
        if let key, role == other.role { return key == other.key }
        return false
    }
}
