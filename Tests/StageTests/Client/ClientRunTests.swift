import Foundation
import Holdfast
import HoldfastJSON
import HoldfastPlatform
import Testing

@testable import HoldfastStage

/// Many scenarios at once, and what ends them early.
struct ClientRunTests {
    /// Drivers for a limited number of scenarios at a time, which count how many there are.
    private final class Counted: DriverSource {
        let capacity: Int
        let most = Mutex((now: 0, most: 0))
        private let inner: InProcessDrivers
        private let isBroken: Bool

        init(capacity: Int, isBroken: Bool = false) throws {
            self.capacity = capacity
            self.isBroken = isBroken
            inner = InProcessDrivers { _ in TinyApp() }
        }

        func open(data folder: String, timeScale: Double) async throws(DriverProblem) -> any DriverLink {
            if isBroken { throw DriverProblem(.notStarted(reason: "no such file"), at: "./driver") }
            let link = try await inner.open(data: folder, timeScale: timeScale)
            most.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            return CountedLink(link: link) { self.most.withLock { $0.now -= 1 } }
        }
    }

    private struct CountedLink: DriverLink {
        let link: any DriverLink
        let ended: @Sendable () -> Void

        var greeting: DriverGreeting { link.greeting }

        func perform(_ command: JSONObject, within limit: Duration) async throws(DriverProblem) -> DriverReply {
            try await link.perform(command, within: limit)
        }

        func end() async {
            await link.end()
            ended()
        }
    }

    private func scenario(_ name: String, watching milliseconds: Int) throws -> ClientScenario {
        try ClientScenarioReader.scenario(
            #"{"title":"t","summary":"s","role":"client","clauses":["CLIENT-36"],"#
                + #""steps":[{"do":"launch"},{"do":"watch","for":\#(milliseconds)}]}"#,
            named: "client/CLIENT/\(name)", file: "x.json")
    }

    private func run(_ source: Counted, jobs: Int) throws -> ClientRun {
        let specification = try Specification(.embedded)
        return ClientRun(
            stage: ClientStage(
                subject: ClientSubject(name: "tiny", driver: source), specification: specification), jobs: jobs)
    }

    @Test func `no more drivers run at a time than there are, and the longest scenario begins first`() async throws {
        let source = try Counted(capacity: 2)
        let scenarios = try [("a", 10), ("b", 20), ("c", 300), ("d", 30)].map { try scenario($0.0, watching: $0.1) }
        let started = Mutex<[String]>([])
        let outcome = try await run(source, jobs: 8).run(scenarios) { progress in
            if case .started(let name, _, _) = progress { started.withLock { $0.append(name) } }
        }
        #expect(outcome.performances.map(\.scenario) == scenarios.map(\.name))
        #expect(outcome.performances.allSatisfy { $0.stoppedAt == nil && $0.skipped == nil })
        #expect(source.most.withLock { $0.most } <= 2 && source.most.withLock { $0.now } == 0)
        #expect(started.withLock { $0 }.prefix(2) == ["client/CLIENT/c", "client/CLIENT/d"])
    }

    @Test func `a run that is cancelled ends at once, with what it saw, and ends its drivers`() async throws {
        let source = try Counted(capacity: 2)
        let scenarios = try ["a", "b", "c"].map { try scenario($0, watching: 60_000) }
        let run = try run(source, jobs: 2)
        let began = Mutex(0)
        let task = Task { await run.run(scenarios) { _ in began.withLock { $0 += 1 } } }
        while began.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(10)) }
        task.cancel()
        let outcome = await task.value
        #expect(outcome.performances.count == 3)
        #expect(outcome.performances.allSatisfy { $0.wasInterrupted || $0.skipped == "the run had ended" })
        #expect(source.most.withLock { $0.now } == 0)
    }

    @Test func `a driver that cannot be started is tried twice, and no more`() async throws {
        let source = try Counted(capacity: 1, isBroken: true)
        let scenarios = try ["a", "b", "c", "d"].map { try scenario($0, watching: 10) }
        let outcome = try await run(source, jobs: 1).run(scenarios)
        #expect(outcome.startProblem?.isUnreachable == true)
        #expect(outcome.startProblem?.description.hasPrefix("./driver: the driver cannot be started") == true)
        #expect(outcome.performances.filter { $0.skipped != nil }.count == 2)
    }
}
