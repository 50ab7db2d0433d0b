import JSON
import JSONSchema

/// What can be said about an alternative at a glance, so that most of them are never walked.
extension Solver {
    /// Whether an alternative contradicts the facts.
    mutating func isImpossible(_ alternative: [Literal], _ facts: Facts) -> Bool {
        var kinds = facts.kinds
        for literal in alternative {
            if case .kinds(let own) = literal { kinds.formIntersection(own) }
            if kinds.isEmpty || isImpossible(literal, facts) { return true }
        }
        return false
    }

    private mutating func isImpossible(_ literal: Literal, _ facts: Facts) -> Bool {
        switch literal {
        case .holds(let node):
            if facts.failing.contains(space.colors[node]) || space.nodes[node].verdict == false { return true }
            return facts.kinds == .object && isOfAnotherTag(node, facts.objects)
        case .fails(let node):
            return facts.holding.contains(space.colors[node]) || space.nodes[node].verdict == true
        case .breaks(let node, let keyword):
            return !readsContext(node, keyword) && facts.keeping.contains(space.keywordColors[node][keyword])
        case .present(let name, let literals):
            guard facts.kinds == .object else { return false }
            if facts.objects.absent.contains(name) { return true }
            guard !literals.isEmpty, let values = fixedValues(of: name, facts.objects) else { return false }
            return values.allSatisfy { value in !literals.allSatisfy { satisfies(value, [$0]) } }
        case .absent(let name): return facts.kinds == .object && facts.objects.required.contains(name)
        case .minLength(let count): return facts.kinds == .string && facts.strings.maxLength.map { $0 < count } ?? false
        case .maxLength(let count): return facts.kinds == .string && facts.strings.minLength > count
        case .minItems(let count): return facts.kinds == .array && facts.arrays.maxItems.map { $0 < count } ?? false
        case .maxItems(let count): return facts.kinds == .array && facts.arrays.minItems > count
        default: return false
        }
    }

    /// Whether a demand follows from the facts.
    mutating func isImplied(_ literal: Literal, _ facts: Facts) -> Bool {
        switch literal {
        case .holds(let node):
            return facts.holding.contains(space.colors[node]) || space.nodes[node].verdict == true
        case .fails(let node):
            if facts.failing.contains(space.colors[node]) || space.nodes[node].verdict == false { return true }
            return facts.kinds == .object && isOfAnotherTag(node, facts.objects)
        case .kinds(let kinds): return facts.kinds.isSubset(of: kinds)
        case .absent(let name): return facts.objects.absent.contains(name)
        case .present(let name, let literals):
            guard facts.objects.required.contains(name) else { return false }
            if literals.isEmpty { return true }
            guard facts.kinds == .object, let values = fixedValues(of: name, facts.objects) else { return false }
            return values.allSatisfy { satisfies($0, literals) }
        default: return false
        }
    }

    /// Whether a schema demands a member with other values than the facts do.
    private mutating func isOfAnotherTag(_ node: Int, _ objects: ObjectFacts) -> Bool {
        for tag in tags(node) where objects.required.contains(tag.name) {
            if let values = fixedValues(of: tag.name, objects), !values.contains(where: tag.values.contains) {
                return true
            }
        }
        return false
    }

    /// The only values a member can have, when they are counted.
    private mutating func fixedValues(of name: ExactString, _ objects: ObjectFacts) -> [JSONValue]? {
        var values: [JSONValue]?
        for demand in objects.every where demand.names == .name(name) {
            for literal in demand.literals {
                switch literal {
                case .holds(let node):
                    if let fixed = fixedValues(node) { values = values.map { $0.filter(fixed.contains) } ?? fixed }
                case .isNot(let value): values = values.map { $0.filter { $0 != value } }
                default: break
                }
            }
        }
        return values
    }

    // MARK: One value

    /// Whether a value keeps all demands, by the validator.
    mutating func satisfies(_ value: JSONValue, _ literals: [Literal]) -> Bool {
        for literal in literals {
            guard satisfies(value, literal) else { return false }
        }
        return true
    }

    private mutating func satisfies(_ value: JSONValue, _ literal: Literal) -> Bool {
        switch literal {
        case .holds(let node): return space.accepts(value, at: node)
        case .fails(let node): return !space.accepts(value, at: node)
        case .keeps(let node, let keyword):
            let ways = violations(of: node, keyword)
            return !ways.contains { satisfies(value, $0) }
        case .breaks(let node, let keyword):
            if readsContext(node, keyword) { return !space.accepts(value, at: node) }
            let ways = violations(of: node, keyword)
            return ways.contains { satisfies(value, $0) }
        case .kinds(let kinds): return kinds.contains(KindSet(of: value))
        case .isNot(let other): return value != other
        case .isOneOf(let values): return values.contains(value)
        default: break
        }
        switch value {
        case .number(let number): return satisfies(number, literal)
        case .string(let text): return satisfies(text, literal)
        case .array(let values): return satisfies(values, literal)
        case .object(let object): return satisfies(object, literal)
        case .null, .bool: return true
        }
    }

    private func satisfies(_ number: JSONNumber, _ literal: Literal) -> Bool {
        switch literal {
        case .above(let bound, let isOpen): number > bound || (!isOpen && number == bound)
        case .below(let bound, let isOpen): number < bound || (!isOpen && number == bound)
        case .notMultiple(let divisor): !number.isMultiple(of: divisor)
        default: true
        }
    }

    private mutating func satisfies(_ text: String, _ literal: Literal) -> Bool {
        switch literal {
        case .minLength(let count): return text.unicodeScalars.count >= count
        case .maxLength(let count): return text.unicodeScalars.count <= count
        case .matches(let pattern): return matches(pattern, ExactString(text))
        case .notMatches(let pattern): return !matches(pattern, ExactString(text))
        case .notFormat(let format): return !format.accepts(text)
        default: return true
        }
    }

    private mutating func satisfies(_ values: [JSONValue], _ literal: Literal) -> Bool {
        switch literal {
        case .minItems(let count): return values.count >= count
        case .maxItems(let count): return values.count <= count
        case .repeats: return Set(values).count < values.count
        case .someItem(let from, let to, let literals):
            return values.indices.contains { $0 >= from && $0 <= to ?? .max && satisfies(values[$0], literals) }
        case .everyItem(let from, let literals):
            return values.dropFirst(from).allSatisfy { satisfies($0, literals) }
        case .contains(let node, let min, let max):
            let count = values.count { space.accepts($0, at: node) }
            return count >= min && count <= max ?? .max
        default: return true
        }
    }

    private mutating func satisfies(_ object: JSONObject, _ literal: Literal) -> Bool {
        switch literal {
        case .minMembers(let count): return object.count >= count
        case .maxMembers(let count): return object.count <= count
        case .present(let name, let literals): return object[name.string].map { satisfies($0, literals) } ?? false
        case .absent(let name): return object[name.string] == nil
        case .someMember(let names, let literals):
            return object.contains { contains(names, ExactString($0.key)) && satisfies($0.value, literals) }
        case .everyMember(let names, let literals):
            return object.allSatisfy { !contains(names, ExactString($0.key)) || satisfies($0.value, literals) }
        case .someName(let literals): return object.contains { satisfies(.string($0.key), literals) }
        default: return true
        }
    }

    /// Whether a name belongs to a class.
    mutating func contains(_ names: NameClass, _ name: ExactString) -> Bool {
        for pattern in names.patterns { _ = matches(pattern, name) }
        let known = self
        return names.contains(name) { known.known($0, $1) }
    }

    private func known(_ pattern: ExactString, _ name: ExactString) -> Bool {
        matchMemory[pattern]?[name] ?? false
    }
}
