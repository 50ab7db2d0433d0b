import NIOCore
import NIOPosix

/// A TCP connection without a protocol, for peers that misbehave on purpose.
package final class RawConnection: SocketEnd {
    package let core: SocketCore

    init(core: SocketCore) { self.core = core }

    deinit {
        if core.ended.outcome == nil { core.cut(.fin) }
    }

    package static func open(
        host: String = "127.0.0.1", port: Int, timeout: Duration = .seconds(10)
    ) async throws(TransportProblem) -> RawConnection {
        let endpoint = try Endpoint("http://\(Endpoint.bracketed(host)):\(port)")
        let core: SocketCore = try await Connector.connect(
            to: endpoint, tls: TLSOptions(), timeout: timeout, waitingFor: "connection"
        ) { channel, result in
            try channel.pipeline.syncOperations.addHandler(
                RawHandler(address: endpoint.address) { result.fulfill(.success($0)) })
        }
        return RawConnection(core: core)
    }

    /// The next bytes, or nil once the connection is over or the task is canceled.
    package nonisolated(nonsending) func next() async -> [UInt8]? {
        guard case .binary(let bytes) = await core.queue.next()?.event else { return nil }
        return bytes
    }

    /// The next bytes, or the end of the connection, within `limit`.
    /// - Returns: `binary` with the bytes, `eof` or `failed`; nil after either.
    /// - Throws: `late`, or `cancelled` if the task is canceled.
    func nextEvent(within limit: Duration) async throws(TransportProblem) -> WebSocketEvent? {
        try await core.queue.next(within: limit, "byte", at: core.address)?.event
    }

    /// Reads until the bytes contain the text, or the connection is over.
    /// - Returns: Everything read, which may go beyond the text.
    /// - Throws: `late`, or `cancelled` if the task is canceled.
    package func read(
        until end: String = "\r\n\r\n", within limit: Duration = .seconds(10)
    ) async throws(TransportProblem) -> [UInt8] {
        do {
            return try await withDeadline(limit, quotable(end), at: core.address) {
                var all: [UInt8] = []
                while !String(decoding: all, as: UTF8.self).contains(end), let more = await self.next() { all += more }
                return all
            }
        } catch {
            throw TransportProblem(error, at: core.address)
        }
    }

    package nonisolated(nonsending) func send(_ bytes: [UInt8]) async throws(TransportProblem) {
        try await core.post(bytes).value()
    }

    package nonisolated(nonsending) func send(_ text: String) async throws(TransportProblem) {
        try await send(Array(text.utf8))
    }
}
