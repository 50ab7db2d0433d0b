import HoldfastPlatform
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct HTTPTests {
    @Test func `a request arrives whole and its answer too`() async throws {
        try await withServer { server in
            let endpoint = try Endpoint(server.webSocketURL("/api/chat?x=1"))
            let before = ContinuousClock.now
            let answer = try await HTTPExchange.perform(
                HTTPRequestSpec("POST", endpoint, headers: [("X-A", "b")], body: Array("grüß".utf8)))
            #expect(answer.status == 200)
            #expect(answer.text == "grüß")
            #expect(answer.header("x-method") == "POST")
            #expect(answer.header("X-TARGET") == "/api/chat?x=1")
            #expect(answer.receivedAt > before)
            let get = try await HTTPExchange.perform(HTTPRequestSpec("GET", endpoint.at("/")), timeout: patience)
            #expect(get.body.isEmpty)
            #expect(get.header("Content-Length") == "0")
        }
    }

    @Test func `a warm connection serves one request after the other`() async throws {
        let handler = ClosureHandler(respond: { .json("\"\($0.remoteAddress) \($0.method)\"") })
        try await withServer(handler) { server in
            let endpoint = try Endpoint(server.httpURL())
            let connection = try await HTTPConnection(to: endpoint, timeout: patience)
            var clients: Set<String> = []
            for method in ["GET", "POST", "PUT", "DELETE", "GET"] {
                let answer = try await connection.perform(HTTPRequestSpec(method, endpoint), timeout: patience)
                #expect(answer.status == 200)
                #expect(answer.text.hasSuffix(" \(method)\""))
                clients.insert(String(answer.text.prefix { $0 != " " }))
            }
            #expect(clients.count == 1, "one connection carried them all")
            let head = try await connection.perform(HTTPRequestSpec("HEAD", endpoint), timeout: patience)
            #expect(head.body.isEmpty)
            #expect(head.header("content-length") != "0")
            connection.cut(.fin)
        }
    }

    @Test func `a kept connection carries the requests that may be sent twice`() async throws {
        let handler = ClosureHandler(respond: { .json("\"\($0.remoteAddress)\"") })
        try await withServer(handler) { server in
            let (endpoint, kept) = (try Endpoint(server.httpURL()), KeptConnection())
            var answers: [HTTPAnswer] = []
            for method in ["POST", "GET", "GET", "POST", "GET"] {
                answers.append(
                    try await HTTPExchange.perform(HTTPRequestSpec(method, endpoint), over: kept, timeout: patience))
            }
            #expect(answers.map(\.wasOnKept) == [false, true, true, false, true])
            #expect(Set(answers[...2].map(\.text)).count == 1)
            #expect(Set(answers[2...].map(\.text)).count == 2)
        }
    }

    @Test func `a kept connection that the server ends is replaced, before the request or instead of an answer`()
        async throws
    {
        let seen = Mutex<Set<String>>([])
        let handler = ClosureHandler(respond: { request in
            let isFirst = seen.withLock { $0.insert(request.remoteAddress).inserted }
            return isFirst ? .json("1") : .hangUp
        })
        try await withServer(handler, limits: ServerLimits(requestTimeout: .milliseconds(300))) { server in
            let (request, kept) = (HTTPRequestSpec("GET", try Endpoint(server.httpURL())), KeptConnection())
            for pause in [0, 0, 700] {
                try await Task.sleep(for: .milliseconds(pause))
                let answer = try await HTTPExchange.perform(request, over: kept, timeout: patience)
                #expect(answer.text == "1" && !answer.wasOnKept)
            }
        }
    }

    @Test func `a request whose answer is cut off is still handled to its end`() async throws {
        let (handled, report) = AsyncStream.makeStream(of: String.self)
        let (started, startReport) = AsyncStream.makeStream(of: Void.self)
        let (gone, goneReport) = AsyncStream.makeStream(of: Void.self)
        let handler = ClosureHandler(respond: { request in
            startReport.yield()
            for await _ in gone.prefix(1) {}
            report.yield(String(decoding: request.body, as: UTF8.self))
            return HTTPServerResponse()
        })
        try await withServer(handler) { server in
            let endpoint = try Endpoint(server.httpURL())
            let connection = try await HTTPConnection(to: endpoint, timeout: patience)
            let pending = connection.send(HTTPRequestSpec("POST", endpoint, body: Array("kept".utf8)))
            try await pending.waitUntilSent()
            for await _ in started.prefix(1) {}
            connection.cut(.reset)
            let found = await problem { _ = try await connection.answer(to: pending, timeout: patience) }
            #expect(found?.code == .closed)
            goneReport.yield()
            for await body in handled.prefix(1) { #expect(body == "kept") }
        }
    }

    @Test func `a body over the server's limit gets 413`() async throws {
        try await withServer(limits: ServerLimits(maxBodyBytes: 1000)) { server in
            let endpoint = try Endpoint(server.httpURL())
            let fits = HTTPRequestSpec("POST", endpoint, body: Array(repeating: 1, count: 1000))
            #expect(try await HTTPExchange.perform(fits, timeout: patience).status == 200)
            let large = HTTPRequestSpec("POST", endpoint, body: Array(repeating: 1, count: 1001))
            #expect(try await HTTPExchange.perform(large, timeout: patience).status == 413)
            let peer = try await RawConnection.open(port: server.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "200\r\n" + String(repeating: "x", count: 512) + "\r\n"
            try await peer.send(chunk + chunk)
            let answer = try await peer.read()
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `an answer over the client's limit is too large`() async throws {
        let handler = ClosureHandler(respond: { _ in HTTPServerResponse(body: Array(repeating: 1, count: 1001)) })
        try await withServer(handler) { server in
            let request = try HTTPRequestSpec("GET", Endpoint(server.httpURL()))
            let found = await problem { _ = try await HTTPExchange.perform(request, maxBodyBytes: 1000) }
            #expect(found?.code == .tooLarge(limit: 1000))
            #expect(try await HTTPExchange.perform(request, maxBodyBytes: 1001).body.count == 1001)
        }
    }

    private func exchangeProblem(
        timeout: Duration = patience,
        maxBodyBytes: Int = 1 << 20,
        waitOut: (@Sendable (Duration) async throws -> Void)? = nil,
        serve: @escaping @Sendable (RawConnection) async -> Void
    ) async throws -> TransportProblem? {
        let listener = try await RawListener.start(serve: serve)
        let found = await problem {
            let request = try HTTPRequestSpec("GET", Endpoint("http://127.0.0.1:\(listener.port)/x"))
            _ = try await HTTPExchange.perform(request, maxBodyBytes: maxBodyBytes, timeout: timeout, waitOut: waitOut)
        }
        await listener.stop()
        return found
    }

    @Test func `answers against the rules become problems`() async throws {
        let garbage = try await exchangeProblem { peer in
            _ = try? await peer.read()
            try? await peer.send("garbage garbage\r\n\r\n")
        }
        #expect(garbage?.name == "protocol_error")
        let truncated = try await exchangeProblem { peer in
            _ = try? await peer.read()
            try? await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        }
        #expect(truncated?.name == "protocol_error")
        let closed = try await exchangeProblem { _ = try? await $0.read() }
        #expect(closed?.code == .closed)
        let endless = try await exchangeProblem(maxBodyBytes: 1 << 20) { peer in
            _ = try? await peer.read()
            try? await peer.send("HTTP/1.1 200 OK\r\n\r\n")
            while (try? await peer.send(Array(repeating: 97, count: 1 << 20))) != nil {}
        }
        #expect(endless?.code == .tooLarge(limit: 1 << 20))
        let limit = Duration.milliseconds(100)
        let silent = try await exchangeProblem(timeout: limit) { while await $0.next() != nil {} }
        #expect(silent?.name == "late")
        let began = ContinuousClock.now
        let slowly = { @Sendable (limit: Duration) in try await Task.sleep(for: limit * 3, clock: .continuous) }
        let slow = try await exchangeProblem(timeout: limit, waitOut: slowly) { while await $0.next() != nil {} }
        #expect(slow?.code == .late(what: "answer to GET", limit: limit))
        #expect(ContinuousClock.now - began >= limit * 3, "a limit passes by the caller's clock")
    }

    @Test func `pipelined requests are answered in their order`() async throws {
        try await withServer { server in
            let peer = try await RawConnection.open(port: server.port)
            let requests = (0..<5).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
            try await peer.send(requests + "GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let text = String(decoding: try await peer.read(until: "no such text"), as: UTF8.self)
            let targets = text.split(separator: "\r\n").filter { $0.hasPrefix("X-Target: ") }.map { $0.dropFirst(10) }
            #expect(targets == ["/0", "/1", "/2", "/3", "/4", "/last"])
        }
    }

    @Test func `a client that asks first is told to go on`() async throws {
        try await withServer { server in
            let peer = try await RawConnection.open(port: server.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(String(decoding: try await peer.read(), as: UTF8.self).hasPrefix("HTTP/1.1 100 "))
            try await peer.send("ok")
            #expect(String(decoding: try await peer.read(until: "ok"), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        }
    }
}
