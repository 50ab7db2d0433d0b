import Holdfast
import HoldfastJSON

extension Dialect {
    /// Whether a server asks for credentials with this message, which may contain more than required.
    func isChallenge(_ wire: JSONValue) -> Bool {
        challenge?.objectValue?.allSatisfy { wire[$0.key] == $0.value } ?? false
    }

    /// Whether a server can send this type at all; a wait for another type could not be met.
    func hasWord(for type: String) -> Bool {
        guard !isCanonical else { return true }
        switch encode(Self.sample(of: type), sentBy: .server) {
        case .frames, .nothing: return true
        case .inexpressible: return false
        }
    }

    /// Whether pongs name the ping they answer.
    var saysNonces: Bool {
        let pong: JSONValue = ["type": "pong", "nonce": "n"]
        guard case .frames(let wire) = encode(pong, sentBy: .server), let frame = wire.first,
            case .frames(let seen) = decode(frame, sentBy: .server)
        else { return false }
        return seen.first?["nonce"] == "n"
    }

    /// A sample of a server's frame, with all members that a dialect may map.
    static func sample(of type: String) -> JSONValue {
        [
            "type": .string(type), "sessionId": "s", "messageId": "m", "clientMessageId": "c", "text": "",
            "role": "user",
            "error": "", "tool": "t", "timestamp": "2026-01-01T00:00:00Z",
        ]
    }

    /// The canonical frames of a server's message, in order, for the waits of a scenario.
    func letters(in wire: JSONValue) -> [JSONValue] {
        guard !isCanonical else { return [wire] }
        return switch decode(wire, sentBy: .server) {
        case .frames(let frames): frames
        case .ignored: []
        case .unmapped: [foreign(wire)]
        }
    }
}
