import HoldfastBasics
import HoldfastJSON

extension Plan {
    /// A similar plan with some steps removed, doubled, moved, or taken from another plan; nil if it is not valid.
    func mutated(with other: Plan, seed: UInt64) -> Plan? {
        var chance = SplitMix64(seed: seed)
        for _ in 0..<8 {
            var plan = self
            plan.name = "\(role)/explored/\(seed)"
            for _ in 0...chance.number(in: 0...2) { plan.change(with: other, &chance) }
            plan.steps = Array(plan.steps.prefix(Self.maxSteps))
            if plan != self, !plan.steps.isEmpty, plan.keepsLettersApart, plan.isFair, plan.parses { return plan }
        }
        return nil
    }

    private static let maxSteps = 120

    private mutating func change(with other: Plan, _ chance: inout SplitMix64) {
        guard !steps.isEmpty else { return }
        let index = chance.number(in: 0...steps.count - 1)
        let size = min(steps.count - index, chance.number(in: 1...4))
        switch chance.number(in: 1...5) {
        case 1: steps.removeSubrange(index..<index + size)
        case 2: steps.insert(contentsOf: steps[index..<index + size], at: index)
        case 3:
            let moved = Array(steps[index..<index + size])
            steps.removeSubrange(index..<index + size)
            steps.insert(contentsOf: moved, at: chance.number(in: 0...steps.count))
        case 4:
            let time = [1, 20, 400, 2_500][chance.number(in: 0...3)]
            let value = JSONValue(time)
            steps.insert(["do": "watch", "for": role == .server ? ["milliseconds": value] : value], at: index)
        default:
            // The end of another schedule, renamed, after the beginning of this one.
            guard !other.steps.isEmpty else { return }
            let rest = other.named(after: 500).steps.suffix(chance.number(in: 1...other.steps.count))
            steps = Array(steps.prefix(index) + rest)
            principals = max(principals, other.principals)
            profiles.formUnion(other.profiles)
        }
    }
}
