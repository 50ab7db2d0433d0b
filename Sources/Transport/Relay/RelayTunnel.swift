import NIOCore
import NIOHTTP1

/// The two directions of one WebSocket through a relay.
///
/// Bytes are forwarded unchanged. The relay reads from one peer only while the other takes the bytes, so a flood fills
/// the sender's buffers and not the relay's memory.
final class RelayTunnel {
    /// A class, so that a growing message is never copied.
    private final class Direction {
        var splitter: FrameSplitter
        var held = 0
        /// The delayed piece, and the pieces after it.
        var queue: [FrameSplitter.Piece] = []
        var delayedAction: RelayAction?
        var isDelayed = false
        /// Whether the peer ended with a reset, kept until the delayed pieces are sent; nil if it has not ended.
        var endedByReset: Bool?

        init(from side: RelaySide, _ settings: RelaySettings) {
            splitter = FrameSplitter(from: side, limits: settings.limits, holds: settings.holdsMessages)
        }
    }

    private let number: Int
    private let client: any Channel
    private let server: any Channel
    private let settings: RelaySettings
    private let fromClient: Direction
    private let fromServer: Direction
    private var isOver = false
    private var isSilent = false

    init(_ number: Int, client: any Channel, server: any Channel, _ settings: RelaySettings) {
        self.number = number
        self.client = client
        self.server = server
        self.settings = settings
        fromClient = Direction(from: .client, settings)
        fromServer = Direction(from: .server, settings)
    }

    private func channel(_ side: RelaySide) -> any Channel { side == .client ? client : server }
    private func direction(_ side: RelaySide) -> Direction { side == .client ? fromClient : fromServer }

    func takeOver() throws {
        let (forClient, forServer) = (client.pipeline.syncOperations, server.pipeline.syncOperations)
        try forClient.addHandler(RelayTunnelHandler(self, .client))
        try forServer.addHandler(RelayTunnelHandler(self, .server))
        try UpgradeGate.replaceHTTP(
            HTTPResponseEncoder.self, ByteToMessageHandler<HTTPRequestDecoder>.self,
            and: forClient.context(handlerType: RelayClientHandler.self))
        try UpgradeGate.replaceHTTP(
            HTTPRequestEncoder.self, ByteToMessageHandler<HTTPResponseDecoder>.self,
            and: forServer.context(handlerType: RelayServerHandler.self))
        client.read()
        server.read()
    }

    // MARK: passing

    func received(_ bytes: ByteBuffer, from side: RelaySide) {
        guard !isOver, !isSilent else { return }
        let direction = direction(side)
        let pieces = direction.splitter.feed(bytes)
        let more = direction.splitter.heldBytes - direction.held
        if more <= 0 {
            settings.registry.release(-more)
            direction.held += more
        } else if settings.registry.hold(more, of: settings.limits.maxHeldBytes) {
            direction.held += more
        }
        let isTooMuch = direction.splitter.heldBytes > direction.held
        let problem = direction.splitter.problem
        for piece in pieces { take(piece, from: side) }
        if problem == nil, isTooMuch { giveUp(side) }
        if problem != nil, let now = direction.splitter.problem { reportLost(now, side) }
    }

    private var reportedLost: Set<RelaySide> = []

    private func reportLost(_ problem: TransportProblem, _ side: RelaySide) {
        guard !isOver, reportedLost.insert(side).inserted else { return }
        settings.watcher.lost(problem, from: side, number: number)
    }

    private func giveUp(_ side: RelaySide) {
        let problem = TransportProblem(.tooLarge(limit: settings.limits.maxHeldBytes), at: side.rawValue)
        let direction = direction(side)
        let piece = direction.splitter.giveUp(problem)
        settings.registry.release(direction.held)
        direction.held = 0
        take(piece, from: side)
        reportLost(problem, side)
    }

    private func take(_ piece: FrameSplitter.Piece, from side: RelaySide) {
        guard !isOver, !isSilent else { return }
        if direction(side).isDelayed {
            direction(side).queue.append(piece)
            return
        }
        guard let event = piece.event else { return pass(piece.bytes, from: side) }
        if case .tooLarge = event {
            // The rest of the message is forwarded unseen, so its beginning is forwarded whatever the watcher decides.
            _ = settings.watcher.saw(event, from: side, number: number)
            return pass(piece.bytes, from: side)
        }
        let action = settings.watcher.saw(event, from: side, number: number)
        guard action.delay > .zero else { return perform(action, piece, from: side) }
        direction(side).isDelayed = true
        direction(side).queue.insert(piece, at: 0)
        direction(side).delayedAction = action
        client.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(action.delay)) { [weak self] in
            self?.proceed(side)
        }
    }

    private func proceed(_ side: RelaySide) {
        guard !isOver, !isSilent else { return }
        let direction = direction(side)
        let (queue, delayedAction) = (direction.queue, direction.delayedAction)
        direction.isDelayed = false
        direction.queue = []
        direction.delayedAction = nil
        for (index, piece) in queue.enumerated() {
            if index == 0, let delayedAction, let event = piece.event {
                settings.watcher.delivered(event, from: side, number: number)
                perform(delayedAction, piece, from: side)
            } else {
                take(piece, from: side)
            }
        }
        flush(side.other)
        if direction.isDelayed { return }
        if let wasReset = direction.endedByReset { follow(side, wasReset: wasReset) } else { readIfWanted(side) }
    }

    private func perform(_ action: RelayAction, _ piece: FrameSplitter.Piece, from side: RelaySide) {
        for _ in 0..<action.copies { pass(piece.bytes, from: side) }
        switch action.ending {
        case nil: break
        case .close(let code): close(code)
        case .cut(.silence):
            flush(side.other)
            isSilent = true
        case .cut(let how):
            flush(side.other)
            finish()
            for channel in [client, server] where channel.isActive {
                if how == .reset { WireHandler.reset(channel) } else { WireHandler.end(channel) }
            }
        }
    }

    private func pass(_ bytes: ByteBuffer, from side: RelaySide) {
        if bytes.readableBytes > 0 { channel(side.other).write(bytes, promise: nil) }
    }

    private func flush(_ side: RelaySide) {
        settings.watcher.keep()
        channel(side).flush()
    }

    func forward(from side: RelaySide) {
        flush(side.other)
        readIfWanted(side)
    }

    func canTakeMore(_ side: RelaySide) { readIfWanted(side.other) }

    private func readIfWanted(_ side: RelaySide) {
        guard !isSilent, !direction(side).isDelayed, isOver || channel(side.other).isWritable else { return }
        channel(side).read()
    }

    // MARK: ending

    func ended(_ side: RelaySide, wasReset: Bool) {
        guard !isOver else { return }
        if isSilent {
            // A silent connection that one peer ends is over for both.
            finish()
            return channel(side.other).close(promise: nil)
        }
        guard !direction(side).isDelayed else {
            direction(side).endedByReset = wasReset
            return
        }
        follow(side, wasReset: wasReset)
    }

    /// Ends the other peer's connection the same way.
    private func follow(_ side: RelaySide, wasReset: Bool) {
        guard !isOver else { return }
        settings.watcher.ended(by: side, wasReset: wasReset, number: number)
        finish()
        let other = channel(side.other)
        guard other.isActive else { return }
        if wasReset { return WireHandler.reset(other) }
        flush(side.other)
        WireHandler.endWhenSent(other, within: settings.limits.patience)
    }

    /// Sends both peers a close frame; inside a partial frame that is impossible, and the connection just ends.
    func close(_ code: UInt16) {
        guard !isOver else { return }
        for side in [RelaySide.client, .server] where channel(side).isActive {
            if direction(side.other).splitter.isBetweenFrames, !isSilent {
                let mask = side == .server ? UInt32.random(in: .min ... .max) : nil
                let frame = WebSocketFrame.close(code: code).bytes(mask: mask)
                channel(side).writeAndFlush(ByteBuffer(bytes: frame), promise: nil)
            }
            WireHandler.endWhenSent(channel(side), within: settings.limits.patience)
        }
        finish()
    }

    private func finish() {
        isOver = true
        for side in [RelaySide.client, .server] {
            settings.registry.release(direction(side).held)
            direction(side).held = 0
            direction(side).queue = []
        }
    }
}

final class RelayTunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let tunnel: RelayTunnel
    private let side: RelaySide
    private var wasReset = false

    init(_ tunnel: RelayTunnel, _ side: RelaySide) {
        self.tunnel = tunnel
        self.side = side
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        tunnel.received(unwrapInboundIn(data), from: side)
    }

    func channelReadComplete(context: ChannelHandlerContext) { tunnel.forward(from: side) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { tunnel.canTakeMore(side) }
    }

    func channelInactive(context: ChannelHandlerContext) { tunnel.ended(side, wasReset: wasReset) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if TransportProblem(error, at: "").code == .reset { wasReset = true }
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ServerIsStopping { tunnel.close(1001) } else { context.fireUserInboundEventTriggered(event) }
    }
}
