import Foundation
import Holdfast
import HoldfastExplore
import HoldfastTranscript
import ReferenceClient
import TestSupport
import Testing

@testable import HoldfastJudge

/// The simulation of a client against what is known of the real one.
@Suite struct PhoneTests {
    private static let specification = Result { try Specification(.embedded) }
    /// Read once for all tests: reading them takes longer than a plan.
    private static let scenarios = specification.map { Plan.scenarios(of: .client, in: $0) }
    private let specification: Specification
    private let scenarios: [Plan]

    init() throws {
        (specification, scenarios) = (try Self.specification.get(), try Self.scenarios.get())
    }

    private func explorer(_ setting: ClientSetting = ClientSetting()) -> Explorer {
        Explorer(client: setting, under: specification, disturbing: scenarios)
    }

    @Test func `a healthy client keeps every clause in the scenarios that people wrote`() throws {
        var broken: [String] = []
        for scenario in try specification.clientScenarios() {
            let simulation = Simulation(scenario, against: ClientSetting(), seed: 1, version: specification.version)
            if let problem = simulation.problem ?? simulation.unsuitable {
                broken.append("\(scenario.name): \(problem)")
            }
            if let place = simulation.stoppedAt { broken.append("\(scenario.name) stopped: \(place)") }
            for verdict in judge(simulation.history, under: specification)
            where verdict.outcome == .violation || verdict.outcome == .warning {
                broken.append("\(scenario.name): \(verdict.clause) \(verdict.findings.first?.what ?? "")")
            }
        }
        #expect(broken == [])
    }

    @Test func `plans that nobody wrote come to their end, and are scenarios`() throws {
        let explorer = explorer()
        for seed in UInt64(1)...10 {
            let trial = try #require(explorer.trial(seed: seed))
            let text = trial.plan.file(about: [ClauseID(.CLIENT, 36)]).text()
            let written = try ClientScenarioReader.scenario(text, named: trial.plan.name, file: "plan.json")
            #expect(try trial.plan.clientScenario() == written, "what is written is what is performed")
            #expect(trial.simulation.problem == nil && trial.simulation.unsuitable == nil)
        }
    }

    @Test func `a healthy client keeps every clause in plans that nobody wrote`() throws {
        var broken: [String] = []
        for index in 0..<60 {
            var setting = ClientSetting()
            switch index % 3 {
            case 1: setting.variations = [ClientVariation.allCases[index / 3 % ClientVariation.allCases.count]]
            case 2:
                setting.profiles.subtract([[.clientSync], [.clientPush], [.clientSync, .clientPush]][index / 3 % 3])
            default: break
            }
            let trial = try #require(explorer(setting).trial(seed: UInt64(index + 1)))
            if let problem = trial.simulation.problem ?? trial.simulation.unsuitable {
                broken.append("\(index): \(problem)")
            }
            broken += trial.broken.map { "\(index): \($0.clause) \($0.findings.first?.what ?? "")" }
        }
        #expect(broken == [])
    }

    /// `HOLDFAST_PLANS` says how many plans.
    @Test func `what the judge takes to have arrived has, and not too early`() throws {
        let count = ProcessInfo.processInfo.environment["HOLDFAST_PLANS"].flatMap(UInt64.init) ?? 100
        var wrong: [String] = []
        for seed in 1...count {
            let simulation = try #require(explorer().trial(seed: seed)).simulation
            let history = Observations(simulation.history, under: specification)
            let frames = history.received.map {
                ($0.event, Int?.some($0.connection), history.clientPositions.handling($0))
            }
            // The app that asked takes the response; after its end no other one does.
            let answers = history.exchanges.compactMap { exchange in
                exchange.response.flatMap { response in
                    history.client.launch(at: exchange.request)?.events.contains(response) == true ? response : nil
                }
            }.map { ($0, Int?.none, Int?.none) }
            for (event, connection, taken) in frames + answers {
                let isSure =
                    history.isSurelyHandled(event, on: connection)
                    && history.latestArrival(event) < history.events.count
                guard let due = taken ?? (isSure ? history.latestArrival(event) : nil) else { continue }
                let truth = simulation.handledAt[event] ?? .max
                if truth < history.time(of: event) || truth > history.time(of: due) {
                    wrong.append("seed \(seed): event \(event), taken at \(truth), surely by event \(due)")
                }
            }
        }
        #expect(wrong == [])
    }

    @Test func `equal seeds give equal histories`() throws {
        let explorer = explorer()
        #expect(explorer.digest(of: 1...5) == explorer.digest(of: 1...5))
        #expect(explorer.digest(of: 1...5) != explorer.digest(of: 2...6))
    }

    @Test func `a defect is found without a scenario of its own, and told in a few steps`() async throws {
        let defect = try #require(ClientDefect.named("client-appends-whatever-comes"))
        let broken = explorer(ClientSetting(defects: [defect]))
        let small = try await broken.smallest(breaking: defect.clause)
        #expect(small.plan.count <= 8, "\(small.file(about: defect.clause))")
        let scenario = try ClientScenarioReader.scenario(
            small.file(about: defect.clause), named: small.plan.name, file: "found.json")
        #expect(scenario.clauses == [defect.clause])
        #expect(explorer().trial(of: small.plan, seed: small.seed)?.broken.isEmpty == true)
    }
}
