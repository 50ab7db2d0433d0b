import NIOCore

/// Sits next to the socket, below TLS, so that a connection can be cut without a TLS close alert.
package final class WireHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    /// The time for which late bytes are discarded after a clean end; closing with unread bytes would send a reset.
    static let grace = TimeAmount.seconds(1)

    /// Ends the sending side now, and the connection once the peer ends its side or the grace period is over.
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

    /// Ends the connection cleanly: by the TLS close alert if there is TLS, else by ending the sending side.
    package static func end(_ channel: any Channel) {
        channel.eventLoop.assertInEventLoop()
        if TLS.isSpoken(in: channel.pipeline.syncOperations) { channel.close(promise: nil) } else { fin(channel) }
    }

    /// Ends the connection cleanly once everything is sent; resets it if the peer has not read all by the limit.
    static func endWhenSent(_ channel: any Channel, within limit: Duration) {
        channel.eventLoop.assertInEventLoop()
        guard let context = try? channel.pipeline.syncOperations.context(handlerType: WireHandler.self) else {
            return channel.close(promise: nil)
        }
        let late = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
            if channel.isActive { reset(channel) }
        }
        channel.closeFuture.whenComplete { _ in late.cancel() }
        // An empty write below all other handlers completes after everything they have written.
        context.writeAndFlush(NIOAny(ByteBuffer())).assumeIsolated().whenComplete { _ in
            if channel.isActive { end(channel) }
        }
    }

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
