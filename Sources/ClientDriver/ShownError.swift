/// An error that a person sees, wherever the screen shows it.
public struct ShownError: Sendable, Equatable, Encodable {
    /// The words shown.
    public var text: String
    /// The server's code for it, where there is one.
    public var code: String?
    /// The key of the message it stands beside, where it does.
    public var clientMessageId: String?

    /// An error on the screen; its words are enough.
    public init(text: String, code: String? = nil, clientMessageId: String? = nil) {
        (self.text, self.code, self.clientMessageId) = (text, code, clientMessageId)
    }
}
