import HoldfastPlatform
import NIOCore
import NIOHTTP1
import NIOTLS

final class ClientExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let address: String
    private let answers: AnswerBox
    private let tripwire: Tripwire?
    private let opened: OneShot<any Channel>
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    init(address: String, answers: AnswerBox, tripwire: Tripwire? = nil, opened: OneShot<any Channel>) {
        self.address = address
        self.answers = answers
        self.tripwire = tripwire
        self.opened = opened
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
        if !answers.isSilent { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !answers.isSilent else { return }
        let limit = answers.maxBodyBytes
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
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
            tripwire?.look(at: body)
            let answer = HTTPAnswer(
                status: Int(head.status.code),
                headers: head.headers.map { ($0.name, $0.value) },
                body: body,
                receivedAt: now
            )
            body = []
            answers.settle(.success(answer))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportProblem(error, at: address), context)
    }

    private func fail(_ problem: TransportProblem, _ context: ChannelHandlerContext) {
        body = []
        opened.fulfill(.failure(problem))
        answers.settle(.failure(problem))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(TransportProblem(.closed, at: address), context)
        context.fireChannelInactive()
    }
}

/// Holds the request that waits for the answer being read.
final class AnswerBox: Sendable {
    private struct State {
        var waiting: OneShot<HTTPAnswer>?
        var maxBodyBytes = 0
        var silent = false
    }

    private let state = Mutex(State())
    private let address: String

    init(address: String) { self.address = address }

    /// Registers a request; at most one may be pending.
    func expect(maxBodyBytes: Int) throws(TransportProblem) -> OneShot<HTTPAnswer> {
        let answer = OneShot<HTTPAnswer>(address: address)
        let isFree = state.withLock { state in
            guard state.waiting == nil else { return false }
            state.waiting = answer
            state.maxBodyBytes = maxBodyBytes
            return true
        }
        guard isFree else {
            throw TransportProblem(.protocolError(reason: "a second request before the first answer"), at: address)
        }
        return answer
    }

    var maxBodyBytes: Int { state.withLock { $0.maxBodyBytes } }
    var isSilent: Bool { state.withLock { $0.silent } }

    func silence() { state.withLock { $0.silent = true } }

    func settle(_ outcome: Result<HTTPAnswer, TransportProblem>) {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.fulfill(outcome)
    }
}
