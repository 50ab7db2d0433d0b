import NIOCore
import NIOHTTP1

/// Listens on a port for HTTP and WebSocket, as a server or as a relay.
package final class TransportServer: Sendable {
    /// The actual port, even if 0 was requested.
    package var port: Int { listener.port }
    package var host: String { listener.host }
    package let isSecure: Bool

    let listener: Listener

    init(listener: Listener, isSecure: Bool) {
        self.listener = listener
        self.isSecure = isSecure
    }

    /// Starts to listen.
    ///
    /// * `port`: 0 takes a free one.
    /// * `tls`: Certificate and key for `https` and `wss`; nil for no TLS.
    /// * `speaksHTTP2`: Whether to offer HTTP/2 besides HTTP/1.1, by ALPN or the client's preface. WebSockets always
    ///   use HTTP/1.1.
    /// - Throws: `cannotListen`, or `tls` if a certificate cannot be used.
    package static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        tls: TLSIdentity? = nil,
        speaksHTTP2: Bool = false,
        limits: ServerLimits = ServerLimits(),
        handler: some TransportHandler
    ) async throws(TransportProblem) -> TransportServer {
        let protocols = speaksHTTP2 ? ["h2", "http/1.1"] : []
        let secure = try tls.map { (identity) throws(TransportProblem) in
            try TLS.serverHandlers(identity, speaking: protocols)
        }
        let listener = try await Listener(host: host, port: port, maxConnections: limits.maxConnections) {
            pipeline, registry in
            if let secure { try TLS.add(secure(), to: pipeline) }
            let exchanges = ExchangeServing(handler: handler, registry: registry, limits: limits)
            if speaksHTTP2 {
                try pipeline.addHandler(ProtocolChoice(serving: exchanges))
            } else {
                try exchanges.addHTTP1(to: pipeline)
            }
        }
        return TransportServer(listener: listener, isSecure: secure != nil)
    }

    package func webSocketURL(_ path: String = "/ws") -> String { "\(isSecure ? "wss" : "ws")://\(authority)\(path)" }

    package func httpURL(_ path: String = "/") -> String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }

    /// Host and port for a URL.
    private var authority: String { "\(Endpoint.bracketed(host)):\(port)" }

    /// Stops listening, says goodbye to every client, and returns once all handlers have returned, or 2 s later.
    ///
    /// * `timeout`: The time that clients may take to disconnect before they are reset. Zero resets at once.
    /// * `code`: The close code of WebSockets: 1001 going away, 1012 restart.
    package func stop(graceful timeout: Duration = .seconds(2), code: UInt16 = 1001, reason: String = "") async {
        await listener.stop(grace: timeout, code: code, reason: reason)
    }
}
