import NIOCore

@testable import HoldfastTransport

/// A server without a protocol, for peers that misbehave on purpose.
package final class RawListener: Sendable {
    package var port: Int { listener.port }

    private let listener: Listener

    private init(listener: Listener) { self.listener = listener }

    /// Starts to listen.
    ///
    /// * `serve`: Owns the connection; returning ends it, unless it was silenced.
    /// - Throws: `cannotListen`.
    package static func start(
        host: String = "127.0.0.1", port: Int = 0, serve: @escaping @Sendable (RawConnection) async -> Void
    ) async throws(TransportProblem) -> RawListener {
        let listener = try await Listener(host: host, port: port) { pipeline, registry in
            try pipeline.addHandler(
                RawHandler(address: "raw client") { core in
                    let connection = RawConnection(core: core)
                    registry.run {
                        await serve(connection)
                        if !core.withState({ $0.silent }) { core.cut(.fin) }
                        _ = try? await core.ended.value()
                        _ = connection
                    }
                }
            )
        }
        return RawListener(listener: listener)
    }

    /// Stops listening, resets every connection, and returns once the closures have returned, after at most 2 s.
    package func stop() async { await listener.stop() }
}

extension RawConnection {
    /// Reads an upgrade request and accepts it correctly, for peers that misbehave only later.
    ///
    /// * `bytes`: Sent in the same packet as the answer.
    /// - Returns: The head of the request.
    /// - Throws: `late`, `closed` or `reset`; `protocolError` if the request has no key.
    @discardableResult
    package func acceptWebSocket(
        followedBy bytes: [UInt8] = [], within limit: Duration = .seconds(10)
    ) async throws(TransportProblem) -> String {
        let request = String(decoding: try await read(within: limit), as: UTF8.self)
        let field = "sec-websocket-key:"
        guard let line = request.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix(field) }) else {
            throw TransportProblem(.protocolError(reason: "no Sec-WebSocket-Key in the request"), at: core.address)
        }
        let key = String(line.dropFirst(field.count).filter { $0 != " " })
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(Handshake.accept(for: key))\r\n\r\n"
        try await send(Array(answer.utf8) + bytes)
        return request
    }
}
