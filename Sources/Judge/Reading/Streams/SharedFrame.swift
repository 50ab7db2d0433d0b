/// A frame by what it says, where that tells it from every other: several connections are shown the same one.
struct SharedFrame: Hashable {
    private let principal: String
    private let life: Int
    private let type: String?
    private let session: String?
    private let seq: Int?
    private let message: String?
    private let text: String?

    /// A frame that carries a number or the id of a message; nil for others, which may come again.
    init?(_ frame: ObservedFrame, of principal: String, in life: Int) {
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
