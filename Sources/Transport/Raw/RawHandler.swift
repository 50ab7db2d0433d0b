import NIOCore

/// Bytes in, the same bytes out as events.
final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let place: String
    private let opened: @Sendable (SocketCore) -> Void
    private var core: SocketCore?

    init(place: String, opened: @escaping @Sendable (SocketCore) -> Void) {
        self.place = place
        self.opened = opened
    }

    func channelActive(context: ChannelHandlerContext) {
        let core = SocketCore(
            channel: context.channel, isClient: false, place: place, maxQueuedBytes: 1 << 20, maxUnsentBytes: 256 << 20)
        self.core = core
        opened(core)
        core.readIfWanted()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        core?.readIfWanted()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = ContinuousClock.now
        guard let core, !core.withState({ $0.discarding || $0.silent }) else { return }
        core.queue.push(WebSocketArrival(at: now, event: .binary(Array(unwrapInboundIn(data).readableBytesView))))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        core?.queue.push(WebSocketArrival(at: .now, event: .failed(TransportProblem(error, at: place))))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        core?.queue.push(WebSocketArrival(at: .now, event: .eof))
        core?.finish(.closed)
        context.fireChannelInactive()
    }
}
