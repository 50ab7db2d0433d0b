import NIOCore
import NIOPosix

/// A TCP connection without any protocol, for peers that misbehave on purpose.
public final class RawConnection: Sendable {
    let core: SocketCore

    init(core: SocketCore) {
        self.core = core
    }

    deinit {
        if core.ended.outcome == nil { core.cut(.fin) }
    }

    /// Connects to a port.
    public static func open(
        host: String = "127.0.0.1",
        port: Int,
        timeout: Duration = .seconds(10)
    ) async throws(TransportProblem) -> RawConnection {
        let endpoint = try Endpoint("http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
        let core: SocketCore = try await Connector.connect(
            to: endpoint, tls: TLSOptions(), timeout: timeout, waitingFor: "connection"
        ) { channel, made in
            try channel.pipeline.syncOperations.addHandler(
                RawHandler(place: endpoint.place) { made.fulfil(.success($0)) })
        }
        return RawConnection(core: core)
    }

    /// The next bytes as they arrive, or nil when the connection is over or the task is cancelled.
    public nonisolated(nonsending) func next() async -> [UInt8]? {
        guard case .binary(let bytes) = await core.queue.next()?.event else { return nil }
        return bytes
    }

    /// The next bytes, or how the connection ended, waiting at most `limit`.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: `binary` with the bytes, `eof` or `failed`; nil after either.
    /// - Throws: `late`, or `cancelled` when the task is cancelled.
    public func nextEvent(within limit: Duration) async throws(TransportProblem) -> WebSocketEvent? {
        try await core.queue.next(within: limit, "byte", at: core.place)?.event
    }

    /// Reads until what was read contains the text, or the connection is over.
    ///
    /// - Parameters:
    ///   - end: What to wait for; an empty line ends the head of an HTTP message.
    ///   - limit: For all of it together.
    /// - Returns: Everything read, which may go beyond the text.
    /// - Throws: `late`, or `cancelled` when the task is cancelled.
    public func read(
        until end: String = "\r\n\r\n",
        within limit: Duration = .seconds(10)
    ) async throws(TransportProblem) -> [UInt8] {
        do {
            return try await withDeadline(limit, quotable(end), at: core.place) {
                var all: [UInt8] = []
                while !String(decoding: all, as: UTF8.self).contains(end), let more = await self.next() { all += more }
                return all
            }
        } catch {
            throw TransportProblem(error, at: core.place)
        }
    }

    /// Sends bytes and returns when the operating system has taken them.
    public nonisolated(nonsending) func send(_ bytes: [UInt8]) async throws(TransportProblem) {
        try await core.post(bytes).value()
    }

    /// Sends text as UTF-8.
    public nonisolated(nonsending) func send(_ text: String) async throws(TransportProblem) {
        try await send(Array(text.utf8))
    }

    /// Ends the connection, or falls silent on it.
    public func cut(_ how: Cut) { core.cut(how) }

    /// Leaves what the peer sends in the operating system's buffers.
    public func stopReading() { core.setPaused(true) }

    /// Reads again.
    public func resumeReading() { core.setPaused(false) }

    /// Returns when the connection is gone on this side.
    public nonisolated(nonsending) func waitUntilEnded() async throws(TransportProblem) { try await core.ended.value() }
}
