import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

/// Draws plans, performs them in simulation and judges them.
package struct Explorer: Sendable {
    let specification: Specification
    package let draw: @Sendable (UInt64) -> Plan
    /// Performs a plan in a world with random events; nil if the plan is not a scenario.
    private let simulate: @Sendable (Plan, UInt64) -> Simulation?

    /// Plans for a server that may be killed; `scenarios` are those of the specification, if already read.
    package init(
        _ setting: Setting = Setting(), under specification: Specification, disturbing scenarios: [Plan]? = nil
    ) {
        self.specification = specification
        let scenarios = scenarios ?? Plan.scenarios(of: .server, in: specification)
        var grammar = ServerGrammar(profiles: setting.profiles, disturbing: scenarios, startsServer: true)
        grammar.rateLimit = setting.configuration.messagesPerMinute.map {
            ($0, setting.configuration.rateWindowSeconds)
        }
        draw = { [grammar] in grammar.plan(seed: $0) }
        simulate = { plan, seed in
            (try? plan.scenario()).map {
                Simulation($0, against: setting, seed: seed, version: specification.version)
            }
        }
    }

    /// Plans for a client; `scenarios` are those of the specification, if already read.
    package init(
        client setting: ClientSetting, under specification: Specification, disturbing scenarios: [Plan]? = nil
    ) {
        self.specification = specification
        let scenarios = scenarios ?? Plan.scenarios(of: .client, in: specification)
        let grammar = ClientGrammar(profiles: setting.profiles, disturbing: scenarios)
        draw = { grammar.plan(seed: $0) }
        simulate = { plan, seed in
            (try? plan.clientScenario()).map {
                Simulation($0, against: setting, seed: seed, version: specification.version)
            }
        }
    }

    package struct Trial: Sendable {
        package let plan: Plan
        package let seed: UInt64
        package let simulation: Simulation
        package let verdicts: [Verdict]

        /// The clauses that the trial broke, including recommendations.
        package var broken: [Verdict] { verdicts.filter { $0.outcome == .violation || $0.outcome == .warning } }
    }

    package func trial(of plan: Plan, seed: UInt64) -> Trial? {
        guard let simulation = simulate(plan, seed) else { return nil }
        return Trial(
            plan: plan, seed: seed, simulation: simulation,
            verdicts: judge(simulation.history, under: specification))
    }

    /// A digest of the histories of some seeds: equal on every machine, in every process.
    package func digest(of seeds: ClosedRange<UInt64>) -> String {
        let texts = seeds.compactMap { trial(seed: $0) }.map { TranscriptWriter.text($0.simulation.history) }
        return hexDigits(SHA256.digest(Array(texts.joined().utf8)))
    }

    package func coverage(of trial: Trial) -> Coverage { Coverage(of: trial.simulation.history, trial.verdicts) }

    package func trial(seed: UInt64) -> Trial? { trial(of: draw(seed), seed: seed) }

    /// The smallest plan that breaks the same clause in as many worlds.
    ///
    /// A shorter plan meets other delays: it may break the clause in other worlds, but in no fewer.
    ///
    /// * `worlds`: The number of worlds in which a plan is tried; the first is that of the trial.
    package func shrink(
        _ trial: Trial, to clause: ClauseID, attempts: Int = 1_500, worlds: Int = 1
    ) async -> Trial {
        let worlds = (0..<UInt64(max(1, worlds))).map { trial.seed &+ $0 }
        /// The first world in which a plan breaks the clause, if it does in enough worlds.
        func world(_ plan: Plan, breakingIn needed: Int) -> UInt64? {
            var found: [UInt64] = []
            for (index, world) in worlds.enumerated() {
                guard found.count + worlds.count - index >= needed else { return nil }
                if breaks(plan, clause, in: world) { found.append(world) }
                if found.count == needed { break }
            }
            return found.first
        }
        let needed = max(1, worlds.count { breaks(trial.plan, clause, in: $0) })
        var seed = trial.seed
        let plan = await Shrinking(attempts: attempts).smallest(trial.plan) { candidates in
            candidates.firstIndex { candidate in
                guard let world = world(candidate, breakingIn: needed) else { return false }
                seed = world
                return true
            }
        }
        return self.trial(of: plan, seed: seed) ?? trial
    }

    /// The number of worlds, of this many, in which a plan breaks a clause.
    package func rate(of plan: Plan, breaking clause: ClauseID, in worlds: Int) -> Int {
        (1...max(1, worlds)).count { breaks(plan, clause, in: UInt64($0)) }
    }

    private func breaks(_ plan: Plan, _ clause: ClauseID, in world: UInt64) -> Bool {
        trial(of: plan, seed: world)?.broken.contains { $0.clause == clause } ?? false
    }
}

extension Explorer.Trial {
    package func sentence(about clause: ClauseID) -> String {
        let finding = broken.first { $0.clause == clause }?.findings.first
        return finding?.what ?? "\(clause) is broken"
    }

    package func file(about clause: ClauseID) -> String {
        plan.file(about: [clause], title: "Breaks \(clause)", summary: sentence(about: clause)).text(pretty: true)
            + "\n"
    }
}
