import HoldfastBasics

package protocol SocketEnd: Sendable {
    var core: SocketCore { get }
}

extension SocketEnd {
    /// Ends the connection without a close frame, or falls silent on it.
    package func cut(_ how: Cut) { core.cut(how) }

    /// Leaves the peer's bytes in the operating system's buffers, so that it sees a slow reader.
    package func stopReading() { core.setPaused(true) }

    package func resumeReading() { core.setPaused(false) }
}

package protocol WebSocketEnd: SocketEnd {
    /// Queues bytes; the result is set once the operating system has taken them.
    func queue(_ bytes: [UInt8]) throws(TransportProblem) -> OneShot<Void>
}

extension WebSocketEnd {
    /// Everything the peer sends, each event once; ends after the last event, or when the waiting task is canceled.
    package var messages: AsyncStream<WebSocketArrival> {
        AsyncStream { [queue = core.queue] in await queue.next() }
    }

    /// Whether pings are answered at once; initially true.
    package var answersPings: Bool {
        get { core.withState { $0.answersPings } }
        nonmutating set { core.withState { $0.answersPings = newValue } }
    }

    /// Sends a frame, legal or not, in the order of the calls; returns once the operating system has taken it.
    package nonisolated(nonsending) func send(_ frame: WebSocketFrame) async throws(TransportProblem) {
        try await queue(core.encoded(frame)).value()
    }

    package nonisolated(nonsending) func send(text: String) async throws(TransportProblem) {
        try await send(WebSocketFrame(.text, Array(text.utf8)))
    }

    package nonisolated(nonsending) func send(rawBytes: [UInt8]) async throws(TransportProblem) {
        try await queue(rawBytes).value()
    }

    /// Sends a close frame after everything queued, then waits for the peer's close frame and for the end of TCP.
    ///
    /// At `timeout`, it ends TCP without waiting any longer.
    package nonisolated(nonsending) func close(
        code: UInt16? = 1000, reason: String = "", timeout: Duration = .seconds(2)
    ) async {
        await core.close(code: code, reason: reason, timeout: timeout)
    }
}
