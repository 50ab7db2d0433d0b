import HoldfastJSON
import HoldfastJSONSchema

/// Decides `unevaluatedProperties` after every alternative, since the rest depends on which of them hold.
extension Solver {
    /// One way to decide all alternatives of a schema, and what is looked at on it.
    private struct Decision {
        var literals: [Literal] = []
        var names: Set<ExactString> = []
        var allMembers = false

        func and(_ other: Decision) -> Decision {
            Decision(
                literals: literals + other.literals, names: names.union(other.names),
                allMembers: allMembers || other.allMembers)
        }

        var rest: NameClass { .except(names) }
    }

    private static let maxDecisions = 600

    /// The ways in which a schema holds that asks for the rest.
    mutating func restKept(_ node: Int) -> [[Literal]] {
        guard let decisions = decisions(node, inner: false) else { return [[]] }
        return decisions.map { decision in
            var literals = decision.literals
            for case .unevaluatedProperties(let target) in space.nodes[node].keywords where !decision.allMembers {
                literals.append(.everyMember(decision.rest, [.holds(target)]))
            }
            return literals
        }
    }

    /// The ways in which everything else holds, and the schema of the rest fails.
    mutating func restBroken(_ node: Int, by target: Int) -> [[Literal]] {
        guard let decisions = decisions(node, inner: false) else { return [[]] }
        return decisions.compactMap { decision in
            if decision.allMembers { return nil }
            let isClosed = space.side(node) != writer && space.nodes[target].verdict == false
            let rest = isClosed ? decision.rest.unknown(to: writersNames) : decision.rest
            return [.kinds(.object)] + decision.literals + [.someMember(rest, [.fails(target)])]
        }
    }

    /// The decisions under which a schema holds; nil when they are too many, or when a keyword is not known.
    private mutating func decisions(_ node: Int, inner: Bool = true) -> [Decision]? {
        let schema = space.nodes[node]
        if let verdict = schema.verdict { return verdict ? [Decision()] : [] }
        return product(schema.keywords.indices) { solver, index in
            let ways = solver.decisions(node, keyword: index, inner: inner)
            return solver.spend(ways?.count ?? 0) ? ways : nil
        }
    }

    /// Every choice of one decision for each part; nil when they are too many.
    private mutating func product<Part>(
        _ parts: some Sequence<Part>, _ decisions: (inout Solver, Part) -> [Decision]?
    ) -> [Decision]? {
        var result = [Decision()]
        for part in parts {
            guard let ways = decisions(&self, part) else { return nil }
            result = result.flatMap { one in ways.map { one.and($0) } }
            guard result.count <= Self.maxDecisions else { return nil }
        }
        return result
    }

    private mutating func decisions(_ node: Int, keyword index: Int, inner: Bool) -> [Decision]? {
        var plain = Decision(literals: [.keeps(node: node, keyword: index)])
        switch space.nodes[node].keywords[index] {
        case .properties(let table):
            plain.names = Set(table.names.keys)
            plain.allMembers = table.additional != nil
            return table.patterns.isEmpty || plain.allMembers ? [plain] : nil
        case .reference(let target): return decisions(target)
        case .dynamicReference, .dependentSchemas: return nil
        case .allOf(let targets): return product(targets) { $0.decisions($1) }
        case .oneOf(let targets, _):
            var result: [Decision] = []
            for one in targets {
                guard let ways = decisions(one) else { return nil }
                let others = targets.filter { $0 != one && !areDisjoint($0, one) }.map { Literal.fails($0) }
                result += ways.map { Decision(literals: others).and($0) }
            }
            return result
        case .anyOf(let targets, _): return decisions(anyOf: targets)
        case .condition(let test, let then, let otherwise):
            guard let tested = decisions(test), let held = then.map({ decisions($0) }) ?? [Decision()],
                let failed = otherwise.map({ decisions($0) }) ?? [Decision()]
            else { return nil }
            return tested.flatMap { one in held.map { one.and($0) } }
                + failed.map { Decision(literals: [.fails(test)]).and($0) }
        case .unevaluatedProperties: return [inner ? Decision(literals: [.holds(node)], allMembers: true) : Decision()]
        default: return [plain]
        }
    }

    private mutating func decisions(anyOf targets: [Int]) -> [Decision]? {
        var some = [(decision: Decision(), isHeld: false)]
        for (position, target) in targets.enumerated() {
            guard let ways = decisions(target) else { return nil }
            some = some.flatMap { decision, isHeld in
                let failed = [(decision.and(Decision(literals: [.fails(target)])), isHeld)]
                // Two alternatives that exclude each other are never both held.
                let isExcluded = targets[..<position].contains { earlier in
                    decision.literals.contains(.holds(earlier)) && areDisjoint(earlier, target)
                }
                let held = decision.and(Decision(literals: [.holds(target)]))
                return failed + (isExcluded ? [] : ways.map { (held.and($0), true) })
            }
            guard some.count <= Self.maxDecisions else { return nil }
        }
        return some.filter(\.isHeld).map(\.decision)
    }
}
