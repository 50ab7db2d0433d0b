/// What a server does with its clients; one instance serves all of them at once.
package protocol TransportHandler: Sendable {
    /// Answers a request; runs to its end also when the client goes away meanwhile.
    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse

    /// Decides whether a client gets its WebSocket.
    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision

    /// Serves one WebSocket for as long as it lives; returning closes it with 1000.
    func serve(_ socket: ServerSocket) async
}

extension TransportHandler {
    /// Nothing, for a server that lets nobody have a WebSocket.
    package func serve(_ socket: ServerSocket) async {}
}

/// The bounds that keep one client from harming a server and its other clients.
package struct ServerLimits: Sendable, Equatable {
    /// What becomes of a WebSocket message over the limit.
    package enum Oversize: Sendable, Hashable {
        /// The handler sees `tooLarge`, the rest of the message is thrown away, the socket goes on.
        case reportAndContinue
        /// The socket is closed with 1009.
        case close
    }

    /// The largest WebSocket message, all its frames together.
    package var maxMessageBytes: Int
    /// What happens beyond it.
    package var oversize: Oversize
    /// The largest body of a request; beyond it the answer is 413.
    package var maxBodyBytes: Int
    /// What the bodies that are being collected may have together; beyond it the answer is 503.
    package var maxHeldBytes: Int
    /// The largest head of a request over HTTP/2; over HTTP/1.1 the parser has a bound of its own.
    var maxHeaderBytes: Int
    /// Requests under way at once over one connection of HTTP/2.
    var maxConcurrentStreams: Int
    /// Messages waiting for the handler; when they hold more, reading stops.
    package var maxQueuedBytes: Int
    /// What may wait to be sent to a client that does not read; beyond it its socket is reset.
    package var maxUnsentBytes: Int
    /// Open connections, of both kinds together; further ones are closed at once.
    package var maxConnections: Int
    /// How long a client may take over one request, and rest between two.
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
