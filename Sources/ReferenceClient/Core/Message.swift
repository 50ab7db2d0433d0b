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
    /// When a frame that names no question was taken as its sign, before any read told its id.
    var presumedAt: Int?
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

    /// Whether only a frame that names no question told that the server has it.
    var isPresumed: Bool { presumedAt != nil && id == nil }

    /// Whether the other is certainly the same message: by id, or by key where an id is missing.
    func isSame(as other: Message) -> Bool {
        if let id, let otherID = other.id { return id == otherID }
        if let key, role == other.role { return key == other.key }
        return false
    }

    /// Whether this copy, which has no id, may be of a message that has one.
    ///
    /// A question of ours that nobody has confirmed is never taken for somebody's message of the same text.
    func mayBe(_ known: Message) -> Bool {
        guard id == nil, known.id != nil, role == known.role else { return false }
        if let turn, let other = known.turn { return turn == other && role == .assistant }
        if key != nil { return known.key == nil && status == .sent && text == known.text }
        return text == known.text
    }
}

extension JSONValue {
    func text(_ name: String) -> String? { self[name]?.stringValue }

    /// The `type` of a frame; empty for what is none.
    var type: String { text("type") ?? "" }
}
