/// The network that a client needs; an app with another network stack implements these two protocols.
protocol ClientTransport: Sendable {
    /// The greeting that an open socket implies, if the server sends none.
    var greeting: String? { get }
    /// Opens a WebSocket; returns once the upgrade is done.
    func open(_ url: String, headers: [(String, String)], within limit: Duration) async throws -> any ClientSocket
    func perform(_ request: RESTRequest, within limit: Duration) async throws -> RESTAnswer
}

extension ClientTransport {
    var greeting: String? { nil }
}

protocol ClientSocket: Sendable {
    /// Sends a text; after an error, `next` returns what had arrived, and then nil.
    func send(_ text: String) async throws
    /// The next event; nil after the end.
    func next() async -> ClientSocketEvent?
    /// Closes it properly with a code, or abruptly without one.
    func close(code: UInt16?) async
}

enum ClientSocketEvent: Sendable, Equatable {
    case text(String)
    case closed(code: Int?)
}
