/// A frame that a client sends on the socket.
public enum ClientFrame: Codable, Sendable, Hashable {
    case auth(AuthFrame)
    case chat(ChatFrame)
    case sync(SyncFrame)
    case ping(PingFrame)
    /// A frame of a type outside this version, with all its members.
    case unknown(type: String, members: [String: MessageValue])

    /// Reads a frame by its type.
    public init(from decoder: any Decoder) throws {
        let type = try decoder.container(keyedBy: MemberName.self).decode(String.self, forKey: "type")
        self =
            switch type {
            case "auth": .auth(try AuthFrame(from: decoder))
            case "chat": .chat(try ChatFrame(from: decoder))
            case "sync": .sync(try SyncFrame(from: decoder))
            case "ping": .ping(try PingFrame(from: decoder))
            default: .unknown(type: type, members: try .init(from: decoder))
            }
    }

    /// Writes the frame in the form it was read in.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .auth(let frame): try frame.encode(to: encoder)
        case .chat(let frame): try frame.encode(to: encoder)
        case .sync(let frame): try frame.encode(to: encoder)
        case .ping(let frame): try frame.encode(to: encoder)
        case .unknown(_, let members): try members.encode(to: encoder)
        }
    }
}

/// The client's first frame on every connection.
public struct AuthFrame: MessageObject {
    /// The major version of the protocol that the client speaks.
    public var `protocol`: Int64 = 1
    /// The access token.
    public var token: String?
    /// The device or installation; the same on each of its connections.
    public var clientId: String?
    /// Optional features of the client.
    public var capabilities: [String]?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "auth"), required("protocol", \.`protocol`), optional("token", \.token),
        optional("clientId", \.clientId), optional("capabilities", \.capabilities),
    ]
}

/// A question to the agent: starts one turn.
public struct ChatFrame: MessageObject {
    /// The conversation as the client knows it, oldest first; the last message is the question and comes from the user.
    public var messages: [ChatMessage] = []
    /// The conversation to continue; absent to start a new one.
    public var sessionId: String?
    /// The client's idempotency key for the question, usually a UUID.
    public var clientMessageId = ""
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "chat"), required("messages", \.messages), optional("sessionId", \.sessionId),
        required("clientMessageId", \.clientMessageId),
    ]
}

/// Requests every numbered frame after a position.
public struct SyncFrame: MessageObject {
    /// The position, which is exclusive: everything up to it was seen, so 0 requests everything.
    public var lastSeqSeen: Int64 = 0
    /// The epoch of the position.
    public var epoch: String?
    /// The maximum number of frames in the answer.
    public var limit: Int64?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [
        constant("type", "sync"), required("lastSeqSeen", \.lastSeqSeen), optional("epoch", \.epoch),
        optional("limit", \.limit),
    ]
}

/// Tests whether the server responds; answered by a pong.
public struct PingFrame: MessageObject {
    /// Text that the pong returns unchanged.
    public var nonce: String?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [constant("type", "ping"), optional("nonce", \.nonce)]
}
