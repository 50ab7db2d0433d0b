/// What the client needs of a network; an app that has another one implements these two protocols.
protocol ClientTransport: Sendable {
    /// Opens a WebSocket; returns when the upgrade is done.
    func open(_ url: String, headers: [(String, String)], within limit: Duration) async throws -> any ClientSocket
    /// Asks over REST, and returns the whole answer.
    func perform(_ request: RESTRequest, within limit: Duration) async throws -> RESTAnswer
}

protocol ClientSocket: Sendable {
    func send(_ text: String) async throws
    /// What comes next; nil after the end.
    func next() async -> ClientSocketEvent?
    /// Ends it: in order with a code, at once without.
    func close(code: UInt16?) async
}

enum ClientSocketEvent: Sendable, Equatable {
    case text(String)
    /// The server's close frame.
    case closed(code: Int?)
}
