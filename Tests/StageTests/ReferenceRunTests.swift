import Foundation
import Holdfast
import HoldfastReference
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastStage
@testable import HoldfastTransport

/// The scenarios of the specification, performed against the reference server.
struct ReferenceRunTests {
    @Test(.timeLimit(.minutes(10)))
    func `every scenario that a URL allows is performed whole, and no credential is recorded`() async throws {
        let folder = try TemporaryDirectory()
        let people = (1...8).map { (name: "p\($0)", token: "very-secret-\($0)") }
        let server = try await ReferenceServer(
            ReferenceConfiguration(dataFolder: folder.path, principals: people, requiresAuth: true))
        let specification = try Specification(.embedded)
        // Tests that compute share these threads, so that bounds pass slowly; a request over REST has no such patience.
        var timeouts = Timeouts()
        timeouts.rest = .seconds(60)
        timeouts.turn = .seconds(60)
        let subject = ServerSubject(
            name: "reference", webSocket: try Endpoint(server.webSocketURL), http: try Endpoint(server.httpURL),
            principals: people.map { ServerSubject.Principal(name: $0.name, token: $0.token) },
            profiles: [.core, .sync, .auth], hasScriptedAgent: true, timeouts: timeouts)
        try await subject.reach()
        let scenarios = try specification.scenarios().filter { subject.obstacle(to: $0) == nil }
        // Those left out need what this subject has not: a process of its own, pushes, a limit or patience.
        let leftOut = try specification.scenarios().filter { subject.obstacle(to: $0) != nil }
        #expect(
            leftOut.allSatisfy {
                $0.needs.start || !$0.needs.patience.isEmpty || !$0.needs.profiles.isSubset(of: subject.profiles)
            })
        #expect(!scenarios.isEmpty)
        let performances = await SuiteRun(
            stage: ServerStage(subject: subject, specification: specification), jobs: 4
        ).run(scenarios).performances
        await server.stop()
        #expect(performances.map(\.scenario) == scenarios.map(\.name))
        for (scenario, performance) in zip(scenarios, performances) {
            if scenario.needs.patience.isEmpty { #expect(performance.skipped == nil, "\(scenario.name)") }
            #expect(performance.stoppedAt == nil, "\(scenario.name)")
            #expect(performance.problems.isEmpty, "\(scenario.name)")
            #expect(!performance.wasFlooded && !performance.wasInterrupted, "\(scenario.name)")
            expectOrder(performance.history)
            for event in performance.history.events where "\(event)".contains("very-secret") {
                Issue.record("\(scenario.name): a credential at \(event.at)")
            }
        }
    }
}
