import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A server for HTTP and WebSocket on one port.
public final class TransportServer: Sendable {
    /// The port it listens on, also when 0 was asked for.
    public let port: Int
    /// The host as given at the start.
    public let host: String
    /// Whether clients must speak TLS.
    public let isSecure: Bool

    private let channel: any Channel
    private let registry: ServerRegistry

    private init(channel: any Channel, registry: ServerRegistry, host: String, isSecure: Bool) {
        self.channel = channel
        self.registry = registry
        self.host = host
        self.isSecure = isSecure
        port = channel.localAddress?.port ?? 0
    }

    deinit {
        channel.close(promise: nil)
        registry.abort()
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - host: A name or address of this machine.
    ///   - port: 0 takes a free one.
    ///   - tls: Certificate and key for `https` and `wss`; without them both schemes go without TLS.
    ///   - limits: The bounds.
    ///   - handler: What to do with the clients.
    /// - Returns: A server that listens already.
    /// - Throws: `cannotListen`, or `tls` when a file cannot be used.
    public static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        tls: TLSIdentity? = nil,
        limits: ServerLimits = ServerLimits(),
        handler: some TransportHandler
    ) async throws(TransportProblem) -> TransportServer {
        let registry = ServerRegistry(maxConnections: limits.maxConnections)
        let secure: NIOSSLContext? = if let tls { try tls.serverContext() } else { nil }
        let channel = try await Listening.bind(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(WireHandler())
                guard registry.admit(channel) else {
                    throw TransportProblem(.closed, at: "\(host):\(port)", causes: ["the server is full or stops"])
                }
                if let secure { try pipeline.addHandler(NIOSSLServerHandler(context: secure)) }
                try pipeline.addHandler(UpgradeGate(splittingFirstHead: false))
                try pipeline.addHandler(HTTPResponseEncoder())
                try pipeline.addHandler(
                    ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
                )
                try pipeline.addHandler(ServerConnectionHandler(handler: handler, registry: registry, limits: limits))
            }
        }
        return TransportServer(channel: channel, registry: registry, host: host, isSecure: secure != nil)
    }

    /// The WebSocket URL of a path on this server.
    public func webSocketURL(_ path: String = "/ws") -> String { "\(isSecure ? "wss" : "ws")://\(host):\(port)\(path)" }

    /// The HTTP URL of a path on this server.
    public func httpURL(_ path: String = "/") -> String { "\(isSecure ? "https" : "http")://\(host):\(port)\(path)" }

    /// Open connections of both kinds.
    public var connectionCount: Int { registry.connectionCount }

    /// Stops listening, says goodbye to every client, and returns when the last handler has returned.
    ///
    /// - Parameters:
    ///   - timeout: How long clients may take to go; then they are reset. Zero resets at once.
    ///   - code: What WebSockets are closed with: 1001 going away, 1012 restart.
    ///   - reason: The reason in the close frame.
    public func stop(graceful timeout: Duration = .seconds(2), code: UInt16 = 1001, reason: String = "") async {
        await Listening.close(channel)
        if timeout > .zero {
            registry.sayGoodbye(code: code, reason: reason)
            if (try? await registry.emptied.value(within: timeout, "end of the last connection")) != nil { return }
        }
        registry.abort()
        // A handler that ignores cancellation cannot be ended; waiting for it for ever would help nobody.
        _ = try? await registry.emptied.value(within: .seconds(2), "end of the last handler")
    }
}
