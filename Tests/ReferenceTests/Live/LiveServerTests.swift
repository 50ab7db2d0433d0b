import Foundation
import HoldfastJSON
import HoldfastTransport
import TestSupport
import Testing

@testable import HoldfastReference

/// The shell around the core: the same server with real sockets, a real disk and a real clock.
@Suite struct LiveServerTests {
    /// A client that reads one frame after the other.
    private struct Client {
        let connection: WebSocketConnection

        init(_ server: ReferenceServer, token: String = "t1") async throws {
            connection = try await WebSocketConnection.open(try Endpoint(server.webSocketURL))
            try await connection.send(text: #"{"type":"auth","protocol":1,"token":"\#(token)"}"#)
        }

        /// The next frame of a type; those before it are passed over.
        func next(_ type: String) async throws -> JSONValue {
            while let arrival = try await connection.next(within: .seconds(20), type) {
                if case .text(let text) = arrival.event {
                    let frame = try JSONParser.value(text)
                    if frame.text("type") == type { return frame }
                }
            }
            throw TransportProblem(.closed, at: "before '\(type)'")
        }

        func closeCode() async throws -> UInt16? {
            while let arrival = try await connection.next(within: .seconds(20), "close") {
                if case .close(let code, _) = arrival.event { return code }
            }
            return nil
        }

        func chat(_ text: String, key: String = UUID().uuidString, session: String? = nil) async throws {
            try await connection.send(text: Bench.question(text, key: key, session: session, type: true).text())
        }
    }

    private static func start(_ folder: TemporaryDirectory, defects: Set<Defect> = []) async throws -> ReferenceServer {
        try await ReferenceServer(
            ReferenceConfiguration(
                dataFolder: folder.path, principals: [("p1", "t1"), ("p2", "t2")], requiresAuth: true, defects: defects)
        )
    }

    private static func get(_ path: String, of server: ReferenceServer, token: String? = "t1") async throws
        -> HTTPAnswer
    {
        let endpoint = try Endpoint(server.httpURL + path)
        let headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await HTTPExchange.perform(HTTPRequestSpec("GET", endpoint, headers: headers))
    }

    @Test func `a conversation is still there after a stop and another start`() async throws {
        let folder = try TemporaryDirectory()
        let first = try await Self.start(folder)
        let client = try await Client(first)
        try await client.chat("hello 👋🏽", key: "c1")
        let done = try await client.next("done")
        await first.stop()

        let second = try await Self.start(folder)
        let answer = try await Self.get("/api/sessions/\(done.text("sessionId") ?? "")", of: second)
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/json")
        let messages = try JSONParser.value(bytes: answer.body)["session"]?["messages"]?.arrayValue
        #expect(messages?.map { $0.text("content") } == ["hello 👋🏽", done.text("text")])
        let again = try await Client(second)
        try await again.chat("hello 👋🏽", key: "c1")
        #expect(try await again.next("ack")["duplicate"] == true)
        #expect(try await again.next("done").text("messageId") == done.text("messageId"))
        await second.stop()
    }

    @Test func `LIVE-5 a server broken so says goodbye with 1000`() async throws {
        let folder = try TemporaryDirectory()
        let server = try await Self.start(folder, defects: [#require(Defect.named("live-stops-as-if-all-were-said"))])
        let client = try await Client(server)
        _ = try await client.next("connected")
        async let stopped: Void = server.stop()
        #expect(try await client.closeCode() == 1000)
        await stopped
    }

    @Test func `LIVE-5 a stop ends the turn as interrupted and says goodbye with 1001`() async throws {
        let folder = try TemporaryDirectory()
        let server = try await Self.start(folder)
        let client = try await Client(server)
        try await client.chat(script(["wait": 60_000], ["reply": "never"]))
        let session = try await client.next("ack").text("sessionId") ?? ""
        async let stopped: Void = server.stop()
        #expect(try await client.next("error").code == "interrupted")
        #expect(try await client.closeCode() == 1001)
        await stopped

        let second = try await Self.start(folder)
        let answer = try await Self.get("/api/sessions/\(session)", of: second)
        #expect(try JSONParser.value(bytes: answer.body)["session"]?["turns"]?[0]?.text("status") == "failed")
        await second.stop()
    }

    @Test func `many clients at once each get their answers, in order`() async throws {
        let folder = try TemporaryDirectory()
        let server = try await Self.start(folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    let client = try await Client(server)
                    for question in 0..<5 {
                        try await client.chat("\(number)/\(question)", key: "\(number)/\(question)")
                    }
                    var last = 0
                    var mine = 0
                    // All are one principal: each sees the answers to the others too, in one order.
                    while mine < 5 {
                        let done = try await client.next("done")
                        #expect((done.seq ?? 0) > last)
                        last = done.seq ?? 0
                        if done.text("clientMessageId")?.hasPrefix("\(number)/") == true { mine += 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        let list = try JSONParser.value(bytes: try await Self.get("/api/sessions", of: server).body)["sessions"]?
            .arrayValue
        #expect(list?.count == 50)
        await server.stop()
    }

    @Test func `a bad token ends with 4001, a bad bearer header with 401, another path with 404`() async throws {
        let folder = try TemporaryDirectory()
        let server = try await Self.start(folder)
        let client = try await Client(server, token: "wrong")
        #expect(try await client.next("error").code == "auth_failed")
        #expect(try await client.closeCode() == 4001)
        #expect(try await Self.get("/api/sessions", of: server, token: "wrong").status == 401)
        let endpoint = try Endpoint(server.webSocketURL)
        for (target, headers, status) in [
            ("/ws", [("Authorization", "Bearer wrong")], 401), ("/elsewhere", [], 404),
        ] {
            do {
                _ = try await WebSocketConnection.open(endpoint.at(target), headers: headers)
                Issue.record("the upgrade at \(target) was accepted")
            } catch {
                guard case .upgradeRefused(status, _) = error.code else { throw error }
            }
        }
        await server.stop()
    }

    @Test func `two servers cannot share a folder, but one can follow the other`() async throws {
        let folder = try TemporaryDirectory()
        let server = try await Self.start(folder)
        await #expect(throws: StorageProblem(.inUse, path: folder.log)) { _ = try await Self.start(folder) }
        await server.stop()
        let next = try await Self.start(folder)
        await next.stop()
        withExtendedLifetime(server) {}
    }
}
