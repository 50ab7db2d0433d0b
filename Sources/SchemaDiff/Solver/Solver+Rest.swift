import HoldfastJSON
import HoldfastJSONSchema

/// Decides `unevaluatedProperties` and `unevaluatedItems` after every alternative, since the rest depends on which of
/// them hold.
extension Solver {
    /// One way to decide all alternatives of a schema, and what is looked at on it.
    private struct Decision {
        var literals: [Literal] = []
        var names: Set<ExactString> = []
        var patterns: Set<ExactString> = []
        var allMembers = false
        var items = 0
        var allItems = false

        func and(_ other: Decision) -> Decision {
            Decision(
                literals: literals + other.literals, names: names.union(other.names),
                patterns: patterns.union(other.patterns), allMembers: allMembers || other.allMembers,
                items: max(items, other.items), allItems: allItems || other.allItems)
        }

        var rest: NameClass { .except(names, patterns: patterns) }
    }

    private static let maxDecisions = 600

    /// The ways in which a schema holds that asks for the rest.
    mutating func restKept(_ node: Int) -> [[Literal]] {
        guard let decisions = decisions(node, inner: false) else { return [[]] }
        return decisions.map { decision in
            var literals = decision.literals
            for keyword in space.nodes[node].keywords {
                switch keyword {
                case .unevaluatedProperties(let target):
                    if !decision.allMembers { literals.append(.everyMember(decision.rest, [.holds(target)])) }
                case .unevaluatedItems(let target):
                    if !decision.allItems {
                        literals.append(.everyItem(from: decision.items, to: nil, [.holds(target)]))
                    }
                default: break
                }
            }
            return literals
        }
    }

    /// The ways in which everything else holds, and the keyword that asks for the rest fails.
    mutating func restBroken(_ node: Int, _ index: Int) -> [[Literal]] {
        let keyword = space.nodes[node].keywords[index]
        guard let decisions = decisions(node, inner: false) else { return [[]] }
        return decisions.compactMap { decision in
            switch keyword {
            case .unevaluatedProperties(let target):
                if decision.allMembers { return nil }
                let isClosed = space.side(node) != writer && space.nodes[target].verdict == false
                let rest = isClosed ? decision.rest.unknown(to: writersNames) : decision.rest
                return [.kinds(.object)] + decision.literals + [.someMember(rest, [.fails(target)])]
            case .unevaluatedItems(let target):
                if decision.allItems { return nil }
                return [.kinds(.array)] + decision.literals
                    + [.someItem(from: decision.items, to: nil, [.fails(target)])]
            default: return nil
            }
        }
    }

    /// The decisions under which a schema holds; nil when they are too many, or when they depend on single elements.
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
            plain.patterns = Set(table.patterns.map { ExactString($0.pattern.text) })
            plain.allMembers = table.additional != nil
            return [plain]
        case .items(let prefix, let rest):
            plain.items = prefix.count
            plain.allItems = rest != nil
            return [plain]
        case .reference(let target): return decisions(target)
        case .dynamicReference(let target, let anchor): return anchor == nil ? decisions(target) : nil
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
        case .dependentSchemas(_, let pairs):
            return product(pairs) { solver, pair in
                let key = ExactString(pair.key)
                return solver.decisions(pair.node).map { ways in
                    [Decision(literals: [.absent(key)])]
                        + ways.map { Decision(literals: [.kinds(.object), .present(key, [])]).and($0) }
                        + [Decision(literals: [.kinds(KindSet.all.subtracting(.object))])]
                }
            }
        case .unevaluatedProperties: return [inner ? Decision(literals: [.holds(node)], allMembers: true) : Decision()]
        case .unevaluatedItems: return [inner ? Decision(literals: [.holds(node)], allItems: true) : Decision()]
        // Which elements it has looked at depends on each of them.
        case .contains: return (space.nodes[node].asksForRest || inner) && restIsOfItems ? nil : [plain]
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

    /// Whether a schema constrains the unevaluated elements.
    private var restIsOfItems: Bool {
        space.nodes.contains { node in
            node.keywords.contains { if case .unevaluatedItems = $0 { true } else { false } }
        }
    }
}
