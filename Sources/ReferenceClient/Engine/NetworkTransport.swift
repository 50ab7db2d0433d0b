import HoldfastBasics
import HoldfastSmallFoundation
import HoldfastTransport

/// A network built on this package's own WebSocket and HTTP.
package struct NetworkTransport: ClientTransport {
    /// The headers of every upgrade and request.
    private let headers: [(String, String)]
    private let tls: TLSOptions

    /// Adds headers to every connection, and uses the given certificates.
    package init(headers: [(String, String)] = [], tls: TLSOptions = TLSOptions()) {
        self.headers = headers
        self.tls = tls
    }

    func open(_ url: String, headers: [(String, String)], within limit: Duration) async throws -> any ClientSocket {
        let connection = try await WebSocketConnection.open(
            Endpoint(url), headers: self.headers + headers, tls: tls, timeout: limit)
        return NetworkSocket(connection: connection)
    }

    func perform(_ request: RESTRequest, within limit: Duration) async throws -> RESTAnswer {
        var headers = self.headers + [("Accept", "application/json")]
        if let token = request.token { headers.append(("Authorization", "Bearer " + token)) }
        if !request.body.isEmpty { headers.append(("Content-Type", "application/json")) }
        let spec = HTTPRequestSpec(
            request.method, try Endpoint(request.url), headers: headers, body: Array(request.body.utf8))
        let answer = try await HTTPExchange.perform(spec, tls: tls, timeout: limit)
        return RESTAnswer(status: answer.status, body: answer.text, retryAfter: answer.header("Retry-After"))
    }
}

/// A WebSocket of this package.
private struct NetworkSocket: ClientSocket {
    let connection: WebSocketConnection

    func send(_ text: String) async throws { try await connection.send(text: text) }

    func next() async -> ClientSocketEvent? {
        while let arrival = await connection.next() {
            switch arrival.event {
            case .text(let text): return .text(text)
            case .close(let code, _): return .closed(code: code.map(Int.init))
            case .eof, .failed, .flooded: return nil
            case .invalidText, .binary, .ping, .pong, .tooLarge: continue
            }
        }
        return nil
    }

    func close(code: UInt16?) async {
        guard let code else { return connection.cut(.fin) }
        await connection.close(code: code, timeout: .milliseconds(500))
    }
}

/// A monotonic clock, set to the time of day at its start.
struct SystemClock: Sendable {
    private let wall = Int(Date().timeIntervalSince1970 * 1000)
    private let start = ContinuousClock.now

    /// Milliseconds since 1970, so that times of different runs of the app are comparable.
    var now: Int { wall + (ContinuousClock.now - start).milliseconds }
}
