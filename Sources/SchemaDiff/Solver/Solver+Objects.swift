import HoldfastJSON
import HoldfastJSONSchema

extension Solver {
    mutating func object(_ facts: ObjectFacts) -> Outcome {
        if let most = facts.maxMembers, most < facts.minMembers || most < facts.required.count { return .none }
        var plan = MemberPlan(facts)
        for name in facts.required {
            guard !facts.absent.contains(name), mayBePresent(name, plan) else { return .none }
            plan.chosen.append((name, []))
        }
        return assign(
            facts.some.map { Demand(names: $0.names, literals: $0.literals) }
                + facts.someName.map { Demand(nameLiterals: $0) }, plan)
    }

    /// A demand that some member must meet.
    private struct Demand {
        var names = NameClass.except([])
        var literals: [Literal] = []
        /// The constraints on its name.
        var nameLiterals: [Literal] = []
    }

    /// The members chosen so far.
    private struct MemberPlan {
        let facts: ObjectFacts
        var chosen: [(name: ExactString, literals: [Literal])] = []
        /// Names that some schema speaks of.
        let spoken: [ExactString]

        init(_ facts: ObjectFacts) {
            self.facts = facts
            let classes = (facts.every + facts.some).map(\.names)
            spoken = Set(facts.required).union(facts.absent).union(classes.flatMap(\.names)).sorted()
        }

        /// Names that some schema speaks of and that may still be chosen.
        var free: [ExactString] {
            spoken.filter { name in !facts.absent.contains(name) && !chosen.contains { $0.name == name } }
        }

        /// The same plan, in which a member is there that meets demands.
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

    private mutating func mayBePresent(_ name: ExactString, _ plan: MemberPlan) -> Bool {
        if isLenient, readersNames.contains(name), plan.facts.isClosedByWriter, !plan.facts.isOpenByWriter,
            !plan.facts.declared.contains(name)
        {
            return false
        }
        return satisfies(.string(name.string), plan.facts.everyName)
    }

    /// Gives each demand a member, by trying the candidates.
    private mutating func assign(_ demands: [Demand], _ plan: MemberPlan) -> Outcome {
        guard spend() else { return .outOfSteps }
        if let most = plan.facts.maxMembers, plan.chosen.count > most { return .none }
        guard let demand = demands.first else { return complete(plan) }
        let rest = Array(demands.dropFirst())
        var tries = Tries()
        for name in plan.chosen.map(\.name) + plan.free
        where contains(demand.names, name) && satisfies(.string(name.string), demand.nameLiterals)
            && mayBePresent(name, plan)
        {
            let next = plan.choosing(name, demand.literals)
            if let value = tries.value(assign(rest, next)) { return .found(value) }
        }
        if case .name = demand.names { return tries.outcome }
        if let name = fresh(demand, plan, &tries) {
            let next = plan.choosing(name, demand.literals)
            if let value = tries.value(assign(rest, next)) { return .found(value) }
        }
        return tries.outcome
    }

    /// A new name for a demand; nil when there is none, or when there is a doubt.
    private mutating func fresh(_ demand: Demand, _ plan: MemberPlan, _ tries: inout Tries) -> ExactString? {
        let literals: [Literal] = [.kinds(.string)] + plan.facts.everyName + demand.nameLiterals
        let used = Set(plan.spoken).union(plan.chosen.map(\.name)).union(readersNames).sorted()
        let name = tries.value(solve(literals + used.map { .isNot(.string($0.string)) }))?.stringValue
        return name.map { ExactString($0) }
    }

    /// Gives each chosen member a value, and adds members until there are enough.
    private mutating func complete(_ plan: MemberPlan) -> Outcome {
        var members: [(key: String, value: JSONValue)] = []
        var tries = Tries()
        for (name, own) in plan.chosen {
            let outcome = solve(literals(name, plan) + own)
            if case .none = outcome { return .none }
            if let value = tries.value(outcome) { members.append((name.string, value)) }
        }
        if tries.doubt != nil { return tries.outcome }
        let missing = plan.facts.minMembers - plan.chosen.count
        guard missing <= 2_000 else { return .unknown("an object would need \(missing) members more") }
        var wider = plan
        func add(_ names: [ExactString]) {
            for name in names where members.count < plan.facts.minMembers {
                guard let value = tries.value(solve(literals(name, plan))) else { continue }
                members.append((name.string, value))
                wider = wider.choosing(name, [])
            }
        }
        if missing > 0 { add(plan.free.filter { mayBePresent($0, plan) }) }
        while members.count < plan.facts.minMembers {
            let before = members.count
            add([fresh(Demand(), wider, &tries)].compactMap(\.self))
            if members.count == before { return tries.outcome }
        }
        // The order of the schema reads best.
        var order: [ExactString: Int] = [:]
        for demand in plan.facts.every {
            if case .name(let name) = demand.names, order[name] == nil { order[name] = order.count }
        }
        members.sort { order[ExactString($0.key)] ?? .max < order[ExactString($1.key)] ?? .max }
        return .found(.object(JSONObject(members)))
    }

    private mutating func literals(_ name: ExactString, _ plan: MemberPlan) -> [Literal] {
        plan.facts.every.flatMap { contains($0.names, name) ? $0.literals : [] }
    }
}
