import NIOCore
import NIOHTTP1

/// One HTTP connection of a server: collects requests, answers them one at a time, and hands over upgrades.
final class ServerConnectionHandler<Handler: TransportHandler>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Collected {
        var head: HTTPRequestHead
        var body: [UInt8] = []

        /// Whether it asks for another protocol, after which the decoder treats no further bytes as HTTP.
        var asksForUpgrade: Bool {
            head.headers.contains(name: "Upgrade")
                && head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
        }
    }

    private let handler: Handler
    private let registry: ServerRegistry
    private let limits: ServerLimits
    private var collecting: Collected?
    private var waiting: [Collected] = []
    private var busy = false
    private var ending = false
    private var stopping = false
    private var idle: Scheduled<Void>?
    private let disconnect = DisconnectSignal()

    init(handler: Handler, registry: ServerRegistry, limits: ServerLimits) {
        self.handler = handler
        self.registry = registry
        self.limits = limits
    }

    func channelActive(context: ChannelHandlerContext) {
        startIdling(context)
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !busy || ending { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        idle?.cancel()
        release()
        disconnect.fire()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !ending else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let part):
            guard let held = collecting?.body.count else { return }
            guard held + part.readableBytes <= limits.maxBodyBytes else { return refuseBody(context) }
            guard registry.hold(part.readableBytes, of: limits.maxHeldBytes) else {
                return finish(.plain(503, "too many bodies at once"), context)
            }
            collecting?.body += part.readableBytesView
        case .end:
            guard let request = collecting else { return }
            collecting = nil
            waiting.append(request)
            answerNext(context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        collecting = Collected(head: head)
        let length = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
        if length > limits.maxBodyBytes { return refuseBody(context) }
        if head.headers.first(name: "Expect")?.lowercased() == "100-continue", !busy {
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
    }

    private func refuseBody(_ context: ChannelHandlerContext) {
        finish(.plain(413, "the body is larger than \(limits.maxBodyBytes) bytes"), context)
    }

    // MARK: answering

    private func answerNext(_ context: ChannelHandlerContext) {
        guard !busy, !ending, !waiting.isEmpty else { return }
        let request = waiting.removeFirst()
        busy = true
        idle?.cancel()
        registry.release(request.body.count)
        let seen = HTTPServerRequest(
            request.head, body: request.body, from: context.remoteAddress, disconnect: disconnect)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (handler, loop) = (handler, context.eventLoop)
        if request.head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }) {
            if let flaw = Self.flaw(of: request.head) { return finish(flaw, context) }
            registry.run {
                let decision = await handler.admit(seen)
                loop.execute {
                    let (this, context) = bound.value
                    this.decided(decision, seen, context)
                }
            }
        } else {
            let keepAlive = request.head.isKeepAlive && !request.asksForUpgrade
            let isHead = request.head.method == .HEAD
            registry.run {
                let response = await handler.respond(to: seen)
                loop.execute {
                    let (this, context) = bound.value
                    this.answer(response, keepAlive: keepAlive, isHead: isHead, context)
                }
            }
        }
    }

    /// An error answer if the request breaks RFC 6455 section 4.2.1.
    private static func flaw(of head: HTTPRequestHead) -> HTTPServerResponse? {
        guard head.method == .GET else { return .plain(405, "a WebSocket is requested with GET") }
        guard head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }) else {
            return .plain(400, "no 'Connection: Upgrade'")
        }
        guard head.headers.first(name: "Sec-WebSocket-Version") == "13" else {
            var response = HTTPServerResponse.plain(426, "only WebSocket version 13 is spoken")
            response.headers += [("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket")]
            return response
        }
        guard let key = head.headers.first(name: "Sec-WebSocket-Key"), key.utf8.count == 24 else {
            return .plain(400, "Sec-WebSocket-Key is not 16 bytes in base64")
        }
        return nil
    }

    private func answer(
        _ response: HTTPServerResponse, keepAlive: Bool, isHead: Bool = false, _ context: ChannelHandlerContext
    ) {
        guard context.channel.isActive, !ending else { return }
        if response.isHangUp {
            if response.isReset { return end(context, WireHandler.reset) }
            return end(context)
        }
        let asksToClose = response.headers.contains { name, value in
            name.lowercased() == "connection" && value.lowercased() == "close"
        }
        let staysOpen = keepAlive && !stopping && !asksToClose
        var head = response.head(.http1_1)
        if response.hasBody, response.pieces != nil {
            head.headers.replaceOrAdd(name: "Transfer-Encoding", value: "chunked")
        }
        if !staysOpen { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        registry.write(response, head, isHead: isHead, to: context) { [self] in
            guard context.channel.isActive, !ending else { return }
            let staysOpen = staysOpen && !stopping
            busy = false
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            guard staysOpen else { return end(context) }
            startIdling(context)
            answerNext(context)
            if !busy { context.read() }
        }
    }

    private func finish(_ response: HTTPServerResponse, _ context: ChannelHandlerContext) {
        answer(response, keepAlive: false, context)
    }

    private func end(_ context: ChannelHandlerContext, _ how: (any Channel) -> Void = WireHandler.end) {
        ending = true
        release()
        idle?.cancel()
        how(context.channel)
    }

    private func release() {
        for request in waiting + [collecting].compactMap({ $0 }) { registry.release(request.body.count) }
        waiting = []
        collecting = nil
    }

    // MARK: upgrading

    private func decided(_ decision: UpgradeDecision, _ request: UpgradeRequest, _ context: ChannelHandlerContext) {
        guard context.channel.isActive, !ending else { return }
        switch decision {
        case .refuse(let status, let body): finish(.plain(status, body), context)
        case .reset: end(context, WireHandler.reset)
        case .accept:
            if stopping { return finish(.plain(503, "the server stops"), context) }
            do {
                try upgrade(request, context)
            } catch {
                context.close(promise: nil)
            }
        }
    }

    private func upgrade(_ request: UpgradeRequest, _ context: ChannelHandlerContext) throws {
        var head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols)
        head.headers.add(name: "Upgrade", value: "websocket")
        head.headers.add(name: "Connection", value: "Upgrade")
        let key = request.header("Sec-WebSocket-Key") ?? ""
        head.headers.add(name: "Sec-WebSocket-Accept", value: Handshake.accept(for: key))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)

        let address = "client \(request.remoteAddress)"
        let core = SocketCore(
            channel: context.channel,
            isClient: false,
            address: address,
            maxQueuedBytes: limits.maxQueuedBytes,
            maxUnsentBytes: limits.maxUnsentBytes
        )
        let decoder = MessageDecoder(
            sender: .client,
            maxMessageBytes: limits.maxMessageBytes,
            oversize: limits.oversize == .close ? .fail : .discard,
            address: address
        )
        let pipeline = context.pipeline.syncOperations
        try pipeline.addHandler(WebSocketHandler(core: core, decoder: decoder, maxReceivedBytes: nil))
        try UpgradeGate.replaceHTTP(
            HTTPResponseEncoder.self, ByteToMessageHandler<HTTPRequestDecoder>.self, and: context)

        registry.add(core.channel, sendClose: core.sendClose)
        let socket = ServerSocket(request: request, core: core)
        let handler = handler
        registry.run {
            await handler.serve(socket)
            if !socket.isEnded { await socket.close() }
        }
    }

    // MARK: ending

    private func startIdling(_ context: ChannelHandlerContext) {
        idle?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        idle = context.eventLoop.scheduleTask(in: TimeAmount(limits.requestTimeout)) {
            let (this, context) = bound.value
            guard !this.busy, !this.ending else { return }
            this.end(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ServerIsStopping else { return context.fireUserInboundEventTriggered(event) }
        stopping = true
        if !busy, !ending { end(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, !ending, !busy else {
            // Pending answers cannot reach a client that broke the connection.
            ending = true
            return context.close(promise: nil)
        }
        finish(.plain(400, "not an HTTP request"), context)
    }
}
