import HoldfastBasics
import NIOCore
import NIOHTTP1

/// An HTTP connection that is opened in advance and used for one request after another.
///
/// Dropping the last reference ends the TCP connection.
package final class HTTPConnection: Sendable {
    private let channel: any Channel

    /// Opens TCP, and TLS if the scheme is `https` or `wss`.
    ///
    /// * `endpoint`: Scheme, host and port; each request has its own path.
    /// * `tripwire`: Examines the body of each complete answer before the caller gets it.
    /// * `timeout`: The limit for all of this together.
    /// - Throws: `connectionRefused`, `unreachable`, `tls`, `closed` or `late`.
    package init(
        to endpoint: Endpoint,
        tls: TLSOptions = TLSOptions(),
        tripwire: Tripwire? = nil,
        timeout: Duration = .seconds(10)
    ) async throws(TransportProblem) {
        channel = try await Connector.connect(
            to: endpoint, tls: tls, timeout: timeout, waitingFor: "connection"
        ) { channel, result in
            let pipeline = channel.pipeline.syncOperations
            try Connector.addHTTP(to: pipeline)
            try pipeline.addHandler(
                ClientExchangeHandler(address: endpoint.address, tripwire: tripwire, opened: result))
        }
    }

    deinit {
        if channel.isActive { cut(.fin) }
    }

    package struct Pending: Sendable {
        let answer: OneShot<HTTPAnswer>
        /// Set once the head of the answer has arrived.
        let begun, written: OneShot<Void>

        /// Returns once the operating system has taken the request's bytes.
        nonisolated(nonsending) func waitUntilSent() async throws(TransportProblem) {
            try await written.value()
        }
    }

    /// Sends a request without waiting, so that the connection can be cut before the answer; no other request may be
    /// pending.
    package func send(_ request: HTTPRequestSpec, maxBodyBytes: Int = 16 << 20) -> Pending {
        let address = request.endpoint.address
        let pending = Pending(
            answer: OneShot(address: address), begun: OneShot(address: address), written: OneShot(address: address))
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { result in
            pending.written.fulfill(result.mapError { TransportProblem($0, at: address) })
        }
        onHandler { channel, handler in
            guard channel.isActive, let handler else {
                pending.answer.fulfill(.failure(TransportProblem(.closed, at: address)))
                return promise.fail(ChannelError.ioOnClosedChannel)
            }
            handler.expect(pending, maxBodyBytes: maxBodyBytes)
            Self.write(request, to: channel, promise)
        }
        return pending
    }

    package func cut(_ how: Cut) {
        onHandler { channel, handler in
            guard channel.isActive else { return }
            switch how {
            case .fin: WireHandler.fin(channel)
            case .reset: WireHandler.reset(channel)
            case .silence: handler?.isSilent = true
            }
        }
    }

    /// Passes nil as the handler if the connection has ended.
    private func onHandler(_ act: @escaping @Sendable (any Channel, ClientExchangeHandler?) -> Void) {
        channel.eventLoop.execute { [channel] in
            act(channel, try? channel.pipeline.syncOperations.handler(type: ClientExchangeHandler.self))
        }
    }

    private static func write(_ request: HTTPRequestSpec, to channel: any Channel, _ promise: EventLoopPromise<Void>) {
        var head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: request.endpoint.target
        )
        let given = Set(request.headers.map { $0.0.lowercased() })
        if !given.contains("host") { head.headers.add(name: "Host", value: request.endpoint.authority) }
        if !given.contains("content-length"), !given.contains("transfer-encoding"),
            !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method)
        {
            head.headers.add(name: "Content-Length", value: "\(request.body.count)")
        }
        for (name, value) in request.headers { head.headers.add(name: name, value: value) }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if !request.body.isEmpty {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: request.body))), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: promise)
    }
}
