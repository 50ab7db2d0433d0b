import HoldfastTransport
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

extension NIOSSLProvider {
    func addHTTP2(
        to pipeline: ChannelPipeline.SynchronousOperations, of channel: any Channel, within limits: ServerLimits,
        serving addStream: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
    ) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.maxConcurrentStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.maxHeaderBytes),
        ]
        // Clients that measure the round trip send a ping with each request; ten a second are not an attack.
        connection.controlFrameRateLimit.maximumCount = 300
        let connectionHandler = HTTP2ConnectionHandler(
            eventLoop: channel.eventLoop, idleLimit: TimeAmount(limits.requestTimeout),
            maxStreams: limits.maxConcurrentStreams)
        let bound = NIOLoopBound(connectionHandler, eventLoop: channel.eventLoop)
        let http2 = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connection,
            streamConfiguration: .init(), streamDelegate: connectionHandler.delegate
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                // The announced limit binds only clients that have acknowledged it, and some never do.
                guard !bound.value.isFull else { throw TransportProblem(.closed, at: "a stream too many") }
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try addStream(pipeline)
            }
        }
        try pipeline.addHandler(http2)
        try pipeline.addHandler(connectionHandler)
        // Flow control bounds the incoming data, and the handler stops reading while a client does not read.
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }
}

/// Ends HTTP/2 connections that are idle or must close, and stops reading from clients that do not read.
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    struct Delegate: NIOHTTP2StreamDelegate, Sendable {
        let handler: NIOLoopBound<HTTP2ConnectionHandler>

        func streamCreated(_ id: HTTP2StreamID, channel: any Channel) { handler.value.opened(id) }
        func streamClosed(_ id: HTTP2StreamID, channel: any Channel) { handler.value.closed() }
    }

    private let eventLoop: any EventLoop
    private let idleLimit: TimeAmount
    private let maxStreams: Int
    private var context: ChannelHandlerContext?
    private var streams = 0
    private var last = HTTP2StreamID.rootStream
    private var isEnding = false
    private var idle: Scheduled<Void>?

    init(eventLoop: any EventLoop, idleLimit: TimeAmount, maxStreams: Int) {
        self.eventLoop = eventLoop
        self.idleLimit = idleLimit
        self.maxStreams = maxStreams
    }

    var delegate: Delegate { Delegate(handler: NIOLoopBound(self, eventLoop: eventLoop)) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        startIdling()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        idle?.cancel()
        self.context = nil
    }

    private func opened(_ id: HTTP2StreamID) {
        streams += 1
        last = max(last, id)
        idle?.cancel()
        if streams > 4 * maxStreams { context?.close(promise: nil) }
    }

    var isFull: Bool { streams > maxStreams }

    private func closed() {
        streams -= 1
        guard streams == 0 else { return }
        if isEnding { end() } else { startIdling() }
    }

    private func startIdling() {
        idle?.cancel()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        idle = eventLoop.scheduleTask(in: idleLimit) { bound.value.sendGoAway() }
    }

    /// Announces that no further stream is accepted, and ends the connection once the last one has ended.
    private func sendGoAway() {
        guard let context, !isEnding else { return }
        isEnding = true
        let frame = HTTP2Frame(
            streamID: .rootStream, payload: .goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        if streams == 0 { end() }
    }

    private func end() {
        // The frame that ended the last stream is written but not yet flushed.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            if let context = bound.value.context { WireHandler.end(context.channel) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ServerIsStopping { sendGoAway() } else { context.fireUserInboundEventTriggered(event) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream error ends only its stream; any other error ends the connection.
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }
}
