import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import Testing

@testable import HoldfastStage
@testable import HoldfastTransport

struct ServerStageTests {
    /// Performs the steps against a server that does everything right.
    private func perform(_ steps: String) async throws -> Performance {
        let server = try await TransportServer.start(handler: TestServer())
        return try await stage(subject(server.webSocketURL())).perform(scenario(steps))
    }

    @Test func `a scenario becomes a history in the order of time`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","text":"hi"},
            {"do":"await","on":"A","type":"done","save":{"s1":"/sessionId"}},
            {"do":"readSession","session":"${s1}"},{"do":"alive"}
            """)
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil && performance.skipped == nil)
        #expect(performance.wasReceived == true)
        expectOrder(performance.history)
        let kinds = performance.history.frames.compactMap { $0?.type }
        #expect(kinds == ["auth", "connected", "chat", "done", "auth", "connected", "ping", "pong", "ping", "pong"])
        let requests = performance.history.events.compactMap { event -> String? in
            if case .request(let request) = event.kind { return "\(event.lane) \(request.method) \(request.path)" }
            return nil
        }
        #expect(requests == ["1 GET /api/sessions/s1"])
        #expect(performance.history.header.scenario == "server/ENV/example")
    }

    @Test func `each frame satisfies one wait, in any order`() async throws {
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, frame in
                guard frame.type == "chat" else { return false }
                for type in ["done", "toolUse", "done"] { try? socket.post(text: #"{"type":"\#(type)"}"#) }
                return true
            }))
        let performance = try await stage(subject(server.webSocketURL()) { $0.ack = .milliseconds(100) }).perform(
            scenario(
                """
                {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"await","on":"A","type":"toolUse"},
                {"do":"await","on":"A","type":"done"},{"do":"await","on":"A","type":"done"},
                {"do":"await","on":"A","type":["done","toolUse"],"within":"ack"},{"do":"ping","on":"A"}
                """))
        #expect(performance.history.missed == ["done or toolUse"])
        #expect(performance.stoppedAt?.hasPrefix("/steps/5") == true)
        #expect(!performance.history.events.contains { $0.kind == .ping(.toServer) })
    }

    @Test(arguments: [(2048, true), (1024, true), (1023, false), (1_048_576, false)])
    func `a question larger than the server takes is not asked`(limit: Int, isLeft: Bool) async throws {
        let greeting = #"{"type":"connected","limits":{"maxFrameBytes":\#(limit)}}"#
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, frame in
                guard frame.type == "auth" else { return false }
                try? socket.post(text: greeting)
                return true
            }))
        let text = String(repeating: "x", count: 3000)
        let performance = try await stage(subject(server.webSocketURL())).perform(
            scenario(
                #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","text":"\#(text)"},{"do":"await","on":"A","type":"done"}"#
            ))
        #expect((performance.skipped != nil) == isLeft, "\(performance.stoppedAt ?? "")")
        if isLeft {
            #expect(performance.lacks.first == performance.skipped)
            #expect(performance.skipped?.hasSuffix("bytes, and the server takes at most \(limit)") == true)
        }
    }

    @Test func `a wait in vain is recorded after its whole bound, and the rest is left out`() async throws {
        let server = try await TransportServer.start(handler: TestServer())
        let performance = try await stage(
            subject(server.webSocketURL()) {
                $0.error = .milliseconds(100)
                $0.ack = .milliseconds(100)
            }
        ).perform(
            scenario(
                """
                {"do":"connect","on":"A"},{"do":"await","on":"A","type":"error","optional":true},
                {"do":"await","on":"A","type":"ack"},{"do":"chat","on":"A","as":"c1"}
                """))
        #expect(performance.history.missed == ["error", "ack"])
        #expect(!performance.history.frames.contains { $0?.type == "chat" })
        let waits = performance.history.events.filter { event in
            if case .wait = event.kind { return true }
            return false
        }
        #expect(waits.count == 2 && waits[1].at - waits[0].at >= 100_000)
        // The fence at the end shows what nobody waited for.
        #expect(performance.history.frames.compactMap { $0?.type }.last == "pong")
    }

    @Test func `a credential never reaches the history, wherever it turns up`() async throws {
        let server = try await TransportServer.start(
            handler: TestServer(
                onFrame: { socket, frame in
                    guard frame.type == "chat" else { return false }
                    try? socket.post(
                        text: #"{"type":"done","text":"your token is very-secret-1, really","sessionId":"s1"}"#)
                    return true
                },
                onRequest: { request in .json(#"{"echo":"\#(request.header("Authorization") ?? "")"}"#) }))
        let performance = try await stage(
            subject(server.webSocketURL(), principals: [.init(name: "someone", token: "very-secret-1")])
        ).perform(
            scenario(
                """
                {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"await","on":"A","type":"done"},
                {"do":"http","method":"GET","path":"/x"}
                """))
        let all = performance.history.events.map { "\($0)" }.joined()
        #expect(!all.contains("very-secret-1"))
        #expect(performance.history.texts(.toServer)[0].contains("‹token of p1›"))
        #expect(performance.history.texts(.fromServer)[1].contains("your token is ‹token of p1›, really"))
        #expect(all.contains("Bearer ‹token of p1›"))
    }

    @Test func `headers go with every upgrade and request, and reach no history`() async throws {
        let seen = Mutex<[String]>([])
        let server = try await TransportServer.start(
            handler: TestServer(
                onRequest: { request in
                    let shown = request.header("Cookie") ?? "none"
                    seen.withLock { $0.append(shown) }
                    return .json(#"{"echo":"\#(shown)"}"#)
                }))
        var asked = try subject(server.webSocketURL())
        asked.headers = [("Cookie", "gate=very-secret-2"), ("Origin", "https://app.example")]
        let performance = try await stage(asked).perform(
            scenario(#"{"do":"connect","on":"A"},{"do":"http","method":"GET","path":"/x"}"#))
        #expect(seen.withLock { $0 } == ["gate=very-secret-2"])
        #expect(asked.upgrade(token: nil).headers.map(\.0) == ["Cookie", "Origin"])
        let all = performance.history.events.map { "\($0)" }.joined()
        #expect(!all.contains("very-secret-2") && all.contains("‹value of Cookie›"), "\(all)")
    }

    @Test func `a promise that a server leaves out is the one of the specification`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A","save":{"keeps":"/limits/replayMessages"}},
            {"do":"send","on":"A","frame":{"type":"ping","nonce":"keeps ${keeps}"}},
            {"do":"connect","on":"B","save":{"last":"/lastSeq"}},{"do":"fence","on":"B"},
            {"do":"sync","on":"B","lastSeqSeen":"${last}"}
            """)
        #expect(performance.history.texts(.toServer)[1] == #"{"type":"ping","nonce":"keeps 1000"}"#)
        #expect(performance.stoppedAt == "/steps/4: connected has no /lastSeq", "the first step that needs it")
    }

    @Test func `a name without a value is the fault of the scenario, told with its place`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A","profile":"core","save":{"limit":"/limits/maxFrameBytes"}},
            {"do":"connect","on":"B","profile":"sync","save":{"epoch":"/epoch"}},
            {"do":"send","on":"A","frame":{"type":"ping","nonce":"${epoch}"}}
            """)
        #expect(performance.problems.map(\.code) == [.unknownVariable(name: "epoch", near: nil)])
        #expect(performance.problems.first?.location == "server/ENV/example /steps/2")
        #expect(performance.problems.first?.isUnreachable == false)
    }

    @Test func `a frame of the stage that its schema rejects is not sent`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","session":"../x"}
            """)
        guard case .invalidFrame("chat", _) = performance.problems.first?.code else {
            Issue.record("\(performance.problems)")
            return
        }
        #expect(!performance.history.frames.contains { $0?.type == "chat" })
    }

    @Test func `keys are unique, and the same question keeps its key`() async throws {
        let server = try await TransportServer.start(handler: TestServer())
        let example = try scenario(
            """
            {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"chat","on":"A","as":"c2"},
            {"do":"chat","on":"A","as":"c1"}
            """)
        let subject = try subject(server.webSocketURL())
        var keys: [[String?]] = []
        for _ in 1...2 {
            let performance = try await stage(subject).perform(example)
            keys.append(
                performance.history.frames.compactMap { $0 }.filter { $0.type == "chat" }.map(\.clientMessageId))
        }
        #expect(keys[0][0] == keys[0][2])
        #expect(Set(keys.joined().compactMap { $0 }).count == 4)
    }

    @Test func `a frame can be as long as the limit told, to the byte, and in fragments`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A","save":{"limit":"/limits/maxFrameBytes"}},
            {"do":"chat","on":"A","as":"c1","bytes":"${limit}"},{"do":"await","on":"A","type":"done"},
            {"do":"chat","on":"A","as":"c2","text":"Grüße 👩‍🚀","fragments":40},{"do":"await","on":"A","type":"done"}
            """)
        #expect(performance.stoppedAt == nil)
        #expect(performance.history.texts(.toServer)[1].utf8.count == 1000)
        #expect(performance.history.texts(.toServer)[2].contains("Grüße 👩‍🚀"))
        #expect(performance.history.events.contains { $0.kind == .act("fragments", ["count": 40]) })
    }

    @Test func `no further round begins once the name that is waited for has a value`() async throws {
        let questions = Mutex(0)
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { socket, frame in
                guard frame.type == "chat" else { return false }
                let number = questions.withLock { count in
                    count += 1
                    return count
                }
                try? socket.post(text: #"{"type":"\#(number < 3 ? "error" : "done")","sessionId":"s1"}"#)
                return true
            }))
        let performance = try await stage(subject(server.webSocketURL()) { $0.ack = .milliseconds(50) }).perform(
            scenario(
                """
                {"do":"connect","on":"A"},
                {"do":"repeat","times":9,"counter":"i","until":"answered","steps":[
                  {"do":"chat","on":"A","as":"c${i}"},
                  {"do":"await","on":"A","type":"done","within":"ack","optional":true,"save":{"answered":"/sessionId"}}]},
                {"do":"readSession","session":"${answered}"}
                """))
        #expect(questions.withLock { $0 } == 3)
        #expect(performance.stoppedAt == nil && performance.history.missed == ["done", "done"])
    }

    @Test func `what a subject does not offer is a reason to skip`() async throws {
        let subject = try subject("ws://127.0.0.1:1/ws")
        let stage = try stage(subject)
        let reasons = [
            (#"{"profiles":["sync","auth"]}"#, "the subject does not declare sync, auth"),
            (#"{"agent":"scripted"}"#, "it needs a scripted agent (tier 2) or the model endpoint (tier 3)"),
            (#"{"principals":2}"#, "it needs 2 principals, and there are 1"),
        ]
        for (needs, reason) in reasons {
            let performance = try await stage.perform(scenario(#"{"do":"alive"}"#, needs: needs))
            #expect(performance.skipped == reason)
            #expect(performance.history.events.isEmpty)
        }
    }
}
