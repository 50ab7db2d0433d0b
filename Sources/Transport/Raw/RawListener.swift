import NIOCore

final class RawListener: Sendable {
    var port: Int { listener.port }

    private let listener: Listener

    private init(listener: Listener) { self.listener = listener }

    /// Starts to listen.
    ///
    /// * `serve`: Owns the connection; returning ends it, unless it was silenced.
    /// - Throws: `cannotListen`.
    static func start(
        host: String = "127.0.0.1", port: Int = 0, serve: @escaping @Sendable (RawConnection) async -> Void
    ) async throws(TransportProblem) -> RawListener {
        let listener = try await Listener.start(host: host, port: port) { pipeline, registry in
            try pipeline.addHandler(
                RawHandler(address: "raw client") { core in
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

    /// Stops listening, resets every connection, and returns once the closures have returned, after at most 2 s.
    func stop() async { await listener.stop() }
}

final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let address: String
    private let opened: @Sendable (SocketCore) -> Void
    private var core: SocketCore?

    init(address: String, opened: @escaping @Sendable (SocketCore) -> Void) {
        self.address = address
        self.opened = opened
    }

    func channelActive(context: ChannelHandlerContext) {
        let core = SocketCore(
            channel: context.channel, isClient: false, address: address, maxQueuedBytes: 1 << 20,
            maxUnsentBytes: 256 << 20)
        self.core = core
        opened(core)
        core.readIfWanted()
    }

    func channelReadComplete(context: ChannelHandlerContext) { core?.readIfWanted() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = ContinuousClock.now
        guard let core, !core.withState({ $0.discarding || $0.silent }) else { return }
        core.queue.push(WebSocketArrival(at: now, event: .binary(Array(unwrapInboundIn(data).readableBytesView))))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        core?.queue.push(WebSocketArrival(at: .now, event: .failed(TransportProblem(error, at: address))))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        core?.queue.push(WebSocketArrival(at: .now, event: .eof))
        core?.finish(.closed)
        context.fireChannelInactive()
    }
}
