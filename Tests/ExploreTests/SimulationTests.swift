import Holdfast
import HoldfastExplore
import HoldfastJudge
import HoldfastReference
import HoldfastTranscript
import TestSupport
import Testing

/// The world of the simulation against what is known of the real one.
@Suite struct SimulationTests {
    private let specification: Specification

    init() throws { specification = try Specification(.embedded) }

    /// Scenarios were written for limits that leave room.
    private func roomy(for scenario: Scenario) -> Setting {
        var setting = Setting()
        setting.timeouts = Timeouts()
        setting.configuration.replayFrames = 100
        // Those that spend a budget send all of it several times.
        setting.configuration.messagesPerMinute = scenario.needs.budget ? 20 : 600
        setting.configuration.rateWindowSeconds = 5
        return setting
    }

    @Test func `a healthy server keeps every clause in the scenarios that people wrote`() throws {
        var performed = 0
        var broken: [String] = []
        for scenario in try specification.scenarios() where scenario.role == .server {
            let simulation = Simulation(
                scenario, against: roomy(for: scenario), seed: 1,
                version: specification.version)
            if simulation.unsuitable != nil { continue }
            performed += 1
            if let problem = simulation.problem { broken.append("\(scenario.name): \(problem)") }
            if let place = simulation.stoppedAt { broken.append("\(scenario.name) stopped: \(place)") }
            for verdict in judge(simulation.history, under: specification)
            where verdict.outcome == .violation || verdict.outcome == .warning {
                broken.append("\(scenario.name): \(verdict.clause) \(verdict.findings.first?.what ?? "")")
            }
        }
        #expect(broken == [])
        #expect(performed > 100)
    }

    @Test func `equal seeds give equal histories`() throws {
        let grammar = ServerGrammar(profiles: Profile.all(of: .server), disturbing: [], startsServer: true)
        for seed in UInt64(1)...5 {
            let scenario = try grammar.plan(seed: seed).scenario()
            let twice = (1...2).map { _ in
                Simulation(scenario, against: Setting(), seed: seed, version: specification.version).history.events
            }
            #expect(twice[0] == twice[1])
        }
    }

    @Test func `equal seeds give equal bytes in every process and every build`() throws {
        // `conformance selftest --explore --json` tells the same digest; HOLDFAST_RECORD=1 writes it anew.
        let digest = Explorer(under: specification).digest(of: 1...5)
        try Golden.check(digest + "\n", against: "Tests/ExploreTests/Goldens/histories.txt")
    }

    @Test func `a capture of a healthy server breaks no clause, wherever it begins`() throws {
        let grammar = ServerGrammar(profiles: Profile.all(of: .server), disturbing: [], startsServer: true)
        var broken: [String] = []
        for seed in UInt64(1)...100 {
            let history = Simulation(
                try grammar.plan(seed: seed).scenario(), against: Setting(), seed: seed, version: specification.version
            ).history
            var header = history.header
            header.capture = History.Capture()
            for part in 0..<4 {
                let seen = Array(history.events.dropFirst(history.events.count * part / 4))
                for verdict in judge(History(header: header, events: seen), under: specification)
                where verdict.outcome == .violation || verdict.outcome == .warning {
                    broken.append("\(seed), from \(part)/4: \(verdict.clause) \(verdict.findings.first?.what ?? "")")
                }
            }
        }
        #expect(broken == [])
    }

    @Test func `a healthy server keeps every clause in plans that nobody wrote`() throws {
        let grammar = ServerGrammar(profiles: Profile.all(of: .server), disturbing: [], startsServer: true)
        var broken: [String] = []
        for seed in UInt64(1)...200 {
            let plan = grammar.plan(seed: seed)
            if seed <= 10 {
                let text = plan.file(about: [ClauseID(.TURN, 1)]).text()
                let written = try ScenarioReader.scenario(text, named: plan.name, file: "plan.json")
                #expect(try plan.scenario() == written, "what is written is what is performed")
            }
            let simulation = Simulation(
                try plan.scenario(), against: Setting(), seed: seed, version: specification.version)
            if let problem = simulation.problem ?? simulation.unsuitable { broken.append("\(seed): \(problem)") }
            for verdict in judge(simulation.history, under: specification)
            where verdict.outcome == .violation || verdict.outcome == .warning {
                broken.append("\(seed): \(verdict.clause) \(verdict.findings.first?.what ?? "")")
            }
        }
        #expect(broken == [])
    }
}
