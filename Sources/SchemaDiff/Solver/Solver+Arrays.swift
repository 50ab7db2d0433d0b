import HoldfastJSON
import HoldfastJSONSchema

extension Solver {
    /// The longest array that is built.
    private static let maxItems = 3_000

    mutating func array(_ facts: ArrayFacts) -> Outcome {
        if let most = facts.maxItems, most < facts.minItems { return .none }
        var plan = ItemPlan(facts)
        guard facts.repeats else { return location(facts.some, plan) }
        if facts.isUnique { return .none }
        var tries = Tries()
        // Each pair of places could be equal.
        for first in 0...plan.boundary {
            for second in (first + 1)...(plan.boundary + 1) {
                plan.twin = (first, second)
                if let value = tries.value(location(facts.some, plan)) { return .found(value) }
            }
        }
        return tries.outcome
    }

    /// The elements chosen so far.
    private struct ItemPlan {
        let facts: ArrayFacts
        /// The first place behind which all places are alike.
        let boundary: Int
        var chosen: [Int: [Literal]] = [:]
        /// Two places with one value.
        var twin: (Int, Int)?

        /// The places up to the last one that something is asked of.
        var count: Int { max((chosen.keys.max() ?? -1) + 1, twin.map { $0.1 + 1 } ?? 0) }

        init(_ facts: ArrayFacts) {
            self.facts = facts
            boundary = (facts.every + facts.some).map { $0.to.map { $0 + 1 } ?? $0.from }.max() ?? 0
        }
    }

    /// Gives each demand that some element must meet a place, by trying the places.
    private mutating func location(
        _ demands: [(from: Int, to: Int?, literals: [Literal])], _ plan: ItemPlan
    ) -> Outcome {
        guard spend() else { return .outOfSteps }
        guard let demand = demands.first else { return complete(plan) }
        let rest = Array(demands.dropFirst())
        var tries = Tries()
        // Places behind the boundary are alike: one new one is enough.
        let highest = max(plan.boundary, plan.count)
        for index in demand.from...max(demand.from, min(demand.to ?? highest, highest)) {
            if let most = plan.facts.maxItems, index >= most { break }
            var next = plan
            next.chosen[index, default: []] += demand.literals
            if let value = tries.value(location(rest, next)) { return .found(value) }
        }
        return tries.outcome
    }

    private mutating func complete(_ plan: ItemPlan) -> Outcome {
        let facts = plan.facts
        let count = max(facts.minItems, plan.count)
        if let most = facts.maxItems, count > most { return .none }
        guard count <= Self.maxItems else { return .unknown("an array would need \(count) elements") }
        func literals(_ index: Int) -> [Literal] {
            var literals = plan.chosen[index] ?? []
            for demand in facts.every where demand.from <= index && index <= demand.to ?? .max {
                literals += demand.literals
            }
            return literals
        }
        var values: [JSONValue] = []
        var last: (goal: Set<Literal>, value: JSONValue)?
        var goals: Set<Set<Literal>> = []
        for index in 0..<count {
            if let twin = plan.twin, index == twin.1 {
                values.append(values[twin.0])
                continue
            }
            var goal = literals(index)
            if let twin = plan.twin, index == twin.0 { goal += literals(twin.1) }
            let key = Set(goal)
            goals.insert(key)
            if !facts.isUnique, let last, last.goal == key {
                values.append(last.value)
                continue
            }
            if facts.isUnique { goal += values.map { .isNot($0) } }
            switch solve(goal) {
            case .found(let value):
                values.append(value)
                last = (key, value)
            case .none:
                // With one demand for all of them any choice of different elements is as good as another.
                if facts.isUnique, goals.count > 1 {
                    return .unknown("different elements were not found one after the other")
                }
                return .none
            case .unknown(let reason): return .unknown(reason)
            }
        }
        return .found(.array(values))
    }
}
