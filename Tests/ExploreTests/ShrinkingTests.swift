import Holdfast
import HoldfastExplore
import HoldfastJudge
import HoldfastReference
import Testing

/// What breaks a clause becomes small, and is still a scenario.
@Suite struct ShrinkingTests {
    private let specification: Specification

    init() throws { specification = try Specification(.embedded) }

    @Test func `a defect is found without a scenario of its own, and told in a few steps`() async throws {
        let defect = try #require(Defect.named("idem-runs-repeats-again"))
        let explorer = Explorer(Setting(defects: [defect]), under: specification)
        let small = try await explorer.smallest(breaking: defect.clause)
        #expect(small.plan.count <= 10, "\(small.file(about: defect.clause))")
        let scenario = try ScenarioReader.scenario(
            small.file(about: defect.clause), named: small.plan.name, file: "found.json")
        #expect(scenario.clauses == [defect.clause])
        #expect(explorer.rate(of: small.plan, breaking: defect.clause, in: 10) > 0)
        let healthy = Explorer(under: specification)
        #expect(healthy.trial(of: small.plan, seed: small.seed)?.broken.isEmpty == true)
    }
}

extension Explorer {
    /// The smallest plan found for the first of two hundred seeds that breaks a clause.
    func smallest(breaking clause: ClauseID) async throws -> Trial {
        let trial = try #require(
            (UInt64(1)...200).lazy.compactMap { self.trial(seed: $0) }
                .first { $0.broken.contains { $0.clause == clause } })
        return await shrink(trial, to: clause)
    }
}
