import NIOCore

/// Holds back the bytes after an upgrade until the HTTP decoder below has left the pipeline.
///
/// The decoder discards buffered bytes if the peer ends the connection meanwhile. Without the gate, a close frame
/// would be lost if it arrives in one packet with the upgrade and the end of TCP.
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
    /// How many bytes of the separator after the head have matched; at four, the head is over.
    private var matched: Int

    /// Creates a gate that also splits the stream after the first head, so that the decoder sees only the head.
    init(splittingFirstHead: Bool) { matched = splittingFirstHead ? 0 : Self.endOfHead.count }

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
                // A handler that forwards on read-complete has already received that call, so it needs another.
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

    /// Removes HTTP from a pipeline whose next handler is already installed.
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
