extension RawConnection {
    /// Reads an upgrade request and answers it as a server must, for peers that misbehave only afterwards.
    ///
    /// - Parameters:
    ///   - bytes: Sent in the same packet as the answer.
    ///   - limit: How long the client may take over its request.
    /// - Returns: The head of the request.
    /// - Throws: `late`, `closed` or `reset`; `protocolError` when the request holds no key.
    @discardableResult
    public func acceptWebSocket(
        followedBy bytes: [UInt8] = [],
        within limit: Duration = .seconds(10)
    ) async throws(TransportProblem) -> String {
        let request = String(decoding: try await read(within: limit), as: UTF8.self)
        let field = "sec-websocket-key:"
        guard let line = request.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix(field) }) else {
            throw TransportProblem(.protocolError(reason: "no Sec-WebSocket-Key in the request"), at: core.place)
        }
        let key = String(line.dropFirst(field.count).filter { $0 != " " })
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(Handshake.accept(for: key))\r\n\r\n"
        try await send(Array(answer.utf8) + bytes)
        return request
    }
}
