import HoldfastBasics
import HoldfastPlatform
import HoldfastTLS
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct RelayTests {
    init() { installTLS() }

    @Test func `messages pass both ways with the fields of the handshake that matter`() async throws {
        let (requests, report) = AsyncStream.makeStream(of: UpgradeRequest.self)
        let handler = ClosureHandler(admit: { request in
            report.yield(request)
            return .accept
        })
        try await withRelay(to: handler) { relay, upstream in
            let endpoint = try Endpoint(relay.webSocketURL("/ws?key=secret"))
            let socket = try await WebSocketConnection.open(
                endpoint,
                headers: [
                    ("Authorization", "Bearer t"), ("Origin", "http://127.0.0.1:\(relay.port)"),
                    ("Sec-WebSocket-Extensions", "permessage-deflate"), ("X-Own", "kept"),
                ], timeout: patience)
            var iterator = requests.makeAsyncIterator()
            let request = await iterator.next()
            #expect(request?.target == "/ws?key=secret")
            #expect(request?.header("Host") == "127.0.0.1:\(upstream.port)", "the server's own name")
            #expect(request?.header("Origin") == "http://127.0.0.1:\(upstream.port)")
            #expect(request?.header("Authorization") == "Bearer t")
            #expect(request?.header("X-Own") == "kept")
            #expect(request?.header("Sec-WebSocket-Extensions") == nil, "compressed messages could not be read")
            for text in ["hello", "", String(repeating: "ü", count: 100_000)] {
                try await socket.send(text: text)
                try await socket.expect(.text(text))
            }
            try await socket.send(bytes: [0, 255, 1])
            try await socket.expect(.binary([0, 255, 1]))
            try await socket.ping([1, 2])
            try await socket.expect(.pong([1, 2]))
            await socket.close(code: 4001, reason: "bye")
        }
    }

    @Test func `fragments, masks and mistakes arrive byte by byte as they were sent`() async throws {
        let received = Mutex<[UInt8]>([])
        let (done, finished) = AsyncStream.makeStream(of: Void.self)
        let frames: [[UInt8]] = [
            WebSocketFrame(.text, Array("a".utf8), isFinal: false).bytes(mask: 7),
            WebSocketFrame(.ping, [9]).bytes(mask: 8),
            WebSocketFrame(.continuation, Array("b".utf8)).bytes(mask: 9),
            WebSocketFrame(WebSocketFrame.Opcode(3), [1, 2, 3], reservedBits: 5).bytes(mask: nil),
            Array("no frame at all".utf8),
        ]
        let all = Array(frames.joined())
        let upstream = try await RawListener.start { connection in
            _ = try? await connection.acceptWebSocket()
            while received.withLock(\.count) < all.count, let bytes = await connection.next() {
                received.withLock { $0 += bytes }
            }
            finished.yield()
            _ = await connection.next()
        }
        let watcher = SeeingWatcher()
        let relay = try await Relay.start(upstream: Endpoint("ws://127.0.0.1:\(upstream.port)"), watcher: watcher)
        let client = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
        for frame in frames { try await client.send(rawBytes: frame) }
        for await _ in done { break }
        #expect(received.withLock { $0 } == all)
        #expect(watcher.events == ["asked", "upgraded", "client ping", "client text ab", "lost client"])
        client.cut(.reset)
        await relay.stop(graceful: .zero)
        await upstream.stop()
    }

    @Test(arguments: [false, true])
    func `the way a connection ends is passed on`(_ holds: Bool) async throws {
        for (cut, expected) in [(Cut.fin, "eof"), (.reset, "reset")] {
            let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
            try await withRelay(to: .reporting(to: report), holds: holds) { relay, _ in
                let socket = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
                try await socket.send(text: "before")
                var seen = events.makeAsyncIterator()
                #expect(await seen.next() == .text("before"))
                socket.cut(cut)
                #expect(name(await seen.next()) == expected)
            }
            try await withRelay(to: ClosureHandler(serve: { $0.cut(cut) }), holds: holds) { relay, _ in
                let socket = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
                #expect(name(try await socket.event()) == expected)
            }
        }
        let closing = ClosureHandler(serve: { await $0.close(code: 1013, reason: "later") })
        try await withRelay(to: closing, holds: holds) { relay, _ in
            let socket = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
            try await socket.expect(.close(code: 1013, reason: "later"))
            try await socket.expect(.eof)
        }
    }

    private func name(_ event: WebSocketEvent?) -> String {
        switch event {
        case .eof: "eof"
        case .failed(let problem): problem.name
        case let other: "\(String(describing: other))"
        }
    }

    @Test func `a refused WebSocket is refused with the server's own status and words`() async throws {
        let refusing = ClosureHandler(admit: { _ in .refuse(status: 401, body: "no token") })
        try await withRelay(to: refusing) { relay, _ in
            let problem = await problem {
                _ = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
            }
            #expect(problem?.code == .upgradeRefused(status: 401, bodyExcerpt: "no token"))
        }
    }

    /// Its first frame may share a packet with the answer to the upgrade, or follow it at once.
    @Test(arguments: [true, false], [true, false])
    func `each client of a server that speaks first hears it`(_ holds: Bool, _ isOnePacket: Bool) async throws {
        let hello = WebSocketFrame(.text, Array("hello".utf8)).bytes(mask: nil)
        let upstream = try await RawListener.start { connection in
            _ = try? await connection.acceptWebSocket(followedBy: isOnePacket ? hello : [])
            if !isOnePacket { try? await connection.send(hello) }
            while await connection.next() != nil {}
        }
        let watcher = SeeingWatcher()
        let relay = try await Relay.start(
            upstream: Endpoint("ws://127.0.0.1:\(upstream.port)"), holdsMessages: holds, watcher: watcher)
        for _ in 0..<20 {
            let client = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
            try await client.expect(.text("hello"))
            client.cut(.fin)
        }
        #expect(watcher.events.count { $0 == "server text hello" } == 20)
        await relay.stop(graceful: .zero)
        await upstream.stop()
    }

    @Test func `a subprotocol that the server chose reaches the client, and what it says with it`() async throws {
        let upstream = try await RawListener.start { connection in
            guard let head = try? await connection.read() else { return }
            let text = String(decoding: head, as: UTF8.self)
            let asked = text.contains("Sec-WebSocket-Protocol: chat, superchat")
            try? await connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Protocol: \(asked ? "chat" : "none")\r\n\r\n"
                    + String(decoding: WebSocketFrame(.text, Array("at once".utf8)).bytes(mask: nil), as: UTF8.self))
            _ = await connection.next()
        }
        let relay = try await Relay.start(
            upstream: Endpoint("ws://127.0.0.1:\(upstream.port)"), watcher: SeeingWatcher())
        let client = try await RawConnection.open(port: relay.port)
        try await client.send(
            "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: chat, superchat\r\n\r\n")
        let answer = String(decoding: try await client.read(until: "at once", within: patience), as: UTF8.self)
        #expect(answer.contains("Sec-WebSocket-Protocol: chat\r\n"))
        client.cut(.reset)
        await relay.stop(graceful: .zero)
        await upstream.stop()
    }

    @Test func `requests pass one after the other on a warm connection, with their bodies`() async throws {
        let watcher = SeeingWatcher()
        try await withRelay(to: ClosureHandler(), watcher: watcher) { relay, _ in
            let connection = try await HTTPConnection(to: Endpoint(relay.httpURL("/api")), timeout: patience)
            for size in [0, 1, 3_000_000] {
                let body = [UInt8](repeating: 7, count: size)
                let request = HTTPRequestSpec("POST", try Endpoint(relay.httpURL("/a?b=\(size)")), body: body)
                let answer = try await connection.perform(request, timeout: patience)
                #expect(answer.body == body)
                #expect(answer.header("X-Target") == "/a?b=\(size)")
            }
            let head = try await connection.perform(
                HTTPRequestSpec("HEAD", try Endpoint(relay.httpURL("/a"))), timeout: patience)
            #expect(head.status == 200)
            connection.cut(.fin)
        }
        #expect(watcher.events.filter { $0 == "answered 200" }.count == 4)
    }

    @Test func `an answer in pieces arrives piece by piece, and one too large to be kept arrives too`() async throws {
        let (pieces, feed) = AsyncStream.makeStream(of: [UInt8].self)
        let handler = ClosureHandler(respond: { _ in
            var response = HTTPServerResponse()
            response.pieces = pieces
            return response
        })
        let watcher = SeeingWatcher()
        var limits = RelayLimits()
        limits.maxBodyBytes = 1000
        try await withRelay(to: handler, watcher: watcher, limits: limits) { relay, _ in
            let client = try await RawConnection.open(port: relay.port)
            try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            feed.yield(Array("first".utf8))
            _ = try await client.read(until: "first", within: patience)
            feed.yield([UInt8](repeating: 65, count: 2000) + Array("last".utf8))
            feed.finish()
            _ = try await client.read(until: "last", within: patience)
            client.cut(.fin)
        }
        #expect(watcher.events.contains("failed too_large"))
        #expect(!watcher.events.contains("answered 200"), "what was not kept whole is not shown as whole")
    }

    @Test func `a server that cannot be reached costs one client a 502, and the relay goes on`() async throws {
        let free = try await RawListener.start { _ in }
        let port = free.port
        await free.stop()
        let watcher = SeeingWatcher()
        let relay = try await Relay.start(upstream: Endpoint("ws://127.0.0.1:\(port)"), watcher: watcher)
        let request = HTTPRequestSpec("GET", try Endpoint(relay.httpURL()))
        for _ in 0..<2 {
            let answer = try await HTTPExchange.perform(request, timeout: patience)
            #expect(answer.status == 502)
            #expect(answer.text == "the proxy cannot reach the server at http://127.0.0.1:\(port)/: connection_refused")
        }
        let refused = await problem {
            _ = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
        }
        #expect(refused?.name == "upgrade_refused")
        let server = try await TransportServer.start(port: port, handler: ClosureHandler())
        #expect(try await HTTPExchange.perform(request, timeout: patience).status == 200)
        await server.stop(graceful: .zero)
        await relay.stop(graceful: .zero)
        #expect(watcher.events.filter { $0 == "failed connection_refused" }.count == 3)
    }

    @Test func `a peer that does not read stops the other from sending`() async throws {
        let (held, holding) = AsyncStream.makeStream(of: Void.self)
        let handler = ClosureHandler(serve: { socket in
            socket.stopReading()
            holding.yield()
            _ = try? await Task.sleep(for: .seconds(3600))
        })
        try await withRelay(to: handler) { relay, _ in
            let socket = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
            for await _ in held { break }
            // The buffers of three systems take some of it; the rest has to stay with whoever sends it.
            let late = await problem {
                try await withDeadline(.seconds(2), "room") {
                    for _ in 0..<1000 { try await socket.send(bytes: [UInt8](repeating: 1, count: 1 << 20)) }
                }
            }
            #expect(late?.name == "late")
            socket.cut(.reset)
        }
    }

    @Test func `stopping says 1001 to both peers`() async throws {
        let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
        try await withServer(.reporting(to: report)) { server in
            let relay = try await Relay.start(
                upstream: Endpoint(server.webSocketURL()), watcher: SeeingWatcher())
            let socket = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
            try await socket.send(text: "here")
            var seen = events.makeAsyncIterator()
            #expect(await seen.next() == .text("here"))
            await relay.stop()
            try await socket.expect(.close(code: 1001, reason: ""))
            #expect(await seen.next() == .close(code: 1001, reason: ""))
        }
    }

    @Test func `messages are left out, doubled and held up, and fragments of others do not suffer`() async throws {
        let watcher = SeeingWatcher { event, side in
            guard side == .client, case .text(let text) = event else { return .pass }
            switch text {
            case "drop": return RelayAction(copies: 0)
            case "twice": return RelayAction(copies: 2)
            case "late": return RelayAction(delay: .milliseconds(50))
            case "close": return RelayAction(copies: 0, ending: .close(1012))
            default: return .pass
            }
        }
        try await withRelay(to: ClosureHandler(), watcher: watcher, holds: true) { relay, _ in
            let socket = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
            for text in ["drop", "twice", "late", "next"] { try await socket.send(fragments: [text, ""]) }
            for text in ["twice", "twice", "late", "next"] { try await socket.expect(.text(text)) }
            try await socket.send(text: "close")
            try await socket.expect(.close(code: 1012, reason: ""))
        }
        #expect(watcher.events.contains("delivered client text late"))
    }

    @Test func `after a silence, a client that leaves takes its connection to the server along`() async throws {
        let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let watcher = SeeingWatcher { _, _ in RelayAction(ending: .cut(.silence)) }
        try await withRelay(to: .reporting(to: report), watcher: watcher, holds: true) { relay, _ in
            let socket = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
            try await socket.send(text: "before")
            var seen = events.makeAsyncIterator()
            #expect(await seen.next() == .text("before"))
            socket.cut(.fin)
            #expect(name(await seen.next()) == "eof")
        }
    }

    @Test func `a message too large to be looked at passes whole, whatever a rule says`() async throws {
        let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let watcher = SeeingWatcher { event, side in side == .client ? RelayAction(copies: 0) : .pass }
        var limits = RelayLimits()
        limits.maxMessageBytes = 1000
        try await withRelay(to: .reporting(to: report), watcher: watcher, holds: true, limits: limits) { relay, _ in
            let socket = try await WebSocketConnection.open(Endpoint(relay.webSocketURL()), timeout: patience)
            let large = [UInt8](repeating: 7, count: 5000)
            try await socket.send(bytes: large)
            var seen = events.makeAsyncIterator()
            #expect(await seen.next() == .binary(large))
            socket.cut(.fin)
        }
    }

    @Test func `TLS on both sides`() async throws {
        let certificate = try ThrowAwayCertificate()
        defer { certificate.remove() }
        let trusting = TLSOptions(trustRootsFile: certificate.certificateFile)
        let server = try await TransportServer.start(tls: certificate.identity, handler: ClosureHandler())
        let relay = try await Relay.start(
            upstream: Endpoint(server.webSocketURL()), tls: certificate.identity, upstreamTLS: trusting,
            watcher: SeeingWatcher())
        let socket = try await WebSocketConnection.open(
            Endpoint(relay.webSocketURL()), tls: trusting, timeout: patience)
        let long = String(repeating: "0123456789", count: 50_000)
        try await socket.send(text: long)
        try await socket.expect(.text(long))
        await socket.close()
        let request = HTTPRequestSpec("GET", try Endpoint(relay.httpURL()))
        #expect(try await HTTPExchange.perform(request, tls: trusting, timeout: patience).status == 200)
        await relay.stop(graceful: .zero)
        let strict = try await Relay.start(upstream: Endpoint(server.webSocketURL()), watcher: SeeingWatcher())
        let plain = HTTPRequestSpec("GET", try Endpoint(strict.httpURL()))
        let refused = try await HTTPExchange.perform(plain, timeout: patience)
        #expect(refused.status == 502, "an unknown root is not believed")
        await strict.stop(graceful: .zero)
        await server.stop(graceful: .zero)
    }

    private func withRelay(
        to handler: ClosureHandler, watcher: SeeingWatcher = SeeingWatcher(), holds: Bool = false,
        limits: RelayLimits = RelayLimits(), body: (TransportServer, TransportServer) async throws -> Void
    ) async throws {
        try await withServer(handler) { server in
            let relay = try await Relay.start(
                upstream: Endpoint(server.webSocketURL()), limits: limits, holdsMessages: holds, watcher: watcher)
            do {
                try await body(relay, server)
            } catch {
                await relay.stop(graceful: .zero)
                throw error
            }
            await relay.stop(graceful: .zero)
        }
    }
}

/// Writes down what it is shown.
final class SeeingWatcher: RelayWatcher {
    private let seen = Mutex<[String]>([])
    private let action: @Sendable (WebSocketEvent, RelaySide) -> RelayAction

    init(_ action: @escaping @Sendable (WebSocketEvent, RelaySide) -> RelayAction = { _, _ in .pass }) {
        self.action = action
    }

    var events: [String] { seen.withLock { $0 } }

    private func note(_ text: String) { seen.withLock { $0.append(text) } }

    private func word(_ event: WebSocketEvent) -> String {
        switch event {
        case .text(let text): "text \(text)"
        case .ping: "ping"
        case .close(let code, _): "close \(code ?? 0)"
        default: "other"
        }
    }

    func began(_ request: HTTPServerRequest, isUpgrade: Bool, number: Int) -> RelayChoice { .pass }
    func asked(_ body: RelayBody, number: Int) { note("asked") }
    func answering(_ answer: HTTPServerResponse, number: Int) -> RelayChoice { .pass }
    func answered(_ answer: HTTPServerResponse, _ body: RelayBody, number: Int) { note("answered \(answer.status)") }
    func failed(_ problem: TransportProblem, by side: RelaySide, number: Int) { note("failed \(problem.name)") }
    func upgraded(number: Int) { note("upgraded") }
    func saw(_ event: WebSocketEvent, from side: RelaySide, number: Int) -> RelayAction {
        note("\(side.rawValue) \(word(event))")
        return action(event, side)
    }
    func delivered(_ event: WebSocketEvent, from side: RelaySide, number: Int) {
        note("delivered \(side.rawValue) \(word(event))")
    }
    func keep() {}
    func lost(_ problem: TransportProblem, from side: RelaySide, number: Int) { note("lost \(side.rawValue)") }
    func ended(by side: RelaySide, wasReset: Bool, number: Int) { note("ended \(side.rawValue)") }
}
