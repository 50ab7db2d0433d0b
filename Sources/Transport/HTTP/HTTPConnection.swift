import HoldfastBasics
import NIOCore
import NIOHTTP1

/// An HTTP connection that is opened in advance and used for one request after another.
///
/// Dropping the last reference ends the TCP connection.
package final class HTTPConnection: Sendable {
    private let channel: any Channel
    private let answers: AnswerBox

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
        let answers = AnswerBox(address: endpoint.address)
        self.answers = answers
        channel = try await Connector.connect(
            to: endpoint, tls: tls, timeout: timeout, waitingFor: "connection"
        ) { channel, made in
            let pipeline = channel.pipeline.syncOperations
            try Connector.addHTTP(to: pipeline)
            try pipeline.addHandler(
                ClientExchangeHandler(address: endpoint.address, answers: answers, tripwire: tripwire, opened: made))
        }
    }

    deinit {
        if channel.isActive { cut(.fin) }
    }

    package struct Pending: Sendable {
        let answer: OneShot<HTTPAnswer>
        let written: OneShot<Void>

        /// Returns once the operating system has taken the request's bytes.
        nonisolated(nonsending) func waitUntilSent() async throws(TransportProblem) {
            try await written.value()
        }
    }

    /// Sends a request without waiting, so that the connection can be cut before the answer.
    /// - Throws: `closed` if the connection is gone, `protocolError` if another request is pending.
    package func send(_ request: HTTPRequestSpec, maxBodyBytes: Int = 16 << 20) throws(TransportProblem) -> Pending {
        guard channel.isActive else { throw TransportProblem(.closed, at: request.endpoint.address) }
        let answer = try answers.expect(maxBodyBytes: maxBodyBytes)
        let written = OneShot<Void>(address: request.endpoint.address)
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { result in
            written.fulfill(result.mapError { TransportProblem($0, at: request.endpoint.address) })
        }
        channel.eventLoop.execute { [channel] in Self.write(request, to: channel, promise) }
        return Pending(answer: answer, written: written)
    }

    package func cut(_ how: Cut) {
        channel.eventLoop.execute { [channel, answers] in
            guard channel.isActive else { return }
            switch how {
            case .fin: WireHandler.fin(channel)
            case .reset: WireHandler.reset(channel)
            case .silence: answers.silence()
            }
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
