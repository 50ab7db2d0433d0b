import NIOCore

/// Listens on TCP and gives every connection to a closure; speaks no protocol itself.
public final class RawListener: Sendable {
    /// The port it listens on.
    public var port: Int { listener.port }

    private let listener: Listener

    private init(listener: Listener) {
        self.listener = listener
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
        let listener = try await Listener.start(host: host, port: port) { pipeline, registry in
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
        return RawListener(listener: listener)
    }

    /// Stops listening, resets every connection, and returns when the closures have returned, after 2 s at the latest.
    public func stop() async {
        await listener.stop()
    }
}
