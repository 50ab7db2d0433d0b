import HoldfastJSON

/// A property whose value identifies the alternative, because every alternative requires it with different values.
package struct Discriminator: Sendable {
    package let property: String
    package let branches: [ExactString: Int]
    /// The values, in the order of the schema.
    let values: [String]
}

extension SchemaCompiler {
    mutating func findDiscriminators() {
        for node in program.nodes.indices {
            for position in program.nodes[node].keywords.indices {
                switch program.nodes[node].keywords[position] {
                case .anyOf(let nodes, _):
                    program.nodes[node].keywords[position] = .anyOf(nodes, program.discriminator(of: nodes))
                case .oneOf(let nodes, _):
                    program.nodes[node].keywords[position] = .oneOf(nodes, program.discriminator(of: nodes))
                default: break
                }
            }
        }
    }
}

extension Program {
    fileprivate func discriminator(of alternatives: [Int]) -> Discriminator? {
        guard alternatives.count > 1 else { return nil }
        let tags = alternatives.map { self.tags(of: $0) }
        for (property, _) in tags[0] {
            if let found = discriminator(property, tags) { return found }
        }
        return nil
    }

    private func discriminator(_ property: String, _ tags: [[(property: String, values: [String])]]) -> Discriminator? {
        var branches: [ExactString: Int] = [:]
        var values: [String] = []
        for (branch, tags) in tags.enumerated() {
            guard let tag = tags.first(where: { exactlyEqual($0.property, property) }) else { return nil }
            for value in tag.values {
                guard branches.updateValue(branch, forKey: ExactString(value)) == nil else { return nil }
                values.append(value)
            }
        }
        return Discriminator(property: property, branches: branches, values: values)
    }

    /// The properties that a schema requires and restricts to a few strings.
    private func tags(of node: Int) -> [(property: String, values: [String])] {
        var required: [String] = []
        var tables: [PropertyTable] = []
        for (keyword, _) in conjunction(of: node) {
            switch keyword {
            case .required(let names): required += names
            case .properties(let table): tables.append(table)
            default: break
            }
        }
        return required.compactMap { name in
            for table in tables {
                guard let member = table.names[ExactString(name)] else { continue }
                for (keyword, _) in conjunction(of: member) {
                    if let values = keyword.fixedStrings { return (name, values) }
                }
            }
            return nil
        }
    }

    /// All keywords that apply wherever a node applies, each with its node.
    func conjunction(of node: Int) -> [(keyword: Keyword, node: Int)] {
        var keywords: [(keyword: Keyword, node: Int)] = []
        var pending = [node]
        var seen: Set<Int> = [node]
        while let next = pending.popLast() {
            for keyword in nodes[next].keywords {
                keywords.append((keyword, next))
                switch keyword {
                case .reference(let target): if seen.insert(target).inserted { pending.append(target) }
                case .allOf(let targets): pending += targets.filter { seen.insert($0).inserted }
                default: break
                }
            }
        }
        return keywords
    }
}

extension Keyword {
    /// The allowed values, if they are a list of strings.
    fileprivate var fixedStrings: [String]? {
        switch self {
        case .const(.string(let string)): return [string]
        case .enumeration(let values):
            let strings = values.compactMap(\.stringValue)
            return strings.count == values.count && !strings.isEmpty ? strings : nil
        default: return nil
        }
    }
}
