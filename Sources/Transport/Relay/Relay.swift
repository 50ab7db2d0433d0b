import HoldfastBasics
import NIOCore
import NIOHTTP1

/// Stands between clients and a server, passes on what they say to each other, and shows it to a watcher.
///
/// Each connection of a client has one to the server that is its own, so what one peer does to its connection is done to the
/// other's: the end of one is the end of the other, and a reset is passed on as a reset. A WebSocket passes byte by byte.
package enum Relay {
    /// Starts to listen; the server is asked for only when a client comes.
    ///
    /// * `port`: 0 takes a free one.
    /// * `upstream`: The server; its scheme says whether TLS is spoken, its path means nothing.
    /// * `tls`: Certificate and key for clients that speak TLS; without them they do not.
    /// * `holdsMessages`: Whether the parts of a message wait until it is whole: only then can it be left out.
    /// - Returns: A server that listens already; stopping it closes every WebSocket with 1001 on both sides.
    /// - Throws: `cannotListen`, or `tls` when a certificate cannot be used.
    package static func start(
        host: String = "127.0.0.1", port: Int = 0, upstream: Endpoint, tls: TLSIdentity? = nil,
        upstreamTLS: TLSOptions = TLSOptions(), limits: RelayLimits = RelayLimits(), holdsMessages: Bool = false,
        watcher: some RelayWatcher
    ) async throws(TransportProblem) -> TransportServer {
        let secure = try tls.map { (identity) throws(TransportProblem) in
            try TLS.serverHandlers(identity)
        }
        // An unreadable trust file is the caller's fault, and told before anybody connects.
        if upstream.scheme.isSecure { _ = try TLS.clientHandler(upstreamTLS, for: upstream) }
        let lastNumber = Shared(0)
        let listener = try await Listener.start(host: host, port: port, maxConnections: limits.maxConnections) {
            pipeline, registry in
            if let secure { try TLS.add(secure(), to: pipeline) }
            let settings = RelaySettings(
                upstream: upstream, tls: upstreamTLS, isSecure: secure != nil, limits: limits,
                holdsMessages: holdsMessages, watcher: watcher, registry: registry, lastNumber: lastNumber)
            try pipeline.addHandler(UpgradeGate(splittingFirstHead: false))
            try pipeline.addHandler(HTTPResponseEncoder(configuration: .asGiven))
            try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)))
            try pipeline.addHandler(RelayClientHandler(settings))
        }
        return TransportServer(listener: listener, isSecure: secure != nil)
    }
}

extension HTTPRequestEncoder.Configuration {
    /// Length and coding of a body are passed on as the client gave them.
    static var asGiven: Self {
        var configuration = Self()
        configuration.automaticallySetFramingHeaders = false
        return configuration
    }
}

extension HTTPResponseEncoder.Configuration {
    /// Length and coding of a body are passed on as the server gave them.
    static var asGiven: Self {
        var configuration = Self()
        configuration.automaticallySetFramingHeaders = false
        return configuration
    }
}
