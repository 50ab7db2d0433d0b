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
        case .frame, .nothing: return true
        case .inexpressible: return false
        }
    }

    var keepsNonces: Bool { read(["type": "pong", "nonce": "n"], sentBy: .server)?["nonce"] == "n" }

    /// A sample of a server's frame, with all members that a dialect may map.
    static func sample(of type: String) -> JSONValue {
        [
            "type": .string(type), "sessionId": "s", "messageId": "m", "clientMessageId": "c", "text": "",
            "role": "user",
            "error": "", "tool": "t", "timestamp": "2026-01-01T00:00:00Z",
        ]
    }
}
