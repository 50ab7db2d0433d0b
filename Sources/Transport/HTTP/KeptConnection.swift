import HoldfastPlatform

/// Keeps an HTTP connection open between requests, even of different people.
package final class KeptConnection: Sendable {
    private let idle = Mutex<HTTPConnection?>(nil)

    package init() {}

    /// The connection, for a request that may be sent again if the connection turns out to be closed.
    func take(for method: String) -> HTTPConnection? {
        guard ["GET", "HEAD"].contains(method) else { return nil }
        return idle.withLock { idle in
            defer { idle = nil }
            return idle
        }
    }

    /// Keeps a connection, in place of the one kept so far, unless the server wants to close it.
    func keep(_ connection: HTTPConnection, after answer: HTTPAnswer) {
        guard answer.header("Connection")?.lowercased() != "close" else { return connection.cut(.fin) }
        idle.withLock { $0 = connection }
    }

    package func drop() { idle.withLock { $0 = nil } }
}
