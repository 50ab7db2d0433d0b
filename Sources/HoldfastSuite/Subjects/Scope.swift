import Holdfast

/// The tests that the user excluded: clauses that only these tests could decide are set aside and do not fail.
package struct Scope: Sendable {
    /// The requested tiers; nil for all that the subject allows.
    var tiers: Set<Int>?
    var skipsCrashes = false
    /// Whether clauses that the setup cannot test count as untested.
    var isStrict = false

    /// The tier of a scenario: 1 if any agent will do; otherwise 3 for a model, and 2 for another scripted agent.
    static func tier(of scenario: Scenario, agent: SubjectFile.Agent) -> Int {
        scenario.needs.agent != .scripted ? 1 : agent == .model ? 3 : 2
    }

    func reason(toSetAside scenario: Scenario, agent: SubjectFile.Agent) -> String? {
        let tier = Self.tier(of: scenario, agent: agent)
        if let tiers, !tiers.contains(tier) { return "tier \(tier) skipped (--tier)" }
        return skipsCrashes && scenario.needs.start ? "skipped (--skip-crashes)" : nil
    }

    /// The first requested tier that the agent does not allow, as a problem.
    static func problems(_ tiers: Set<Int>, agent: SubjectFile.Agent, given location: String) -> [InputProblem] {
        let possible: Set =
            switch agent {
            case .plain: [1]
            case .scripted: [1, 2]
            case .model: [1, 3]
            }
        if let unknown = tiers.first(where: { !(1...3).contains($0) }) {
            return [
                InputProblem(
                    location, "there is no tier \(unknown)",
                    expected:
                        "1 (any agent), 2 (scripted agent) or 3 (model endpoint)",
                    fix: "choose one of them, or remove it for all that the agent allows")
            ]
        }
        guard let tier = tiers.subtracting(possible).min() else { return [] }
        let need = tier == 2 ? "follows scripts" : "asks the suite's model endpoint"
        return [
            InputProblem(
                location, "tier \(tier) needs an agent that \(need), and this one is '\(agent.rawValue)'",
                expected: possible.sorted().map(String.init).joined(separator: " or "),
                fix: "choose another tier, or declare the agent: --scripted-agent, or 'agent' in the subject file")
        ]
    }
}
