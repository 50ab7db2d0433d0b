/// The server's end of a WebSocket.
public final class ServerSocket: Sendable {
    /// The request that asked for it.
    public let request: UpgradeRequest
    /// Everything the client sends, each event once.
    public let messages: WebSocketEvents

    let core: SocketCore

    init(request: UpgradeRequest, core: SocketCore) {
        self.request = request
        self.core = core
        messages = WebSocketEvents(queue: core.queue)
    }

    /// Address and port of the client.
    public var remoteAddress: String { request.remoteAddress }

    /// Whether the connection is gone.
    public var isEnded: Bool { core.ended.outcome != nil }

    /// When the client last gave a sign of life: its last bytes came in, or some of them wait still to be handled.
    public var heardAt: ContinuousClock.Instant {
        core.queue.queuedBytes > 0 ? .now : core.withState { $0.heardAt }
    }

    /// Whether pings are answered at once; on from the start.
    public var answersPings: Bool {
        get { core.withState { $0.answersPings } }
        set { core.withState { $0.answersPings = newValue } }
    }

    // MARK: sending

    /// Queues a text message without waiting; messages leave in the order of the calls.
    ///
    /// - Parameter text: The whole message.
    /// - Throws: `closed` when the socket is closed or closing, `peerTooSlow` when the client does not read; then the
    ///   socket is reset, because a client that missed a message must reconnect to learn of it.
    public func post(text: String) throws(TransportProblem) {
        _ = try queue(core.encoded(WebSocketFrame(.text, Array(text.utf8))))
    }

    /// Sends a text message in so many fragments, without waiting for it to leave; cut anywhere, also inside characters.
    ///
    /// - Parameters:
    ///   - text: The whole message.
    ///   - fragments: How many frames it takes; fewer when there are fewer bytes.
    /// - Throws: As ``post(text:)``.
    public func post(text: String, fragments: Int) throws(TransportProblem) {
        let bytes = Array(text.utf8)
        guard fragments > 1, bytes.count > 1 else { return try post(text: text) }
        let size = (bytes.count + fragments - 1) / fragments
        var encoded: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let end = min(start + size, bytes.count)
            encoded += core.encoded(
                WebSocketFrame(
                    start == 0 ? .text : .continuation, Array(bytes[start..<end]), isFinal: end == bytes.count))
        }
        _ = try queue(encoded)
    }

    /// Sends a text message and returns when the operating system has taken it; the order is that of the calls.
    ///
    /// - Parameter text: The whole message.
    /// - Throws: As ``post(text:)``, and `reset` or `closed` when the connection ends before the message left.
    public nonisolated(nonsending) func send(text: String) async throws(TransportProblem) {
        try await send(WebSocketFrame(.text, Array(text.utf8)))
    }

    /// Sends a frame, legal or not.
    public nonisolated(nonsending) func send(_ frame: WebSocketFrame) async throws(TransportProblem) {
        try await queue(core.encoded(frame)).value()
    }

    /// Puts bytes on the wire that need not be frames at all.
    public nonisolated(nonsending) func send(rawBytes: [UInt8]) async throws(TransportProblem) {
        try await queue(rawBytes).value()
    }

    /// Sends a ping; the answer arrives among the messages.
    public nonisolated(nonsending) func ping(_ payload: [UInt8] = []) async throws(TransportProblem) {
        try await send(WebSocketFrame(.ping, payload))
    }

    /// Queues a ping without waiting for it to leave; it keeps its place among the messages.
    public func post(ping payload: [UInt8]) throws(TransportProblem) {
        _ = try queue(core.encoded(WebSocketFrame(.ping, payload)))
    }

    private func queue(_ bytes: [UInt8]) throws(TransportProblem) -> OneShot<Void> {
        do {
            return try core.post(bytes)
        } catch {
            if case .peerTooSlow = error.code { core.cut(.reset) }
            throw error
        }
    }

    // MARK: ending

    /// Sends a close frame behind everything queued and waits for the client's; without the client after `timeout`.
    public nonisolated(nonsending) func close(
        code: UInt16? = 1000,
        reason: String = "",
        timeout: Duration = .seconds(2)
    ) async {
        await core.close(code: code, reason: reason, timeout: timeout)
    }

    /// Ends the connection without a close frame, or falls silent on it.
    public func cut(_ how: Cut) { core.cut(how) }

    /// Leaves what the client sends in the operating system's buffers.
    public func stopReading() { core.setPaused(true) }

    /// Reads again.
    public func resumeReading() { core.setPaused(false) }
}
