import HoldfastBasics
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct WebSocketEndingTests {
    @Test(arguments: [UInt16(1000), 1001, 1012, 1013, 3000, 4001, 4999])
    func `close codes travel both ways`(_ code: UInt16) async throws {
        let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
        try await withSocket(.reporting(to: report)) { socket in
            await socket.close(code: code, reason: "bye")
            try await socket.expect(.close(code: code, reason: ""))
            try await socket.expect(.eof)
            try await socket.expect(nil)
            // Awaited before the server stops, which cancels the handler that reports.
            var seen = events.makeAsyncIterator()
            #expect(await seen.next() == .close(code: code, reason: "bye"))
            #expect(await seen.next() == .eof)
        }

        let closing = ClosureHandler(serve: { await $0.close(code: code, reason: "restart") })
        try await withSocket(closing) { socket in
            try await socket.expect(.close(code: code, reason: "restart"))
            try await socket.expect(.eof)
        }
    }

    @Test(arguments: [UInt16(0), 999, 1005, 1006, 1015, 5000, 65535])
    func `a code nobody may send is seen and answered with 1002`(_ code: UInt16) async throws {
        let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
        try await withSocket(.reporting(to: report)) { socket in
            try await socket.send(.close(code: code))
            try await socket.expect(.close(code: 1002, reason: ""))
            try await socket.expect(.eof)
            var seen = events.makeAsyncIterator()
            #expect(await seen.next() == .close(code: code, reason: ""))
        }
    }

    @Test func `a close without code is answered without code`() async throws {
        try await withSocket { socket in
            await socket.close(code: nil)
            try await socket.expect(.close(code: nil, reason: ""))
        }
    }

    @Test func `the server tells an orderly end from a reset`() async throws {
        for (cut, expected) in [(Cut.fin, "eof"), (.reset, "reset")] {
            let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
            try await withSocket(.reporting(to: report)) { socket in
                try await socket.send(text: "before")
                var seen = events.makeAsyncIterator()
                #expect(await seen.next() == .text("before"))
                socket.cut(cut)
                switch await seen.next() {
                case .eof: #expect(expected == "eof")
                case .failed(let problem): #expect(problem.name == expected)
                case let other: Issue.record("neither end nor reset: \(String(describing: other))")
                }
            }
        }
    }

    @Test func `the client tells an orderly end from a reset`() async throws {
        try await withSocket(ClosureHandler(serve: { $0.cut(.fin) })) { socket in
            try await socket.expect(.eof)
        }
        try await withSocket(ClosureHandler(serve: { $0.cut(.reset) })) { socket in
            guard case .failed(let problem) = try await socket.event() else {
                Issue.record("no failure")
                return
            }
            #expect(problem.code == .reset)
            try await socket.expect(nil)
        }
    }

    @Test func `an orderly end delivers what was sent before it`() async throws {
        let handler = ClosureHandler(serve: { socket in
            for index in 0..<100 { try? socket.post(text: "\(index)") }
            socket.cut(.fin)
        })
        try await withSocket(handler) { socket in
            for index in 0..<100 { try await socket.expect(.text("\(index)")) }
            try await socket.expect(.eof)
        }
    }

    @Test func `what comes in one packet with the upgrade and the end is heard`() async throws {
        let last = [WebSocketFrame(.text, Array("why".utf8)), .close(code: 1013)].flatMap { $0.bytes(mask: nil) }
        let listener = try await RawListener.start { peer in
            _ = try? await peer.acceptWebSocket(followedBy: last)
        }
        for _ in 0..<20 {
            let socket = try await WebSocketConnection.open(
                Endpoint("ws://127.0.0.1:\(listener.port)"), timeout: patience)
            try await socket.expect(.text("why"))
            try await socket.expect(.close(code: 1013, reason: ""))
        }
        await listener.stop()
    }

    @Test func `a silenced client sends nothing, not even a pong, until it is cut`() async throws {
        let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let (pinged, pingedReport) = AsyncStream.makeStream(of: Void.self)
        let handler = ClosureHandler(serve: { socket in
            for await arrival in socket.messages {
                report.yield(arrival.event)
                guard case .text = arrival.event else { continue }
                try? await socket.ping([1])
                pingedReport.yield()
            }
        })
        try await withSocket(handler) { socket in
            socket.answersPings = false
            try await socket.send(text: "go")
            for await _ in pinged.prefix(1) {}
            try await socket.expect(.ping([1]))
            socket.cut(.silence)
            let refused = await problem { try await socket.send(text: "more") }
            #expect(refused?.code == .silenced)
            socket.cut(.reset)
            var seen = events.makeAsyncIterator()
            #expect(await seen.next() == .text("go"))
            guard case .failed = await seen.next() else {
                Issue.record("something was sent in silence")
                return
            }
        }
    }

    @Test func `sending after the end fails at once`() async throws {
        try await withSocket(ClosureHandler(serve: { await $0.close(code: 4001) })) { socket in
            try await socket.expect(.close(code: 4001, reason: ""))
            try await socket.expect(.eof)
            let refused = await problem { try await socket.send(text: "late") }
            #expect(refused?.code == .closed)
        }
    }

    @Test func `closing does not wait for ever for a peer that never answers`() async throws {
        let handler = ClosureHandler(serve: { socket in
            socket.cut(.silence)
            while !Task.isCancelled, await socket.messages.first(where: { _ in false }) != nil {}
        })
        try await withSocket(handler) { socket in
            await socket.close(code: 1000, timeout: .milliseconds(50))
            let refused = await problem { try await socket.send(text: "late") }
            #expect(refused?.code == .closed)
        }
    }

    @Test func `stopping says goodbye to every client`() async throws {
        let server = try await TransportServer.start(handler: ClosureHandler())
        let (one, other) = (try await open(server), try await open(server))
        await server.stop(code: 1012, reason: "restart")
        for socket in [one, other] {
            try await socket.expect(.close(code: 1012, reason: "restart"))
            try await socket.expect(.eof)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `a handler that never returns is cancelled by stopping`() async throws {
        let (ended, report) = AsyncStream.makeStream(of: Void.self)
        let handler = ClosureHandler(serve: { _ in
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            report.yield()
        })
        let server = try await TransportServer.start(handler: handler)
        let socket = try await open(server)
        await server.stop(graceful: .milliseconds(50))
        for await _ in ended.prefix(1) {}
        withExtendedLifetime(socket) {}
    }
}
