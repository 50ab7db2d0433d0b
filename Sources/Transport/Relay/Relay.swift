import HoldfastBasics
import NIOCore
import NIOHTTP1

/// Forwards traffic between clients and a server, and shows it to a watcher.
///
/// Each client connection has its own connection to the server. If one of the two ends or is reset, the relay does the
/// same to the other. It forwards the bytes of a WebSocket unchanged.
package enum Relay {
    /// Starts to listen; the relay connects to the server only when a client connects.
    ///
    /// * `port`: 0 takes a free one.
    /// * `upstream`: The server; the scheme determines whether to use TLS, and the path is ignored.
    /// * `tls`: Certificate and key for TLS to the clients; nil for none.
    /// * `holdsMessages`: Whether to hold a message until it is complete; only then can it be dropped.
    /// - Returns: A server that already listens; a stop closes every WebSocket with 1001 on both sides.
    /// - Throws: `cannotListen`, or `tls` if a certificate cannot be used.
    package static func start(
        host: String = "127.0.0.1", port: Int = 0, upstream: Endpoint, tls: TLSIdentity? = nil,
        upstreamTLS: TLSOptions = TLSOptions(), limits: RelayLimits = RelayLimits(), holdsMessages: Bool = false,
        watcher: some RelayWatcher
    ) async throws(TransportProblem) -> TransportServer {
        let secure = try tls.map { (identity) throws(TransportProblem) in
            try TLS.serverHandlers(identity)
        }
        // An unreadable trust file is the caller's mistake, so it is reported before anyone connects.
        if upstream.scheme.isSecure { _ = try TLS.clientHandler(upstreamTLS, for: upstream) }
        let numbers = Counter()
        let listener = try await Listener(host: host, port: port, maxConnections: limits.maxConnections) {
            pipeline, registry in
            if let secure { try TLS.add(secure(), to: pipeline) }
            let settings = RelaySettings(
                upstream: upstream, tls: upstreamTLS, isSecure: secure != nil, limits: limits,
                holdsMessages: holdsMessages, watcher: watcher, registry: registry, numbers: numbers)
            try pipeline.addHandler(UpgradeGate(splittingFirstHead: false))
            var encoding = HTTPResponseEncoder.Configuration()
            // Body length and coding are forwarded unchanged.
            encoding.automaticallySetFramingHeaders = false
            try pipeline.addHandler(HTTPResponseEncoder(configuration: encoding))
            try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)))
            try pipeline.addHandler(RelayClientHandler(settings))
        }
        return TransportServer(listener: listener, isSecure: secure != nil)
    }
}
