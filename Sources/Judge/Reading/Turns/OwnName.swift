import Transcript

/// A name as one principal knows it: of a session, a turn, a message or a question.
struct OwnName: Hashable {
    let principal: String
    let name: String

    init(_ name: String, of principal: String) { (self.name, self.principal) = (name, principal) }

    init(principal: String, name: String) { self.init(name, of: principal) }
}

/// The name as the areas call it.
enum TurnNames { typealias Key = OwnName }

/// A frame by what it says, where that tells it from every other: several connections are shown the same one.
struct SharedFrame: Hashable {
    private let principal: String
    private let type: String?
    private let seq: Int?
    private var life: Int?
    private var session: String?
    private var message: String?
    private var text: String?

    /// A frame by its number alone; nil for one that carries none.
    init?(numberOf frame: Frame, of principal: String) {
        guard let seq = frame.seq else { return nil }
        self.principal = principal
        self.seq = seq
        type = frame.type
    }

    /// A frame that carries a number or the id of a message; nil for others, which may come again.
    init?(_ frame: Frame, of principal: String, in life: Int) {
        guard frame.seq != nil || frame.messageId != nil else { return nil }
        self.principal = principal
        self.life = life
        type = frame.type
        session = frame.sessionId
        seq = frame.seq
        message = frame.messageId
        text = frame.text ?? frame.string("tool")
    }
}
