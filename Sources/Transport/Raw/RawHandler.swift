import NIOCore

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
