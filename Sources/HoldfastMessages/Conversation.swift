/// One message of a conversation as a client sends it.
public struct ChatMessage: MessageObject {
    /// Who says it.
    public var role = Role.user
    /// What is said.
    public var content = MessageContent.text("")
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [required("role", \.role), required("content", \.content)]
}

/// One piece of a message.
public struct ContentPart: MessageObject {
    /// The kind of the piece.
    public var type = ""
    /// The words of a text piece.
    public var text: String?
    /// The image of an image piece, as a URL or a data URI.
    public var image: String?
    /// Members that this version does not define, as they came.
    public var unknownMembers: [String: MessageValue] = [:]

    /// One that is still to be filled.
    public init() {}

    static let members = [required("type", \.type), optional("text", \.text), optional("image", \.image)]
}

/// What a message says: text, or pieces in order.
public enum MessageContent: Codable, Sendable, Hashable {
    case text(String)
    case parts([ContentPart])

    /// The words; where it has pieces, those of all text pieces in a row.
    public var text: String {
        switch self {
        case .text(let text): text
        case .parts(let parts): parts.filter { $0.type == "text" }.compactMap(\.text).joined()
        }
    }

    /// Reads text or pieces.
    public init(from decoder: any Decoder) throws {
        self = try (try? String(from: decoder)).map(Self.text) ?? .parts([ContentPart](from: decoder))
    }

    /// Writes what was read.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text): try text.encode(to: encoder)
        case .parts(let parts): try parts.encode(to: encoder)
        }
    }
}
