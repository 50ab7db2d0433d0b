import NIOCore
import NIOHTTP1

/// The handler and the limits that all connections of a server share.
struct ExchangeServing<Handler: TransportHandler>: Sendable {
    let handler: Handler
    let registry: ServerRegistry
    let limits: ServerLimits

    func addHTTP1(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(UpgradeGate(splittingFirstHead: false))
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)))
        try pipeline.addHandler(ServerConnectionHandler(handler: handler, registry: registry, limits: limits))
    }
}

extension ExchangeServing {
    /// Adds the HTTP/2 handlers, with one stream for each request.
    /// - Returns: False in a program without HTTP/2: the handler gets the preface as a request, and the connection
    ///   ends.
    func addHTTP2(to pipeline: ChannelPipeline.SynchronousOperations, of channel: any Channel) throws -> Bool {
        let address = channel.remoteAddress
        guard let provider = TLS.provider else {
            let preface = HTTPRequestHead(version: .http2, method: .RAW(value: "PRI"), uri: "*")
            registry.run { _ = await handler.respond(to: HTTPServerRequest(preface, body: [], from: address)) }
            channel.close(promise: nil)
            return false
        }
        try provider.addHTTP2(to: pipeline, of: channel, within: limits) { stream in
            try stream.addHandler(HTTP2StreamHandler(serving: self, address: address))
        }
        return true
    }
}

extension ServerRegistry {
    /// Writes the head and body of an answer, and continues once all of it is written.
    ///
    /// A streamed body is sent piece by piece, each after the previous one is written; it ends when the client
    /// disconnects.
    func write(
        _ response: HTTPServerResponse, _ head: HTTPResponseHead, isHead: Bool, to context: ChannelHandlerContext,
        then end: @escaping () -> Void
    ) {
        context.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
        guard response.hasBody, !isHead else { return end() }
        guard let pieces = response.pieces else {
            if !response.body.isEmpty { context.write(Self.part(response.body), promise: nil) }
            return end()
        }
        context.flush()
        let loop = context.eventLoop
        let bound = NIOLoopBound((context, end), eventLoop: loop)
        run {
            for await piece in pieces where !piece.isEmpty {
                let sent = loop.flatSubmit { bound.value.0.writeAndFlush(Self.part(piece)) }
                guard (try? await sent.get()) != nil else { return }
            }
            loop.execute { bound.value.1() }
        }
    }

    private static func part(_ bytes: [UInt8]) -> NIOAny {
        NIOAny(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes))))
    }
}

extension HTTPServerRequest {
    init(_ head: HTTPRequestHead, body: [UInt8], from address: SocketAddress?, disconnect: DisconnectSignal? = nil) {
        self.init(
            method: head.method.rawValue,
            target: head.uri,
            headers: head.headers.map { ($0.name, $0.value) },
            body: body,
            remoteAddress: address.map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? ""
        )
        self.disconnect = disconnect
    }
}

extension HTTPServerResponse {
    /// The head of an answer, with the length of its body if that is known.
    func head(_ version: HTTPVersion) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: version, status: .init(statusCode: status))
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        if pieces != nil {
            head.headers.remove(name: "Content-Length")
        } else if hasBody, !head.headers.contains(name: "Content-Length") {
            head.headers.add(name: "Content-Length", value: "\(body.count)")
        }
        return head
    }

    var hasBody: Bool { status != 204 && status != 304 }

    package static func plain(_ status: Int, _ text: String) -> HTTPServerResponse {
        HTTPServerResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }
}
