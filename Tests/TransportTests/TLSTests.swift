import HoldfastBasics
import HoldfastTLS
import Testing

@testable import HoldfastTransport

@Suite struct TLSTests {
    init() { installTLS() }

    private func withSecureServer(
        _ handler: ClosureHandler = ClosureHandler(),
        body: (TransportServer, TLSOptions) async throws -> Void
    ) async throws {
        let certificate = try ThrowAwayCertificate()
        defer { certificate.remove() }
        let server = try await TransportServer.start(tls: certificate.identity, handler: handler)
        let trusting = TLSOptions(trustRootsFile: certificate.certificateFile)
        do {
            try await body(server, trusting)
        } catch {
            await server.stop(graceful: .zero)
            throw error
        }
        await server.stop(graceful: .zero)
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a WebSocket over TLS works for a trusted root`(_ host: String) async throws {
        try await withSecureServer { server, trusting in
            let endpoint = try Endpoint("wss://\(host):\(server.port)/ws")
            let socket = try await WebSocketConnection.open(endpoint, tls: trusting, timeout: patience)
            try await socket.send(fragments: ["grü", "ß"])
            try await socket.expect(.text("grüß"))
            let long = String(repeating: "0123456789", count: 50_000)
            try await socket.send(text: long)
            try await socket.expect(.text(long))
            await socket.close(code: 4001)
            try await socket.expect(.close(code: 4001, reason: ""))
            try await socket.expect(.eof)
        }
    }

    @Test func `HTTP over TLS works, once and on a warm connection`() async throws {
        try await withSecureServer { server, trusting in
            let endpoint = try Endpoint(server.httpURL("/api"))
            #expect(endpoint.scheme == .https)
            let request = HTTPRequestSpec("POST", endpoint, body: Array("body".utf8))
            #expect(try await HTTPExchange.perform(request, tls: trusting, timeout: patience).text == "body")
            let connection = try await HTTPConnection(to: endpoint, tls: trusting, timeout: patience)
            for _ in 0..<3 { #expect(try await connection.perform(request, timeout: patience).text == "body") }
        }
    }

    #if os(Linux)
    // Elsewhere only 127.0.0.1 leads to this machine.
    @Test func `a certificate of another host is told as TLS`() async throws {
        let certificate = try ThrowAwayCertificate()
        defer { certificate.remove() }
        let server = try await TransportServer.start(
            host: "127.0.0.2", tls: certificate.identity, handler: ClosureHandler())
        let refused = await problem {
            _ = try await WebSocketConnection.open(
                Endpoint("wss://127.0.0.2:\(server.port)/ws"),
                tls: TLSOptions(trustRootsFile: certificate.certificateFile), timeout: patience)
        }
        await server.stop(graceful: .zero)
        #expect(refused?.name == "tls", "\(refused.map(\.description) ?? "trusted")")
    }
    #endif

    @Test func `an unknown root is refused by default and accepted on request`() async throws {
        try await withSecureServer { server, _ in
            let endpoint = try Endpoint(server.webSocketURL())
            let refused = await problem { _ = try await WebSocketConnection.open(endpoint, timeout: patience) }
            #expect(refused?.name == "tls")
            let exchange = await problem {
                _ = try await HTTPExchange.perform(HTTPRequestSpec("GET", endpoint), timeout: patience)
            }
            #expect(exchange?.name == "tls")
            let blind = TLSOptions(acceptAnyCertificate: true)
            let socket = try await WebSocketConnection.open(endpoint, tls: blind, timeout: patience)
            try await socket.send(text: "in")
            try await socket.expect(.text("in"))
        }
    }

    @Test func `cuts reach the other side through TLS`() async throws {
        for cut in [Cut.fin, .reset] {
            let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
            try await withSecureServer(.reporting(to: report)) { server, trusting in
                let socket = try await WebSocketConnection.open(
                    Endpoint(server.webSocketURL()), tls: trusting, timeout: patience)
                try await socket.send(text: "before")
                var seen = events.makeAsyncIterator()
                #expect(await seen.next() == .text("before"))
                socket.cut(cut)
                switch await seen.next() {
                case .eof: #expect(cut == .fin)
                case .failed(let problem): #expect(cut == .reset && problem.code == .reset)
                case let other: Issue.record("neither end nor reset: \(String(describing: other))")
                }
            }
        }
    }

    @Test func `plain HTTP to a TLS port and TLS to a plain port end as problems`() async throws {
        try await withSecureServer { server, _ in
            let plain = try HTTPRequestSpec("GET", Endpoint("http://127.0.0.1:\(server.port)/"))
            let found = await problem { _ = try await HTTPExchange.perform(plain, timeout: patience) }
            #expect(found != nil)
        }
        try await withServer { server in
            let endpoint = try Endpoint("wss://127.0.0.1:\(server.port)/ws")
            let found = await problem { _ = try await WebSocketConnection.open(endpoint, timeout: patience) }
            #expect(found?.name == "tls")
        }
    }

    @Test func `a file that holds no certificate is named`() async throws {
        let missing = TLSIdentity(certificateFile: "/nowhere/certificate.pem", keyFile: "/nowhere/key.pem")
        let server = await problem { _ = try await TransportServer.start(tls: missing, handler: ClosureHandler()) }
        #expect(server?.name == "tls")
        #expect(server?.address == "/nowhere/certificate.pem")
        let client = await problem {
            let options = TLSOptions(trustRootsFile: "/nowhere/roots.pem")
            _ = try await WebSocketConnection.open(Endpoint("wss://127.0.0.1:1/ws"), tls: options, timeout: patience)
        }
        #expect(client?.name == "tls")
    }
}
