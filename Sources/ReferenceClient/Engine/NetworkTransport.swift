import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastSmallFoundation
import HoldfastTransport

/// A network built on this package's own WebSocket and HTTP.
package struct NetworkTransport: ClientTransport {
    private let headers: [(String, String)]
    /// Sent only with an upgrade.
    private var credential: [(String, String)] = []
    private let tls: TLSOptions
    private let dialect: Dialect

    package init(
        headers: [(String, String)] = [], tls: TLSOptions = TLSOptions(), in dialect: Dialect = .canonical
    ) {
        (self.headers, self.tls, self.dialect) = (headers, tls, dialect)
    }

    var greeting: String? { dialect.assumedGreeting?.text() }

    /// Returns this network and the address of its socket, one of them with the user's token added.
    func signedIn(_ token: String, at url: String) -> (network: Self, url: String) {
        var network = self
        if token.isEmpty { return (self, url) }
        switch dialect.credential {
        case .query(let name):
            return (self, "\(url)\(url.contains("?") ? "&" : "?")\(name)=\(percentEncoded(token))")
        case .header(let name, let prefix): network.credential = [(name, prefix + token)]
        case .frame, .none: break
        }
        return (network, url)
    }

    func open(_ url: String, headers: [(String, String)], within limit: Duration) async throws -> any ClientSocket {
        let connection = try await WebSocketConnection.open(
            Endpoint(url), headers: self.headers + credential + headers, tls: tls, timeout: limit)
        return NetworkSocket(connection: connection, dialect: dialect)
    }

    func perform(_ request: RESTRequest, within limit: Duration) async throws -> RESTAnswer {
        let endpoint = try Endpoint(request.url)
        let body = request.body.isEmpty ? nil : request.body
        let canonical = Holdfast.RESTRequest(method: request.method, path: endpoint.target, body: body)
        guard let wire = dialect.encode(canonical) else { return RESTAnswer(status: 404, body: "") }
        var headers = self.headers + [("Accept", "application/json")]
        if let token = request.token { headers.append(("Authorization", "Bearer " + token)) }
        if wire.body != nil { headers.append(("Content-Type", "application/json")) }
        let spec = HTTPRequestSpec(
            wire.method, try Endpoint(endpoint.origin + wire.path), headers: headers,
            body: Array((wire.body ?? "").utf8))
        let answer = try await HTTPExchange.perform(spec, tls: tls, timeout: limit)
        let decoded = dialect.decode(RESTResponse(status: answer.status, body: answer.text), to: wire)
        return RESTAnswer(status: decoded.status, body: decoded.body, retryAfter: answer.header("Retry-After"))
    }
}

private struct NetworkSocket: ClientSocket {
    let connection: WebSocketConnection
    let dialect: Dialect

    func send(_ text: String) async throws {
        do {
            if dialect.isCanonical { return try await connection.send(text: text) }
            guard case .frame(let wire) = dialect.encode(try JSONParser.value(text), sentBy: .client) else { return }
            try await connection.send(text: wire.text())
        } catch {
            // Queued arrivals remain; `next` ends after them, at most a second later.
            connection.cut(.fin)
            throw error
        }
    }

    func next() async -> ClientSocketEvent? {
        while let arrival = await connection.next() {
            switch arrival.event {
            case .text(let text):
                guard !dialect.isCanonical, let wire = try? JSONParser.value(text) else { return .text(text) }
                if let frame = dialect.meaning(of: wire, sentBy: .server) { return .text(frame.text()) }
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

struct SystemClock: Sendable {
    private let wall = Int(Date().timeIntervalSince1970 * 1000)
    private let start = ContinuousClock.now

    /// Milliseconds since 1970, so that times of different runs of the app are comparable.
    var now: Int { wall + (ContinuousClock.now - start).milliseconds }
}
