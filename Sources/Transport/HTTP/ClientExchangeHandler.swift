import HoldfastPlatform
import NIOCore
import NIOHTTP1
import NIOTLS

final class ClientExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let address: String
    private let tripwire: Tripwire?
    private let opened: OneShot<any Channel>
    private var waiting: HTTPConnection.Pending?
    private var maxBodyBytes = 0
    var isSilent = false
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    init(address: String, tripwire: Tripwire? = nil, opened: OneShot<any Channel>) {
        self.address = address
        self.tripwire = tripwire
        self.opened = opened
    }

    func expect(_ answer: HTTPConnection.Pending, maxBodyBytes: Int) {
        (waiting, self.maxBodyBytes) = (answer, maxBodyBytes)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        // With TLS, the connection is open only after the handshake.
        guard !TLS.isSpoken(in: context.pipeline.syncOperations) else { return }
        opened.fulfill(.success(context.channel))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.handshakeCompleted) = event as? TLSUserEvent { opened.fulfill(.success(context.channel)) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isSilent { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSilent else { return }
        let limit = maxBodyBytes
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
            waiting?.begun.fulfill(.success(()))
            if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), length > limit {
                fail(TransportProblem(.tooLarge(limit: limit), at: address), context)
            }
        case .body(let part):
            guard body.count + part.readableBytes <= limit else {
                return fail(TransportProblem(.tooLarge(limit: limit), at: address), context)
            }
            body += part.readableBytesView
        case .end:
            guard let head else { return }
            let now = ContinuousClock.now
            tripwire?.check(body)
            let answer = HTTPAnswer(
                status: Int(head.status.code),
                headers: head.headers.map { ($0.name, $0.value) },
                body: body,
                receivedAt: now
            )
            body = []
            waiting.take()?.answer.fulfill(.success(answer))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportProblem(error, at: address), context)
    }

    private func fail(_ problem: TransportProblem, _ context: ChannelHandlerContext) {
        body = []
        opened.fulfill(.failure(problem))
        waiting.take()?.answer.fulfill(.failure(problem))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(TransportProblem(.closed, at: address), context)
        context.fireChannelInactive()
    }
}
