import Holdfast
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport
import Testing

@testable import HoldfastStage

/// Remembers which credentials were shown.
private final class Guests: Sendable {
    private let state = Mutex<Set<String>>([])

    var tokens: Set<String> { state.withLock { $0 } }

    func enter(_ token: String) { state.withLock { _ = $0.insert(token) } }
}

struct SuiteRunTests {
    private static let steps = """
        {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"await","on":"A","type":"done"},
        {"do":"fence","on":"A"},{"do":"close","on":"A"}
        """

    @Test func `a principal is lent to one scenario at a time, and all are used`() async throws {
        let guests = Guests()
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { _, frame in
                if frame.type == "auth" { guests.enter(frame.string("token") ?? "") }
                return false
            }))
        let principals = (1...3).map { ServerSubject.Principal(name: "p\($0)", token: "token-\($0)") }
        let run = SuiteRun(stage: try stage(subject(server.webSocketURL(), principals: principals)), jobs: 8)
        let scenarios = try (1...12).map { try scenario(Self.steps, named: "server/ENV/number-\($0)") }
        let progress = Mutex<[SuiteRun.Progress]>([])
        let performances = await run.run(scenarios) { step in progress.withLock { $0.append(step) } }.performances
        #expect(performances.map(\.scenario) == scenarios.map(\.name))
        #expect(performances.allSatisfy { $0.stoppedAt == nil && $0.problems.isEmpty })
        #expect(guests.tokens == ["token-1", "token-2", "token-3"])
        let told = progress.withLock { $0 }
        #expect(told.count == 24)
        expectAtMost(3, running: told)
    }

    private func expectAtMost(_ limit: Int, running told: [SuiteRun.Progress]) {
        var running = 0
        for step in told {
            switch step {
            case .started: running += 1
            case .finished, .disturbed: running -= 1
            }
            #expect(running <= limit)
        }
    }

    @Test func `a push is waited for in vain where a device is gone`() throws {
        let subject = try subject("ws://127.0.0.1:1/ws")
        let push = #"{"do":"awaitPush","principal":"p1","optional":true}"#
        let gone = #"{"do":"pushAnswer","principal":"p1","status":410,"reason":"Unregistered"},"#
        #expect(try scenario(push, named: "server/PUSH/usual").waits(for: subject) == .zero)
        #expect(try scenario(gone + push, named: "server/PUSH/gone").waits(for: subject) == subject.timeouts.push)
    }

    @Test func `the scenario that waits longest begins first`() async throws {
        let server = try await TransportServer.start(handler: TestServer())
        let run = SuiteRun(stage: try stage(subject(server.webSocketURL())))
        let scenarios = try [
            ("short", #"{"do":"watch","for":{"milliseconds":10}}"#),
            ("long", #"{"do":"repeat","times":3,"steps":[{"do":"watch","for":{"milliseconds":50}}]}"#),
            ("middle", #"{"do":"watch","for":{"milliseconds":100}}"#),
        ].map { try scenario(Self.steps + "," + $0.1, named: "server/ENV/\($0.0)") }
        let started = Mutex<[String]>([])
        let performances = await run.run(scenarios) { step in
            if case .started(let name, _, _) = step { started.withLock { $0.append(name) } }
        }.performances
        #expect(performances.map(\.scenario) == scenarios.map(\.name))
        #expect(started.withLock { $0 } == ["server/ENV/long", "server/ENV/middle", "server/ENV/short"])
    }

    @Test func `a scenario for two waits until two are free`() async throws {
        let server = try await TransportServer.start(handler: TestServer())
        let principals = (1...2).map { ServerSubject.Principal(name: "p\($0)", token: "token-\($0)") }
        let run = SuiteRun(stage: try stage(subject(server.webSocketURL(), principals: principals)), jobs: 4)
        let one = try scenario(Self.steps, named: "server/ENV/for-one")
        let two = try scenario(
            Self.steps + #",{"do":"connect","on":"B","principal":"p2"}"#, named: "server/ENV/for-two",
            needs: #"{"principals":2}"#)
        let performances = await run.run([one, two, one, two]).performances
        #expect(performances.allSatisfy { $0.stoppedAt == nil && $0.problems.isEmpty && $0.skipped == nil })
    }

    @Test func `a cancelled run returns what was learnt`() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let server = try await TransportServer.start(
            handler: TestServer(onFrame: { _, frame in
                guard frame.type == "chat", frame.document?.root.text().contains("never") == true else { return false }
                asking.yield()
                return true
            }))
        let stuck = try scenario(
            """
            {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","text":"never answered"},
            {"do":"await","on":"A","type":"done"}
            """, named: "server/ENV/stuck")
        let scenarios = [try scenario(Self.steps), stuck, try scenario(Self.steps, named: "server/ENV/later")]
        let run = SuiteRun(stage: try stage(subject(server.webSocketURL())))
        let task = Task { await run.run(scenarios).performances }
        for await _ in asked { break }
        task.cancel()
        let performances = await task.value
        #expect(performances.count == 3)
        #expect(performances[0].stoppedAt == nil && !performances[0].wasInterrupted)
        #expect(performances[1].wasInterrupted && performances[1].problems.isEmpty)
        #expect(performances[1].history.frames.contains { $0?.type == "chat" })
        #expect(performances[1].history.missed.isEmpty)
        #expect(performances[2].skipped == "the run had ended")
    }
}
