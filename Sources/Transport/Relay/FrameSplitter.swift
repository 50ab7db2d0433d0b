import NIOCore

/// Splits one direction of a WebSocket into pieces that are forwarded unchanged, each with its event, if any.
///
/// The bytes are never rebuilt, so fragments, masks and a peer's protocol errors arrive as they were sent.
struct FrameSplitter {
    /// Some bytes, and the event they complete; nil if they complete none.
    struct Piece {
        var bytes: ByteBuffer
        var event: WebSocketEvent?
    }

    private let isMasked: Bool
    private var decoder: MessageDecoder
    private var rest = ByteBuffer()
    private var pending = ByteBuffer()
    /// Whether incomplete messages are held, so that they can be dropped.
    private var holds: Bool
    private(set) var problem: TransportProblem?

    init(from side: RelaySide, limits: RelayLimits, holds: Bool) {
        isMasked = side == .client
        self.holds = holds
        decoder = MessageDecoder(
            sender: side, maxMessageBytes: limits.maxMessageBytes, oversize: .discard,
            address: "\(side.rawValue)")
    }

    var heldBytes: Int { decoder.heldBytes + pending.readableBytes }

    /// Whether the relay may insert a frame without breaking one of the peer's.
    var isBetweenFrames: Bool {
        problem == nil && decoder.isBetweenFrames && rest.readableBytes == 0 && pending.readableBytes == 0
    }

    mutating func giveUp(_ problem: TransportProblem) -> Piece {
        self.problem = problem
        defer {
            pending = ByteBuffer()
            rest = ByteBuffer()
            decoder = MessageDecoder(sender: .client, maxMessageBytes: 0, oversize: .discard, address: "")
        }
        return Piece(bytes: pending, event: nil)
    }

    mutating func feed(_ new: ByteBuffer) -> [Piece] {
        guard problem == nil else { return [Piece(bytes: new, event: nil)] }
        var pieces: [Piece] = []
        // An unfinished header was already forwarded, or is held in `pending`; the decoder needs it again.
        let overlap = rest.readableBytes
        var source = rest
        if overlap > 0 { source.writeImmutableBuffer(new) } else { source = new }
        // Shares the storage; the pieces are slices of it.
        let whole = source
        var consumed = source.readerIndex + overlap
        do {
            while let event = try decoder.next(&source) {
                let bytes = whole.getSlice(at: consumed, length: source.readerIndex - consumed) ?? ByteBuffer()
                consumed = source.readerIndex
                if case .tooLarge = event { holds = false }
                pieces += piece(bytes, event)
            }
            rest = source.slice()
            add(whole.getSlice(at: consumed, length: whole.writerIndex - consumed), to: &pieces)
            // At most 13 bytes; the copy releases the read buffer.
            rest = ByteBuffer(bytes: rest.readableBytesView)
        } catch {
            let tail = whole.getSlice(at: consumed, length: whole.writerIndex - consumed)
            var last = giveUp(error)
            last.bytes.writeImmutableBuffer(tail ?? ByteBuffer())
            pieces.append(last)
        }
        return pieces
    }

    private mutating func add(_ bytes: ByteBuffer?, to pieces: inout [Piece]) {
        guard let bytes, bytes.readableBytes > 0 else { return }
        if holds { pending.writeImmutableBuffer(bytes) } else { pieces.append(Piece(bytes: bytes, event: nil)) }
    }

    private mutating func piece(_ bytes: ByteBuffer, _ event: WebSocketEvent) -> [Piece] {
        guard pending.readableBytes > 0 || holds else { return [Piece(bytes: bytes, event: event)] }
        pending.writeImmutableBuffer(bytes)
        // A control frame may arrive between the fragments of a message; it is forwarded first.
        guard let size = controlSize(event), size < pending.readableBytes else {
            defer { pending = ByteBuffer() }
            return [Piece(bytes: pending, event: event)]
        }
        let start = pending.writerIndex - size
        let frame = pending.getSlice(at: start, length: size) ?? ByteBuffer()
        pending.moveWriterIndex(to: start)
        return [Piece(bytes: frame, event: event)]
    }

    /// The size of a control frame on the wire; nil for messages.
    private func controlSize(_ event: WebSocketEvent) -> Int? {
        let head = isMasked ? 6 : 2
        return switch event {
        case .ping(let payload), .pong(let payload): head + payload.count
        case .close(let code, let reason): head + (code == nil ? 0 : 2 + reason.utf8.count)
        default: nil
        }
    }
}
