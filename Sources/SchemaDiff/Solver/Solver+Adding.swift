import HoldfastJSON
import HoldfastJSONSchema

extension Solver {
    /// Adds demands to the facts; false if they contradict what is known.
    mutating func add(_ literals: [Literal], to facts: inout Facts) -> Bool {
        for literal in literals {
            guard add(literal, to: &facts) else { return false }
        }
        return true
    }

    private mutating func add(_ literal: Literal, to facts: inout Facts) -> Bool {
        switch literal {
        case .holds(let node): return hold(node, &facts)
        case .fails(let node): return fail(node, &facts)
        case .breaks(let node, let keyword):
            let color = space.keywordColors[node][keyword]
            guard !facts.keeping.contains(color) else { return false }
            facts.breaking.insert(color)
            return choose(violations(of: node, keyword), &facts)
        case .kinds(let kinds): facts.kinds.formIntersection(kinds)
        case .isNot(let value):
            facts.excluded.append(value)
            if let choices = facts.choices { facts.choices = choices.filter { $0 != value } }
            return facts.choices?.isEmpty != true
        case .isOneOf(let values):
            facts.choices = (facts.choices.map { $0.filter(values.contains) } ?? values)
                .filter { !facts.excluded.contains($0) && facts.kinds.contains(KindSet(of: $0)) }
            return facts.choices?.isEmpty != true
        case .above(let number, let isOpen): facts.numbers.raise(to: number, isOpen: isOpen)
        case .below(let number, let isOpen): facts.numbers.lower(to: number, isOpen: isOpen)
        case .minLength(let count): facts.strings.minLength = max(facts.strings.minLength, count)
        case .maxLength(let count): facts.strings.maxLength = min(facts.strings.maxLength ?? .max, count)
        case .matches(let text): if let pattern = pattern(text) { facts.strings.patterns.append(pattern) }
        case .notMatches(let text): if let pattern = pattern(text) { facts.strings.notPatterns.append(pattern) }
        case .minItems(let count): facts.arrays.minItems = max(facts.arrays.minItems, count)
        case .maxItems(let count): facts.arrays.maxItems = min(facts.arrays.maxItems ?? .max, count)
        case .unique: facts.arrays.isUnique = true
        case .repeats: facts.arrays.repeats = true
        case .someItem(let literals): facts.arrays.some.append(literals)
        case .everyItem(let literals): facts.arrays.every += literals
        case .present(let name, let literals):
            facts.objects.require(name)
            if !literals.isEmpty { facts.objects.every.append((.name(name), literals)) }
            if facts.objects.absent.contains(name) { facts.kinds.remove(.object) }
        case .absent(let name):
            facts.objects.absent.insert(name)
            if facts.objects.required.contains(name) { facts.kinds.remove(.object) }
        case .someMember(let names, let literals): facts.objects.some.append((names, literals))
        }
        return !facts.kinds.isEmpty
    }

    /// Adds alternatives, of which at least one must hold.
    private mutating func choose(_ alternatives: [[Literal]], _ facts: inout Facts) -> Bool {
        if alternatives.isEmpty { return false }
        if alternatives.count == 1 { return add(alternatives[0], to: &facts) }
        if alternatives.count > Self.maxAlternatives {
            _ = spend(1_000_000)
            return true
        }
        facts.open.append(alternatives)
        return true
    }

    private mutating func hold(_ node: Int, _ facts: inout Facts) -> Bool {
        let node = space.target(of: node)
        let color = space.colors[node]
        if facts.failing.contains(color) { return false }
        guard facts.holding.insert(color).inserted else { return true }
        let schema = space.nodes[node]
        if let verdict = schema.verdict { return verdict }
        for index in schema.keywords.indices {
            guard keep(node, index, &facts) else { return false }
        }
        return true
    }

    private mutating func fail(_ node: Int, _ facts: inout Facts) -> Bool {
        let node = space.target(of: node)
        let color = space.colors[node]
        if facts.holding.contains(color) { return false }
        guard facts.failing.insert(color).inserted else { return true }
        let schema = space.nodes[node]
        if let verdict = schema.verdict { return !verdict }
        var alternatives: [[Literal]] = []
        for index in space.nodes[node].keywords.indices {
            let ways = violations(of: node, index)
            alternatives += ways.count == 1 ? ways : [[.breaks(node: node, keyword: index)]]
        }
        return choose(alternatives, &facts)
    }

    private mutating func keep(_ node: Int, _ index: Int, _ facts: inout Facts) -> Bool {
        let color = space.keywordColors[node][index]
        if facts.breaking.contains(color) { return false }
        facts.keeping.insert(color)
        let keyword = space.nodes[node].keywords[index]
        if let assertion = keyword.assertion { return add([assertion.kept], to: &facts) }
        switch keyword {
        case .enumeration(let values): return add([.isOneOf(values)], to: &facts)
        case .required(let names):
            if space.side(node) == writer {
                facts.objects.declared.formUnion(names.map { ExactString($0) })
            }
            return add(names.map { .present(ExactString($0), []) }, to: &facts)
        case .dependentRequired(let pairs):
            for pair in pairs {
                let key = ExactString(pair.key)
                let all = [Literal.present(key, [])] + pair.names.map { .present(ExactString($0), []) }
                guard choose([[.absent(key)], all], &facts) else { return false }
            }
        case .reference(let target): return hold(target, &facts)
        case .allOf(let targets): return add(targets.map { .holds($0) }, to: &facts)
        case .anyOf(let targets, _): return choose(targets.map { [.holds($0)] }, &facts)
        case .oneOf(let targets, _): return choose(exactlyOne(of: targets), &facts)
        case .not(let target): return fail(target, &facts)
        case .condition(let test, let then, let otherwise):
            return choose(
                [
                    [.holds(test)] + (then.map { [.holds($0)] } ?? []),
                    [.fails(test)] + (otherwise.map { [.holds($0)] } ?? []),
                ], &facts)
        case .properties(let table): keep(table, isWriters: space.side(node) == writer, &facts)
        case .items([], let rest?): facts.arrays.every.append(.holds(rest))
        case .contains(let target, min: 1, max: nil): facts.arrays.some.append([.holds(target)])
        // Keywords that the solver does not know demand nothing here: the validator confirms each result.
        default: break
        }
        return !facts.kinds.isEmpty
    }

    private func keep(_ table: PropertyTable, isWriters: Bool, _ facts: inout Facts) {
        for (name, node) in table.members { facts.objects.every.append((.name(name), [.holds(node)])) }
        if let additional = table.additional, table.patterns.isEmpty {
            facts.objects.every.append((table.others, [.holds(additional)]))
            if space.nodes[additional].verdict != false { facts.objects.isOpenByWriter = true }
        }
        if isWriters {
            facts.objects.declared.formUnion(table.names.keys)
            if !table.patterns.isEmpty { facts.objects.isOpenByWriter = true }
            if !table.names.isEmpty { facts.objects.isClosedByWriter = true }
        }
    }

    private mutating func exactlyOne(of targets: [Int]) -> [[Literal]] {
        targets.indices.map { index in
            var literals = [Literal.holds(targets[index])]
            for other in targets.indices where other != index {
                if space.colors[targets[other]] == space.colors[targets[index]]
                    || !areDisjoint(targets[index], targets[other])
                {
                    literals.append(.fails(targets[other]))
                }
            }
            return literals
        }
    }

    mutating func violations(of node: Int, _ index: Int) -> [[Literal]] {
        let keyword = space.nodes[node].keywords[index]
        if let assertion = keyword.assertion {
            return assertion.broken.map { [assertion.kinds == .all ? [$0] : [.kinds(assertion.kinds), $0]] } ?? []
        }
        switch keyword {
        case .enumeration(let values): return [values.map { .isNot($0) }]
        case .required(let names): return names.map { [.kinds(.object), .absent(ExactString($0))] }
        case .dependentRequired(let pairs):
            return pairs.flatMap { pair in
                pair.names.map { [.kinds(.object), .present(ExactString(pair.key), []), .absent(ExactString($0))] }
            }
        case .reference(let target): return [[.fails(target)]]
        case .allOf(let targets): return targets.map { [.fails($0)] }
        case .anyOf(let targets, _): return [targets.map { .fails($0) }]
        case .oneOf(let targets, _): return notExactlyOne(of: targets)
        case .not(let target): return [[.holds(target)]]
        case .condition(let test, let then, let otherwise):
            return [then.map { [.holds(test), .fails($0)] }, otherwise.map { [.fails(test), .fails($0)] }]
                .compactMap { $0 }
        case .properties(let table): return violations(of: table, isReaders: space.side(node) != writer)
        case .items([], let rest?): return [[.kinds(.array), .someItem([.fails(rest)])]]
        case .contains(let target, min: 1, max: nil): return [[.kinds(.array), .everyItem([.fails(target)])]]
        // Anything may break a keyword that the solver does not know: each result must be confirmed.
        default: return [[]]
        }
    }

    private mutating func notExactlyOne(of targets: [Int]) -> [[Literal]] {
        var alternatives: [[Literal]] = [targets.map { .fails($0) }]
        for one in targets.indices {
            for other in targets.indices where other > one && !areDisjoint(targets[one], targets[other]) {
                alternatives.append([.holds(targets[one]), .holds(targets[other])])
            }
        }
        return alternatives
    }

    private func violations(of table: PropertyTable, isReaders: Bool) -> [[Literal]] {
        var alternatives: [[Literal]] = []
        for (name, node) in table.members where space.nodes[node].verdict != true {
            alternatives.append([.kinds(.object), .present(name, [.fails(node)])])
        }
        if !table.patterns.isEmpty { return alternatives + [[]] }
        if let additional = table.additional {
            let isClosed = isReaders && space.nodes[additional].verdict == false
            let names = isClosed ? table.others.excluding(writersNames) : table.others
            alternatives.append([.kinds(.object), .someMember(names, [.fails(additional)])])
        }
        return alternatives
    }
}

extension Keyword {
    /// A keyword with a single demand: the kinds of values, and what keeps and breaks it; nil for any other keyword.
    fileprivate var assertion: (kinds: KindSet, kept: Literal, broken: Literal?)? {
        switch self {
        case .type(let types):
            let others = KindSet.all.subtracting(KindSet(types))
            return (.all, .kinds(KindSet(types)), others.isEmpty ? nil : .kinds(others))
        case .const(let value): return (.all, .isOneOf([value]), .isNot(value))
        case .minimum(let number): return (.number, .above(number, isOpen: false), .below(number, isOpen: true))
        case .maximum(let number): return (.number, .below(number, isOpen: false), .above(number, isOpen: true))
        case .exclusiveMinimum(let number):
            return (.number, .above(number, isOpen: true), .below(number, isOpen: false))
        case .exclusiveMaximum(let number):
            return (.number, .below(number, isOpen: true), .above(number, isOpen: false))
        case .minLength(let count): return (.string, .minLength(count), count > 0 ? .maxLength(count - 1) : nil)
        case .maxLength(let count): return (.string, .maxLength(count), count < .max ? .minLength(count + 1) : nil)
        case .pattern(let pattern):
            return (.string, .matches(ExactString(pattern.text)), .notMatches(ExactString(pattern.text)))
        case .minItems(let count): return (.array, .minItems(count), count > 0 ? .maxItems(count - 1) : nil)
        case .maxItems(let count): return (.array, .maxItems(count), count < .max ? .minItems(count + 1) : nil)
        case .uniqueItems: return (.array, .unique, .repeats)
        default: return nil
        }
    }
}

extension PropertyTable {
    /// The schemas of named members, in the order of the schema.
    fileprivate var members: [(name: ExactString, node: Int)] {
        order.compactMap { name in names[ExactString(name)].map { (ExactString(name), $0) } }
    }

    /// All names that it does not mention.
    var others: NameClass { .except(Set(names.keys)) }
}
