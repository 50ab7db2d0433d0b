import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension Dialect {
    /// The direction of a wire frame, by its type; nil if both sides or neither can have sent it.
    ///
    /// A message that both sides may send and both ignore counts as the server's, which makes no difference.
    public func direction(of frame: JSONValue) -> Direction? {
        if case .ignored = decode(frame, sentBy: .client), case .ignored = decode(frame, sentBy: .server) {
            return .fromServer
        }
        let clientCanSend = canSend(frame, .client)
        return clientCanSend == canSend(frame, .server) ? nil : clientCanSend ? .toServer : .fromServer
    }

    private func canSend(_ frame: JSONValue, _ sender: Role) -> Bool {
        func isKnown(_ frame: JSONValue) -> Bool {
            frame["type"]?.stringValue.map { Self.canonicalTypes[sender]?.contains($0) == true } ?? false
        }
        return meaning(of: frame, sentBy: sender).map(isKnown) ?? true
    }

    /// Whether a wire request is one of the protocol.
    func knows(_ method: String, _ path: String) -> Bool {
        guard method != "OPTIONS" else { return false }
        guard let request = decode(RESTRequest(method: method, path: path)) else { return false }
        let route = request.path.prefix { $0 != "?" }
        return ["/api/health", "/api/chat", "/api/sessions"].contains(route) || route.hasPrefix("/api/sessions/")
    }
}
