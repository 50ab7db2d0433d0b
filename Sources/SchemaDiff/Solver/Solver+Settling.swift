import HoldfastJSON
import HoldfastJSONSchema

/// Decides most alternatives quickly, so that no search is needed.
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
            return facts.keeping.contains(space.keywordColors[node][keyword])
        case .present(let name, let literals):
            guard facts.kinds == .object else { return false }
            if facts.objects.absent.contains(name) { return true }
            guard !literals.isEmpty, let values = fixedValues(of: name, facts.objects) else { return false }
            return values.allSatisfy { value in !satisfies(value, literals) }
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

    /// Whether a schema demands other values of a member than the facts do.
    private mutating func isOfAnotherTag(_ node: Int, _ objects: ObjectFacts) -> Bool {
        for tag in tags(node) where objects.required.contains(tag.name) {
            if let values = fixedValues(of: tag.name, objects), !values.contains(where: tag.values.contains) {
                return true
            }
        }
        return false
    }

    /// The only possible values of a member, if there are few.
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

    /// Whether a value meets all demands, by the validator.
    mutating func satisfies(_ value: JSONValue, _ literals: [Literal]) -> Bool {
        literals.allSatisfy { satisfies(value, $0) }
    }

    private mutating func satisfies(_ value: JSONValue, _ literal: Literal) -> Bool {
        switch (literal, value) {
        case (.holds(let node), _): return space.accepts(value, at: node)
        case (.fails(let node), _): return !space.accepts(value, at: node)
        case (.breaks(let node, let keyword), _):
            let ways = violations(of: node, keyword)
            return ways.contains { satisfies(value, $0) }
        case (.kinds(let kinds), _): return kinds.contains(KindSet(of: value))
        case (.isNot(let other), _): return value != other
        case (.isOneOf(let values), _): return values.contains(value)
        case (.above(let bound, let isOpen), .number(let number)):
            return number > bound || (!isOpen && number == bound)
        case (.below(let bound, let isOpen), .number(let number)):
            return number < bound || (!isOpen && number == bound)
        case (.minLength(let count), .string(let text)): return text.unicodeScalars.count >= count
        case (.maxLength(let count), .string(let text)): return text.unicodeScalars.count <= count
        case (.matches(let pattern), .string(let text)): return matches(pattern, ExactString(text))
        case (.notMatches(let pattern), .string(let text)): return !matches(pattern, ExactString(text))
        case (.minItems(let count), .array(let values)): return values.count >= count
        case (.maxItems(let count), .array(let values)): return values.count <= count
        case (.unique, .array(let values)): return Set(values).count == values.count
        case (.repeats, .array(let values)): return Set(values).count < values.count
        case (.someItem(let literals), .array(let values)): return values.contains { satisfies($0, literals) }
        case (.everyItem(let literals), .array(let values)): return values.allSatisfy { satisfies($0, literals) }
        case (.present(let name, let literals), .object(let object)):
            return object[name.string].map { satisfies($0, literals) } ?? false
        case (.absent(let name), .object(let object)): return object[name.string] == nil
        case (.someMember(let names, let literals), .object(let object)):
            return object.contains { contains(names, ExactString($0.key)) && satisfies($0.value, literals) }
        // A demand allows all values of another kind.
        default: return true
        }
    }

    func contains(_ names: NameClass, _ name: ExactString) -> Bool {
        switch names {
        case .name(let own): own == name
        case .except(let others): !others.contains(name)
        }
    }
}
