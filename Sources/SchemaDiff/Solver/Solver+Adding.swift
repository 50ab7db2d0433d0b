import JSON
import JSONSchema

extension Solver {
    /// Makes demands facts; false when they contradict what is known.
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
        case .keeps(let node, let keyword): return keep(node, keyword, &facts)
        case .breaks(let node, let keyword):
            let color = space.keywordColors[node][keyword]
            guard !facts.keeping.contains(color) || readsContext(node, keyword) else { return false }
            if !readsContext(node, keyword) { facts.breaking.insert(color) }
            return choose(violations(of: node, keyword), &facts)
        case .kinds(let kinds):
            facts.kinds.formIntersection(kinds)
            return !facts.kinds.isEmpty
        case .isNot(let value):
            facts.excluded.append(value)
            if let choices = facts.choices { facts.choices = choices.filter { $0 != value } }
            return facts.choices?.isEmpty != true
        case .isOneOf(let values): return limit(to: values, &facts)
        case .above(let number, let isOpen): facts.numbers.raise(to: number, isOpen: isOpen)
        case .below(let number, let isOpen): facts.numbers.lower(to: number, isOpen: isOpen)
        case .notMultiple(let number): facts.numbers.notMultiples.append(number)
        case .minLength(let count): facts.strings.minLength = max(facts.strings.minLength, count)
        case .maxLength(let count): facts.strings.maxLength = min(facts.strings.maxLength ?? .max, count)
        case .matches(let text): if let pattern = pattern(text) { facts.strings.patterns.append(pattern) }
        case .notMatches(let text): if let pattern = pattern(text) { facts.strings.notPatterns.append(pattern) }
        case .notFormat(let format): facts.strings.notFormats.insert(format)
        case .minItems(let count): facts.arrays.minItems = max(facts.arrays.minItems, count)
        case .maxItems(let count): facts.arrays.maxItems = min(facts.arrays.maxItems ?? .max, count)
        case .repeats: facts.arrays.repeats = true
        case .someItem(let from, let to, let literals): facts.arrays.some.append((from, to, literals))
        case .everyItem(let from, let literals): facts.arrays.every.append((from, nil, literals))
        case .contains(let node, let min, let max): facts.arrays.contains.append((node, min, max))
        case .minMembers(let count): facts.objects.minMembers = max(facts.objects.minMembers, count)
        case .maxMembers(let count): facts.objects.maxMembers = min(facts.objects.maxMembers ?? .max, count)
        case .present(let name, let literals):
            facts.objects.require(name)
            if !literals.isEmpty { facts.objects.every.append((.name(name), literals)) }
            if facts.objects.absent.contains(name) { facts.kinds.remove(.object) }
        case .absent(let name):
            facts.objects.absent.insert(name)
            if facts.objects.required.contains(name) { facts.kinds.remove(.object) }
        case .someMember(let names, let literals): facts.objects.some.append((names, literals))
        case .everyMember(let names, let literals): facts.objects.every.append((names, literals))
        case .someName(let literals): facts.objects.someName.append(literals)
        }
        return !facts.kinds.isEmpty
    }

    /// One of the alternatives must be gone.
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
        if schema.asksForRest { return choose(restKept(node), &facts) }
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
        return choose(violations(of: node), &facts)
    }

    /// The ways in which a schema fails.
    private mutating func violations(of node: Int) -> [[Literal]] {
        var alternatives: [[Literal]] = []
        for index in space.nodes[node].keywords.indices {
            if readsContext(node, index) {
                alternatives += restBroken(node, index)
            } else if violations(of: node, index).count == 1 {
                alternatives += violations(of: node, index)
            } else {
                alternatives.append([.breaks(node: node, keyword: index)])
            }
        }
        return alternatives
    }

    /// Whether a keyword asks what the others have evaluated.
    func readsContext(_ node: Int, _ keyword: Int) -> Bool {
        switch space.nodes[node].keywords[keyword] {
        case .unevaluatedProperties, .unevaluatedItems: true
        default: false
        }
    }

    private mutating func keep(_ node: Int, _ index: Int, _ facts: inout Facts) -> Bool {
        let color = space.keywordColors[node][index]
        if facts.breaking.contains(color) { return false }
        facts.keeping.insert(color)
        switch space.nodes[node].keywords[index] {
        case .type(let types): return add(.kinds(KindSet(types)), to: &facts)
        case .const(let value): return limit(to: [value], &facts)
        case .enumeration(let values): return limit(to: values, &facts)
        case .minimum(let number): facts.numbers.raise(to: number, isOpen: false)
        case .maximum(let number): facts.numbers.lower(to: number, isOpen: false)
        case .exclusiveMinimum(let number): facts.numbers.raise(to: number, isOpen: true)
        case .exclusiveMaximum(let number): facts.numbers.lower(to: number, isOpen: true)
        case .multipleOf(let number): facts.numbers.multiples.append(number)
        case .minLength(let count): return add(.minLength(count), to: &facts)
        case .maxLength(let count): return add(.maxLength(count), to: &facts)
        case .pattern(let pattern): facts.strings.patterns.append(pattern)
        case .format(let format): facts.strings.formats.insert(format)
        case .minItems(let count): return add(.minItems(count), to: &facts)
        case .maxItems(let count): return add(.maxItems(count), to: &facts)
        case .uniqueItems: facts.arrays.isUnique = true
        case .minProperties(let count): return add(.minMembers(count), to: &facts)
        case .maxProperties(let count): return add(.maxMembers(count), to: &facts)
        case .required(let names):
            if space.side(node) == SchemaSpace.writer {
                facts.objects.declared.formUnion(names.map { ExactString($0) })
            }
            for name in names {
                guard add(.present(ExactString(name), []), to: &facts) else { return false }
            }
        case .dependentRequired(let pairs):
            for pair in pairs {
                let key = ExactString(pair.key)
                let all = [Literal.present(key, [])] + pair.names.map { .present(ExactString($0), []) }
                guard choose([[.absent(key)], all], &facts) else { return false }
            }
        case .dependentSchemas(_, let pairs):
            for pair in pairs {
                let key = ExactString(pair.key)
                guard choose([[.absent(key)], [.present(key, []), .holds(pair.node)]], &facts) else { return false }
            }
        case .reference(let target): return hold(target, &facts)
        case .dynamicReference(let target, let anchor):
            // Where a dynamic one leads is not known here: the validator has the last word on what is found.
            if anchor == nil { return hold(target, &facts) }
        case .allOf(let targets):
            for target in targets {
                guard hold(target, &facts) else { return false }
            }
        case .anyOf(let targets, _): return choose(targets.map { [.holds($0)] }, &facts)
        case .oneOf(let targets, _): return choose(exactlyOne(of: targets), &facts)
        case .not(let target): return fail(target, &facts)
        case .condition(let test, let then, let otherwise):
            return choose(
                [
                    [.holds(test)] + (then.map { [.holds($0)] } ?? []),
                    [.fails(test)] + (otherwise.map { [.holds($0)] } ?? []),
                ], &facts)
        case .properties(let table): keep(table, isWriters: space.side(node) == SchemaSpace.writer, &facts)
        case .propertyNames(let target): facts.objects.everyName.append(.holds(target))
        case .items(let prefix, let rest):
            for (index, target) in prefix.enumerated() {
                facts.arrays.every.append((index, index, [.holds(target)]))
            }
            if let rest { facts.arrays.every.append((prefix.count, nil, [.holds(rest)])) }
        case .contains(let target, let min, let max): facts.arrays.contains.append((target, min, max))
        // They are kept together with all that they look at.
        case .unevaluatedProperties, .unevaluatedItems: break
        }
        return !facts.kinds.isEmpty
    }

    private func keep(_ table: PropertyTable, isWriters: Bool, _ facts: inout Facts) {
        let patterns = Set(table.patterns.map { ExactString($0.pattern.text) })
        let names = Set(table.names.keys)
        for name in table.order {
            let name = ExactString(name)
            if let node = table.names[name] { facts.objects.every.append((.name(name), [.holds(node)])) }
        }
        for (pattern, node) in table.patterns {
            facts.objects.every.append((.pattern(ExactString(pattern.text)), [.holds(node)]))
        }
        if let additional = table.additional {
            facts.objects.every.append((.except(names, patterns: patterns), [.holds(additional)]))
            if space.nodes[additional].verdict != false { facts.objects.isOpenByWriter = true }
        }
        if isWriters {
            facts.objects.declared.formUnion(names)
            facts.objects.declaredPatterns.formUnion(patterns)
            if !names.isEmpty { facts.objects.isClosedByWriter = true }
        }
    }

    private func limit(to values: [JSONValue], _ facts: inout Facts) -> Bool {
        let known = facts.choices ?? values
        let allowed = facts.choices == nil ? values : known.filter(values.contains)
        let left = allowed.filter { !facts.excluded.contains($0) && facts.kinds.contains(KindSet(of: $0)) }
        facts.choices = left
        return !left.isEmpty
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

    /// The ways in which one keyword is broken.
    mutating func violations(of node: Int, _ keyword: Int) -> [[Literal]] {
        switch space.nodes[node].keywords[keyword] {
        case .type(let types):
            let others = KindSet.all.subtracting(KindSet(types))
            return others.isEmpty ? [] : [[.kinds(others)]]
        case .const(let value): return [[.isNot(value)]]
        case .enumeration(let values): return [values.map { .isNot($0) }]
        case .minimum(let number): return [[.kinds(.number), .below(number, isOpen: true)]]
        case .maximum(let number): return [[.kinds(.number), .above(number, isOpen: true)]]
        case .exclusiveMinimum(let number): return [[.kinds(.number), .below(number, isOpen: false)]]
        case .exclusiveMaximum(let number): return [[.kinds(.number), .above(number, isOpen: false)]]
        case .multipleOf(let number): return [[.kinds(.number), .notMultiple(number)]]
        case .minLength(let count): return count > 0 ? [[.kinds(.string), .maxLength(count - 1)]] : []
        case .maxLength(let count): return count < .max ? [[.kinds(.string), .minLength(count + 1)]] : []
        case .pattern(let pattern): return [[.kinds(.string), .notMatches(ExactString(pattern.text))]]
        case .format(let format): return [[.kinds(.string), .notFormat(format)]]
        case .minItems(let count): return count > 0 ? [[.kinds(.array), .maxItems(count - 1)]] : []
        case .maxItems(let count): return count < .max ? [[.kinds(.array), .minItems(count + 1)]] : []
        case .uniqueItems: return [[.kinds(.array), .repeats]]
        case .minProperties(let count): return count > 0 ? [[.kinds(.object), .maxMembers(count - 1)]] : []
        case .maxProperties(let count): return count < .max ? [[.kinds(.object), .minMembers(count + 1)]] : []
        case .required(let names): return names.map { [.kinds(.object), .absent(ExactString($0))] }
        case .dependentRequired(let pairs):
            return pairs.flatMap { pair in
                pair.names.map { [.kinds(.object), .present(ExactString(pair.key), []), .absent(ExactString($0))] }
            }
        case .dependentSchemas(_, let pairs):
            return pairs.map { [.kinds(.object), .present(ExactString($0.key), []), .fails($0.node)] }
        case .reference(let target): return [[.fails(target)]]
        case .dynamicReference(let target, let anchor):
            // Anything may fail there: what is found must be confirmed.
            return anchor == nil ? [[.fails(target)]] : [[]]
        case .allOf(let targets): return targets.map { [.fails($0)] }
        case .anyOf(let targets, _): return [targets.map { .fails($0) }]
        case .oneOf(let targets, _): return notExactlyOne(of: targets)
        case .not(let target): return [[.holds(target)]]
        case .condition(let test, let then, let otherwise):
            return [then.map { [.holds(test), .fails($0)] }, otherwise.map { [.fails(test), .fails($0)] }]
                .compactMap { $0 }
        case .properties(let table): return violations(of: table, isReaders: space.side(node) == SchemaSpace.reader)
        case .propertyNames(let target): return [[.kinds(.object), .someName([.fails(target)])]]
        case .items(let prefix, let rest):
            return prefix.enumerated().map { [.kinds(.array), .someItem(from: $0, to: $0, [.fails($1)])] }
                + (rest.map { [[.kinds(.array), .someItem(from: prefix.count, to: nil, [.fails($0)])]] } ?? [])
        case .contains(let target, let min, let max):
            return (min > 0 ? [[.kinds(.array), .contains(target, min: 0, max: min - 1)]] : [])
                + (max.map { [[.kinds(.array), .contains(target, min: $0 + 1, max: nil)]] } ?? [])
        case .unevaluatedProperties, .unevaluatedItems: return restBroken(node, keyword)
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
        for name in table.order {
            let name = ExactString(name)
            if let node = table.names[name], space.nodes[node].verdict != true {
                alternatives.append([.kinds(.object), .present(name, [.fails(node)])])
            }
        }
        for (pattern, node) in table.patterns {
            alternatives.append([.kinds(.object), .someMember(.pattern(ExactString(pattern.text)), [.fails(node)])])
        }
        if let additional = table.additional, !(isLenient && isReaders && space.nodes[additional].verdict == false) {
            let rest = NameClass.except(
                Set(table.names.keys), patterns: Set(table.patterns.map { ExactString($0.pattern.text) }))
            alternatives.append([.kinds(.object), .someMember(rest, [.fails(additional)])])
        }
        return alternatives
    }
}
