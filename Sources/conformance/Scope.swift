import Holdfast
import Stage

/// What whoever runs the suite left out on purpose: clauses that only this could decide are set aside, not failed.
struct Scope {
    /// The tiers asked for; nil means all that the subject allows.
    var tiers: Set<Int>?
    /// Whether scenarios that stop and start the subject are left out.
    var skipsCrashes = false

    /// The tier of a scenario: how predictable the agent has to be, and by which means this subject's is.
    static func tier(of scenario: Scenario, agent: SubjectFile.Agent) -> Int {
        guard scenario.needs.agent == .scripted else { return 1 }
        return agent == .model ? 3 : 2
    }

    /// Why a scenario is left out; nil when it is in question.
    func reason(toSetAside scenario: Scenario, agent: SubjectFile.Agent) -> String? {
        let tier = Self.tier(of: scenario, agent: agent)
        if let tiers, !tiers.contains(tier) { return "tier \(tier) was not asked for" }
        if skipsCrashes, scenario.needs.start { return "crashes were asked to be left out" }
        return nil
    }

    /// The tiers a subject's agent allows.
    static func tiers(of agent: SubjectFile.Agent) -> Set<Int> {
        switch agent {
        case .plain: [1]
        case .scripted: [1, 2]
        case .model: [1, 3]
        }
    }

    /// Tiers that are asked for and that the agent does not allow, as a problem.
    static func problem(_ tiers: Set<Int>, agent: SubjectFile.Agent, given place: String) -> InputProblem? {
        let possible = Self.tiers(of: agent)
        guard let tier = tiers.subtracting(possible).min() else { return nil }
        let what: String
        switch tier {
        case 2: what = "tier 2 needs an agent that obeys scripts, and this one is '\(agent.rawValue)'"
        case 3: what = "tier 3 needs an agent that asks the suite's model endpoint, and this one is '\(agent.rawValue)'"
        default: what = "'\(tier)' is no tier"
        }
        return InputProblem(
            place: place, what: what, expected: possible.sorted().map(String.init).joined(separator: " or "),
            fix: "name another tier, or say what the agent does: --scripted-agent, or 'agent' in the subject file")
    }
}
