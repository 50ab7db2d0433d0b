/// The server's end of a WebSocket.
package final class ServerSocket: WebSocketEnd {
    package let request: UpgradeRequest
    package let core: SocketCore

    init(request: UpgradeRequest, core: SocketCore) {
        self.request = request
        self.core = core
    }

    package var remoteAddress: String { request.remoteAddress }

    package var isEnded: Bool { core.ended.outcome != nil }

    /// The time of the client's last bytes; the current time if received bytes still wait to be handled.
    package var heardAt: ContinuousClock.Instant { core.queue.queuedBytes > 0 ? .now : core.withState { $0.heardAt } }

    /// Queues bytes; resets a client that does not read, because it asks for missed frames only after a reconnect.
    package func queue(_ bytes: [UInt8]) throws(TransportProblem) -> OneShot<Void> {
        do {
            return try core.post(bytes)
        } catch {
            if case .peerTooSlow = error.code { core.cut(.reset) }
            throw error
        }
    }

    /// Queues a text message without waiting; messages are sent in the order of the calls.
    ///
    /// * `fragments`: The number of frames, cut at any byte, even inside a character; fewer if there are fewer bytes.
    /// - Throws: `closed` if the socket is closed or closing, `peerTooSlow` if the client does not read.
    package func post(text: String, fragments: Int = 1) throws(TransportProblem) {
        let bytes = Array(text.utf8)
        let count = max(1, min(fragments, bytes.count))
        let size = (bytes.count + count - 1) / count
        var encoded: [UInt8] = []
        for start in stride(from: 0, through: max(0, bytes.count - 1), by: max(1, size)) {
            let end = min(start + size, bytes.count)
            encoded += core.encoded(
                WebSocketFrame(
                    start == 0 ? .text : .continuation, Array(bytes[start..<end]), isFinal: end == bytes.count))
        }
        _ = try queue(encoded)
    }

    package func post(ping payload: [UInt8]) throws(TransportProblem) {
        _ = try queue(core.encoded(WebSocketFrame(.ping, payload)))
    }
}
