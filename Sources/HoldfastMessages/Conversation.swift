/// One message of a conversation as a client sends it.
public struct ChatMessage: MessageObject {
    /// The author.
    public var role = Role.user
    /// The text or parts.
    public var content = MessageContent.text("")
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [required("role", \.role), required("content", \.content)]
}

/// One part of a message.
public struct ContentPart: MessageObject {
    /// The kind of the part.
    public var type = ""
    /// The text of a text part.
    public var text: String?
    /// The image of an image part, as a URL or a data URI.
    public var image: String?
    /// Members that this version does not define, unchanged.
    public var unknownMembers: [String: MessageValue] = [:]

    /// An empty value, to be filled in.
    public init() {}

    static let members = [required("type", \.type), optional("text", \.text), optional("image", \.image)]
}

/// The content of a message: text, or parts in order.
public enum MessageContent: Codable, Sendable, Hashable {
    case text(String)
    case parts([ContentPart])

    /// The text; for parts, the texts of all text parts joined.
    public var text: String {
        switch self {
        case .text(let text): text
        case .parts(let parts): parts.filter { $0.type == "text" }.compactMap(\.text).joined()
        }
    }

    /// Reads text or parts.
    public init(from decoder: any Decoder) throws {
        self = try (try? String(from: decoder)).map(Self.text) ?? .parts([ContentPart](from: decoder))
    }

    /// Writes the content in the form it was read in.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text): try text.encode(to: encoder)
        case .parts(let parts): try parts.encode(to: encoder)
        }
    }
}
