import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct WebSocketBoundsTests {
    @Test func `a server may report an oversized message and go on`() async throws {
        try await withSocket(limits: ServerLimits(maxMessageBytes: 1000)) { socket in
            try await socket.send(bytes: Array(repeating: 1, count: 1001))
            try await socket.expect(.text("too large: 1001"))
            try await socket.send(text: "next")
            try await socket.expect(.text("next"))
        }
    }

    @Test func `a server may close on an oversized message`() async throws {
        try await withSocket(limits: ServerLimits(maxMessageBytes: 1000, oversize: .close)) { socket in
            try await socket.send(bytes: Array(repeating: 1, count: 1001))
            try await socket.expect(.close(code: 1009, reason: "too_large"))
            try await socket.expect(.eof)
        }
    }

    @Test func `a client ends at an oversized message and tells the server why`() async throws {
        let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let handler = ClosureHandler(serve: { socket in
            try? await socket.send(text: String(repeating: "x", count: 1001))
            for await arrival in socket.messages { report.yield(arrival.event) }
        })
        try await withSocket(handler, clientLimits: WebSocketLimits(maxMessageBytes: 1000)) { socket in
            guard case .failed(let problem) = try await socket.event() else {
                Issue.record("no failure")
                return
            }
            #expect(problem.code == .tooLarge(limit: 1000))
            try await socket.expect(nil)
            var seen = events.makeAsyncIterator()
            #expect(await seen.next() == .close(code: 1009, reason: "too_large"))
        }
    }

    @Test func `a slow consumer holds no more than its limit and loses nothing`() async throws {
        let count = 400
        let text = String(repeating: "x", count: 50_000)
        let handler = ClosureHandler(serve: { socket in
            for _ in 0..<count { guard (try? await socket.send(text: text)) != nil else { return } }
            _ = await socket.messages.first { $0.event.isLast }
        })
        let limit = 500_000
        try await withSocket(handler, clientLimits: WebSocketLimits(maxQueuedBytes: limit)) { socket in
            while socket.queuedBytes < limit { await Task.yield() }
            var most = 0
            for _ in 0..<count {
                most = max(most, socket.queuedBytes)
                try await socket.expect(.text(text))
            }
            #expect(most < limit + 1_000_000, "one read of the socket and one message may come on top")
        }
    }

    @Test func `a client that does not read is reset once the server's bound is reached`() async throws {
        let (events, report) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let handler = ClosureHandler(serve: { socket in
            let text = String(repeating: "x", count: 1 << 20)
            do {
                for _ in 0..<200 { try await socket.post(afterYield: text) }
            } catch {
                report.yield(.failed(error as? TransportProblem ?? TransportProblem(.cancelled, at: "")))
            }
        })
        try await withSocket(handler, limits: ServerLimits(maxUnsentBytes: 4 << 20)) { socket in
            socket.stopReading()
            var seen = events.makeAsyncIterator()
            guard case .failed(let problem) = await seen.next() else {
                Issue.record("the server never noticed")
                return
            }
            #expect(problem.code == .peerTooSlow(limit: 4 << 20))
            socket.resumeReading()
            var last: WebSocketEvent?
            while let event = try await socket.event() { last = event }
            guard case .failed(let end) = last else {
                Issue.record("ended with \(String(describing: last))")
                return
            }
            #expect(end.code == .reset)
        }
    }

    @Test func `a wait for a peer that does not read ends when it is cancelled`() async throws {
        let handler = ClosureHandler(serve: { socket in
            socket.stopReading()
            _ = await socket.messages.first { $0.event.isLast }
        })
        try await withSocket(handler) { socket in
            let found = await problem {
                try await withDeadline(.milliseconds(200), "room to send") {
                    while true { try await socket.send(bytes: Array(repeating: 0, count: 1 << 20)) }
                }
            }
            #expect(found?.code == .late(what: "room to send", limit: .milliseconds(200)))
        }
    }

    @Test func `a flood of whole messages ends at the bound for the connection's life`() async throws {
        let flood = try await RawListener.start { peer in
            _ = try? await peer.acceptWebSocket()
            let frame = WebSocketFrame(.text, Array(repeating: 65, count: 1 << 16)).bytes(mask: nil)
            for _ in 0..<1600 { guard (try? await peer.send(frame)) != nil else { return } }
        }
        let limits = WebSocketLimits(maxReceivedBytes: 4 << 20)
        let socket = try await WebSocketConnection.open(
            Endpoint("ws://127.0.0.1:\(flood.port)"), limits: limits, timeout: patience)
        var bytes = 0
        var last: WebSocketEvent?
        while let event = try await socket.event() {
            if case .text(let text) = event { bytes += text.utf8.count }
            last = event
        }
        #expect(bytes <= 4 << 20)
        guard case .flooded(let dropped) = last else {
            Issue.record("ended with \(String(describing: last))")
            return
        }
        #expect(dropped > 0)
        await flood.stop()
    }

    @Test func `a message that claims 100 MB ends before its bytes are taken`() async throws {
        let (sent, report) = AsyncStream.makeStream(of: Int.self)
        let flood = try await RawListener.start { peer in
            _ = try? await peer.acceptWebSocket()
            var sent = 0
            let head = WebSocketFrame(.text, claimedLength: 100 << 20).bytes(mask: nil)
            let part = [UInt8](repeating: 65, count: 1 << 20)
            var failed = (try? await peer.send(head)) == nil
            while !failed, sent < 100 << 20 {
                failed = (try? await peer.send(part)) == nil
                sent += part.count
            }
            report.yield(sent)
        }
        let limits = WebSocketLimits(maxMessageBytes: 1 << 20)
        let socket = try await WebSocketConnection.open(
            Endpoint("ws://127.0.0.1:\(flood.port)"), limits: limits, timeout: patience)
        guard case .failed(let problem) = try await socket.event() else {
            Issue.record("no failure")
            return
        }
        #expect(problem.code == .tooLarge(limit: 1 << 20))
        for await count in sent.prefix(1) { #expect(count > 0) }
        #expect(socket.queuedBytes == 0)
        await flood.stop()
    }

    @Test func `bytes that are no frames end the connection as a protocol error`() async throws {
        let garbage = try await RawListener.start { peer in
            _ = try? await peer.acceptWebSocket()
            try? await peer.send(Array(repeating: 0xFF, count: 100_000))
            while await peer.next() != nil {}
        }
        let socket = try await WebSocketConnection.open(Endpoint("ws://127.0.0.1:\(garbage.port)"), timeout: patience)
        guard case .failed(let problem) = try await socket.event() else {
            Issue.record("no failure")
            return
        }
        #expect(problem.code == .protocolError(reason: "reserved bits 7 without an extension"))
        await garbage.stop()
    }
}

extension ServerSocket {
    /// Posts and lets the event loop work, so that what is bounded is the peer's reading and not the test's haste.
    fileprivate func post(afterYield text: String) async throws {
        await Task.yield()
        try post(text: text)
    }
}
