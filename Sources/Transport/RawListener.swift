import NIOCore

/// Listens on TCP and gives every connection to a closure; speaks no protocol itself.
public final class RawListener: Sendable {
    /// The port it listens on.
    public let port: Int

    private let channel: any Channel
    private let registry: ServerRegistry

    private init(channel: any Channel, registry: ServerRegistry) {
        self.channel = channel
        self.registry = registry
        port = channel.localAddress?.port ?? 0
    }

    deinit {
        channel.close(promise: nil)
        registry.abort()
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - host: An address of this machine.
    ///   - port: 0 takes a free one.
    ///   - serve: Has the connection for itself; returning ends it, unless it was silenced.
    /// - Returns: A listener that listens already.
    /// - Throws: `cannotListen`.
    public static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        serve: @escaping @Sendable (RawConnection) async -> Void
    ) async throws(TransportProblem) -> RawListener {
        let registry = ServerRegistry(maxConnections: .max)
        let channel = try await Listening.bind(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(WireHandler())
                guard registry.admit(channel) else { throw TransportProblem(.closed, at: "\(host):\(port)") }
                try pipeline.addHandler(
                    RawHandler(place: "raw client") { core in
                        let connection = RawConnection(core: core)
                        registry.run {
                            await serve(connection)
                            if !core.withState({ $0.silent }) { core.cut(.fin) }
                            _ = try? await core.ended.value()
                            _ = connection
                        }
                    }
                )
            }
        }
        return RawListener(channel: channel, registry: registry)
    }

    /// Stops listening, resets every connection, and returns when the closures have returned, after 2 s at the latest.
    public func stop() async {
        await Listening.close(channel)
        registry.abort()
        _ = try? await registry.emptied.value(within: .seconds(2), "end of the last connection")
    }
}
