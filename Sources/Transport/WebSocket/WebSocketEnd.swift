import HoldfastBasics

/// One end of a connection, whatever is spoken on it.
package protocol SocketEnd: Sendable {
    var core: SocketCore { get }
}

extension SocketEnd {
    /// Ends the connection without saying goodbye, or falls silent on it.
    package func cut(_ how: Cut) { core.cut(how) }

    /// Leaves what the peer sends in the operating system's buffers, so that it feels a slow reader.
    package func stopReading() { core.setPaused(true) }

    package func resumeReading() { core.setPaused(false) }
}

package protocol WebSocketEnd: SocketEnd {
    /// Puts bytes behind those that wait to leave; what comes back tells when the operating system has taken them.
    func queue(_ bytes: [UInt8]) throws(TransportProblem) -> OneShot<Void>
}

extension WebSocketEnd {
    /// Whether pings are answered at once; on from the start.
    package var answersPings: Bool {
        get { core.withState { $0.answersPings } }
        nonmutating set { core.withState { $0.answersPings = newValue } }
    }

    /// Sends a frame, legal or not, and returns when the operating system has taken it; the order is that of the calls.
    package nonisolated(nonsending) func send(_ frame: WebSocketFrame) async throws(TransportProblem) {
        try await queue(core.encoded(frame)).value()
    }

    /// Sends a text message in one frame.
    package nonisolated(nonsending) func send(text: String) async throws(TransportProblem) {
        try await send(WebSocketFrame(.text, Array(text.utf8)))
    }

    /// Puts bytes on the wire that need not be frames at all.
    package nonisolated(nonsending) func send(rawBytes: [UInt8]) async throws(TransportProblem) {
        try await queue(rawBytes).value()
    }

    /// Closes as the protocol wants, behind everything queued: close frame, the peer's, end of TCP; without the peer after
    /// `timeout`.
    package nonisolated(nonsending) func close(
        code: UInt16? = 1000, reason: String = "", timeout: Duration = .seconds(2)
    ) async {
        await core.close(code: code, reason: reason, timeout: timeout)
    }
}
