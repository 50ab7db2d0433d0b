import NIOCore
import NIOHTTP1

final class HTTP2StreamHandler<Handler: TransportHandler>: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let serving: ExchangeServing<Handler>
    private let address: SocketAddress?
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isAnswered = false
    /// Bytes received after the answer; they are discarded, up to a limit.
    private var surplus = 0
    private var timer: Scheduled<Void>?

    init(serving: ExchangeServing<Handler>, address: SocketAddress?) {
        self.serving = serving
        self.address = address
    }

    func handlerAdded(context: ChannelHandlerContext) { startTimer(context) }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        serving.registry.release(body.count)
        body = []
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let part) where isAnswered:
            // The rest is discarded: a client whose stream is reset might not read the answer.
            surplus += part.readableBytes
            if surplus > 8 * serving.limits.maxBodyBytes { context.close(promise: nil) }
        case .body(let part): take(part, context)
        case .end:
            guard !isAnswered else { return }
            timer?.cancel()
            answer(context)
        }
    }

    private func take(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        guard body.count + part.readableBytes <= serving.limits.maxBodyBytes else {
            return finish(.plain(413, "the body is larger than \(serving.limits.maxBodyBytes) bytes"), context)
        }
        guard serving.registry.hold(part.readableBytes, of: serving.limits.maxHeldBytes) else {
            return finish(.plain(503, "too many bodies at once"), context)
        }
        body += part.readableBytesView
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head else { return context.close(promise: nil) }
        let request = HTTPServerRequest(head, body: body, from: address)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (handler, loop) = (serving.handler, context.eventLoop)
        serving.registry.run {
            let response = await handler.respond(to: request)
            loop.execute {
                let (this, context) = bound.value
                this.finish(response, context)
            }
        }
    }

    /// Sends an answer and ends the stream once the client has ended its side or its time is up.
    private func finish(_ response: HTTPServerResponse, _ context: ChannelHandlerContext) {
        guard !isAnswered, context.channel.isActive else { return }
        isAnswered = true
        if response.isHangUp { return context.close(promise: nil) }
        var head = response.head(.http2)
        // Connection-specific fields are forbidden here (RFC 9113, 8.2.2).
        for name in ["Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade"] { head.headers.remove(name: name) }
        serving.registry.write(response, head, isHead: self.head?.method == .HEAD, to: context) { self.end(context) }
    }

    private func end(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        // A client that does not read must not keep the stream open forever.
        startTimer(context)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: TimeAmount(serving.limits.requestTimeout)) {
            bound.value.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isAnswered = true
        context.close(promise: nil)
    }
}
