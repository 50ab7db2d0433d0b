import HoldfastJSON
import HoldfastJSONSchema

extension Solver {
    private static let maxItems = 3_000

    mutating func array(_ facts: ArrayFacts) -> Outcome {
        if facts.maxItems ?? .max < facts.minItems || (facts.repeats && facts.isUnique) { return .none }
        return assign(facts.some, [], facts)
    }

    /// Assigns each demand on some element to one of the elements, or a new one: all places are alike.
    private mutating func assign(_ demands: [[Literal]], _ chosen: [[Literal]], _ facts: ArrayFacts) -> Outcome {
        guard spend() else { return .outOfSteps }
        guard let demand = demands.first else { return complete(chosen, facts) }
        var tries = Tries()
        for index in 0...chosen.count {
            var next = chosen
            if index < chosen.count { next[index] += demand } else { next.append(demand) }
            if let value = tries.value(assign(Array(demands.dropFirst()), next, facts)) { return .found(value) }
        }
        return tries.outcome
    }

    private mutating func complete(_ chosen: [[Literal]], _ facts: ArrayFacts) -> Outcome {
        // If two elements must be equal, the last one repeats the first.
        let twins = facts.repeats ? 1 : 0
        let count = max(facts.minItems, max(chosen.count, twins) + twins)
        if count > facts.maxItems ?? .max { return .none }
        guard count <= Self.maxItems else { return .unknown("an array would need \(count) elements") }
        var values: [JSONValue] = []
        var last: (goal: Set<Literal>, value: JSONValue)?
        var goals: Set<Set<Literal>> = []
        for index in 0..<count - twins {
            var goal = facts.every + (index < chosen.count ? chosen[index] : [])
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
                // With one demand for all of them, any choice of different elements is as good as another.
                if facts.isUnique, goals.count > 1 {
                    return .unknown("trying elements one by one found no different ones")
                }
                return .none
            case .unknown(let reason): return .unknown(reason)
            }
        }
        return .found(.array(values + values.prefix(twins)))
    }
}
