import NIOCore

/// Stands below the HTTP decoder and keeps what follows an upgrade until that decoder has left the pipeline.
///
/// The decoder forgets what it holds when the peer ends the connection meanwhile: a server that accepts, says why it
/// closes and closes, all in one packet, would be heard to say nothing.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private enum Held {
        case bytes(ByteBuffer)
        case failure(any Error)
        case end
    }

    private static let endOfHead = Array("\r\n\r\n".utf8)

    private var holding = false
    private var held: [Held] = []
    /// How many bytes of the end of the head the stream last showed; four and more mean that the head is over.
    private var matched: Int

    /// A gate that also cuts the stream after the first head, so that the decoder never sees what follows it.
    init(splittingFirstHead: Bool) { matched = splittingFirstHead ? 0 : Self.endOfHead.count }

    /// Keeps everything from now on, and delivers it when the decoder is gone.
    func hold(until removed: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        holding = true
        removed.assumeIsolated().whenComplete { _ in self.deliver(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if matched < Self.endOfHead.count, let head = takeHead(&bytes) { context.fireChannelRead(wrapInboundOut(head)) }
        guard bytes.readableBytes > 0 else { return }
        if holding { held.append(.bytes(bytes)) } else { context.fireChannelRead(wrapInboundOut(bytes)) }
    }

    private func takeHead(_ bytes: inout ByteBuffer) -> ByteBuffer? {
        var length = 0
        for byte in bytes.readableBytesView {
            length += 1
            matched = byte == Self.endOfHead[matched] ? matched + 1 : (byte == Self.endOfHead[0] ? 1 : 0)
            if matched == Self.endOfHead.count { break }
        }
        return bytes.readSlice(length: length)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if holding { held.append(.failure(error)) } else { context.fireErrorCaught(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if holding { held.append(.end) } else { context.fireChannelInactive() }
    }

    private func deliver(_ context: ChannelHandlerContext) {
        holding = false
        for item in held {
            switch item {
            case .bytes(let bytes):
                context.fireChannelRead(wrapInboundOut(bytes))
                // Whoever passes on what it reads does so when nothing more comes, and was told that before.
                context.fireChannelReadComplete()
            case .failure(let error): context.fireErrorCaught(error)
            case .end: context.fireChannelInactive()
            }
        }
        held = []
        _ = context.pipeline.syncOperations.removeHandler(context: context)
    }
}

extension UpgradeGate {
    typealias InboundOut = ByteBuffer

    /// Takes HTTP out of a pipeline, behind which the handler for what follows already stands.
    static func replaceHTTP<Encoder: ChannelHandler, Decoder: ChannelHandler>(
        _ encoder: Encoder.Type, _ decoder: Decoder.Type, and context: ChannelHandlerContext
    ) throws {
        let pipeline = context.pipeline.syncOperations
        let gateContext = try pipeline.context(handlerType: UpgradeGate.self)
        let encoderContext = try pipeline.context(handlerType: encoder)
        let decoderContext = try pipeline.context(handlerType: decoder)
        _ = pipeline.removeHandler(context: encoderContext)
        _ = pipeline.removeHandler(context: context)
        let removed = pipeline.removeHandler(context: decoderContext)
        (gateContext.handler as? UpgradeGate)?.hold(until: removed, gateContext)
    }
}
