import NIOCore

/// The client's end of a WebSocket.
///
/// Dropping the last reference ends the TCP connection.
package final class WebSocketConnection: WebSocketEnd {
    package let core: SocketCore

    private init(core: SocketCore) { self.core = core }

    deinit {
        if core.ended.outcome == nil { core.cut(.fin) }
    }

    /// Opens TCP, TLS if the scheme is `wss`, and the WebSocket.
    ///
    /// * `endpoint`: The URL; `http` and `https` mean `ws` and `wss`.
    /// * `headers`: Added to the request; they replace this module's own fields of the same name.
    /// * `timeout`: The limit for all of this together.
    /// - Throws: `connectionRefused`, `unreachable`, `tls`, `upgradeRefused`, `notWebSocket`, `closed` or `late`.
    package static func open(
        _ endpoint: Endpoint,
        headers: [(String, String)] = [],
        tls: TLSOptions = TLSOptions(),
        limits: WebSocketLimits = WebSocketLimits(),
        timeout: Duration = .seconds(10)
    ) async throws(TransportProblem) -> WebSocketConnection {
        let core: SocketCore = try await Connector.connect(
            to: endpoint, tls: tls, timeout: timeout, waitingFor: "answer to the upgrade"
        ) { channel, result in
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(UpgradeGate(splittingFirstHead: true))
            try Connector.addHTTP(to: pipeline)
            try pipeline.addHandler(
                ClientUpgradeHandler(endpoint: endpoint, headers: headers, limits: limits, result: result)
            )
        }
        return WebSocketConnection(core: core)
    }

    // MARK: receiving

    /// The next event; nil after the last one or if the task is canceled, which loses no event.
    package nonisolated(nonsending) func next() async -> WebSocketArrival? { await core.queue.next() }

    /// The next event within `limit`, or nil after the last one; an event that arrives later is not lost.
    ///
    /// A limit of zero returns only an event that has already arrived.
    /// - Throws: `late`, or `cancelled` if the task is canceled.
    package func next(within limit: Duration, _ what: String) async throws(TransportProblem) -> WebSocketArrival? {
        try await core.queue.next(within: limit, what, at: core.address)
    }

    /// From now on, the tripwire examines each complete message on the reading thread, before the consumer gets it.
    package func watch(with tripwire: Tripwire) {
        core.withState { state in
            state.tripwires.removeAll(where: \.hasTripped)
            state.tripwires.append(tripwire)
        }
    }

    // MARK: sending

    package func queue(_ bytes: [UInt8]) throws(TransportProblem) -> OneShot<Void> { try core.post(bytes) }

    /// The result is set once the operating system has taken all frames.
    package func queue(_ frames: [WebSocketFrame]) throws(TransportProblem) -> OneShot<Void> {
        try core.post(frames.reduce(into: []) { $0 += core.encoded($1) })
    }
}

/// Limits that keep a peer from using up this process's memory or time.
package struct WebSocketLimits: Sendable, Equatable {
    /// A larger message ends the connection with `failed(tooLarge)`, detected by its header.
    package var maxMessageBytes: Int
    /// The size of the queue to the consumer; beyond it, reading stops until half is consumed.
    package var maxQueuedBytes: Int
    /// The bytes that the peer may send in the connection's life, nil for no limit; beyond it, the event is `flooded`.
    package var maxReceivedBytes: Int?
    /// The size of the send queue; a send beyond it throws `peerTooSlow`.
    package var maxUnsentBytes: Int

    package init(
        maxMessageBytes: Int = 16 << 20,
        maxQueuedBytes: Int = 64 << 20,
        maxReceivedBytes: Int? = 256 << 20,
        maxUnsentBytes: Int = 64 << 20
    ) {
        self.maxMessageBytes = maxMessageBytes
        self.maxQueuedBytes = maxQueuedBytes
        self.maxReceivedBytes = maxReceivedBytes
        self.maxUnsentBytes = maxUnsentBytes
    }
}
