import NIOCore
import NIOHTTP1
import NIOTLS

/// The client side of a relay while it speaks HTTP.
final class RelayClientHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let settings: RelaySettings
    private var session: RelaySession?

    init(_ settings: RelaySettings) { self.settings = settings }

    func channelActive(context: ChannelHandlerContext) {
        session = RelaySession(context.channel, settings)
        session?.clientOpened()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { session?.clientSent(unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) { session?.forwardFromClient() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { session?.forwardFromServer() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        session?.clientEnded()
        session = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let session { session.failed(error, on: .client) } else { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ServerIsStopping { session?.sendClose() } else { context.fireUserInboundEventTriggered(event) }
    }
}

/// The server side of a relay while it speaks HTTP.
final class RelayServerHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let session: RelaySession

    init(session: RelaySession) { self.session = session }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.handshakeCompleted) = event as? TLSUserEvent { session.serverReady() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        session.serverSent(unwrapInboundIn(data), from: context.channel)
    }

    func channelReadComplete(context: ChannelHandlerContext) { session.forwardFromServer() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { session.forwardFromClient() }
    }

    func channelInactive(context: ChannelHandlerContext) { session.serverEnded(context.channel) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { session.failed(error, on: .server) }
}
