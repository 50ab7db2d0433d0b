import HoldfastPlatform
import NIOCore
import NIOHTTP1
import NIOPosix

/// A bound port and the connections accepted on it; every server of this module is built on one.
final class Listener: Sendable {
    let host: String
    let port: Int
    let registry: ServerRegistry

    private let channel: any Channel

    /// Binds a port; `prepare` adds each connection's handlers above the ``WireHandler``.
    init(
        host: String,
        port: Int,
        maxConnections: Int = .max,
        prepare: @escaping @Sendable (ChannelPipeline.SynchronousOperations, ServerRegistry) throws -> Void
    ) async throws(TransportProblem) {
        let registry = ServerRegistry(maxConnections: maxConnections)
        (self.host, self.registry) = (host, registry)
        channel = try await Listening.bind(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(WireHandler())
                guard registry.admit(channel) else {
                    throw TransportProblem(.closed, at: "\(host):\(port)", causes: ["the server is full or stops"])
                }
                try prepare(pipeline, registry)
            }
        }
        self.port = channel.localAddress?.port ?? 0
    }

    deinit {
        channel.close(promise: nil)
        registry.abort()
    }

    /// Stops listening, closes all connections, and returns once every handler has returned, at most 2 s after `grace`.
    ///
    /// * `grace`: The time that clients may take to disconnect before they are reset. Zero resets at once.
    func stop(grace: Duration = .zero, code: UInt16 = 1001, reason: String = "") async {
        await Listening.close(channel)
        if grace > .zero {
            registry.sendClose(code: code, reason: reason)
            if (try? await registry.emptied.value(within: grace, "end of the last connection")) != nil { return }
        }
        registry.abort()
        // A handler that ignores cancellation never ends, so the wait is bounded.
        _ = try? await registry.emptied.value(within: .seconds(2), "end of the last handler")
    }
}

enum Listening {
    static func bind(
        host: String, port: Int, prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws(TransportProblem) -> any Channel {
        Preparation.run()
        let address = "\(host):\(port)"
        // A larger number would be truncated to 16 bits and open a different port.
        guard (0...65_535).contains(port) else { throw TransportProblem(.cannotListen(.badPort), at: address) }
        do {
            return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 512)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer(prepare)
                .bind(host: host, port: port)
                .get()
        } catch {
            throw TransportProblem(.cannotListen(failure(error)), at: address, causes: ["\(error)"])
        }
    }

    private static func failure(_ error: any Error) -> TransportProblem.ListenFailure {
        switch (error as? IOError)?.reason {
        case .addressInUse: .portTaken
        case .addressNotAvailable: .foreignAddress
        case .noPermission, .notPermitted: .notPermitted
        default: error is SocketAddressError.UnknownHost ? .unknownHost : .system("\(error)")
        }
    }

    static func close(_ channel: any Channel) async {
        channel.close(promise: nil)
        _ = try? await channel.closeFuture.get()
    }
}

/// Registers the generic types of the pipelines with the runtime before two event loops do so at the same time.
///
/// With Swift 6.3.1 on Linux, one start in fifty crashed: the runtime dereferenced a null pointer while both loops
/// instantiated the handler around the HTTP decoder for the first time.
enum Preparation {
    private static let types: [ObjectIdentifier] = [
        ObjectIdentifier(HTTPRequestDecoder.self),
        ObjectIdentifier(HTTPResponseDecoder.self),
        ObjectIdentifier(ByteToMessageHandler<HTTPRequestDecoder>.self),
        ObjectIdentifier(ByteToMessageHandler<HTTPResponseDecoder>.self),
    ]

    @inline(never)
    static func run() { withExtendedLifetime(types) {} }
}
