/// Events are delivered in order of arrival.
package enum WebSocketEvent: Sendable, Equatable {
    /// A complete text message, fragmented or not.
    case text(String)
    /// A complete text message with invalid UTF-8.
    case invalidText([UInt8])
    case binary([UInt8])
    /// A ping; it was answered unless answering is off.
    case ping([UInt8])
    case pong([UInt8])
    /// A message over the limit; its rest is discarded. If the limits close the connection instead, `failed` follows.
    case tooLarge(bytes: Int)
    /// The peer's close frame; the code is any number from 0 to 65535, or nil if the frame was empty.
    case close(code: UInt16?, reason: String)
    /// The peer ended the TCP connection cleanly. Nothing follows.
    case eof
    /// The connection failed on either side. Nothing follows.
    case failed(TransportProblem)
    /// The connection was cut because it exceeded the byte limit for its whole life. Nothing follows.
    case flooded(droppedBytes: Int)

    package var isLast: Bool {
        switch self {
        case .eof, .failed, .flooded: true
        default: false
        }
    }

    /// The approximate memory of the event; even an empty ping costs something.
    var cost: Int {
        switch self {
        case .text(let text): 64 + text.utf8.count
        case .invalidText(let bytes), .binary(let bytes), .ping(let bytes), .pong(let bytes): 64 + bytes.count
        case .close(_, let reason): 64 + reason.utf8.count
        case .tooLarge, .eof, .failed, .flooded: 64
        }
    }
}

/// An event and the time when its last byte reached this process.
package struct WebSocketArrival: Sendable, Equatable {
    /// The time, taken on the event loop before parsing.
    package var at: ContinuousClock.Instant
    package var event: WebSocketEvent
}
