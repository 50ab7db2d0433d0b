import HoldfastBasics
import TestSupport
import Testing

@testable import HoldfastTransport

/// Servers that misbehave before there is a WebSocket, and clients that misbehave towards a server.
@Suite struct HostilePeerTests {
    private func openingProblem(
        timeout: Duration = patience,
        serve: @escaping @Sendable (RawConnection) async -> Void
    ) async throws -> TransportProblem? {
        let listener = try await RawListener.start(serve: serve)
        let found = await problem {
            _ = try await WebSocketConnection.open(Endpoint("ws://127.0.0.1:\(listener.port)/ws"), timeout: timeout)
        }
        await listener.stop()
        return found
    }

    @Test func `a server that never answers is late within the limit`() async throws {
        let limit = Duration.seconds(2)
        let found = try await openingProblem(timeout: limit) { while await $0.next() != nil {} }
        #expect(found?.code == .late(what: "answer to the upgrade", limit: limit))
    }

    @Test func `a server that closes at once is closed or reset`() async throws {
        let closed = try await openingProblem { $0.cut(.fin) }
        #expect(closed?.code == .closed)
        let reset = try await openingProblem { peer in
            _ = try? await peer.read()
            peer.cut(.reset)
        }
        #expect(reset?.code == .reset)
    }

    @Test func `an answer that is not HTTP is a protocol error`() async throws {
        let found = try await openingProblem { peer in
            _ = try? await peer.read()
            try? await peer.send("\u{1}\u{2}garbage\r\n\r\n")
            while await peer.next() != nil {}
        }
        #expect(found?.name == "protocol_error")
    }

    @Test func `a refusal with an endless body ends with its beginning`() async throws {
        let found = try await openingProblem { peer in
            _ = try? await peer.read()
            try? await peer.send("HTTP/1.1 503 Busy\r\nContent-Length: 100000000\r\n\r\n")
            let part = [UInt8](repeating: 97, count: 1 << 20)
            while (try? await peer.send(part)) != nil {}
        }
        let excerpt = String(repeating: "a", count: 400)
        #expect(found?.code == .upgradeRefused(status: 503, bodyExcerpt: excerpt))
    }

    @Test func `headers without end are a protocol error and not a hundred megabytes`() async throws {
        let found = try await openingProblem { peer in
            _ = try? await peer.read()
            try? await peer.send("HTTP/1.1 200 OK\r\nX: ")
            let part = [UInt8](repeating: 97, count: 1 << 20)
            for _ in 0..<100 { guard (try? await peer.send(part)) != nil else { return } }
        }
        #expect(found?.name == "protocol_error")
    }

    @Test func `nobody listening is named with place, expectation and fix`() async throws {
        // Port 1 is never handed out, so no test that runs beside this one can listen on it.
        let found = await problem {
            _ = try await WebSocketConnection.open(
                Endpoint("ws://127.0.0.1:1/ws?token=secret"), timeout: patience)
        }
        #expect(found?.code == .connectionRefused)
        let lines = found.map { $0.description.split(separator: "\n").map(String.init) } ?? []
        #expect(
            lines.prefix(3) == [
                "ws://127.0.0.1:1/ws: connection refused", "  expected: a server that listens there",
                "  fix: start the server, or correct host and port",
            ]
        )
        #expect(lines.count > 3, "the cause is kept")
        #expect(lines.allSatisfy { !$0.contains("secret") })
    }

    @Test func `a name that does not resolve is unreachable`() async throws {
        let found = await problem {
            _ = try await WebSocketConnection.open(Endpoint("ws://nobody.invalid/ws"), timeout: patience)
        }
        #expect(found?.code == .unknownHost)
    }

    @Test(arguments: ["\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}"])
    func `a server answers garbage with 400 or an end, and serves the next client`(_ garbage: String) async throws {
        try await withServer { server in
            let peer = try await RawConnection.open(port: server.port)
            try await peer.send(garbage)
            peer.cut(.fin)
            try await peer.waitUntilEnded()
            let socket = try await open(server)
            try await socket.send(text: "alive")
            try await socket.expect(.text("alive"))
        }
    }

    @Test func `garbage gets status 400`() async throws {
        try await withServer { server in
            let peer = try await RawConnection.open(port: server.port)
            try await peer.send("NOT A REQUEST\r\n\r\n")
            let answer = try await peer.read()
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func `half a request harms nobody`() async throws {
        try await withServer { server in
            for cut in [Cut.fin, .reset] {
                let peer = try await RawConnection.open(port: server.port)
                try await peer.send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
                peer.cut(cut)
                try await peer.waitUntilEnded()
            }
            let answer = try await HTTPExchange.perform(
                HTTPRequestSpec("GET", Endpoint(server.httpURL())), timeout: patience)
            #expect(answer.status == 200)
        }
    }

    @Test func `a client that stays silent is dropped after the request timeout`() async throws {
        try await withServer(limits: ServerLimits(requestTimeout: .milliseconds(50))) { server in
            let peer = try await RawConnection.open(port: server.port)
            #expect(try await peer.nextEvent(within: patience) == .eof)
        }
    }

    @Test func `ten thousand bytes of headers are served and ten million are not`() async throws {
        try await withServer { server in
            let endpoint = try Endpoint(server.httpURL())
            let long = String(repeating: "h", count: 10_000)
            let answer = try await HTTPExchange.perform(HTTPRequestSpec("GET", endpoint, headers: [("X-Long", long)]))
            #expect(answer.status == 200)
            let peer = try await RawConnection.open(port: server.port)
            try await peer.send("GET / HTTP/1.1\r\nX: ")
            let part = [UInt8](repeating: 104, count: 100_000)
            for _ in 0..<100 { guard (try? await peer.send(part)) != nil else { break } }
            while let event = try await peer.nextEvent(within: patience), !event.isLast {}
            #expect(try await HTTPExchange.perform(HTTPRequestSpec("GET", endpoint), timeout: patience).status == 200)
        }
    }

    @Test func `a full server turns the next client away and recovers`() async throws {
        try await withServer(limits: ServerLimits(maxConnections: 1)) { server in
            let first = try await open(server)
            let refused = await problem { _ = try await open(server) }
            #expect(refused != nil)
            await first.close()
            try await first.waitUntilEnded()
            #expect(try await eventually { server.connectionCount == 0 })
            let second = try await open(server)
            try await second.send(text: "in")
            try await second.expect(.text("in"))
        }
    }
}
