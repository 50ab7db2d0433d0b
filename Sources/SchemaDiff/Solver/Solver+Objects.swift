import HoldfastJSON
import HoldfastJSONSchema

extension Solver {
    mutating func object(_ facts: ObjectFacts) -> Outcome {
        var plan = MemberPlan(facts)
        for name in facts.required {
            guard !facts.absent.contains(name), mayBePresent(name, facts) else { return .none }
            plan.chosen.append((name, []))
        }
        return assign(facts.some, plan)
    }

    private struct MemberPlan {
        let facts: ObjectFacts
        var chosen: [(name: ExactString, literals: [Literal])] = []
        /// Names that a schema mentions.
        let mentioned: [ExactString]

        init(_ facts: ObjectFacts) {
            self.facts = facts
            let classes = (facts.every + facts.some).map(\.names)
            mentioned = Set(facts.required).union(facts.absent).union(classes.flatMap(\.names)).sorted()
        }

        /// Names that a schema mentions and that may still be chosen.
        var free: [ExactString] {
            mentioned.filter { name in !facts.absent.contains(name) && !chosen.contains { $0.name == name } }
        }

        /// The same plan with a member that meets demands.
        func choosing(_ name: ExactString, _ literals: [Literal]) -> MemberPlan {
            var plan = self
            if let position = chosen.firstIndex(where: { $0.name == name }) {
                plan.chosen[position].literals += literals
            } else {
                plan.chosen.append((name, literals))
            }
            return plan
        }
    }

    private func mayBePresent(_ name: ExactString, _ facts: ObjectFacts) -> Bool {
        !isLenient || !readersNames.contains(name) || !facts.isClosedByWriter || facts.isOpenByWriter
            || facts.declared.contains(name)
    }

    /// Assigns each demand on some member to a member, by trying the candidates.
    private mutating func assign(_ demands: [(names: NameClass, literals: [Literal])], _ plan: MemberPlan) -> Outcome {
        guard spend() else { return .outOfSteps }
        guard let demand = demands.first else { return complete(plan) }
        var candidates = (plan.chosen.map(\.name) + plan.free).filter {
            contains(demand.names, $0) && mayBePresent($0, plan.facts)
        }
        var tries = Tries()
        if case .except = demand.names {
            let used = Set(plan.mentioned).union(plan.chosen.map(\.name)).union(readersNames).sorted()
            let fresh = tries.value(solve([.kinds(.string)] + used.map { .isNot(.string($0.string)) }))
            candidates += [fresh?.stringValue.map { ExactString($0) }].compactMap(\.self)
        }
        for name in candidates {
            let next = plan.choosing(name, demand.literals)
            if let value = tries.value(assign(Array(demands.dropFirst()), next)) { return .found(value) }
        }
        return tries.outcome
    }

    /// Gives each chosen member a value.
    private mutating func complete(_ plan: MemberPlan) -> Outcome {
        var members: [(key: String, value: JSONValue)] = []
        var tries = Tries()
        for (name, own) in plan.chosen {
            let every = plan.facts.every.flatMap { contains($0.names, name) ? $0.literals : [] }
            let outcome = solve(every + own)
            if case .none = outcome { return .none }
            if let value = tries.value(outcome) { members.append((name.string, value)) }
        }
        if tries.doubt != nil { return tries.outcome }
        // The order of the schema reads best.
        var order: [ExactString: Int] = [:]
        for demand in plan.facts.every {
            if case .name(let name) = demand.names, order[name] == nil { order[name] = order.count }
        }
        members.sort { order[ExactString($0.key)] ?? .max < order[ExactString($1.key)] ?? .max }
        return .found(.object(JSONObject(members)))
    }
}
