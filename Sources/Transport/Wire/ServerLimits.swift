/// The bounds that keep one client from harming a server and its other clients.
package struct ServerLimits: Sendable, Equatable {
    package enum Oversize: Sendable, Hashable {
        /// The handler sees `tooLarge`, the rest of the message is discarded, and the socket stays open.
        case reportAndContinue
        /// The socket is closed with 1009.
        case close
    }

    /// The largest WebSocket message, over all its frames.
    package var maxMessageBytes: Int
    package var oversize: Oversize
    /// The largest body of a request; a larger one is answered with 413.
    package var maxBodyBytes: Int
    /// The limit for all incomplete bodies together; beyond it the answer is 503.
    package var maxHeldBytes: Int
    /// The largest head of a request over HTTP/2; over HTTP/1.1 the parser has its own limit.
    package var maxHeaderBytes: Int
    /// The maximum number of concurrent requests on one HTTP/2 connection.
    package var maxConcurrentStreams: Int
    /// The size of the queue to the handler; beyond it, reading stops.
    package var maxQueuedBytes: Int
    /// The size of the queue to a client that does not read; beyond it, the socket is reset.
    package var maxUnsentBytes: Int
    /// The maximum number of open connections of any kind; further ones are closed at once.
    package var maxConnections: Int
    /// The time that a client may take for one request, and may stay idle between two.
    package var requestTimeout: Duration

    package init(
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
