/// The bounds that keep one client from harming a server and its other clients.
public struct ServerLimits: Sendable, Equatable {
    /// What becomes of a WebSocket message over the limit.
    public enum Oversize: Sendable, Hashable {
        /// The handler sees `tooLarge`, the rest of the message is thrown away, the socket goes on.
        case reportAndContinue
        /// The socket is closed with 1009.
        case close
    }

    /// The largest WebSocket message, all its frames together.
    public var maxMessageBytes: Int
    /// What happens beyond it.
    public var oversize: Oversize
    /// The largest body of a request; beyond it the answer is 413.
    public var maxBodyBytes: Int
    /// What the bodies that are being collected may have together; beyond it the answer is 503.
    public var maxHeldBytes: Int
    /// The largest head of a request over HTTP/2; over HTTP/1.1 the parser has a bound of its own.
    public var maxHeaderBytes: Int
    /// Requests under way at once over one connection of HTTP/2.
    public var maxConcurrentStreams: Int
    /// Messages waiting for the handler; when they hold more, reading stops.
    public var maxQueuedBytes: Int
    /// What may wait to be sent to a client that does not read; beyond it its socket is reset.
    public var maxUnsentBytes: Int
    /// Open connections, of both kinds together; further ones are closed at once.
    public var maxConnections: Int
    /// How long a client may take over one request, and rest between two.
    public var requestTimeout: Duration

    /// Bounds for a server that is tested on one machine.
    public init(
        maxMessageBytes: Int = 1 << 20,
        oversize: Oversize = .reportAndContinue,
        maxBodyBytes: Int = 4 << 20,
        maxHeldBytes: Int = 256 << 20,
        maxHeaderBytes: Int = 16 << 10,
        maxConcurrentStreams: Int = 100,
        maxQueuedBytes: Int = 4 << 20,
        maxUnsentBytes: Int = 16 << 20,
        maxConnections: Int = 4096,
        requestTimeout: Duration = .seconds(60)
    ) {
        self.maxMessageBytes = maxMessageBytes
        self.oversize = oversize
        self.maxBodyBytes = maxBodyBytes
        self.maxHeldBytes = maxHeldBytes
        self.maxHeaderBytes = maxHeaderBytes
        self.maxConcurrentStreams = maxConcurrentStreams
        self.maxQueuedBytes = maxQueuedBytes
        self.maxUnsentBytes = maxUnsentBytes
        self.maxConnections = maxConnections
        self.requestTimeout = requestTimeout
    }
}
