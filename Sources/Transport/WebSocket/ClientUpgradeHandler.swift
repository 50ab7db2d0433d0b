import NIOCore
import NIOHTTP1

/// Requests the upgrade, checks the answer, and hands the connection to a ``WebSocketHandler``.
final class ClientUpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let endpoint: Endpoint
    private let headers: [(String, String)]
    private let limits: WebSocketLimits
    private let result: OneShot<SocketCore>
    private let key = Handshake.newKey()
    private var head: HTTPResponseHead?
    private var excerpt: [UInt8] = []

    init(endpoint: Endpoint, headers: [(String, String)], limits: WebSocketLimits, result: OneShot<SocketCore>) {
        self.endpoint = endpoint
        self.headers = headers
        self.limits = limits
        self.result = result
    }

    func channelActive(context: ChannelHandlerContext) {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: endpoint.target)
        head.headers.add(name: "Host", value: endpoint.authority)
        head.headers.add(name: "Upgrade", value: "websocket")
        head.headers.add(name: "Connection", value: "Upgrade")
        head.headers.add(name: "Sec-WebSocket-Key", value: key)
        head.headers.add(name: "Sec-WebSocket-Version", value: "13")
        // The caller's value replaces the default, so that a test can send a wrong version or host.
        for name in Set(headers.map { $0.0.lowercased() }) { head.headers.remove(name: name) }
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if result.outcome == nil { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard result.outcome == nil else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            guard head.status == .switchingProtocols else { return }
            if let reason = flaw(of: head) { fail(.notWebSocket(reason: reason), context) }
        case .body(var body):
            excerpt += body.readBytes(length: min(body.readableBytes, 400 - excerpt.count)) ?? []
            if excerpt.count == 400 { refuse(context) }
        case .end:
            guard head?.status == .switchingProtocols else { return refuse(context) }
            upgrade(context)
        }
    }

    private func flaw(of head: HTTPResponseHead) -> String? {
        guard head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }) else {
            return "no 'Upgrade: websocket' in the answer"
        }
        guard head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }) else {
            return "no 'Connection: Upgrade' in the answer"
        }
        let sent = headers.last { $0.0.lowercased() == "sec-websocket-key" }?.1 ?? key
        guard head.headers.first(name: "Sec-WebSocket-Accept") == Handshake.accept(for: sent) else {
            return "Sec-WebSocket-Accept does not belong to the key that was sent"
        }
        return nil
    }

    private func refuse(_ context: ChannelHandlerContext) {
        let text = String(decoding: excerpt, as: UTF8.self)
        fail(.upgradeRefused(status: Int(head?.status.code ?? 0), bodyExcerpt: text), context)
    }

    private func fail(_ code: TransportProblem.Code, _ context: ChannelHandlerContext) {
        result.fulfill(.failure(TransportProblem(code, at: endpoint.address)))
        context.close(promise: nil)
    }

    private func upgrade(_ context: ChannelHandlerContext) {
        let core = SocketCore(
            channel: context.channel,
            isClient: true,
            address: endpoint.address,
            maxQueuedBytes: limits.maxQueuedBytes,
            maxUnsentBytes: limits.maxUnsentBytes
        )
        let decoder = MessageDecoder(
            sender: .server, maxMessageBytes: limits.maxMessageBytes, oversize: .fail, address: endpoint.address)
        let handler = WebSocketHandler(core: core, decoder: decoder, maxReceivedBytes: limits.maxReceivedBytes)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(handler)
            try UpgradeGate.replaceHTTP(
                HTTPRequestEncoder.self, ByteToMessageHandler<HTTPResponseDecoder>.self, and: context)
            if !result.fulfill(.success(core)) { context.close(promise: nil) }
        } catch {
            result.fulfill(.failure(TransportProblem(error, at: endpoint.address)))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        result.fulfill(.failure(TransportProblem(error, at: endpoint.address)))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        result.fulfill(.failure(TransportProblem(.closed, at: endpoint.address)))
        context.fireChannelInactive()
    }
}
