import HoldfastPlatform
import NIOCore
import NIOHTTP1
import NIOPosix

/// A bound port with the connections it has brought; what every server of this module begins and ends with.
final class Listener: Sendable {
    let host: String
    let port: Int
    let registry: ServerRegistry

    private let channel: any Channel

    private init(channel: any Channel, registry: ServerRegistry, host: String) {
        self.channel = channel
        self.registry = registry
        self.host = host
        port = channel.localAddress?.port ?? 0
    }

    deinit {
        channel.close(promise: nil)
        registry.abort()
    }

    /// Binds a port; each connection gets its handlers from the closure, above the one that can cut it.
    static func start(
        host: String,
        port: Int,
        maxConnections: Int = .max,
        prepare: @escaping @Sendable (ChannelPipeline.SynchronousOperations, ServerRegistry) throws -> Void
    ) async throws(TransportProblem) -> Listener {
        let registry = ServerRegistry(maxConnections: maxConnections)
        let channel = try await Listening.bind(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(WireHandler())
                guard registry.admit(channel) else {
                    throw TransportProblem(.closed, at: "\(host):\(port)", causes: ["the server is full or stops"])
                }
                try prepare(pipeline, registry)
            }
        }
        return Listener(channel: channel, registry: registry, host: host)
    }

    /// Stops listening, lets the clients go, and returns when the last handler has returned, after a bounded time.
    ///
    /// * `grace`: How long clients may take to go; then they are reset. Zero resets at once.
    func stop(grace: Duration = .zero, code: UInt16 = 1001, reason: String = "") async {
        await Listening.close(channel)
        if grace > .zero {
            registry.sayGoodbye(code: code, reason: reason)
            if (try? await registry.emptied.value(within: grace, "end of the last connection")) != nil { return }
        }
        registry.abort()
        // A handler that ignores cancellation cannot be ended; waiting for it for ever would help nobody.
        _ = try? await registry.emptied.value(within: .seconds(2), "end of the last handler")
    }
}

/// Binds a TCP port.
enum Listening {
    static func bind(
        host: String, port: Int, prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws(TransportProblem) -> any Channel {
        Preparation.run()
        let address = "\(host):\(port)"
        // A larger number would be cut to its last sixteen bits, and something listen where nobody asked for it.
        guard (0...65_535).contains(port) else {
            throw TransportProblem(.cannotListen(.badPort), at: address)
        }
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

    /// Returns when nothing listens any more.
    static func close(_ channel: any Channel) async {
        channel.close(promise: nil)
        _ = try? await channel.closeFuture.get()
    }
}

/// Makes the generic types of the pipelines known to the runtime before two event loops ask for them at once.
///
/// Seen once in fifty starts with Swift 6.3.1 on Linux: the runtime dereferenced a null pointer while both loops
/// instantiated the handler around the HTTP decoder for the first time.
enum Preparation {
    private static let types: [ObjectIdentifier] = [
        ObjectIdentifier(HTTPRequestDecoder.self),
        ObjectIdentifier(HTTPResponseDecoder.self),
        ObjectIdentifier(ByteToMessageHandler<HTTPRequestDecoder>.self),
        ObjectIdentifier(ByteToMessageHandler<HTTPResponseDecoder>.self),
    ]

    /// Does its work at the first call; later ones cost nothing.
    @inline(never)
    static func run() { withExtendedLifetime(types) {} }
}
