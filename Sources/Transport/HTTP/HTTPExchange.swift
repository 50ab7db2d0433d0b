/// One request and its answer on a connection of their own.
package enum HTTPExchange {
    /// Sends a request and returns the whole answer.
    ///
    /// * `tripwire`: Looks at the body of the answer when it is whole, before anybody gets it.
    /// * `sent`: Gets the connection once the request is sent, and may cut it.
    /// * `maxBodyBytes`: A larger body throws `tooLarge` as soon as that is known.
    /// * `timeout`: For connecting, sending and the whole answer together.
    /// - Throws: `connectionRefused`, `unreachable`, `tls`, `closed`, `reset`, `tooLarge`, `late`, or `protocolError`
    ///   for an answer that is not HTTP.
    package static func perform(
        _ request: HTTPRequestSpec,
        tls: TLSOptions = TLSOptions(),
        tripwire: Tripwire? = nil,
        sent: (@Sendable (HTTPConnection) -> Void)? = nil,
        maxBodyBytes: Int = 16 << 20,
        timeout: Duration = .seconds(10)
    ) async throws(TransportProblem) -> HTTPAnswer {
        var request = request
        if !request.headers.contains(where: { $0.0.lowercased() == "connection" }) {
            request.headers.append(("Connection", "close"))
        }
        let address = request.endpoint.address
        let (single, method) = (request, request.method)
        do {
            return try await withDeadline(timeout, "answer to \(method)", at: address) {
                let connection = try await HTTPConnection.open(
                    single.endpoint, tls: tls, tripwire: tripwire, timeout: timeout)
                defer { connection.cut(.fin) }
                let pending = try connection.send(single, maxBodyBytes: maxBodyBytes)
                if let sent {
                    try await pending.waitUntilSent()
                    sent(connection)
                }
                return try await connection.answer(to: pending, timeout: timeout)
            }
        } catch {
            throw TransportProblem(error, at: address)
        }
    }
}
