import JSON
import JSONSchema

extension Solver {
    /// An object that is as asked.
    mutating func object(_ facts: ObjectFacts) -> Outcome {
        if let most = facts.maxMembers, most < facts.minMembers || most < facts.required.count { return .none }
        var plan = MemberPlan(facts)
        for name in facts.required {
            guard !facts.absent.contains(name), mayBePresent(name, plan) else { return .none }
            plan.chosen.append((name, []))
        }
        return assign(facts.some.map { .member($0.names, $0.literals) } + facts.someName.map { .name($0) }, plan)
    }

    /// A demand that some member must meet.
    private enum Demand {
        case member(NameClass, [Literal])
        case name([Literal])
    }

    /// The members chosen so far.
    private struct MemberPlan {
        let facts: ObjectFacts
        var chosen: [(name: ExactString, literals: [Literal])] = []
        /// Names that some schema speaks of.
        let spoken: [ExactString]
        let patterns: [ExactString]

        init(_ facts: ObjectFacts) {
            self.facts = facts
            var spoken: Set<ExactString> = Set(facts.required).union(facts.absent)
            var patterns: Set<ExactString> = []
            for demand in facts.every {
                spoken.formUnion(demand.names.names)
                patterns.formUnion(demand.names.patterns)
            }
            for demand in facts.some {
                spoken.formUnion(demand.names.names)
                patterns.formUnion(demand.names.patterns)
            }
            self.spoken = spoken.sorted()
            self.patterns = patterns.sorted()
        }
    }

    private mutating func mayBePresent(_ name: ExactString, _ plan: MemberPlan) -> Bool {
        if isLenient, plan.facts.isClosedByWriter, !plan.facts.isOpenByWriter, !plan.facts.declared.contains(name),
            !plan.facts.declaredPatterns.contains(where: { matches($0, name) })
        {
            return false
        }
        return plan.facts.everyName.allSatisfy { satisfies(.string(name.string), [$0]) }
    }

    /// Gives each demand a member, by trying the candidates.
    private mutating func assign(_ demands: [Demand], _ plan: MemberPlan) -> Outcome {
        guard spend() else { return .unknown("the schemas need more steps than one question may cost") }
        if let most = plan.facts.maxMembers, plan.chosen.count > most { return .none }
        guard let demand = demands.first else { return complete(plan) }
        let rest = Array(demands.dropFirst())
        var doubt: String?
        func note(_ outcome: Outcome) -> JSONValue? {
            switch outcome {
            case .found(let value): return value
            case .none: return nil
            case .unknown(let reason):
                doubt = doubt ?? reason
                return nil
            }
        }
        let names: NameClass
        let literals: [Literal]
        let nameLiterals: [Literal]
        switch demand {
        case .member(let own, let demanded): (names, literals, nameLiterals) = (own, demanded, [])
        case .name(let demanded): (names, literals, nameLiterals) = (.except([], patterns: []), [], demanded)
        }
        for position in plan.chosen.indices
        where contains(names, plan.chosen[position].name)
            && satisfies(.string(plan.chosen[position].name.string), nameLiterals)
        {
            var next = plan
            next.chosen[position].literals += literals
            if let value = note(assign(rest, next)) { return .found(value) }
        }
        for name in plan.spoken
        where !plan.facts.absent.contains(name) && !plan.chosen.contains(where: { $0.name == name })
            && contains(names, name) && satisfies(.string(name.string), nameLiterals) && mayBePresent(name, plan)
        {
            var next = plan
            next.chosen.append((name, literals))
            if let value = note(assign(rest, next)) { return .found(value) }
        }
        if case .name = names { return doubt.map { .unknown($0) } ?? .none }
        switch fresh(names, nameLiterals, plan) {
        case .failure(let reason): doubt = doubt ?? reason.text
        case .success(let found):
            for name in found {
                var next = plan
                next.chosen.append((name, literals))
                if let value = note(assign(rest, next)) { return .found(value) }
            }
        }
        return doubt.map { .unknown($0) } ?? .none
    }

    /// Why no names could be thought of.
    private struct NoNames: Error {
        let text: String
    }

    /// New names of a class, one for each way to match the patterns that members are sorted by.
    private mutating func fresh(
        _ names: NameClass, _ nameLiterals: [Literal], _ plan: MemberPlan
    ) -> Result<[ExactString], NoNames> {
        guard plan.patterns.count <= 6 else { return .failure(NoNames(text: "too many patterns sort the members")) }
        if isLenient, plan.facts.isClosedByWriter, !plan.facts.isOpenByWriter, plan.facts.declaredPatterns.isEmpty {
            return .success([])
        }
        var found: [ExactString] = []
        let used = Set(plan.spoken).union(plan.chosen.map(\.name))
        for bits in 0..<(1 << plan.patterns.count) {
            var literals: [Literal] = [.kinds(.string)] + plan.facts.everyName + nameLiterals
            for (position, pattern) in plan.patterns.enumerated() {
                literals.append(bits >> position & 1 == 1 ? .matches(pattern) : .notMatches(pattern))
            }
            switch names {
            case .pattern(let pattern): literals.append(.matches(pattern))
            case .except(_, let patterns): literals += patterns.sorted().map { .notMatches($0) }
            case .name: break
            }
            if isLenient, plan.facts.isClosedByWriter, !plan.facts.isOpenByWriter,
                !plan.facts.declaredPatterns.contains(where: { pattern in literals.contains(.matches(pattern)) })
            {
                continue
            }
            literals += used.sorted().map { .isNot(.string($0.string)) }
            switch solve(literals) {
            case .found(let value): if let text = value.stringValue { found.append(ExactString(text)) }
            case .none: break
            case .unknown(let reason): return .failure(NoNames(text: reason))
            }
        }
        return .success(found)
    }

    /// Gives each chosen member a value, and adds members until there are enough.
    private mutating func complete(_ plan: MemberPlan) -> Outcome {
        var members: [(key: String, value: JSONValue)] = []
        func literals(_ name: ExactString, _ solver: inout Solver) -> [Literal] {
            plan.facts.every.flatMap { solver.contains($0.names, name) ? $0.literals : [] }
        }
        // The order of the schema reads best.
        var order: [ExactString: Int] = [:]
        for demand in plan.facts.every {
            if case .name(let name) = demand.names, order[name] == nil { order[name] = order.count }
        }
        var doubt: String?
        for (name, own) in plan.chosen {
            switch solve(literals(name, &self) + own) {
            case .found(let value): members.append((name.string, value))
            case .none: return .none
            case .unknown(let reason): doubt = doubt ?? reason
            }
        }
        if let doubt { return .unknown(doubt) }
        let missing = plan.facts.minMembers - plan.chosen.count
        if missing > 0 {
            guard missing <= 2_000 else { return .unknown("an object would need \(missing) members more") }
            let used = Set(plan.chosen.map(\.name))
            for name in plan.spoken
            where members.count < plan.facts.minMembers && !used.contains(name) && !plan.facts.absent.contains(name)
                && mayBePresent(name, plan)
            {
                switch solve(literals(name, &self)) {
                case .found(let value): members.append((name.string, value))
                case .none: break
                case .unknown(let reason): doubt = doubt ?? reason
                }
            }
            var wider = plan
            search: while members.count < plan.facts.minMembers {
                let before = members.count
                switch fresh(.except([], patterns: []), [], wider) {
                case .failure(let reason): doubt = doubt ?? reason.text
                case .success(let names):
                    for name in names where members.count < plan.facts.minMembers {
                        switch solve(literals(name, &self)) {
                        case .found(let value):
                            members.append((name.string, value))
                            wider.chosen.append((name, []))
                        case .none: break
                        case .unknown(let reason): doubt = doubt ?? reason
                        }
                    }
                }
                if members.count == before { break search }
            }
            if members.count < plan.facts.minMembers { return doubt.map { .unknown($0) } ?? .none }
        }
        members.sort { order[ExactString($0.key)] ?? .max < order[ExactString($1.key)] ?? .max }
        return .found(.object(JSONObject(members)))
    }
}
