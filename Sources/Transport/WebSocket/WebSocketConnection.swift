import NIOCore

/// The client's end of a WebSocket.
///
/// Dropping the last reference ends the TCP connection.
public final class WebSocketConnection: Sendable {
    /// Where it leads.
    public let endpoint: Endpoint
    /// Everything the server sends, each event once, with its time of arrival.
    public let events: WebSocketEvents

    private let core: SocketCore

    private init(endpoint: Endpoint, core: SocketCore) {
        self.endpoint = endpoint
        self.core = core
        events = WebSocketEvents(queue: core.queue)
    }

    deinit {
        if core.ended.outcome == nil { core.cut(.fin) }
    }

    /// Opens TCP, TLS where the scheme is `wss`, and the WebSocket.
    ///
    /// - Parameters:
    ///   - endpoint: The URL; `http` and `https` are taken as their WebSocket twins.
    ///   - headers: Added to the request; a name this module sends itself is replaced.
    ///   - tls: Which certificates to believe.
    ///   - limits: The bounds on memory.
    ///   - timeout: For all of it together.
    /// - Returns: An open connection.
    /// - Throws: `connectionRefused`, `unreachable`, `tls`, `upgradeRefused`, `notWebSocket`, `closed` or `late`.
    public static func open(
        _ endpoint: Endpoint,
        headers: [(String, String)] = [],
        tls: TLSOptions = TLSOptions(),
        limits: WebSocketLimits = WebSocketLimits(),
        timeout: Duration = .seconds(10)
    ) async throws(TransportProblem) -> WebSocketConnection {
        let core: SocketCore = try await Connector.connect(
            to: endpoint, tls: tls, timeout: timeout, waitingFor: "answer to the upgrade"
        ) { channel, made in
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(UpgradeGate(splittingFirstHead: true))
            try Connector.addHTTP(to: pipeline)
            try pipeline.addHandler(
                ClientUpgradeHandler(endpoint: endpoint, headers: headers, limits: limits, made: made)
            )
        }
        return WebSocketConnection(endpoint: endpoint, core: core)
    }

    // MARK: receiving

    /// The next event, or nil after the last one or when the task is cancelled, which loses no event.
    public nonisolated(nonsending) func next() async -> WebSocketArrival? { await core.queue.next() }

    /// The next event, waiting at most `limit` and losing none when it is over.
    ///
    /// - Parameters:
    ///   - limit: How long to wait; with zero only what is already there.
    ///   - what: What is waited for, for the message.
    /// - Returns: An event, or nil after the last one.
    /// - Throws: `late`, or `cancelled` when the task is cancelled.
    public func next(within limit: Duration, _ what: String) async throws(TransportProblem) -> WebSocketArrival? {
        try await core.queue.next(within: limit, what, at: core.place)
    }

    /// Whether pings are answered at once; on from the start.
    public var answersPings: Bool {
        get { core.withState { $0.answersPings } }
        set { core.withState { $0.answersPings = newValue } }
    }

    /// Leaves what the server sends in the operating system's buffers, so that the server feels a slow reader.
    public func stopReading() { core.setPaused(true) }

    /// Reads again.
    public func resumeReading() { core.setPaused(false) }

    /// The bytes of events that wait to be taken.
    public var queuedBytes: Int { core.queue.queuedBytes }

    /// Looks for bytes in each message that becomes whole from now on, on the reading thread and before anybody gets it.
    public func watch(with tripwire: Tripwire) {
        core.withState { state in
            state.tripwires.removeAll(where: \.hasTripped)
            state.tripwires.append(tripwire)
        }
    }

    // MARK: sending

    /// Sends one text frame and returns when the operating system has taken its bytes.
    public nonisolated(nonsending) func send(text: String) async throws(TransportProblem) {
        try await send(WebSocketFrame(.text, Array(text.utf8)))
    }

    /// Sends one frame of the given kind; text that is not UTF-8 goes out as it is.
    public nonisolated(nonsending) func send(
        bytes: [UInt8],
        opcode: WebSocketFrame.Opcode = .binary
    ) async throws(TransportProblem) {
        try await send(WebSocketFrame(opcode, bytes))
    }

    /// Sends one text message in as many frames as there are fragments; none makes one empty frame.
    public nonisolated(nonsending) func send(fragments: [String]) async throws(TransportProblem) {
        var bytes: [UInt8] = []
        for (index, fragment) in (fragments.isEmpty ? [""] : fragments).enumerated() {
            let frame = WebSocketFrame(
                index == 0 ? .text : .continuation,
                Array(fragment.utf8),
                isFinal: index >= fragments.count - 1
            )
            bytes += core.encoded(frame)
        }
        try await core.post(bytes).value()
    }

    /// Sends a frame, legal or not, masked as clients must.
    public nonisolated(nonsending) func send(_ frame: WebSocketFrame) async throws(TransportProblem) {
        try await core.post(core.encoded(frame)).value()
    }

    /// Puts bytes on the wire that need not be frames at all.
    public nonisolated(nonsending) func send(rawBytes: [UInt8]) async throws(TransportProblem) {
        try await core.post(rawBytes).value()
    }

    /// Sends a ping; the answer arrives among the events.
    public nonisolated(nonsending) func ping(_ payload: [UInt8] = []) async throws(TransportProblem) {
        try await send(WebSocketFrame(.ping, payload))
    }

    // MARK: ending

    /// Closes as the protocol wants: close frame, the peer's close frame, end of TCP; without the peer after `timeout`.
    public nonisolated(nonsending) func close(
        code: UInt16? = 1000,
        reason: String = "",
        timeout: Duration = .seconds(2)
    ) async {
        await core.close(code: code, reason: reason, timeout: timeout)
    }

    /// Ends the connection without a close frame, or falls silent on it.
    public func cut(_ how: Cut) { core.cut(how) }

    /// Returns when the TCP connection is gone on this side.
    public nonisolated(nonsending) func waitUntilEnded() async throws(TransportProblem) { try await core.ended.value() }
}
