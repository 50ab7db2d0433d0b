import NIOCore
import NIOHTTP1
import NIOPosix

/// Opens TCP, with TLS if the scheme needs it, and returns what the caller's handlers produce.
enum Connector {
    static func connect<Connected: Sendable>(
        to endpoint: Endpoint,
        tls: TLSOptions,
        timeout: Duration,
        waitingFor what: String,
        handlers: @escaping @Sendable (any Channel, OneShot<Connected>) throws -> Void
    ) async throws(TransportProblem) -> Connected {
        Preparation.run()
        // Checked before connecting, so that an unreadable trust file is reported as such.
        if endpoint.scheme.isSecure { _ = try TLS.clientHandler(tls, for: endpoint) }
        let result = OneShot<Connected>(address: endpoint.address)
        let connecting = connecting(
            MultiThreadedEventLoopGroup.singleton, to: endpoint, tls: tls, timeout: timeout
        ) { try handlers($0, result) }
        connecting.whenFailure { result.fulfill(.failure(TransportProblem($0, at: endpoint.address))) }
        do {
            return try await result.value(within: timeout, what)
        } catch {
            connecting.whenSuccess { $0.close(promise: nil) }
            throw error
        }
    }

    static func connecting(
        _ group: any EventLoopGroup, to endpoint: Endpoint, tls: TLSOptions, timeout: Duration,
        handlers: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(.nanoseconds(Int64(clamping: nanoseconds(timeout))))
            .channelOption(.autoRead, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(WireHandler())
                    if endpoint.scheme.isSecure { try TLS.add(TLS.clientHandler(tls, for: endpoint), to: pipeline) }
                    try handlers(channel)
                }
            }
        // An address needs no resolver.
        if let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port) {
            return bootstrap.connect(to: address)
        }
        return bootstrap.connect(host: endpoint.host, port: endpoint.port)
    }

    static func addHTTP(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(HTTPRequestEncoder())
        try pipeline.addHandler(ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes)))
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds >= 1_000_000_000 ? .max : max(1, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
