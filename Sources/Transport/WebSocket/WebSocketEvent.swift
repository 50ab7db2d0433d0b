/// What can be seen on a WebSocket, in the order in which it arrived.
package enum WebSocketEvent: Sendable, Equatable {
    /// A whole text message, fragmented or not.
    case text(String)
    /// A whole text message whose bytes are not UTF-8.
    case invalidText([UInt8])
    case binary([UInt8])
    /// A ping; it was answered unless answering is switched off.
    case ping([UInt8])
    /// A pong, asked for or not.
    case pong([UInt8])
    /// A message over the limit; its rest is thrown away and the connection goes on. Only where the limits say so.
    case tooLarge(bytes: Int)
    /// The peer's close frame; the code is as found, from 0 to 65535, and nil when the frame was empty.
    case close(code: UInt16?, reason: String)
    /// The peer ended the TCP connection in order. Nothing follows.
    case eof
    /// The connection ended by an error, this side's or the peer's. Nothing follows.
    case failed(TransportProblem)
    /// The connection was cut because it brought more bytes than the limit for its whole life. Nothing follows.
    case flooded(droppedBytes: Int)

    /// Whether the connection is over with this event.
    package var isLast: Bool {
        switch self {
        case .eof, .failed, .flooded: true
        default: false
        }
    }

    /// How much memory the event holds, roughly, so that a million empty pings are not counted as nothing.
    var cost: Int {
        switch self {
        case .text(let text): 64 + text.utf8.count
        case .invalidText(let bytes), .binary(let bytes), .ping(let bytes), .pong(let bytes): 64 + bytes.count
        case .close(_, let reason): 64 + reason.utf8.count
        case .tooLarge, .eof, .failed, .flooded: 64
        }
    }
}

/// An event with the time at which its last byte reached this process.
package struct WebSocketArrival: Sendable, Equatable {
    /// Taken on the event loop before anything was parsed.
    package var at: ContinuousClock.Instant
    package var event: WebSocketEvent
}

/// The events of one WebSocket; ends after an event that is the last, or when the waiting task is cancelled.
package struct WebSocketEvents: AsyncSequence, Sendable {
    package typealias Element = WebSocketArrival
    package typealias Failure = Never

    let queue: ArrivalQueue

    /// Takes from the same queue as every other iterator: an event is delivered once.
    package func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

    package struct Iterator: AsyncIteratorProtocol {
        let queue: ArrivalQueue

        /// The next event, or nil after the last one or on cancellation.
        package mutating func next() async -> WebSocketArrival? { await queue.next() }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> WebSocketArrival? {
            await queue.next()
        }
    }
}
