import Synchronization
import Testing
import Transport

@Suite struct TripwireTests {
    /// How often something happened.
    private final class Count: Sendable {
        private let state = Mutex(0)
        var value: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    @Test func `bytes are seen before the frame is, and once`() async throws {
        try await withSocket { socket in
            let count = Count()
            let tripwire = Tripwire("\"done\"") { count.add() }
            socket.watch(with: tripwire)
            try await socket.send(text: #"{"type":"ack"}"#)
            try await socket.expect(.text(#"{"type":"ack"}"#))
            #expect(!tripwire.hasTripped)
            for _ in 0..<3 {
                try await socket.send(text: #"{"type":"done"}"#)
                try await socket.expect(.text(#"{"type":"done"}"#))
                #expect(tripwire.hasTripped && count.value == 1)
            }
        }
    }

    @Test func `what arrived before it was set is not looked at`() async throws {
        try await withSocket { socket in
            try await socket.send(text: "done")
            try await socket.expect(.text("done"))
            let tripwire = Tripwire("done") {}
            socket.watch(with: tripwire)
            try await socket.send(text: "one")
            try await socket.expect(.text("one"))
            #expect(!tripwire.hasTripped)
        }
    }

    /// The server sends each byte by itself; how many of them a read takes does not matter to the result.
    @Test(arguments: ["aab", "abab", "\"done\""])
    func `bytes are seen across pieces`(_ pattern: String) async throws {
        let text = "aaabababa \"do\"done\" aab"
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            // The tripwire is set before anything comes.
            _ = await connection.next()
            for byte in WebSocketFrame(.text, Array(text.utf8)).bytes(mask: nil) {
                try? await connection.send([byte])
                try? await Task.sleep(for: .milliseconds(1))
            }
            while await connection.next() != nil {}
        }
        let socket = try await WebSocketConnection.open(
            Endpoint("ws://127.0.0.1:\(listener.port)/ws"), timeout: patience)
        let count = Count()
        socket.watch(with: Tripwire(pattern) { count.add() })
        try await socket.send(text: "begin")
        try await socket.expect(.text(text))
        #expect(count.value == 1)
        socket.cut(.fin)
        await listener.stop()
    }

    @Test func `bytes are seen behind TLS, on a socket and in an answer`() async throws {
        let certificate = try ThrowAwayCertificate()
        defer { certificate.remove() }
        let server = try await TransportServer.start(tls: certificate.identity, handler: ClosureHandler())
        let trusting = TLSOptions(trustRootsFile: certificate.certificateFile)
        let count = Count()
        let socket = try await WebSocketConnection.open(
            Endpoint(server.webSocketURL()), tls: trusting, timeout: patience)
        socket.watch(with: Tripwire("secret") { count.add() })
        try await socket.send(text: "a secret")
        try await socket.expect(.text("a secret"))
        #expect(count.value == 1)
        let request = HTTPRequestSpec("POST", try Endpoint(server.httpURL("/api")), body: Array("body".utf8))
        _ = try await HTTPExchange.perform(
            request, tls: trusting, tripwire: Tripwire("HTTP/1.1 200") { count.add() }, timeout: patience)
        #expect(count.value == 2)
        socket.cut(.fin)
        await server.stop(graceful: .zero)
    }

    @Test func `an answer is seen before it is parsed, also one that is no HTTP`() async throws {
        let listener = try await RawListener.start { connection in
            _ = try? await connection.read()
            try? await connection.send("HTTP/9 boom \"done\"\r\n\r\n")
        }
        let tripwire = Tripwire("\"done\"") {}
        let failure = await problem {
            _ = try await HTTPExchange.perform(
                HTTPRequestSpec("GET", try Endpoint("http://127.0.0.1:\(listener.port)/")), tripwire: tripwire,
                timeout: patience)
        }
        #expect(failure != nil && tripwire.hasTripped)
        await listener.stop()
    }
}
