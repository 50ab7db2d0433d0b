/// A message on the screen.
public struct ShownMessage: Sendable, Equatable, Encodable {
    /// Who wrote it.
    public enum Role: String, Sendable, Equatable, Encodable {
        /// The person.
        case user
        /// The agent.
        case assistant
    }

    /// Where it is on its way.
    public enum Status: String, Sendable, Equatable, Encodable {
        /// The server has not confirmed it yet.
        case sending
        /// The server has it. Everything that came from the server is `sent`.
        case sent
        /// It failed, and the app says so.
        case failed
    }

    /// The server's id of it, where the app knows it.
    public var id: String?
    /// The key the app gave it, for messages written here.
    public var clientMessageId: String?
    /// Who wrote it.
    public var role: Role
    /// The text as shown.
    public var text: String
    /// Where it is on its way.
    public var status: Status

    /// A message that came from the server, unless told otherwise.
    public init(
        id: String? = nil, clientMessageId: String? = nil, role: Role, text: String, status: Status = .sent
    ) {
        (self.id, self.clientMessageId, self.role, self.text, self.status) = (id, clientMessageId, role, text, status)
    }
}
