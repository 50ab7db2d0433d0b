import Holdfast
import JSON

extension Dialect {
    /// Whether a server asks for credentials with this text; it may say more than it must.
    func isChallenge(_ text: String) -> Bool {
        guard let challenge = challenge?.objectValue, let wire = try? JSONParser.document(text).root else {
            return false
        }
        return challenge.allSatisfy { wire[$0.key] == $0.value }
    }

    /// What a text of the server means to the waits of a scenario: canonical frames, in order.
    func letters(in text: String) -> [String] {
        guard !isCanonical, let wire = try? JSONParser.document(text).root else { return [text] }
        switch decode(wire, sentBy: .server) {
        case .frames(let frames): return frames.map { $0.text() }
        case .ignored: return []
        case .unmapped: return [foreign(wire).text()]
        }
    }
}
