/// A frame, a body or a part of one: what this version defines of it, and the rest as it came.
protocol MessageObject: Codable, Sendable, Hashable {
    /// Makes one whose required members are still to be given.
    init()

    /// The members that this version defines.
    static var members: [MessageMember<Self>] { get }

    /// Members that this version does not define, as they came; written back as they are.
    var unknownMembers: [String: MessageValue] { get set }
}

extension MessageObject {
    /// Reads the members that this version defines, and keeps the others.
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

    /// Writes all members; what this version defines goes before an unknown member of the same name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for (name, value) in unknownMembers { try container.encode(value, forKey: MemberName(name)) }
        for member in Self.members { try member.write(self, &container) }
    }

    /// A member that is always there and always the same, which tells what this is.
    static func constant(_ name: MemberName, _ text: String) -> MessageMember<Self> {
        MessageMember(
            name: name,
            read: {
                guard try $1.decode(String.self, forKey: name) != text else { return }
                throw DecodingError.dataCorruptedError(forKey: name, in: $1, debugDescription: "expected '\(text)'")
            },
            write: { try $1.encode(text, forKey: name) })
    }

    /// A member that is always there.
    static func required<Value: Codable & Sendable>(
        _ name: MemberName, _ path: WritableKeyPath<Self, Value> & Sendable
    ) -> MessageMember<Self> {
        MessageMember(
            name: name, read: { $0[keyPath: path] = try $1.decode(Value.self, forKey: name) },
            write: { try $1.encode($0[keyPath: path], forKey: name) })
    }

    /// A member that may be absent; null is no absence, for where any value may be it is one.
    static func optional<Value: Codable & Sendable>(
        _ name: MemberName, _ path: WritableKeyPath<Self, Value?> & Sendable
    ) -> MessageMember<Self> {
        MessageMember(
            name: name,
            read: { if $1.contains(name) { $0[keyPath: path] = try $1.decode(Value.self, forKey: name) } },
            write: { try $1.encodeIfPresent($0[keyPath: path], forKey: name) })
    }
}

/// One member of a message: its name in JSON, and the way between there and where it is kept.
struct MessageMember<Message>: Sendable {
    let name: MemberName
    let read: @Sendable (inout Message, KeyedDecodingContainer<MemberName>) throws -> Void
    let write: @Sendable (Message, inout KeyedEncodingContainer<MemberName>) throws -> Void
}

/// The name of a member, whether this version defines it or not.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringLiteral name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
