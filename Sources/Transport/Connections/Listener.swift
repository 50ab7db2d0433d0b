import NIOCore

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
    /// - Parameters:
    ///   - grace: How long clients may take to go; then they are reset. Zero resets at once.
    ///   - code: What WebSockets are closed with.
    ///   - reason: The reason in the close frame.
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
