import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct WebSocketTests {
    @Test func `text, fragments, binary and invalid text come back as sent`() async throws {
        try await withSocket { socket in
            try await socket.send(text: "{\"type\":\"ping\"}")
            try await socket.expect(.text("{\"type\":\"ping\"}"))
            try await socket.send(fragments: ["gr", "ü", "", "ß 👩‍🚒"])
            try await socket.expect(.text("grüß 👩‍🚒"))
            try await socket.send(bytes: [0, 255, 10])
            try await socket.expect(.binary([0, 255, 10]))
            try await socket.send(text: "")
            try await socket.expect(.text(""))
        }
    }

    @Test func `a million characters come back`() async throws {
        let text = String(repeating: "0123456789", count: 100_000)
        try await withSocket { socket in
            try await socket.send(text: text)
            try await socket.expect(.text(text))
        }
    }

    @Test func `pings are answered by both sides, also between fragments`() async throws {
        try await withSocket { socket in
            try await socket.send(WebSocketFrame(.text, Array("a".utf8), isFinal: false))
            try await socket.ping([1, 2])
            try await socket.send(WebSocketFrame(.continuation, Array("b".utf8)))
            try await socket.expect(.pong([1, 2]))
            try await socket.expect(.text("ab"))
        }
        let handler = ClosureHandler(serve: { socket in
            try? await socket.ping([7])
            for await arrival in socket.messages where arrival.event == .pong([7]) { await socket.close(code: 4001) }
        })
        try await withSocket(handler) { socket in
            try await socket.expect(.ping([7]))
            try await socket.expect(.close(code: 4001, reason: ""))
        }
    }

    @Test func `pings stay unanswered when asked`() async throws {
        let silent = ClosureHandler(serve: { socket in
            socket.answersPings = false
            try? await socket.send(text: "ready")
            await ClosureHandler.echo(socket)
        })
        try await withSocket(silent) { socket in
            try await socket.expect(.text("ready"))
            try await socket.ping([1])
            try await socket.send(text: "fence")
            try await socket.expect(.text("fence"))  // no pong came before the fence
        }
    }

    @Test func `the server sees path, query and headers of the upgrade`() async throws {
        let handler = ClosureHandler(serve: { socket in
            let key = socket.request.header("X-KEY") ?? ""
            try? await socket.send(text: "\(socket.request.path) \(socket.request.query ?? "") \(key)")
        })
        try await withServer(handler) { server in
            let endpoint = try Endpoint(server.webSocketURL("/chat?token=t"))
            let socket = try await WebSocketConnection.open(endpoint, headers: [("X-Key", "k")], timeout: patience)
            try await socket.expect(.text("/chat token=t k"))
            try await socket.expect(.close(code: 1000, reason: ""))  // returning closes
            try await socket.expect(.eof)
            try await socket.expect(nil)
        }
    }

    @Test func `a refused upgrade names status and body`() async throws {
        let handler = ClosureHandler(admit: { _ in .refuse(status: 401, body: "no token") })
        try await withServer(handler) { server in
            let found = await problem { _ = try await open(server) }
            #expect(found?.code == .upgradeRefused(status: 401, bodyExcerpt: "no token"))
        }
    }

    @Test(arguments: [
        ("Sec-WebSocket-Version", "12", 426), ("Sec-WebSocket-Key", "short", 400), ("Connection", "close", 400),
    ])
    func `an upgrade against the rules is refused`(_ name: String, _ value: String, _ status: Int) async throws {
        try await withServer { server in
            let found = await problem {
                let endpoint = try Endpoint(server.webSocketURL())
                _ = try await WebSocketConnection.open(endpoint, headers: [(name, value)], timeout: patience)
            }
            guard case .upgradeRefused(status, _) = found?.code else {
                Issue.record("expected \(status), got \(String(describing: found))")
                return
            }
        }
    }

    @Test func `events carry rising times of arrival`() async throws {
        try await withSocket { socket in
            let before = ContinuousClock.now
            try await socket.send(text: "1")
            let first = try #require(try await socket.next(within: patience, "echo"))
            try await socket.send(text: "2")
            let second = try #require(try await socket.next(within: patience, "echo"))
            #expect(before < first.at)
            #expect(first.at < second.at)
            #expect(second.at <= .now)
        }
    }

    @Test func `posted messages leave in the order of the calls`() async throws {
        let handler = ClosureHandler(serve: { socket in
            for index in 0..<500 { try? socket.post(text: "\(index)") }
            await socket.close(code: 1000)
        })
        try await withSocket(handler) { socket in
            for index in 0..<500 { try await socket.expect(.text("\(index)")) }
            try await socket.expect(.close(code: 1000, reason: ""))
        }
    }

    @Test func `a cancelled wait loses no event`() async throws {
        try await withSocket { socket in
            let waiting = Task { await socket.next() }
            waiting.cancel()
            #expect(await waiting.value == nil)
            try await socket.send(text: "kept")
            try await socket.expect(.text("kept"))
        }
    }

    @Test func `a WebSocket is not what an HTTP answer makes it`() async throws {
        let listener = try await RawListener.start { peer in
            _ = try? await peer.read()
            try? await peer.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"
            )
            while await peer.next() != nil {}
        }
        let found = await problem {
            _ = try await WebSocketConnection.open(Endpoint("ws://127.0.0.1:\(listener.port)"), timeout: patience)
        }
        #expect(found?.code == .notWebSocket(reason: "Sec-WebSocket-Accept does not belong to the key that was sent"))
        await listener.stop()
    }
}
