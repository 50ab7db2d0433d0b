import Foundation
import HoldfastPlatform
import HoldfastTLS
import Testing

@testable import HoldfastTransport

/// HTTP/2 beside HTTP/1.1 on one port, as a client sees it that is not ours.
@Suite(.serialized, .enabled("there is no curl that speaks HTTP/2") { await Curl.speaksHTTP2() })
struct HTTP2Tests {
    init() { installTLS() }

    private static let shown = "%{http_version} %{response_code} %{header_json}"

    @Test func `a client that knows begins with HTTP/2 on the port of HTTP/1.1`() async throws {
        try await withServer(speaksHTTP2: true) { server in
            let url = server.httpURL("/a?b=c")
            let modern = try await Curl.run(
                "--http2-prior-knowledge", "--data", "grüß", "--write-out", Self.shown, url)
            #expect(modern.exit == 0 && modern.output.hasPrefix("grüß2 200 "), "\(modern)")
            #expect(
                modern.output.contains(#""x-method":["POST"]"#)
                    && modern.output.contains(#""x-target":["/a?b=c"]"#))
            #expect(modern.output.contains(#""content-length":["6"]"#))
            let classic = try await Curl.run(
                "--http1.1", "--write-out", "%{http_version} %{response_code}", url)
            #expect(classic.output == "1.1 200", "\(classic)")
            let socket = try await WebSocketConnection.open(
                Endpoint(server.webSocketURL()), timeout: patience)
            try await socket.send(text: "still here")
            #expect(await socket.next()?.event == .text("still here"))
            await socket.close()
        }
    }

    @Test func `the best protocol is agreed on over TLS, with a certificate made for the run`()
        async throws
    {
        let authority = try ThrowAwayAuthority()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "\(UUID().uuidString).pem")
        try Data(authority.certificate.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withServer(tls: authority.identity, speaksHTTP2: true) { server in
            for host in ["localhost", "127.0.0.1"] {
                let url = "https://\(host):\(server.port)/"
                let version = "%{http_version} %{response_code}"
                let modern = try await Curl.run(
                    "--http2", "--cacert", file.path, "--write-out", version, url)
                #expect(modern.output == "2 200", "\(modern)")
                let classic = try await Curl.run(
                    "--http1.1", "--cacert", file.path, "--write-out", version, url)
                #expect(classic.output == "1.1 200", "\(classic)")
                let stranger = try await Curl.run("--http2", url)
                #expect(stranger.exit == 60, "\(stranger)")
            }
            var options = TLSOptions()
            options.trustRootsFile = file.path
            let answer = try await HTTPExchange.perform(
                HTTPRequestSpec("GET", Endpoint("https://localhost:\(server.port)/")), tls: options)
            #expect(answer.status == 200)
        }
    }

    @Test func `many requests at once share a connection`() async throws {
        let gate = Gate(count: 20)
        let seen = Mutex<[String: Int]>([:])
        let handler = ClosureHandler(respond: { request in
            seen.withLock { $0[request.remoteAddress, default: 0] += 1 }
            // A client waits for the first answer before it knows that a connection can be shared.
            if request.target != "/1" { await gate.enter() }
            return HTTPServerResponse(headers: [("x-target", request.target)])
        })
        try await withServer(handler, tls: try ThrowAwayAuthority().identity, speaksHTTP2: true) { server in
            let answer = try await Curl.run(
                "--http2", "--insecure", "--parallel", "--parallel-max", "50", "--write-out",
                "%{response_code} %header{x-target}\n", server.httpURL("/[1-200]"))
            #expect(answer.exit == 0, "\(answer.problems)")
            let lines = Set(answer.output.split(separator: "\n"))
            #expect(lines == Set((1...200).map { "200 /\($0)" }))
            #expect(seen.withLock { $0.values.max() } ?? 0 >= 20, "\(seen.withLock { $0 })")
        }
    }

    @Test func `a body beyond the limit is refused, and the connection lives on`() async throws {
        try await withServer(
            tls: try ThrowAwayAuthority().identity, speaksHTTP2: true, limits: ServerLimits(maxBodyBytes: 1000)
        ) {
            server in
            let url = server.httpURL()
            let answer = try await Curl.run(
                "--http2", "--insecure", "--data", String(repeating: "x", count: 100_000), "--output",
                "/dev/null",
                "--write-out", "%{response_code} ", url, "--next", "--silent", "--insecure", "--http2-prior-knowledge",
                "--data", "x",
                "--write-out", " %{response_code} %{num_connects}", url)
            #expect(answer.output == "413 x 200 0", "\(answer)")
        }
    }

    @Test func `bodies that are collected at once have a bound together`() async throws {
        try await withServer(speaksHTTP2: true, limits: ServerLimits(maxHeldBytes: 1000)) { server in
            for version in ["--http2-prior-knowledge", "--http1.1"] {
                let answer = try await Curl.run(
                    version, "--data", String(repeating: "x", count: 2000), "--output", "/dev/null",
                    "--write-out",
                    "%{response_code}", server.httpURL())
                #expect(answer.output == "503", "\(answer)")
                for _ in 0..<3 {
                    let next = try await Curl.run(
                        version, "--data", String(repeating: "x", count: 900), "--output", "/dev/null",
                        "--write-out",
                        "%{response_code}", server.httpURL())
                    #expect(next.output == "200", "\(next)")
                }
            }
        }
    }

    @Test func `an answer may be none at all`() async throws {
        let handler = ClosureHandler(respond: { $0.path == "/none" ? .hangUp : HTTPServerResponse() })
        try await withServer(handler, speaksHTTP2: true) { server in
            let classic = try await Curl.run("--http1.1", server.httpURL("/none"))
            #expect(classic.exit == 52, "\(classic)")
            let modern = try await Curl.run("--http2-prior-knowledge", server.httpURL("/none"))
            #expect(modern.exit == 92, "\(modern)")
        }
    }

    @Test func `a body may come in pieces`() async throws {
        let handler = ClosureHandler(respond: { _ in
            var response = HTTPServerResponse()
            response.pieces = AsyncStream { continuation in
                for piece in ["a", "", "b", "c"] { continuation.yield(Array(piece.utf8)) }
                continuation.finish()
            }
            return response
        })
        try await withServer(handler, speaksHTTP2: true) { server in
            let answer = try await Curl.run(
                "--http2-prior-knowledge", "--write-out", " %{response_code}", server.httpURL())
            #expect(answer.output == "abc 200", "\(answer)")
        }
    }

    @Test func `a server that speaks no HTTP/2 agrees to none`() async throws {
        let authority = try ThrowAwayAuthority()
        let server = try await TransportServer.start(tls: authority.identity, handler: ClosureHandler())
        let answer = try await Curl.run(
            "--http2", "--insecure", "--write-out", "%{http_version} %{response_code}", server.httpURL())
        #expect(answer.output == "1.1 200", "\(answer)")
        await server.stop(graceful: .zero)
    }
}

/// Lets nobody pass until so many have come, or patience is over.
private final class Gate: Sendable {
    private struct State {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(missing: count))
    }

    func enter() async {
        await withCheckedContinuation { continuation in
            let released: [CheckedContinuation<Void, Never>] = state.withLock { state in
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in released { continuation.resume() }
        }
    }
}
