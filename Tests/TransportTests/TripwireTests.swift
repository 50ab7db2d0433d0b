import HoldfastPlatform
import HoldfastTLS
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct TripwireTests {
    init() { installTLS() }

    /// How often something happened.
    private final class Count: Sendable {
        private let state = Mutex(0)
        var value: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    @Test func `bytes are seen before the message is, and once`() async throws {
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
            let bytes = Array(text.utf8)
            for (index, byte) in bytes.enumerated() {
                let frame = WebSocketFrame(
                    index == 0 ? .text : .continuation, [byte], isFinal: index == bytes.count - 1)
                try? await connection.send(frame.bytes(mask: nil))
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
            request, tls: trusting, tripwire: Tripwire("body") { count.add() }, timeout: patience)
        #expect(count.value == 2)
        socket.cut(.fin)
        await server.stop(graceful: .zero)
    }

    @Test func `part of a message trips nothing`() async throws {
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            _ = await connection.next()
            try? await connection.send(WebSocketFrame(.text, Array("\"done\"".utf8), isFinal: false).bytes(mask: nil))
            try? await connection.send(WebSocketFrame(.ping, []).bytes(mask: nil))
            // The rest waits until the first part was looked at.
            _ = await connection.next()
            try? await connection.send(WebSocketFrame(.continuation, Array(" and more".utf8)).bytes(mask: nil))
            while await connection.next() != nil {}
        }
        let socket = try await WebSocketConnection.open(
            Endpoint("ws://127.0.0.1:\(listener.port)/ws"), timeout: patience)
        socket.answersPings = false
        let tripwire = Tripwire("\"done\"") {}
        socket.watch(with: tripwire)
        try await socket.send(text: "begin")
        try await socket.expect(.ping([]))
        #expect(!tripwire.hasTripped)
        try await socket.send(text: "go on")
        try await socket.expect(.text("\"done\" and more"))
        #expect(tripwire.hasTripped)
        socket.cut(.fin)
        await listener.stop()
    }

    @Test func `an answer is seen when it is whole, across its chunks`() async throws {
        let listener = try await RawListener.start { connection in
            _ = try? await connection.read()
            try? await connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
            for chunk in ["3\r\n\"do\r\n", "3\r\nne\"\r\n", "0\r\n\r\n"] { try? await connection.send(chunk) }
        }
        let tripwire = Tripwire("\"done\"") {}
        let answer = try await HTTPExchange.perform(
            HTTPRequestSpec("GET", try Endpoint("http://127.0.0.1:\(listener.port)/")), tripwire: tripwire,
            timeout: patience)
        #expect(answer.text == "\"done\"" && tripwire.hasTripped)
        await listener.stop()
    }

    @Test func `an answer that breaks off trips nothing`() async throws {
        let listener = try await RawListener.start { connection in
            _ = try? await connection.read()
            try? await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n\"done\"")
        }
        let tripwire = Tripwire("\"done\"") {}
        let failure = await problem {
            _ = try await HTTPExchange.perform(
                HTTPRequestSpec("GET", try Endpoint("http://127.0.0.1:\(listener.port)/")), tripwire: tripwire,
                timeout: patience)
        }
        #expect(failure != nil && !tripwire.hasTripped)
        await listener.stop()
    }
}
