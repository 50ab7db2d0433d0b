import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// What a dialect tells of a capture that does not say it itself.
extension Dialect {
    /// Which way a wire frame travels, by its type; nil when both sides or neither can have sent it.
    ///
    /// What both sides can have sent and is ignored from either is taken for the server's: it makes no difference.
    public func direction(of frame: JSONValue) -> Direction? {
        if case .ignored = decode(frame, sentBy: .client), case .ignored = decode(frame, sentBy: .server) {
            return .fromServer
        }
        let isClients = canSend(frame, .client)
        return isClients == canSend(frame, .server) ? nil : isClients ? .toServer : .fromServer
    }

    private func canSend(_ frame: JSONValue, _ sender: Role) -> Bool {
        guard !isCanonical else {
            return frame["type"]?.stringValue.map { Self.types[sender]?.contains($0) == true } ?? false
        }
        switch decode(frame, sentBy: sender) {
        case .frames(let frames):
            return frames.contains { $0["type"]?.stringValue.map { Self.types[sender]?.contains($0) == true } ?? false }
        case .ignored: return true
        case .unmapped: return false
        }
    }

    private static let types: [Role: Set<String>] = [
        .client: ["auth", "chat", "sync", "ping"],
        .server: ["connected", "ack", "message", "toolUse", "done", "error", "syncResult", "pong"],
    ]

    /// Whether a wire request is one of the protocol.
    func holds(_ method: String, _ path: String) -> Bool {
        guard method != "OPTIONS" else { return false }
        guard let request = decode(RESTRequest(method: method, path: path)) else { return false }
        let route = request.path.prefix { $0 != "?" }
        return ["/api/health", "/api/chat", "/api/sessions"].contains(route) || route.hasPrefix("/api/sessions/")
    }
}
