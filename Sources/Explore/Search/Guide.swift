import HoldfastBasics

/// Draws plans, and guides the search to new coverage: plans that reached something new are mutated.
package struct Guide: Sendable {
    private let draw: @Sendable (UInt64) -> Plan
    package private(set) var coverage = Coverage()
    /// Plans, each of which reached something that earlier ones had not.
    package private(set) var kept: [Plan]

    /// The share of plans, in percent, that are mutations of earlier ones; the rest are drawn anew.
    private static let mutantPercent = 40
    /// With fewer kept plans, none is mutated.
    private static let fewest = 10

    package init(_ draw: @escaping @Sendable (UInt64) -> Plan, from corpus: [Plan] = []) {
        self.draw = draw
        kept = corpus
    }

    package func plan(seed: UInt64) -> Plan {
        var chance = SplitMix64(seed: ~seed)
        if kept.count >= Self.fewest, chance.number(in: 1...100) <= Self.mutantPercent {
            // The latest coverage is the rarest.
            let first = chance.number(in: 1...2) == 1 ? kept.count / 2 : 0
            let plan = kept[chance.number(in: first...kept.count - 1)]
            let other = kept[chance.number(in: 0...kept.count - 1)]
            if let mutant = plan.mutated(with: other, seed: seed) { return mutant }
        }
        return draw(seed)
    }

    /// Adds the coverage of a plan, and keeps the plan if that coverage is new.
    @discardableResult
    package mutating func learn(from plan: Plan, _ reached: Coverage) -> Bool {
        guard coverage.formUnion(reached) > 0 else { return false }
        kept.append(plan)
        return true
    }
}
