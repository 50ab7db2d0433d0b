import Foundation
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastTransport

/// `conformance serve` as an app developer has it: driven over its control port, seen over a real connection.
@Suite struct MockServerTests {
    /// The app and the test of the app, against one server.
    private struct Driver: Sendable {
        let serving: Serving
        let control: Int

        func open() async throws -> WebSocketConnection {
            let connection = try await WebSocketConnection.open(try Endpoint(try serving.url()))
            let auth: JSONValue = ["type": "auth", "protocol": 1, "token": .string(try serving.token())]
            try await connection.send(text: auth.text())
            return connection
        }

        func post(
            _ action: String, _ body: JSONValue? = nil, headers: [(String, String)] = []
        ) async throws -> (status: Int, told: JSONValue) {
            let type = body == nil ? [] : [("Content-Type", "application/json")]
            return try await perform(
                HTTPRequestSpec(
                    "POST", try Endpoint("http://127.0.0.1:\(control)/control/\(action)"), headers: type + headers,
                    body: body.map { Array($0.text().utf8) } ?? []))
        }

        func state() async throws -> JSONValue {
            try await perform(HTTPRequestSpec("GET", try Endpoint("http://127.0.0.1:\(control)/control/state"))).told
        }

        private func perform(_ request: HTTPRequestSpec) async throws -> (status: Int, told: JSONValue) {
            let answer = try await HTTPExchange.perform(request, timeout: .seconds(30))
            return (answer.status, try JSONParser.value(answer.text))
        }

        /// What comes next, up to and with a frame of a type; the end of the connection when there is none.
        func next(_ type: String, on connection: WebSocketConnection) async throws -> JSONValue? {
            while let arrival = try await connection.next(within: .seconds(30), type) {
                guard case .text(let text) = arrival.event else {
                    if case .close = arrival.event { return nil }
                    continue
                }
                let frame = try JSONParser.value(text)
                if frame["type"]?.stringValue == type { return frame }
            }
            return nil
        }

        func ask(_ text: String, on connection: WebSocketConnection) async throws {
            let chat: JSONValue = [
                "type": "chat", "clientMessageId": .string(UUID().uuidString),
                "messages": [["role": "user", "content": .string(text)]],
            ]
            try await connection.send(text: chat.text())
        }
    }

    /// A port that nobody listens on, as far as one can know.
    static func freePort() async throws -> Int {
        struct Nobody: TransportHandler {
            func respond(to request: HTTPServerRequest) async -> HTTPServerResponse { .hangUp }
            func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision { .reset }
            func serve(_ socket: ServerSocket) async {}
        }
        let server = try await TransportServer.start(handler: Nobody())
        defer { Task { await server.stop(graceful: .zero) } }
        return server.port
    }

    @Test func `the control port does to a real connection what it says`() async throws {
        let folder = try TemporaryDirectory()
        let port = try await Self.freePort()
        let arguments = ["--control", String(port), "--reply", "yes", "--fault", "drop toolUse", "--frames", "brief"]
        let (_, output) = try await Serving.run(arguments, in: folder) { serving in
            let driver = Driver(serving: serving, control: port)
            let first = try await driver.open()
            let epoch = try #require(try await driver.next("connected", on: first)?["epoch"]?.stringValue)
            try await driver.ask("hello", on: first)
            #expect(try await driver.next("done", on: first)?["text"] == "yes")

            #expect(try await driver.post("say", ["text": "by the way"]).status == 200)
            #expect(try await driver.next("message", on: first)?["text"] == "by the way")
            #expect(try await driver.post("fail", ["reason": "told so"]).status == 200)
            try await driver.ask("hello", on: first)
            #expect(try await driver.next("error", on: first)?["code"] == "agent_failed")

            let state = try await driver.state()
            #expect(state["connections"]?[0]?["name"] == "A")
            #expect(state["connections"]?[0]?["principal"] == "p1")
            #expect(!state.text().contains(try serving.token()))

            // A silence holds what is said meanwhile, and lets it arrive.
            #expect(try await driver.post("silence", ["connection": "A"]).status == 200)
            try await driver.ask("hello", on: first)
            _ = try await driver.post("say", ["text": "held"])
            #expect(try await driver.post("resume").told["connections"] == ["A"])
            #expect(try await driver.next("message", on: first)?["text"] == "held")
            #expect(try await driver.next("done", on: first)?["text"] == "yes")

            #expect(try await driver.post("restart", ["epoch": "kept"]).status == 200)
            #expect(try await driver.next("never", on: first) == nil)
            let second = try await driver.open()
            #expect(try await driver.next("connected", on: second)?["epoch"]?.stringValue == epoch)
            #expect(try await driver.post("drop", ["code": 4001]).told["connections"] == ["B"])
            #expect(try await driver.next("never", on: second) == nil)

            let page = [("Origin", "http://evil.example")]
            #expect(try await driver.post("drop", headers: page).status == 403)
            let wrong = try await driver.post("drop", ["hwo": "fin"])
            #expect(wrong.status == 400)
            #expect(wrong.told["problems"]?[0]?["fix"] == "did you mean 'how'?")
            #expect(try await driver.post("dorp").told["fix"] == "did you mean 'drop'?")
        }
        #expect(output.status == 0, "\(output.err)")
        #expect(output.out.contains("control page at http://127.0.0.1:\(port)/\n"))
        #expect(output.out.contains(#"A> chat c1 "hello""#), "\(output.out)")
        #expect(output.out.contains("A! silent, on request"))
        #expect(output.err.contains("the fault 'drop toolUse' matched nothing"))
    }

    @Test func `bad input to the mock is told with its place and fix`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/replies.json"
        try "{\"replies\": [\n  {\"is\": \"a\", \"replay\": \"b\"}\n]}".write(
            toFile: file, atomically: true, encoding: .utf8)
        for (arguments, place, fix) in [
            (["--replies", file], "replies.json:2:", "did you mean 'reply'?"),
            (["--control", "0.0.0.0:9001"], "--control:", "give only the port"),
            (["--fault", "cut befor done"], "--fault 'cut befor done':", "did you mean 'before'?"),
            (["--reply", "a", "--replies", "demo"], "--reply:", "put the text into the file"),
        ] {
            let run = try await BuiltBinary.run(["serve"] + arguments)
            #expect(run.status == 64, "\(arguments)")
            #expect(run.err.contains(place) && run.err.contains(fix), "\(run.err)")
            #expect(run.out.isEmpty)
        }
    }

    @Test func `a port that is taken is told by its flag, and nothing else stays open`() async throws {
        let folder = try TemporaryDirectory()
        let listener = try await RawListener.start { _ in }
        let taken = String(listener.port)
        for (flag, arguments) in [
            ("--port", ["--port", taken]), ("--control", ["--port", "0", "--control", taken]),
        ] {
            let run = try await BuiltBinary.run(["serve", "--data", folder.path] + arguments)
            #expect(run.status == 64 && run.out.isEmpty)
            #expect(
                run.err == """
                    \(flag): cannot listen on 127.0.0.1:\(taken): another program listens on that port
                      expected: a free port on an address of this machine
                      fix: use another port, or 0 for a free one

                    """)
        }
        await listener.stop()
    }
}
