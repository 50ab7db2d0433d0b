import HoldfastBasics
import NIOCore

/// The WebSocket on the event loop: turns bytes into events, and sends the answers that the protocol requires.
final class WebSocketHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// The time that the peer may take to end TCP after both close frames (RFC 6455 section 7.1.1).
    static let patience = TimeAmount.seconds(2)

    private let core: SocketCore
    private var decoder: MessageDecoder
    private var budget: Int?
    private var rest = ByteBuffer()
    private var over = false

    init(core: SocketCore, decoder: MessageDecoder, maxReceivedBytes: Int?) {
        self.core = core
        self.decoder = decoder
        budget = maxReceivedBytes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { core.readIfWanted() }
    }

    func channelActive(context: ChannelHandlerContext) { core.readIfWanted() }

    func channelReadComplete(context: ChannelHandlerContext) { core.readIfWanted() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = ContinuousClock.now
        var bytes = unwrapInboundIn(data)
        core.withState { $0.heardAt = now }
        guard !over, !core.withState({ $0.discarding || $0.silent }) else { return }
        if let left = budget {
            guard bytes.readableBytes <= left else {
                over = true
                core.queue.push(WebSocketArrival(at: now, event: .flooded(droppedBytes: bytes.readableBytes)))
                return core.cut(.reset)
            }
            budget = left - bytes.readableBytes
        }
        if rest.readableBytes > 0 {
            rest.writeBuffer(&bytes)
            swap(&rest, &bytes)
        }
        parse(&bytes, at: now)
        // At most 13 bytes of an unfinished header remain; the copy releases the read buffer.
        rest = ByteBuffer(bytes: bytes.readableBytesView)
    }

    private func parse(_ bytes: inout ByteBuffer, at now: ContinuousClock.Instant) {
        do {
            while !over, let event = try decoder.next(&bytes) {
                for tripwire in core.withState({ $0.tripwires }) { tripwire.check(event) }
                // The answer is queued first; otherwise the consumer's own close frame could overtake it.
                answer(event)
                core.queue.push(WebSocketArrival(at: now, event: event))
            }
        } catch {
            over = true
            let code: UInt16 = if case .tooLarge = error.code { 1009 } else { 1002 }
            _ = try? core.post(core.encoded(.close(code: code, reason: error.name)), isClose: true)
            core.end()
            core.queue.push(WebSocketArrival(at: now, event: .failed(error)))
        }
    }

    private func answer(_ event: WebSocketEvent) {
        switch event {
        case .ping(let payload):
            // A peer that pings without reading gets no pongs beyond the limit; a later pong covers them (5.5.3).
            guard core.withState({ $0.answersPings && $0.unsentBytes < 1 << 20 }) else { return }
            _ = try? core.post(core.encoded(WebSocketFrame(.pong, payload)))
        case .close(let code, _):
            over = true
            let legal = code.map { isCloseCode(Int($0)) ? $0 : 1002 }
            // A connection that must appear dead sends no close frame either.
            if core.withState({ $0.answersPings }) {
                _ = try? core.post(core.encoded(.close(code: legal)), isClose: true)
            }
            guard core.isClient else { return core.end() }
            let core = core
            core.channel.eventLoop.scheduleTask(in: Self.patience) { core.end() }
        default:
            break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let problem = TransportProblem(error, at: core.address)
        // TLS without a close alert counts as a normal end, reported when the channel closes.
        if !over, problem.code != .closed {
            over = true
            core.queue.push(WebSocketArrival(at: .now, event: .failed(problem)))
        }
        core.finish(problem.code)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        core.queue.push(WebSocketArrival(at: .now, event: .eof))
        core.finish(.closed)
        context.fireChannelInactive()
    }
}
