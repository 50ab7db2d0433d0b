/// A frame, a body or a part of one: the members of this version, and all others unchanged.
protocol MessageObject: Codable, Sendable, Hashable {
    /// Creates a value without its required members.
    init()

    /// The members of this version.
    static var members: [MessageMember<Self>] { get }

    /// Members outside this version; written back unchanged.
    var unknownMembers: [String: MessageValue] { get set }
}

extension MessageObject {
    /// Reads the members of this version, and keeps all others.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: MemberName.self)
        var known: Set<String> = []
        for member in Self.members {
            try member.read(&self, container)
            known.insert(member.name.stringValue)
        }
        for name in container.allKeys where !known.contains(name.stringValue) {
            unknownMembers[name.stringValue] = try container.decode(MessageValue.self, forKey: name)
        }
    }

    /// Writes all members; a defined member wins over an unknown one of the same name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for (name, value) in unknownMembers { try container.encode(value, forKey: MemberName(name)) }
        for member in Self.members { try member.write(self, &container) }
    }

    /// A required member with a fixed value that identifies the type.
    static func constant(_ name: MemberName, _ text: String) -> MessageMember<Self> {
        MessageMember(
            name: name,
            read: {
                guard try $1.decode(String.self, forKey: name) != text else { return }
                throw DecodingError.dataCorruptedError(forKey: name, in: $1, debugDescription: "expected '\(text)'")
            },
            write: { try $1.encode(text, forKey: name) })
    }

    /// A required member.
    static func required<Value: Codable & Sendable>(
        _ name: MemberName, _ path: WritableKeyPath<Self, Value> & Sendable
    ) -> MessageMember<Self> {
        MessageMember(
            name: name, read: { $0[keyPath: path] = try $1.decode(Value.self, forKey: name) },
            write: { try $1.encode($0[keyPath: path], forKey: name) })
    }

    /// An optional member; null counts as absent, except where any value is allowed.
    static func optional<Value: Codable & Sendable>(
        _ name: MemberName, _ path: WritableKeyPath<Self, Value?> & Sendable
    ) -> MessageMember<Self> {
        MessageMember(
            name: name,
            read: { if $1.contains(name) { $0[keyPath: path] = try $1.decode(Value.self, forKey: name) } },
            write: { try $1.encodeIfPresent($0[keyPath: path], forKey: name) })
    }
}

/// One member of a message: its name in JSON, and how to read and write it.
struct MessageMember<Message>: Sendable {
    let name: MemberName
    let read: @Sendable (inout Message, KeyedDecodingContainer<MemberName>) throws -> Void
    let write: @Sendable (Message, inout KeyedEncodingContainer<MemberName>) throws -> Void
}

/// The name of a member, in this version or not.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringLiteral name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
