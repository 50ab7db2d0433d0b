/// One request and its answer, on a connection of their own or on a kept one.
package enum HTTPExchange {
    /// Sends a request and returns the whole answer.
    ///
    /// * `tripwire`: Examines the complete body of the answer before the caller gets it.
    /// * `sent`: Gets the connection once the request is sent, and may cut it.
    /// * `kept`: Carries the request if it may be sent twice, and keeps the connection afterward; nil for `close`.
    /// * `maxBodyBytes`: A larger body throws `tooLarge` as soon as that is known.
    /// * `timeout`: The limit for connecting, sending and the whole answer together.
    /// * `waitOut`: Waits until the timeout is over by the caller's clock.
    /// - Throws: `connectionRefused`, `unreachable`, `tls`, `closed`, `reset`, `tooLarge`, `late`, or `protocolError`
    ///   for an answer that is not HTTP.
    package static func perform(
        _ request: HTTPRequestSpec,
        tls: TLSOptions = TLSOptions(),
        tripwire: Tripwire? = nil,
        sent: (@Sendable (HTTPConnection) -> Void)? = nil,
        over kept: KeptConnection? = nil,
        maxBodyBytes: Int = 16 << 20,
        timeout: Duration = .seconds(10),
        waitOut: (@Sendable (Duration) async throws -> Void)? = nil
    ) async throws(TransportProblem) -> HTTPAnswer {
        var request = request
        if kept == nil, !request.headers.contains(where: { $0.0.lowercased() == "connection" }) {
            request.headers.append(("Connection", "close"))
        }
        let address = request.endpoint.address
        let single = request
        do {
            return try await withDeadline(timeout, "answer to \(single.method)", at: address, waitOut: waitOut) {
                if let connection = kept?.take(for: single.method) {
                    let pending = connection.send(single, maxBodyBytes: maxBodyBytes)
                    do throws(TransportProblem) {
                        var answer = try await pending.answer.value()
                        answer.wasOnKept = true
                        kept?.keep(connection, after: answer)
                        return answer
                    } catch {
                        // A server may close an idle connection at any time.
                        let isUnanswered = pending.begun.outcome == nil
                        guard isUnanswered, [.closed, .reset].contains(error.code) else { throw error }
                    }
                }
                let connection = try await HTTPConnection(
                    to: single.endpoint, tls: tls, tripwire: tripwire, timeout: timeout)
                defer { if kept == nil { connection.cut(.fin) } }
                let pending = connection.send(single, maxBodyBytes: maxBodyBytes)
                if let sent {
                    try await pending.waitUntilSent()
                    sent(connection)
                }
                let answer = try await pending.answer.value()
                kept?.keep(connection, after: answer)
                return answer
            }
        } catch {
            throw TransportProblem(error, at: address)
        }
    }
}

package struct HTTPRequestSpec: Sendable {
    package var method: String
    /// The URL; `ws` and `wss` mean `http` and `https`.
    package var endpoint: Endpoint
    /// Fields other than `Host`, `Connection` and `Content-Length`, which this module adds unless they are given here.
    package var headers: [(String, String)]
    package var body: [UInt8]

    package init(_ method: String = "GET", _ endpoint: Endpoint, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.method = method
        self.endpoint = endpoint
        self.headers = headers
        self.body = body
    }
}

package struct HTTPAnswer: Sendable {
    package var status: Int
    /// The fields in order, with names as the server spelled them.
    package var headers: [(String, String)]
    /// The body without transfer coding.
    package var body: [UInt8]
    /// The time at which the last byte arrived.
    package var receivedAt: ContinuousClock.Instant
    /// Whether its connection had carried an earlier request.
    package var wasOnKept = false

    /// The first value of a field; case does not matter.
    package func header(_ name: String) -> String? { headers.first(named: name) }

    /// The body as text, with replacement characters for invalid UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }
}
