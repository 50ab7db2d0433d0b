import HoldfastJSON

struct Message: Sendable, Equatable {
    enum Role: String, Sendable { case user, assistant, system }

    /// How far a message is on its way; what the server has is sent.
    enum Status: String, Sendable { case sending, sent, failed }

    /// The server's id; nil until the server has told it.
    var id: String?
    /// The `clientMessageId`, of messages of people.
    var key: String?
    var turn: String?
    var role: Role
    var text: String
    var status = Status.sent
    /// Its position in the stream, where it came in a numbered frame; tells replayed frames from later ones.
    var position: Position?
    /// Whether the person has seen it, or was told that it waits.
    var isCounted = false

    /// Takes over what another copy of the same message knows.
    mutating func complete(from other: Message) {
        id = id ?? other.id
        key = key ?? other.key
        turn = turn ?? other.turn
        position = position ?? other.position
        isCounted = isCounted || other.isCounted
    }

    /// Whether the other is certainly the same message: by id, or by key where an id is missing.
    func isSame(as other: Message) -> Bool {
        if let id, let otherID = other.id { return id == otherID }
        if let key, role == other.role { return key == other.key }
        return false
    }
}

extension JSONValue {
    func text(_ name: String) -> String? { self[name]?.stringValue }

    /// The `type` of a frame; empty for what is none.
    var type: String { text("type") ?? "" }
}
