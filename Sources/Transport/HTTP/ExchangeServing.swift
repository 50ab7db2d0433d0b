import NIOCore
import NIOHTTP1

/// What the connections of one server share: who answers, within which bounds.
struct ExchangeServing<Handler: TransportHandler>: Sendable {
    let handler: Handler
    let registry: ServerRegistry
    let limits: ServerLimits

    /// Adds what speaks HTTP/1.1, and hands over to WebSocket where a client asks for it.
    func addHTTP1(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(UpgradeGate(splittingFirstHead: false))
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)))
        try pipeline.addHandler(ServerConnectionHandler(handler: handler, registry: registry, limits: limits))
    }
}

extension HTTPServerRequest {
    /// A request as it came over a connection.
    init(_ head: HTTPRequestHead, body: [UInt8], from address: SocketAddress?, departure: Departure? = nil) {
        self.init(
            method: head.method.rawValue,
            target: head.uri,
            headers: head.headers.map { ($0.name, $0.value) },
            body: body,
            remoteAddress: address.map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? ""
        )
        self.departure = departure
    }
}

extension HTTPServerResponse {
    /// The head of an answer, with the length of its body where that is known.
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

    /// Whether the status allows a body.
    var hasBody: Bool { status != 204 && status != 304 }

    /// An answer of the server's own, in words.
    static func plain(_ status: Int, _ text: String) -> HTTPServerResponse {
        HTTPServerResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }
}
