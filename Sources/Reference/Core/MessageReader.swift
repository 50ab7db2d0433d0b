import Holdfast
import HoldfastBasics
import HoldfastJSON

/// Reads what clients send; any bytes result in a message or a refusal that explains the error.
struct MessageReader: Sendable {
    /// Some readers cannot represent larger integers exactly.
    static let maxInteger = 9_007_199_254_740_991

    /// Whether a malformed session id is treated as an unknown one.
    var callsOddIDsUnknown = false

    func frame(_ text: String) throws(Refusal) -> ClientMessage {
        let object = try object(text)
        guard let type = object["type"]?.stringValue else {
            throw Refusal(.badRequest, "the frame has no 'type', or it is not a string")
        }
        switch type {
        case "auth": return .auth(try auth(object))
        case "chat": return .chat(try chat(object))
        case "sync": return .sync(try sync(object))
        case "ping": return .ping(nonce: try self.text("nonce", in: object, minimum: 0))
        default: throw Refusal(.unknownType, "unknown type '\(type.prefix(120))'")
        }
    }

    func body(_ bytes: [UInt8]) throws(Refusal) -> ClientMessage.Chat {
        guard let text = String(utf8: bytes) else { throw Refusal(.parseError, "the body is not UTF-8") }
        return try chat(try object(text))
    }

    /// Parses one JSON object; rejects duplicate names and lone surrogates, on which readers disagree.
    private func object(_ text: String) throws(Refusal) -> JSONObject {
        let document: JSONDocument
        do {
            document = try JSONParser.document(text, limits: JSONLimits(maxDepth: 128))
        } catch {
            throw Refusal(.parseError, "not JSON: \(error)")
        }
        guard let object = document.root.objectValue else {
            throw Refusal(.badRequest, "expected an object, found \(document.root.typeName)")
        }
        if let flaw = document.flaws.first { throw Refusal(.badRequest, "\(flaw)") }
        return object
    }

    private func auth(_ object: JSONObject) throws(Refusal) -> ClientMessage.Auth {
        guard let version = object["protocol"]?.intValue else {
            throw Refusal(.badRequest, "'protocol' has to be an integer")
        }
        if let capabilities = object["capabilities"] {
            guard let names = capabilities.arrayValue, names.allSatisfy({ fits($0.stringValue, 1...64) }),
                Set(names).count == names.count
            else { throw Refusal(.badRequest, "'capabilities' has to be an array of different short strings") }
        }
        return ClientMessage.Auth(
            protocol: version, token: try text("token", in: object, minimum: 0, maximum: .max),
            clientId: try text("clientId", in: object))
    }

    private func sync(_ object: JSONObject) throws(Refusal) -> ClientMessage.Sync {
        guard let position = integer(object["lastSeqSeen"], 0...Self.maxInteger) else {
            throw Refusal(.badRequest, "'lastSeqSeen' has to be an integer from 0 to \(Self.maxInteger)")
        }
        let limit = integer(object["limit"], 1...Self.maxInteger)
        if object.contains("limit"), limit == nil {
            throw Refusal(.badRequest, "'limit' has to be an integer from 1 to \(Self.maxInteger)")
        }
        return ClientMessage.Sync(lastSeqSeen: position, epoch: try text("epoch", in: object), limit: limit)
    }

    private func chat(_ object: JSONObject) throws(Refusal) -> ClientMessage.Chat {
        guard let key = try text("clientMessageId", in: object) else {
            throw Refusal(.badRequest, "the question has no 'clientMessageId', the key by which a resend is recognized")
        }
        do throws(Refusal) {
            return ClientMessage.Chat(content: try question(object), session: try session(object), key: key)
        } catch {
            throw Refusal(error.code, error.text, clientMessageId: key)
        }
    }

    private func session(_ object: JSONObject) throws(Refusal) -> String? {
        guard let value = object["sessionId"] else { return nil }
        guard let id = value.stringValue, isSessionID(id) else {
            let isUnknown = callsOddIDsUnknown && value.stringValue != nil
            throw Refusal(
                isUnknown ? .sessionNotFound : .badRequest, "'sessionId' has to match [A-Za-z0-9_-]{1,128}")
        }
        return id
    }

    /// The content of the last message, which is the user's; all others must be valid too.
    private func question(_ object: JSONObject) throws(Refusal) -> JSONValue {
        guard let messages = object["messages"]?.arrayValue, !messages.isEmpty else {
            throw Refusal(.badRequest, "'messages' has to be an array of at least one message")
        }
        for (position, message) in messages.enumerated() {
            guard let role = message["role"]?.stringValue, ["user", "assistant", "system"].contains(role) else {
                throw Refusal(.badRequest, "the 'role' of message \(position) has to be user, assistant or system")
            }
            guard let content = message["content"], isContent(content) else {
                throw Refusal(.badRequest, "the 'content' of message \(position) has to be a string or parts")
            }
        }
        guard let last = messages.last, last["role"]?.stringValue == "user", let content = last["content"] else {
            throw Refusal(.badRequest, "the last message has to be the user's")
        }
        return content
    }

    private func isContent(_ value: JSONValue) -> Bool {
        if case .string = value { return true }
        guard case .array(let parts) = value, !parts.isEmpty else { return false }
        return parts.allSatisfy { part in
            guard let type = part["type"]?.stringValue, !type.isEmpty else { return false }
            if let text = part["text"], text.stringValue == nil { return false }
            if let image = part["image"], (image.stringValue ?? "").isEmpty { return false }
            return (type != "text" || part["text"] != nil) && (type != "image" || part["image"] != nil)
        }
    }

    private func text(
        _ name: String, in object: JSONObject, minimum: Int = 1, maximum: Int = 128
    ) throws(Refusal) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue, fits(text, minimum...maximum) else {
            throw Refusal(.badRequest, "'\(name)' has to be a string of \(minimum) to \(maximum) characters")
        }
        return text
    }

    private func integer(_ value: JSONValue?, _ range: ClosedRange<Int>) -> Int? {
        guard let number = value?.intValue, range.contains(number) else { return nil }
        return number
    }

    private func fits(_ text: String?, _ range: ClosedRange<Int>) -> Bool {
        text.map { range.contains($0.unicodeScalars.count) } ?? false
    }
}

enum ClientMessage: Sendable, Equatable {
    case auth(Auth)
    case chat(Chat)
    case sync(Sync)
    case ping(nonce: String?)

    struct Auth: Sendable, Equatable {
        var `protocol`: Int
        var token: String?
        var clientId: String?
    }

    struct Chat: Sendable, Equatable {
        /// The text or parts of the last message; the server already has the earlier ones.
        var content: JSONValue
        var session: String?
        var key: String
    }

    struct Sync: Sendable, Equatable {
        var lastSeqSeen: Int
        var epoch: String?
        var limit: Int?
    }
}
