import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastTLS
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastStage
@testable import HoldfastTransport

/// Whatever a server does, a run ends in bounded time, with bounded memory, and with histories that can be judged.
@Suite(.serialized) struct HostileServerTests {
    private func run(_ url: String, connectWithin limit: Duration = .milliseconds(300)) async throws -> [Performance] {
        let specification = try Specification(.embedded)
        let scenarios = try specification.scenarios()
        let subject = try subject(url) { $0.connect = limit }
        let stage = ServerStage(subject: subject, specification: specification)
        let performances = await SuiteRun(stage: stage).run(scenarios).performances
        #expect(performances.map(\.scenario) == scenarios.map(\.name))
        for performance in performances {
            expectOrder(performance.history)
            #expect(performance.problems.isEmpty, "\(performance.scenario): \(performance.problems)")
        }
        return performances
    }

    private func performed(_ performances: [Performance]) -> [Performance] {
        performances.filter { $0.skipped == nil }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that accepts and never answers is given up after two scenarios`() async throws {
        let listener = try await RawListener.start { connection in
            while await connection.next() != nil {}
        }
        let all = try await run("ws://127.0.0.1:\(listener.port)/ws")
        #expect(performed(all).count == 2)
        #expect(all.last?.skipped == "the subject accepted no connection in 2 scenarios in a row")
        #expect(performed(all)[0].history.missed == ["upgrade"])
    }

    @Test func `scenarios that ran side by side find nobody once`() {
        var breaker = CircuitBreaker(patience: 2)
        let header = History.Header(subject: History.Subject(name: "s", role: .server, profiles: [.core]))
        var performance = Performance(scenario: "a", history: History(header: header, events: []))
        (performance.wasReceived, performance.duration) = (false, .seconds(5))
        let now = ContinuousClock.now
        breaker.note(performance, at: now)
        breaker.note(performance, at: now + .seconds(1))
        #expect(breaker.reason == nil)
        breaker.note(performance, at: now + .seconds(6))
        #expect(breaker.reason == "the subject accepted no connection in 2 scenarios in a row")
    }

    @Test func `one that was there is given time, longer each time, and then given up`() {
        var breaker = CircuitBreaker(patience: 2)
        let header = History.Header(subject: History.Subject(name: "s", role: .server, profiles: [.core]))
        var performance = Performance(scenario: "a", history: History(header: header, events: []))
        var now = ContinuousClock.now
        func note(_ received: Bool) {
            (performance.wasReceived, performance.duration) = (received, .seconds(1))
            now += .seconds(2)
            breaker.note(performance, at: now)
        }
        note(true)
        #expect(breaker.line == nil)
        for pause in [1, 3, 10] {
            note(false)
            #expect(breaker.pause == nil)
            note(false)
            #expect(breaker.pause == .seconds(pause) && breaker.reason == nil)
            breaker.resume()
        }
        #expect(
            breaker.line
                == "the run waited and went on, because the subject accepted no connection in: a, a, a, a, a, a")
        note(false)
        note(false)
        #expect(breaker.pause == nil)
        #expect(breaker.reason == "the subject accepted no connection in 2 scenarios in a row" && breaker.line == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that turns two scenarios away is asked the others`() async throws {
        let count = Mutex(0)
        let server = try await TransportServer.start(
            handler: TestServer(onOpen: { socket in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if (3...4).contains(number) { await socket.close(code: 1013, reason: "", timeout: .seconds(1)) }
            }))
        let step = #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"await","on":"A","type":"done"}"#
        let subject = try subject(server.webSocketURL())
        let scenarios = try (0..<5).map { _ in try scenario(step) }
        let outcome = await SuiteRun(stage: try stage(subject)).run(scenarios)
        #expect(outcome.performances.filter { $0.skipped == nil }.count == 5)
        #expect(outcome.performances.map(\.wasReceived) == [true, false, false, true, true])
        #expect(outcome.diagnostics.contains { $0.hasPrefix("the run waited and went on") })
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that says to each newcomer that it stops does not stop`() async throws {
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, _ in
                await socket.close(code: 1001, reason: "", timeout: .seconds(1))
                return true
            }))
        for performance in performed(try await run(server.webSocketURL())) {
            #expect(performance.history.events.contains { $0.kind == .act(Event.wentOn, [:]) })
            #expect(performance.stoppedAt?.hasSuffix("no connected in time, but close 1001") == true)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `of a question that was refused as busy nothing is waited for`() async throws {
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, frame in
                guard frame.type == "chat", let key = frame.clientMessageId else { return false }
                try? socket.post(text: #"{"type":"error","error":"no","code":"busy","clientMessageId":"\#(key)"}"#)
                return true
            }))
        let steps = ["toolUse", "message", "done"].map { #"{"do":"await","on":"A","type":"\#($0)"}"# }
        let asking = #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"}"#
        let performance = try await stage(try subject(server.webSocketURL())).perform(
            try scenario(([asking] + steps).joined(separator: ",")))
        #expect(performance.stoppedAt == nil && performance.history.missed.isEmpty)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that closes at once is given up after two scenarios`() async throws {
        let listener = try await RawListener.start { _ in }
        #expect(performed(try await run("ws://127.0.0.1:\(listener.port)/ws")).count == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that sends garbage is given up after two scenarios`() async throws {
        let listener = try await RawListener.start { connection in
            try? await connection.send([0, 255, 10, 13] + Array("HTTP/9.9 never\r\n\r\n".utf8))
        }
        #expect(performed(try await run("ws://127.0.0.1:\(listener.port)/ws")).count == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a WebSocket that never says connected is given up after two scenarios`() async throws {
        let server = try await TransportServer.start(handler: TestServer(onFrame: { _, _ in true }))
        let all = try await run(server.webSocketURL())
        #expect(performed(all).count == 2)
        #expect(performed(all)[0].history.missed == ["connected"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a flood is cut, noted, and held in bounded memory`() async throws {
        let text = #"{"type":"toolUse","tool":"\#(String(repeating: "x", count: 65_000))","sessionId":"s1"}"#
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, frame in
                guard frame.type == "chat" else { return false }
                for _ in 0..<1600 where !socket.isEnded { try? await socket.send(text: text) }
                return true
            }))
        let performance = try await stage(subject(server.webSocketURL())).perform(
            scenario(
                """
                {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"await","on":"A","type":"done"}
                """))
        #expect(performance.wasFlooded)
        let bytes = performance.history.texts(.fromServer).reduce(0) { $0 + $1.utf8.count }
        #expect(bytes < 20 << 20)
        expectOrder(performance.history)
        #expect(
            performance.history.events.contains { event in
                if case .eof(let reason) = event.kind { return reason.hasPrefix("flooded") }
                return false
            })
    }

    @Test(.timeLimit(.minutes(1)))
    func `a flood of tiny frames is cut too`() async throws {
        let server = try await TransportServer.start(
            handler: TestServer(onOpen: { socket in
                // Ten thousand frames of two bytes at a time.
                let frames = Array(repeatElement([0x81, 0x02, 0x7B, 0x7D] as [UInt8], count: 10_000).joined())
                while !socket.isEnded {
                    do { try await socket.send(rawBytes: frames) } catch { return }
                }
            }))
        let all = try await run(server.webSocketURL(), connectWithin: .seconds(20))
        #expect(performed(all).count == 2)
        for performance in performed(all) {
            #expect(performance.wasFlooded)
            #expect(performance.history.events.count < 50_100)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `pages without end are followed for as long as a turn may take`() async throws {
        let seq = Mutex(0)
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, frame in
                guard frame.type == "sync" else { return false }
                try? await Task.sleep(for: .milliseconds(200))
                let next = seq.withLock { seq in
                    seq += 1
                    return seq
                }
                let page = #"[{"type":"toolUse","tool":"t","sessionId":"s1","seq":\#(next)}]"#
                try? await socket.send(
                    text: #"{"type":"syncResult","epoch":"e1","lastSeq":9999,"missed":\#(page),"complete":false,"#
                        + #""reason":"too_many","more":true}"#)
                return true
            }))
        let subject = try subject(server.webSocketURL()) { $0.turn = .seconds(1) }
        let performance = try await stage(subject).perform(
            scenario(
                """
                {"do":"connect","on":"A"},{"do":"sync","on":"A","lastSeqSeen":0,"epoch":"e1"},
                {"do":"await","on":"A","type":"syncResult"}
                """))
        #expect(performance.duration < .seconds(10))
        #expect(performance.history.texts(.toServer).count { $0.contains("sync") } > 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that dies in the middle leaves a history to judge`() async throws {
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, frame in
                guard frame.type == "chat" else { return false }
                socket.cut(.reset)
                return true
            }))
        let performance = try await stage(subject(server.webSocketURL())).perform(
            scenario(
                """
                {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"await","on":"A","type":"done"},
                {"do":"fence","on":"A"}
                """))
        #expect(performance.problems.isEmpty)
        #expect(performance.history.missed == ["done"])
        // The end of the socket ends the wait; nobody watches a dead connection for thirty seconds.
        #expect(performance.duration < .seconds(20))
    }

    @Test(.timeLimit(.minutes(1)))
    func `the late end of a connection is not laid to the next one of its letter`() async throws {
        let (hasReconnected, back) = AsyncStream<Void>.makeStream()
        let first = Mutex(true)
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            if first.withLock({ first in
                defer { first = false }
                return first
            }) {
                // TCP outlives the goodbye until the device is back, or nobody waits any more.
                try? await connection.send(WebSocketFrame.close(code: 4001).bytes(mask: nil))
                for await _ in hasReconnected {}
            } else {
                try? await connection.send(WebSocketFrame(.text, Array(TestServer.connected.utf8)).bytes(mask: nil))
                back.finish()
                while await connection.next() != nil {}
            }
        }
        let performance = try await stage(subject("ws://127.0.0.1:\(listener.port)/ws") { $0.close = .seconds(1) })
            .perform(
                scenario(
                    """
                    {"do":"connect","on":"A","handshake":false},{"do":"awaitClose","on":"A"},{"do":"connect","on":"A"},
                    {"do":"close","on":"A"}
                    """))
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil)
        let kinds = performance.history.events.map(\.kind)
        let opened = try #require(kinds.lastIndex(of: .opened))
        let ends = kinds.indices.filter { if case .eof = kinds[$0] { true } else { false } }
        #expect(ends.allSatisfy { $0 < opened || $0 == kinds.indices.last })
        await listener.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that lies is recorded as it lied`() async throws {
        let lies = ["", "null", "{\"type\":7}", "{\"type\":\"done\"", "{\"type\":\"done\",\"type\":\"error\"}"]
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, frame in
                guard frame.type == "chat" else { return false }
                for lie in lies { try? socket.post(text: lie) }
                try? await socket.send(WebSocketFrame(.text, [0xFF, 0xFE]))
                try? await socket.send(WebSocketFrame(.binary, [1, 2]))
                return true
            }))
        let performance = try await stage(subject(server.webSocketURL())).perform(
            scenario(
                """
                {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"fence","on":"A"}
                """))
        #expect(performance.stoppedAt == nil)
        #expect(Array(performance.history.texts(.fromServer).dropFirst().prefix(lies.count)) == lies)
        #expect(performance.history.events.contains { $0.kind == .binary(.fromServer, [0xFF, 0xFE]) })
        #expect(performance.history.events.contains { $0.kind == .binary(.fromServer, [1, 2]) })
    }

    @Test(.timeLimit(.minutes(1)))
    func `REST that never answers is waited for once`() async throws {
        let server = try await TransportServer.start(
            handler: TestServer(onRequest: { _ in
                try? await Task.sleep(for: .seconds(5))
                return .json("{}")
            }))
        let performance = try await stage(subject(server.webSocketURL()) { $0.rest = .milliseconds(200) }).perform(
            scenario(#"{"do":"listSessions"},{"do":"listSessions"}"#))
        let failures = performance.history.events.compactMap { event -> String? in
            if case .failed(let reason) = event.kind { return reason }
            return nil
        }
        #expect(failures == ["late"])
        #expect(performance.stoppedAt?.hasPrefix("/steps/0: no response, late after ") == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a port without a server is told in one line and a remedy`() async throws {
        let problem = await #expect(throws: HarnessProblem.self) { try await subject("ws://127.0.0.1:1/ws").reach() }
        #expect(problem?.isUnreachable == true)
        let told = HarnessProblem(
            .unreachable(.connectionRefused, attempts: 3, milliseconds: 2040, path: "/ws"),
            at: "ws://127.0.0.1:8080/ws")
        #expect(
            told.description == """
                ws://127.0.0.1:8080/ws: connection refused, 3 attempts in 2.0 s
                  expected: a server that accepts WebSocket upgrades on /ws
                  fix: start the server, add --wait 60 if it starts slowly, or correct the URL
                """)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that is there is reached, whatever it says`() async throws {
        let polite = try await TransportServer.start(handler: TestServer())
        try await subject(polite.webSocketURL()).reach()
        let wrong = try await RawListener.start { connection in
            _ = try? await connection.read()
            try? await connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")
        }
        try await subject("ws://127.0.0.1:\(wrong.port)/ws").reach()
        let babbling = try await RawListener.start { connection in try? await connection.send("SSH-2.0-x\r\n\r\n") }
        let problem = await #expect(throws: HarnessProblem.self) {
            try await subject("ws://127.0.0.1:\(babbling.port)/ws").reach()
        }
        #expect(problem?.code == .notHTTP(path: "/ws"))
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Cut.fin, .reset])
    func `a server that ends each connection without a word is not reached`(_ end: Cut) async throws {
        let brusque = try await RawListener.start { $0.cut(end) }
        let problem = await #expect(throws: HarnessProblem.self) {
            try await subject("ws://127.0.0.1:\(brusque.port)/ws").reach()
        }
        #expect(problem?.code == .upgradeCut(path: "/ws"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that takes connections and answers no upgrade is not reached`() async throws {
        let silent = try await RawListener.start { connection in
            while await connection.next() != nil {}
        }
        var subject = try subject("ws://127.0.0.1:\(silent.port)/ws")
        subject.timeouts = subject.timeouts.capped(at: .milliseconds(500))
        let impatient = subject
        let problem = await #expect(throws: HarnessProblem.self) { try await impatient.reach() }
        #expect(problem?.code == .noUpgrade(milliseconds: 500, path: "/ws"))
        #expect(problem?.isUnreachable == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func `TLS on one side only is told with the address that fits`() async throws {
        installTLS()
        let clear = try await TransportServer.start(handler: TestServer())
        let port = clear.port
        let secured = await #expect(throws: HarnessProblem.self) {
            try await subject("wss://127.0.0.1:\(port)/ws").reach()
        }
        #expect(
            secured?.description == """
                wss://127.0.0.1:\(port)/ws: the port does not use TLS, but the URL is wss://
                  expected: ws:// for a server without TLS
                  fix: use ws://127.0.0.1:\(port)/ws, or turn on TLS on the server
                """)
        let identity = try ThrowAwayAuthority(for: "127.0.0.1").identity
        let secure = try await TransportServer.start(tls: identity, handler: TestServer())
        let url = "127.0.0.1:\(secure.port)/ws"
        let plain = await #expect(throws: HarnessProblem.self) { try await subject("ws://\(url)").reach() }
        #expect(plain?.code == .wrongScheme(speaksTLS: true, better: "wss://\(url)"))
        let distrusted = await #expect(throws: HarnessProblem.self) { try await subject("wss://\(url)").reach() }
        #expect(distrusted?.code == .tlsFailed(reason: "its certificate is not trusted"))
        let told = HarnessProblem(
            .wrongScheme(speaksTLS: true, better: "wss://127.0.0.1:8443/ws"), at: "ws://127.0.0.1:8443/ws")
        #expect(
            told.description == """
                ws://127.0.0.1:8443/ws: the port uses TLS, but the URL is ws://
                  expected: wss:// for a server with TLS
                  fix: use wss://127.0.0.1:8443/ws, and --accept-any-certificate if the certificate is self-signed
                """)
    }
}
