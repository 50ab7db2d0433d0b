import HoldfastJSON

/// `type`, `const` and `enum`: which types of values a node accepts, and which values of a type.
extension FlatCompiler {
    /// Whether a type is possible, and the steps that check its values.
    mutating func admit(_ kind: Kind, _ conjunction: Conjunction, _ steps: inout [Step]) -> Bool {
        for (keyword, node) in conjunction.items {
            switch keyword {
            case .type(let types):
                guard !types.isDisjoint(with: kind.types) else { return false }
            case .const(let value):
                guard admit(kind, [value], keyword, node, &steps) else { return false }
            case .enumeration(let values):
                guard admit(kind, values, keyword, node, &steps) else { return false }
            default: break
            }
        }
        return true
    }

    private mutating func admit(
        _ kind: Kind, _ values: [JSONValue], _ keyword: Keyword, _ node: Int, _ steps: inout [Step]
    ) -> Bool {
        let values = values.filter { kind.holds($0) }
        guard !values.isEmpty else { return false }
        switch kind {
        case .null, .no, .yes: break
        case .string:
            steps.append(.strings(table(values.compactMap(\.stringValue).map { ($0, FlatProgram.anything, 0) })))
        case .number:
            var bounds = FlatProgram.NumberBounds()
            if values.count == 1, case .number(let number) = values[0], bounds.add(.minimum(number)),
                bounds.add(.maximum(number))
            {
                steps.append(self.number(bounds))
            } else {
                steps.append(.ask(question(.keyword(keyword, node: node))))
            }
        case .array, .object: steps.append(.ask(question(.keyword(keyword, node: node))))
        }
        return true
    }
}

extension TapeToken.Kind {
    @inline(__always)
    var row: Int {
        switch self {
        case .null: 0
        case .no: 1
        case .yes: 2
        case .number: 3
        case .string: 4
        case .array: 5
        case .object: 6
        }
    }

    /// The JSON Schema types that a token of this kind may have.
    fileprivate var types: TypeSet {
        switch self {
        case .null: .null
        case .no, .yes: .boolean
        case .number: [.number, .integer]
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    fileprivate func holds(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.null, .null), (.no, .bool(false)), (.yes, .bool(true)), (.number, .number), (.string, .string),
            (.array, .array), (.object, .object):
            true
        default: false
        }
    }
}

extension FlatProgram.NumberBounds {
    /// Whether they allow every unsigned integer.
    var allowAllCounts: Bool { max == nil && min ?? 0 <= 0 && !(excludesMin && min == 0) }

    var isEmpty: Bool { min == nil && max == nil && !isInteger }

    /// Adds a bound; false if it is not an integer, or if there already was one.
    mutating func add(_ keyword: Keyword) -> Bool {
        switch keyword {
        case .minimum(let bound), .exclusiveMinimum(let bound):
            guard min == nil, let bound = bound.int else { return false }
            min = bound
        case .maximum(let bound), .exclusiveMaximum(let bound):
            guard max == nil, let bound = bound.int else { return false }
            max = bound
        default: return false
        }
        if case .exclusiveMinimum = keyword { excludesMin = true }
        if case .exclusiveMaximum = keyword { excludesMax = true }
        return true
    }
}
