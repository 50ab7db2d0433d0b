import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport
import Testing

@testable import HoldfastStage

private let device = "0a1b2c3d4e5f60718293"
private let other = "ffeeddccbbaa99887766"
private let answerPayload =
    #"{"aps":{"alert":{"title":"Agent","body":"yes"},"thread-id":"s1"},"sessionId":"s1","messageId":"a1"}"#

/// A server that pushes once for each question, whatever the push service says; what that said is kept.
private final class PushingServer: Sendable {
    let answers = Mutex<[String]>([])
    /// Kept for as long as its pushes may be under way.
    let listening = Mutex<TransportServer?>(nil)
    let sink: PushSink
    let devices: [String]
    let payload: String

    init(_ sink: PushSink, devices: [String] = [device], payload: String = answerPayload) {
        self.sink = sink
        self.devices = devices
        self.payload = payload
    }

    func push() async {
        for device in devices {
            let said: String
            do {
                let answer = try await pushed(device, payload, to: sink)
                said = "\(answer.status) \(answer.text)"
            } catch {
                said = "\(error)"
            }
            answers.withLock { $0.append(said) }
        }
    }

    var handler: TestServer {
        TestServer(onFrame: { socket, frame in
            guard frame.type == "chat" else { return false }
            try? socket.post(text: #"{"type":"done","text":"yes","sessionId":"s1"}"#)
            await self.push()
            return true
        })
    }
}

private func pushed(
    _ device: String, _ payload: String, to sink: PushSink, method: String = "POST", path: String = "/3/device/"
) async throws -> HTTPAnswer {
    let request = HTTPRequestSpec(
        method, try Endpoint(sink.url).at(path + device),
        headers: [("apns-topic", "app.example"), ("Apns-Push-Type", "alert"), ("authorization", "bearer secret")],
        body: Array(payload.utf8))
    return try await HTTPExchange.perform(request, timeout: .seconds(60))
}

private func subject(_ server: TransportServer, _ sink: PushSink, push: Duration = .seconds(60)) throws -> ServerSubject
{
    var subject = try subject(
        server.webSocketURL(), principals: [.init(name: "p1", token: "token-of-one", device: device)],
        profiles: [.core, .push]
    ) {
        $0.push = push
        $0.error = .milliseconds(100)
    }
    subject.pushSink = sink
    return subject
}

private let asking =
    #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"await","on":"A","type":"done"}"#

struct PushSinkTests {
    private func perform(_ steps: String, _ server: PushingServer, push: Duration = .seconds(60)) async throws
        -> Performance
    {
        let listening = try await TransportServer.start(handler: server.handler)
        server.listening.withLock { $0 = listening }
        return try await stage(subject(listening, server.sink, push: push)).perform(
            scenario(steps, needs: #"{"profiles":["push"]}"#))
    }

    @Test func `a push is recorded with what became of it, and names its principal alone`() async throws {
        let server = PushingServer(try await PushSink())
        let performance = try await perform(
            "\(asking),{\"do\":\"awaitPush\",\"save\":{\"m\":\"/messageId\"}},{\"do\":\"readSession\",\"session\":\"${m}\"}",
            server)
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil && performance.skipped == nil)
        let pushes = performance.history.events.filter { $0.lane == .push }.map(\.kind)
        try #require(pushes.count == 3)
        #expect(pushes[0] == .act("listen", ["principal": "p1"]))
        let headers = [
            Event.Header(name: "apns-topic", value: "app.example"),
            Event.Header(name: "apns-push-type", value: "alert"),
        ]
        #expect(
            pushes[1]
                == .request(
                    .init(method: "POST", path: "/3/device/p1", principal: "p1", headers: headers, body: answerPayload))
        )
        guard case .response(let response) = pushes[2] else { throw Missing() }
        #expect(response.status == 200 && response.body.isEmpty)
        #expect(response[header: "apns-id"]?.count == 36)
        let text = TranscriptWriter.text(performance.history)
        #expect(text.contains("/api/sessions/a1") && !text.contains(device) && !text.contains("secret"))
        expectOrder(performance.history)
    }

    @Test(arguments: [
        (#""status":410"#, "410 {\"reason\":\"Unregistered\",\"timestamp\":", "410"),
        (#""status":400,"reason":"BadMessageId""#, #"400 {"reason":"BadMessageId"}"#, "400"),
        (#""status":403"#, #"403 {"reason":"InvalidProviderToken"}"#, "403"),
        (#""status":413"#, #"413 {"reason":"PayloadTooLarge"}"#, "413"),
        (#""status":429"#, #"429 {"reason":"TooManyRequests"}"#, "429"),
        (#""status":503"#, #"503 {"reason":"ServiceUnavailable"}"#, "503"),
        (#""close":true"#, "closed", "close"),
        (#""hang":true"#, "closed", "hang"),
    ])
    func `a push is answered as a step asked for`(_ members: String, said: String, recorded: String) async throws {
        let server = PushingServer(try await PushSink())
        let performance = try await perform(
            "{\"do\":\"pushAnswer\",\(members)},\(asking),{\"do\":\"awaitPush\"}", server)
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil)
        let end = performance.history.events.filter { $0.lane == .push }.last
        switch end?.kind {
        case .response(let response): #expect("\(response.status)" == recorded)
        case .act(let verb, let details): #expect(verb == recorded && details == ["principal": "p1"])
        default: Issue.record("\(String(describing: end))")
        }
        // The hanging push ends with the scenario, so the server has its answer soon.
        for _ in 0..<6000 where server.answers.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
        let answer = try #require(server.answers.withLock { $0.first })
        #expect(answer.contains(said), "\(answer)")
    }

    @Test func `answers are used up in their order, then pushes are taken again`() async throws {
        let server = PushingServer(try await PushSink())
        let asks = String(
            repeating: ",\(asking.dropFirst(#"{"do":"connect","on":"A"},"#.count)),{\"do\":\"awaitPush\"}", count: 4)
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"pushAnswer","status":503,"times":2},{"do":"pushAnswer","status":429}\(asks)
            """, server)
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil)
        let statuses = performance.history.events.compactMap { event -> Int? in
            if event.lane == .push, case .response(let response) = event.kind { return response.status }
            return nil
        }
        #expect(statuses == [503, 503, 429, 200])
    }

    @Test func `an answer that no push used is told`() async throws {
        let server = PushingServer(try await PushSink(), devices: [])
        let performance = try await perform("{\"do\":\"pushAnswer\",\"status\":503},\(asking)", server)
        #expect(performance.problems.isEmpty)
        #expect(performance.stoppedAt == "/steps/0: no push to p1 arrived, so this answer was never used")
    }

    @Test(arguments: [true, false])
    func `a push that never came is told by its wait alone`(_ isOptional: Bool) async throws {
        let server = PushingServer(try await PushSink(), devices: [])
        let performance = try await perform(
            "{\"do\":\"pushAnswer\",\"status\":503},\(asking),{\"do\":\"awaitPush\",\"optional\":\(isOptional)}",
            server,
            push: .milliseconds(100))
        #expect(performance.problems.isEmpty)
        #expect(performance.history.missed == ["push to p1"])
        #expect(performance.stoppedAt == (isOptional ? nil : "/steps/4: no push to p1 in time"))
    }

    @Test func `the answer that a missing push was about is read, and the push is waited for once more`() async throws {
        let server = PushingServer(try await PushSink(), devices: [])
        let performance = try await perform(
            #"\#(asking),{"do":"awaitPush","where":{"/sessionId":"s1"}}"#, server, push: .milliseconds(100))
        let reads = performance.history.events.filter { event in
            if case .request(let request) = event.kind { request.path == "/api/sessions/s1" } else { false }
        }
        #expect(reads.count == 1)
        #expect(performance.history.missed == ["push to p1", "push to p1"])
        #expect(performance.stoppedAt == "/steps/3: no push to p1 in time")
    }

    @Test func `each push satisfies one wait, and only a matching one`() async throws {
        let server = PushingServer(try await PushSink(), devices: [device, device])
        // Waits in vain take the shortest bound, the others as long as they need.
        let performance = try await perform(
            """
            \(asking),{"do":"awaitPush","where":{"/sessionId":"s1"}},{"do":"awaitPush"},
            {"do":"awaitPush","where":{"/sessionId":"s2"},"within":"error","optional":true},
            {"do":"awaitPush","within":"error","optional":true}
            """, server)
        #expect(performance.stoppedAt == nil)
        #expect(performance.history.missed.count { $0 == "push to p1" } == 2)
    }

    @Test func `a push about an earlier scenario belongs to no later one`() async throws {
        let server = PushingServer(try await PushSink())
        _ = try await perform("\(asking),{\"do\":\"awaitPush\"}", server)
        let listening = try await TransportServer.start(
            handler: TestServer(onFrame: { _, frame in
                guard frame.type == "chat" else { return false }
                await server.push()
                return true
            }))
        let later = try await stage(subject(listening, server.sink, push: .milliseconds(200))).perform(
            scenario(
                #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"awaitPush"}"#,
                needs: #"{"profiles":["push"]}"#
            ))
        #expect(later.history.missed == ["push to p1"])
        #expect(server.sink.registry.lateCount == 1)
        #expect(server.answers.withLock { $0 } == ["200 ", "200 "])
    }

    @Test func `a device that was told to be gone is counted on no more`() async throws {
        let sink = try await PushSink()
        let server = PushingServer(sink)
        _ = try await perform("{\"do\":\"pushAnswer\",\"status\":410},\(asking),{\"do\":\"awaitPush\"}", server)
        #expect(sink.tokenState(of: device) == .refused)
        let later = try await perform(asking, server)
        #expect(
            later.skipped
                == "it needs the device tokens of 1 principal, and 1 were given, of which 1 were refused in earlier scenarios"
        )
        let listening = try await TransportServer.start(handler: server.handler)
        let plain = try await stage(subject(listening, sink)).perform(scenario(asking))
        #expect(plain.skipped == nil && !plain.history.events.contains { $0.lane == .push })
    }

    @Test func `without a sink or a device nothing can be said`() async throws {
        let server = try await TransportServer.start(handler: TestServer())
        var lonely = try subject(server, try await PushSink())
        let wanted = try scenario(asking, needs: #"{"profiles":["push"]}"#)
        lonely.principals = [.init(name: "p1", token: "token-of-one")]
        #expect(lonely.obstacle(to: wanted) == "it needs the device tokens of 1 principal, and 0 were given")
        lonely.pushSink = nil
        #expect(lonely.obstacle(to: wanted) == "it needs a push service; give --push-sink")
    }

    @Test func `what belongs to nobody is answered as Apple does, and remembered`() async throws {
        let sink = try await PushSink()
        func answer(_ device: String, method: String = "POST", path: String = "/3/device/") async throws -> String {
            let answer = try await pushed(device, answerPayload, to: sink, method: method, path: path)
            return "\(answer.status) \(answer.text)"
        }
        #expect(try await answer(other) == #"400 {"reason":"BadDeviceToken"}"#)
        #expect(try await answer(other, method: "GET") == #"405 {"reason":"MethodNotAllowed"}"#)
        #expect(try await answer("x", path: "/4/device/") == #"404 {"reason":"BadPath"}"#)
        #expect(try await answer("", path: "/3/device/") == #"404 {"reason":"BadPath"}"#)
        #expect(sink.strays.map(\.status) == [400, 405, 404, 404])
        #expect(sink.strays[0].path == "/3/device/‹a token of 20 bytes›")
        for _ in 0..<120 { _ = try await answer(other) }
        #expect(sink.strays.count == 100)
    }

    @Test func `what Apple would refuse is refused, and seen whole`() async throws {
        let long = #"{"aps":{"alert":{"title":"Agent","body":"\#(String(repeating: "é", count: 3000))"}}}"#
        let server = PushingServer(try await PushSink(topic: "app.example"), payload: long)
        let performance = try await perform("\(asking),{\"do\":\"awaitPush\"}", server)
        #expect(server.answers.withLock { $0 } == [#"413 {"reason":"PayloadTooLarge"}"#])
        #expect(
            performance.history.events.contains {
                if case .request(let request) = $0.kind { return request.body == long }
                return false
            })
        let elsewhere = PushingServer(try await PushSink(topic: "app.other"))
        _ = try await perform("\(asking),{\"do\":\"awaitPush\"}", elsewhere)
        #expect(elsewhere.answers.withLock { $0 } == [#"400 {"reason":"TopicDisallowed"}"#])
    }
}

private struct Missing: Error {}
