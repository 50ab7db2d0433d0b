import ClientDriver
import Foundation
import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastStage

/// Scenarios with a client in this process, over real sockets.
struct ClientStageTests {
    private let specification: Specification

    init() throws {
        specification = try Specification(.embedded)
    }

    private func scenario(_ steps: String, world: String = "{}", name: String = "x") throws -> ClientScenario {
        try ClientScenarioReader.scenario(
            #"{"title":"t","summary":"s","role":"client","clauses":["CLIENT-36"],"world":\#(world),"steps":[\#(steps)]}"#,
            named: "client/CLIENT/\(name)", file: "x.json")
    }

    private func stage(
        _ manner: TinyApp.Manner = .plain, unsupported: Set<String> = [], driver: Duration = .seconds(10)
    ) throws -> ClientStage {
        var timeouts = Timeouts()
        timeouts.driver = driver
        let drivers = InProcessDrivers { _ in TinyApp(manner) }
        return ClientStage(
            subject: ClientSubject(name: "tiny", driver: drivers, unsupported: unsupported, timeouts: timeouts),
            specification: specification)
    }

    private func perform(
        _ steps: String, world: String = "{}", _ manner: TinyApp.Manner = .plain, driver: Duration = .seconds(10)
    ) async throws -> Performance {
        try await stage(manner, driver: driver).perform(scenario(steps, world: world))
    }

    private func words(_ performance: Performance) -> [String] {
        NotationPrinter(performance.history).items.map(\.text)
    }

    private static let asking =
        #"{"do":"launch"},{"do":"await","comes":"connection"},{"do":"send","as":"c1"},"#
        + #"{"do":"await","comes":"question","as":"c1"},"#
        + #"{"do":"awaitState","shows":["c1","a${turn.c1}"],"thinking":false,"sent":"c1"}"#

    @Test func `what is done, sent and shown is recorded in its order`() async throws {
        let performance = try await perform(Self.asking)
        #expect(performance.stoppedAt == nil && performance.problems.isEmpty, "\(performance)")
        let words = words(performance)
        let line = words.joined(separator: " ")
        let order = ["client!launch", "A>open", "A>auth", "A<connected", "client!send", "A>chat", "A<ack", "A<done"]
        let places = order.map { word in
            words.firstIndex { $0.hasPrefix(word) || ($0.hasPrefix("A+") && word != "A>chat") }
        }
        #expect(!places.contains(nil), "\(line)")
        #expect(line.contains("client!quit"))
        let states = performance.history.events.compactMap {
            if case .state(let state) = $0.kind { state } else { nil }
        }
        #expect(states.last?["messages"]?.arrayValue?.map { $0["text"] }.last == "answer 1")
        #expect(performance.history.header.subject.role == .client && performance.history.header.timeScale == 10)
        // Nothing of the credential, wherever it was sent.
        #expect(!TranscriptWriter.text(performance.history).contains("\"p1-"))
    }

    @Test func `the scripted server keeps what the specification asks of servers`() async throws {
        let performance = try await perform(
            Self.asking + #",{"do":"when","comes":"chat","then":"ack"},{"do":"send","as":"c2"},"#
                + #"{"do":"await","comes":"chat","as":"c2"},{"do":"tool"},{"do":"finish"},{"do":"select","session":"s1"},"#
                + #"{"do":"await","comes":"read","session":"s1"},{"do":"awaitState","shows":["a${turn.c2}"]},"#
                + #"{"do":"elsewhere","session":"s8","messages":["u7","a7"],"new":true},{"do":"watch","for":50}"#)
        #expect(performance.stoppedAt == nil, "\(performance.stoppedAt ?? "")")
        var header = performance.history.header
        header.subject = History.Subject(name: "scripted", role: .server, profiles: [.core, .sync])
        let events = performance.history.events.filter { $0.lane != .client && $0.lane != .server }
        let verdicts = judge(History(header: header, events: events), under: specification)
        // Who ended a connection stands in the lane of the client, which is left out here.
        let broken = verdicts.filter {
            ($0.outcome == .violation || $0.outcome == .warning) && $0.clause.description != "LIVE-10"
        }
        #expect(broken.isEmpty, "\(broken)")
        #expect(verdicts.filter { $0.outcome == .pass }.count >= 20)
    }

    @Test func `a wait that is not met ends the scenario, and says where and for how long it watched`() async throws {
        let performance = try await perform(
            #"{"do":"launch"},{"do":"await","comes":"sync","within":"scheduling"},{"do":"quit"}"#)
        #expect(performance.stoppedAt == "/steps/1: no sync within 'scheduling'")
        let wait = performance.history.events.first { $0.kind == .wait(awaited: "sync", met: false) }
        let launch = performance.history.events.first { if case .act("launch", _) = $0.kind { true } else { false } }
        #expect(try #require(wait).at - (try #require(launch)).at >= 2_000_000)
        // It looks on, so that the judge can tell what did not come: 'backoff', which is 5 s at this time scale.
        let last = performance.history.events.last { if case .state = $0.kind { true } else { false } }
        #expect(try #require(last).at - (try #require(wait)).at >= 4_900_000)
        // While it waits and nothing changes, it says every half second what it sees.
        let seen = performance.history.events.prefix { $0.kind != .wait(awaited: "sync", met: false) }.count {
            if case .state = $0.kind { true } else { false }
        }
        #expect((3...12).contains(seen), "\(seen)")
    }

    @Test func `an optional wait is noted, and the scenario goes on`() async throws {
        let performance = try await perform(
            #"{"do":"launch"},{"do":"await","comes":"sync","within":"scheduling","optional":true},"#
                + #"{"do":"awaitState","count":9,"within":"scheduling","optional":true},"#
                + #"{"do":"when","comes":"list","then":"stale"}"#)
        #expect(performance.stoppedAt == nil)
        let waits = performance.history.events.compactMap { event -> String? in
            if case .wait(let awaited, false) = event.kind { awaited } else { nil }
        }
        #expect(waits == ["sync", "state", "use of the rule 'list stale'"])
    }

    @Test func `only a client's own timers are scaled`() {
        let timeouts = Timeouts()
        #expect(timeouts.limit(of: "polling", timeScale: 10) == .milliseconds(8500))
        #expect(timeouts.limit(of: "foregroundReconnect", timeScale: 10) == .seconds(2))
        #expect(timeouts.limit(of: "rest", timeScale: 10) == .seconds(10))
    }

    @Test func `what came before the last act of the person is not new, except questions and connections`() async throws
    {
        let performance = try await perform(
            #"{"do":"launch"},{"do":"await","comes":"connection"},{"do":"select","session":"s1"},{"do":"watch","for":150},"#
                + #"{"do":"background"},{"do":"await","comes":"read","within":"scheduling","optional":true},"#
                + #"{"do":"send","as":"c1"},{"do":"watch","for":150},{"do":"background"},{"do":"await","comes":"chat","as":"c1"}"#,
            world: #"{"sessions":[{"id":"s1","messages":["u1","a1"]}]}"#)
        #expect(performance.stoppedAt == nil)
        #expect(performance.history.events.contains { $0.kind == .wait(awaited: "read", met: false) })
    }

    @Test func `a silent upgrade, a refusal and a reset are seen as what they are`() async throws {
        let performance = try await perform(
            #"{"do":"when","comes":"upgrade","then":"silent"},{"do":"when","comes":"upgrade","then":"reset","times":1},"#
                + #"{"do":"when","comes":"upgrade","then":"refuse","status":503,"times":1},"#
                + #"{"do":"launch"},{"do":"await","comes":"attempt","count":4},{"do":"watch","for":1500}"#,
            .reconnects)
        #expect(performance.stoppedAt == nil)
        let refusals = performance.history.events.compactMap { event -> String? in
            if case .refused(let status, let reason) = event.kind { "\(status ?? 0) \(reason)" } else { nil }
        }
        #expect(refusals.prefix(2).sorted() == ["0 the server reset the connection", "503 refused"], "\(refusals)")
        #expect(refusals.contains("0 the client gave up"), "\(refusals)")
    }

    @Test func `a request that the client gives up is recorded as such`() async throws {
        let performance = try await perform(
            #"{"do":"when","comes":"read","then":"hold"},{"do":"launch"},{"do":"select","session":"s1"},"#
                + #"{"do":"await","comes":"read"},{"do":"awaitState","errors":true},{"do":"watch","for":1000}"#,
            world: #"{"sessions":[{"id":"s1","messages":["u1","a1"]}]}"#)
        let failures = performance.history.events.filter { $0.kind == .failed(reason: "the client went away") }
        #expect(failures.count == 1)
    }

    @Test func `a frame of the stage's own that is no valid one is a failure of the suite`() async throws {
        let performance = try await perform(
            #"{"do":"launch"},{"do":"await","comes":"connection"},{"do":"tell","frame":{"type":"done","sessionId":1}}"#)
        #expect(performance.problems.first?.description.hasPrefix("the stage's own done") == true)
    }

    @Test func `what a driver does not support leaves a scenario out, before or while it is performed`() async throws {
        let steps = #"{"do":"launch"},{"do":"openPush","session":"s1","message":"a1"}"#
        let before = try await stage(unsupported: ["openPush"]).perform(scenario(steps))
        #expect(before.skipped == "the driver does not support openPush" && before.history.events.isEmpty)
        let missing = try await stage().perform(
            scenario(#"{"do":"launch"},{"do":"receivePush","session":"s1","message":"a1"}"#))
        // In the driver's own words.
        #expect(missing.skipped?.hasPrefix("the driver does not support receivePush: ") == true)
    }

    @Test func `a driver that hangs costs its bound and no more`() async throws {
        let performance = try await perform(
            #"{"do":"launch"},{"do":"awaitState","thinking":true}"#, .hangs, driver: .milliseconds(800))
        #expect(performance.stoppedAt?.contains("no answer to '") == true, "\(performance.stoppedAt ?? "")")
        #expect(performance.history.events.contains { if case .act("hang", _) = $0.kind { true } else { false } })
    }

    @Test func `a page of another origin may ask, and what its browser asks is not recorded`() async throws {
        let performance = try await perform(#"{"do":"launch"},{"do":"watch","for":10}"#, .isAPage)
        #expect(performance.stoppedAt == nil, "\(performance.stoppedAt ?? "")")
        let shown = performance.history.events.compactMap { event -> JSONValue? in
            if case .state(let state) = event.kind { state["errors"] } else { nil }
        }
        let texts = shown.last?.arrayValue?.map { $0["text"]?.stringValue }
        #expect(texts == ["OPTIONS 204 for *", "GET 401 for *"])
        let requests = performance.history.events.compactMap { event -> String? in
            if case .request(let request) = event.kind { request.method } else { nil }
        }
        #expect(requests == ["GET"])
        #expect(!TranscriptWriter.text(performance.history).contains("access-control"))
    }

    @Test(arguments: [TinyApp.Manner.floodsFrames, .floodsState])
    func `a client that floods is cut off, and memory stays bounded`(manner: TinyApp.Manner) async throws {
        var stage = try stage(manner)
        stage.bounds = Recorder.Bounds(bytes: 1 << 20, events: 2_000)
        let performance = await stage.perform(try scenario(#"{"do":"launch"},{"do":"watch","for":60000}"#))
        let (wasFlooded, stoppedAt) = (performance.wasFlooded, performance.stoppedAt)
        #expect(wasFlooded, "\(performance.history.events.count) events")
        #expect(stoppedAt?.hasSuffix("the client flooded the suite") == true)
    }

    @Test(arguments: [TinyApp.Manner.floodsConnections, .neverEndsABody])
    func `connections and bodies without end are bounded`(manner: TinyApp.Manner) async throws {
        let performance = try await perform(#"{"do":"launch"},{"do":"watch","for":1500}"#, manner)
        #expect(performance.stoppedAt == nil)
        #expect(performance.history.events.count < 5000)
    }

    @Test func `branches run together, and orders one after the other`() async throws {
        let performance = try await perform(
            #"{"do":"launch"},{"do":"together","branches":[[{"do":"watch","for":700}],[{"do":"watch","for":700}]]},"#
                + #"{"do":"everyOrder","before":[{"do":"send","as":"c${order}"}],"#
                + #""of":[[{"do":"background"}],[{"do":"foreground"}]],"after":[{"do":"await","comes":"chat","as":"c${order}"}]}"#
        )
        #expect(performance.stoppedAt == nil, "\(performance.stoppedAt ?? "")")
        let acts = performance.history.events.compactMap { event -> String? in
            if case .act(let act, _) = event.kind, event.lane == .client { act } else { nil }
        }
        #expect(
            acts == ["launch", "send", "background", "foreground", "send", "foreground", "background", "quit"])
    }
}
