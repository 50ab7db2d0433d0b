import NIOCore

/// Reads a client's first bytes and sets up the protocol they start.
///
/// HTTP/2 starts with a preface that is not an HTTP/1.1 request (RFC 9113, 3.4), with or without TLS. So the bytes
/// decide, and a client that agreed on `h2` but speaks something else is handled as a bad request.
final class ProtocolChoice<Handler: TransportHandler>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static var preface: [UInt8] { Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) }

    private let serving: ExchangeServing<Handler>
    private var held = ByteBuffer()
    private var hasChosen = false
    private var idle: Scheduled<Void>?

    init(serving: ExchangeServing<Handler>) { self.serving = serving }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        idle = context.eventLoop.scheduleTask(in: TimeAmount(serving.limits.requestTimeout)) {
            let (this, context) = bound.value
            if !this.hasChosen { WireHandler.end(context.channel) }
        }
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        idle?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasChosen else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        held.writeBuffer(&bytes)
        let preface = Self.preface
        let seen = held.readableBytesView.prefix(preface.count)
        let isHTTP2 = seen.elementsEqual(preface.prefix(seen.count))
        guard !isHTTP2 || seen.count == preface.count else { return }
        choose(isHTTP2: isHTTP2, context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasChosen { context.fireChannelReadComplete() } else { context.read() }
    }

    private func choose(isHTTP2: Bool, _ context: ChannelHandlerContext) {
        hasChosen = true
        idle?.cancel()
        let pipeline = context.pipeline.syncOperations
        do {
            if isHTTP2 {
                guard try serving.addHTTP2(to: pipeline, of: context.channel) else { return }
            } else {
                try serving.addHTTP1(to: pipeline)
                // These handlers were added after the connection became active.
                context.fireChannelActive()
            }
        } catch {
            return context.close(promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(held))
        held = ByteBuffer()
    }
}
