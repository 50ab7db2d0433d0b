import JSON
import JSONSchema

/// `unevaluatedProperties` and `unevaluatedItems`: what nobody else has looked at depends on which alternatives hold, so every
/// alternative is decided first.
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
                    if !decision.allItems { literals.append(.everyItem(from: decision.items, [.holds(target)])) }
                default: break
                }
            }
            return literals
        }
    }

    /// The ways in which everything else holds, and the keyword that asks for the rest fails.
    mutating func restBroken(_ node: Int, _ index: Int) -> [[Literal]] {
        let keyword = space.nodes[node].keywords[index]
        if case .unevaluatedProperties(let target) = keyword, isLenient, space.side(node) == SchemaSpace.reader,
            space.nodes[target].verdict == false
        {
            return []
        }
        guard let decisions = decisions(node, inner: false) else { return [[]] }
        return decisions.compactMap { decision in
            switch keyword {
            case .unevaluatedProperties(let target):
                if decision.allMembers { return nil }
                return [.kinds(.object)] + decision.literals + [.someMember(decision.rest, [.fails(target)])]
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
        var result = [Decision()]
        for index in schema.keywords.indices {
            guard let ways = decisions(node, keyword: index, inner: inner) else { return nil }
            result = result.flatMap { one in ways.map { one.and($0) } }
            guard result.count <= Self.maxDecisions, spend(ways.count) else { return nil }
        }
        return result
    }

    private mutating func decisions(_ node: Int, keyword index: Int, inner: Bool) -> [Decision]? {
        let plain = Decision(literals: [.keeps(node: node, keyword: index)])
        switch space.nodes[node].keywords[index] {
        case .properties(let table):
            var decision = plain
            decision.names = Set(table.names.keys)
            decision.patterns = Set(table.patterns.map { ExactString($0.pattern.text) })
            decision.allMembers = table.additional != nil
            return [decision]
        case .items(let prefix, let rest):
            var decision = plain
            decision.items = prefix.count
            decision.allItems = rest != nil
            return [decision]
        case .reference(let target): return decisions(target)
        case .dynamicReference(let target, let anchor): return anchor == nil ? decisions(target) : nil
        case .allOf(let targets):
            var result = [Decision()]
            for target in targets {
                guard let ways = decisions(target) else { return nil }
                result = result.flatMap { one in ways.map { one.and($0) } }
                guard result.count <= Self.maxDecisions else { return nil }
            }
            return result
        case .oneOf(let targets, _):
            var result: [Decision] = []
            for one in targets {
                guard let ways = decisions(one) else { return nil }
                let others = targets.filter { $0 != one && !areDisjoint($0, one) }.map { Literal.fails($0) }
                result += ways.map { Decision(literals: others).and($0) }
            }
            return result
        case .anyOf(let targets, _):
            var result: [Decision] = []
            var some = [(Decision(), false)]
            for (position, target) in targets.enumerated() {
                guard let ways = decisions(target) else { return nil }
                var next: [(Decision, Bool)] = []
                for (decision, isHeld) in some {
                    next.append((decision.and(Decision(literals: [.fails(target)])), isHeld))
                    // Two alternatives that exclude each other are never both held.
                    let excluded = targets[..<position].contains { earlier in
                        decision.literals.contains(.holds(earlier)) && areDisjoint(earlier, target)
                    }
                    if excluded { continue }
                    next += ways.map { (decision.and(Decision(literals: [.holds(target)])).and($0), true) }
                }
                some = next
                guard some.count <= Self.maxDecisions else { return nil }
            }
            result = some.filter(\.1).map(\.0)
            return result
        case .condition(let test, let then, let otherwise):
            guard let tested = decisions(test), let held = then.map({ decisions($0) }) ?? [Decision()],
                let failed = otherwise.map({ decisions($0) }) ?? [Decision()]
            else { return nil }
            return tested.flatMap { one in held.map { one.and($0) } }
                + failed.map { Decision(literals: [.fails(test)]).and($0) }
        case .dependentSchemas(_, let pairs):
            var result = [Decision()]
            for pair in pairs {
                guard let ways = decisions(pair.node) else { return nil }
                let key = ExactString(pair.key)
                result = result.flatMap { one in
                    [one.and(Decision(literals: [.absent(key)]))]
                        + ways.map { one.and(Decision(literals: [.kinds(.object), .present(key, [])])).and($0) }
                        + [one.and(Decision(literals: [.kinds(KindSet.all.subtracting(.object))]))]
                }
                guard result.count <= Self.maxDecisions else { return nil }
            }
            return result
        case .unevaluatedProperties:
            guard inner else { return [Decision()] }
            var decision = Decision(literals: [.holds(node)])
            decision.allMembers = true
            return [decision]
        case .unevaluatedItems:
            guard inner else { return [Decision()] }
            var decision = Decision(literals: [.holds(node)])
            decision.allItems = true
            return [decision]
        // Which elements it has looked at depends on each of them.
        case .contains: return space.nodes[node].asksForRest || inner ? containsDecision(plain) : [plain]
        default: return [plain]
        }
    }

    private func containsDecision(_ plain: Decision) -> [Decision]? {
        restIsOfItems ? nil : [plain]
    }

    /// Whether some schema asks for the elements that nobody has looked at.
    private var restIsOfItems: Bool {
        space.nodes.contains { node in
            node.keywords.contains { keyword in
                if case .unevaluatedItems = keyword { true } else { false }
            }
        }
    }
}
