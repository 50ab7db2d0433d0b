import HoldfastBasics
import HoldfastJSON

/// Another protocol, recognized by its traffic.
public struct ForeignProtocol: Sendable, Equatable {
    /// Its common name.
    public let name: String
    /// The message or address that gave it away, shortened.
    public let mark: String
    /// How the suite can still work with it.
    public let way: Way

    /// How the suite can work with another protocol.
    public enum Way: Sendable, Equatable {
        /// One of these built-in dialects maps it.
        case dialect([String])
        /// A new dialect can map it, because its messages are JSON objects.
        case newDialect
        /// A bridge is necessary, because its messages are wrapped, and a dialect cannot unwrap them.
        case bridge
        /// It is another version of this protocol.
        case version
        /// It sends back what it is sent.
        case echo
    }

    /// The message to show in place of violations.
    public var what: String {
        way == .version
            ? "this is \(name), which this program does not test: \(mark)"
            : "this is not the Holdfast protocol; it looks like \(name): \(mark)"
    }

    /// The expected traffic.
    public static let expected = "frames of this protocol, or a dialect that maps them"

    /// How to fix it, naming the recording if there is one.
    public func fix(naming capture: String = "CAPTURE") -> String {
        let capture = capture.contains(" ") ? "CAPTURE" : capture
        return switch way {
        case .dialect(let names): "give " + names.map { "--dialect \($0)" }.joined(separator: " or ")
        case .newDialect:
            "write a dialect in ten minutes: 'conformance dialect new \(capture) > my-server.json', "
                + "then give --dialect ./my-server.json"
        case .bridge:
            "a dialect cannot unwrap its messages: offer a WebSocket with one JSON object per message, "
                + "then map its names with 'conformance dialect new CAPTURE'"
        case .version: "make it speak version 1, or use the release of this program for its version"
        case .echo: "give the address of the chat server, with its path; this one answers with what it is sent"
        }
    }
}

/// The first messages and addresses of some traffic, from which its protocol is recognized.
public struct WireSample: Sendable {
    fileprivate struct Message {
        let text: String
        let value: JSONValue?
        let sender: Role?
    }

    /// The maximum number of messages to examine, and the maximum size of one.
    private static let maxMessages = 60
    private static let maxBytes = 16 << 10

    private var messages: [Message] = []
    private var paths: [String] = []
    /// Whether only one side's messages count, because the suite is the other side.
    private let isOneSided: Bool

    /// An empty sample.
    public init(isOneSided: Bool = false) { self.isOneSided = isOneSided }

    /// Whether further messages would be ignored.
    public var isFull: Bool { messages.count >= Self.maxMessages }

    /// Whether it contains a message of this protocol.
    public var isOwn: Bool { messages.contains(where: \.isOwn) }

    /// Adds a text message, whose sender may be unknown.
    public mutating func take(_ text: String, sentBy sender: Role?) {
        guard !isFull, text.utf8.count <= Self.maxBytes, !text.isEmpty else { return }
        messages.append(Message(text: text, value: try? JSONParser.value(text), sender: sender))
    }

    /// Adds the path and query of a connection request.
    public mutating func take(path: String) {
        if paths.count < Self.maxMessages { paths.append(path) }
    }

    /// The protocol that the traffic resembles, possibly that of a built-in dialect; nil for this protocol, or if there
    /// is no evidence.
    public func foreign(among dialects: [Dialect]) -> ForeignProtocol? {
        if let version = otherVersion { return version }
        if let echo = messages.first(where: \.isEcho), isOneSided, !messages.contains(where: \.isOnlyFromServer) {
            return ForeignProtocol(name: "an echo server", mark: Self.cut(echo.text), way: .echo)
        }
        if let dialect = dialect(among: dialects) { return dialect }
        let strange = firstOfMostlyUnknown
        guard !isOwn || strange != nil else { return nil }
        for protocolMark in ForeignMark.all {
            if let path = paths.first(where: protocolMark.marksPath) {
                let said = protocolMark.besidesPath.flatMap { said in
                    messages.first { $0.value?.meets(said) == true }
                }
                if said != nil || protocolMark.besidesPath == nil && !isOneSided {
                    let mark = Self.cut(path) + (said.map { " with \(Self.cut($0.text))" } ?? "")
                    return ForeignProtocol(name: protocolMark.name, mark: mark, way: protocolMark.way)
                }
            }
            let marked = messages.filter { protocolMark.marks($0.text, $0.value) }
            guard let first = marked.first, protocolMark.isStrong || marked.count * 2 > messages.count else { continue }
            return ForeignProtocol(name: protocolMark.name, mark: Self.cut(first.text), way: protocolMark.way)
        }
        return strange.map {
            let isJSON = $0.value?.objectValue != nil
            return ForeignProtocol(
                name: isJSON ? "JSON with other types" : "messages that are not JSON objects", mark: Self.cut($0.text),
                way: isJSON ? .newDialect : .bridge)
        }
    }

    /// The first message with a type outside this protocol, if most of a server's messages have such types; else nil.
    ///
    /// A server that greets, acknowledges or replays like this protocol may send other types as well.
    private var firstOfMostlyUnknown: Message? {
        guard !isOneSided, !messages.contains(where: \.isOnlyFromServer) else { return nil }
        let said = messages.filter { message in
            if let sender = message.sender { return sender == .server }
            let isClients = message.type.map { Dialect.canonicalTypes[.client]?.contains($0) == true } ?? false
            return message.value?.objectValue != nil && !isClients
        }
        let strange = said.filter { message in
            message.type.map { Dialect.canonicalTypes[.server]?.contains($0) != true } ?? true
        }
        return strange.count > 2 && strange.count * 2 > said.count ? strange.first : nil
    }

    /// This protocol in another version, as stated by every greeting.
    ///
    /// A wrong number alone violates LIVE-8. In addition, every `auth` must offer that version, or the traffic must
    /// contain types outside the specification.
    private var otherVersion: ForeignProtocol? {
        if let refusing = onlyOtherVersions { return refusing }
        func versions(_ type: String) -> [JSONValue] {
            messages.filter { $0.type == type }.compactMap { $0.value?["protocol"] }
        }
        let greeted = versions("connected")
        guard let first = greeted.first, greeted.allSatisfy({ $0 == first }), let number = first.intValue, number > 1,
            !isOneSided && versions("auth").allSatisfy({ $0 == first }) || messages.contains(where: \.isOfUnknownType),
            let message = messages.first(where: { $0.type == "connected" })
        else { return nil }
        return Self.version(number, message)
    }

    private static func version(_ number: Int, _ message: Message) -> ForeignProtocol {
        ForeignProtocol(name: "version \(number) of the Holdfast protocol", mark: cut(message.text), way: .version)
    }

    /// The one version that every `auth` offers; nil if they differ, if it is version 1, or if there is no `auth`.
    public var offeredVersion: ForeignProtocol? {
        let offers = messages.filter { $0.type == "auth" }
        guard let first = offers.first, let version = first.value?["protocol"], let number = version.intValue,
            number > 1,
            offers.allSatisfy({ $0.value?["protocol"] == version })
        else { return nil }
        return Self.version(number, first)
    }

    /// A server that rejects version 1 and names others.
    private var onlyOtherVersions: ForeignProtocol? {
        guard let refusal = messages.first(where: { $0.value?["code"] == "unsupported_version" }),
            let supported = refusal.value?["supported"]?.arrayValue, let first = supported.first?.intValue,
            !supported.contains(1)
        else { return nil }
        return Self.version(first, refusal)
    }

    /// The dialect that fits: it knows types outside the specification, and no type contradicts it.
    private func dialect(among dialects: [Dialect]) -> ForeignProtocol? {
        let typed = messages.filter { $0.type != nil }
        let rated = dialects.compactMap { dialect -> (dialect: Dialect, first: Message, count: Int)? in
            let own = typed.filter { message in
                let senders = message.sender.map { [$0] } ?? Role.allCases
                return senders.contains { dialect.knows(message.type ?? "", sentBy: $0) }
            }
            let distinctive = own.filter { dialect.isIdentified(by: $0.type ?? "") }
            guard let first = distinctive.first, own.count == typed.count else { return nil }
            return (dialect, first, distinctive.count)
        }
        guard let most = rated.map(\.count).max() else { return nil }
        let best = rated.filter { $0.count == most }
        let names = best.map(\.dialect.name).sorted()
        return ForeignProtocol(
            name: "the dialect " + names.map { "'\($0)'" }.joined(separator: " or "),
            mark: Self.cut(best[0].first.text), way: .dialect(names))
    }

    private static func cut(_ text: String) -> String { visible(text.count <= 80 ? text : "\(text.prefix(80))…") }
}

extension WireSample.Message {
    fileprivate var type: String? { value?["type"]?.stringValue }

    /// Whether a server sent an `auth`, which is the first message of every client.
    fileprivate var isEcho: Bool { sender == .server && type == "auth" && value?["protocol"] != nil }

    /// Whether it is an object with a type outside the specification.
    fileprivate var isOfUnknownType: Bool {
        type.map { type in !Dialect.canonicalTypes.values.contains { $0.contains(type) } } ?? false
    }

    /// Whether only a server of this protocol can have sent it: it has all the characteristic members of its type.
    fileprivate var isOnlyFromServer: Bool {
        guard let type, let value else { return false }
        let members: [String: [String]] = [
            "connected": ["connectionId", "protocol"], "ack": ["clientMessageId", "turnId", "messageId"],
            "syncResult": ["missed", "epoch"], "done": ["text", "turnId", "messageId"],
        ]
        return members[type]?.allSatisfy { value[$0] != nil } ?? false
    }

    /// Whether it is unmistakably from this protocol: a known type with its characteristic member.
    fileprivate var isOwn: Bool {
        guard let type, let value else { return false }
        if type == "connected", let version = value["protocol"], version != 1 { return false }
        let members: [String: [String]] = [
            "auth": ["protocol"], "connected": ["connectionId", "protocol"], "chat": ["messages"],
            "sync": ["lastSeqSeen"], "ack": ["turnId", "messageId", "sessionId"], "done": ["text"],
            "toolUse": ["tool"], "syncResult": ["missed", "lastSeq"], "error": ["error", "code"],
            "message": ["role", "messageId"],
        ]
        return members[type]?.contains { value[$0] != nil } ?? false
    }
}

extension Dialect {
    /// Whether there is a rule for exactly this type.
    fileprivate func knows(_ type: String, sentBy sender: Role) -> Bool {
        typeLocation == Self.defaultTypeLocation && types(sentBy: sender).contains(type)
    }

    /// Whether a type outside the specification is evidence for it; an ignored type is not.
    fileprivate func isIdentified(by type: String) -> Bool {
        guard !Self.canonicalTypes.values.contains(where: { $0.contains(type) }) else { return false }
        return challenge?["type"]?.stringValue == type
            || frameRules.all.contains { rule in
                if case .message = rule.meaning { rule.wire == type } else { false }
            }
    }
}
