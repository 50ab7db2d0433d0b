import NIOCore

/// Stands next to the socket, below TLS, so that a connection can be cut without TLS saying goodbye.
final class WireHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// How long bytes still arriving are thrown away after an orderly end; closing with unread bytes would be a reset.
    static let grace = TimeAmount.seconds(1)

    /// Ends the sending side in order, and the rest when the peer has ended his or the grace is over.
    static func fin(_ channel: any Channel) {
        channel.eventLoop.assertInEventLoop()
        guard let context = try? channel.pipeline.syncOperations.context(handlerType: WireHandler.self) else {
            return channel.close(promise: nil)
        }
        context.close(mode: .output, promise: nil)
        channel.read()
        let close = channel.eventLoop.assumeIsolated().scheduleTask(in: grace) {
            context.close(mode: .all, promise: nil)
        }
        channel.closeFuture.whenComplete { _ in close.cancel() }
    }

    /// Ends the connection politely: with TLS by its own goodbye, without by the end of the sending side.
    static func end(_ channel: any Channel) {
        channel.eventLoop.assertInEventLoop()
        if TLS.isSpoken(in: channel.pipeline.syncOperations) { channel.close(promise: nil) } else { fin(channel) }
    }

    /// Ends the connection politely when everything written has left; a peer that does not read by then gets a reset.
    static func endWhenSent(_ channel: any Channel, within limit: Duration) {
        channel.eventLoop.assertInEventLoop()
        guard let context = try? channel.pipeline.syncOperations.context(handlerType: WireHandler.self) else {
            return channel.close(promise: nil)
        }
        let late = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
            if channel.isActive { reset(channel) }
        }
        channel.closeFuture.whenComplete { _ in late.cancel() }
        // An empty write below all other handlers stands behind everything they have written.
        context.writeAndFlush(NIOAny(ByteBuffer())).assumeIsolated().whenComplete { _ in
            if channel.isActive { end(channel) }
        }
    }

    /// Ends the connection with a TCP reset.
    static func reset(_ channel: any Channel) {
        channel.eventLoop.assertInEventLoop()
        let context = try? channel.pipeline.syncOperations.context(handlerType: WireHandler.self)
        if let provider = channel as? any SocketOptionProvider {
            _ = provider.setSoLinger(.init(l_onoff: 1, l_linger: 0))
        }
        guard let context else { return channel.close(promise: nil) }
        context.close(mode: .all, promise: nil)
    }
}
