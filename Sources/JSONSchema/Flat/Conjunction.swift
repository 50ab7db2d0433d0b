import HoldfastJSON

/// Everything that some nodes demand together: their keywords and those of their references, in one list.
///
/// This makes `allOf` and `$ref` free: a message and its envelope become one object.
struct Conjunction {
    typealias Item = (keyword: Keyword, node: Int)

    private(set) var items: [Item] = []
    /// Nodes to apply separately.
    private(set) var others: [Int] = []
    private(set) var refusesAll = false
    /// The node for unevaluated members, if no value changes which members these are.
    private(set) var unevaluated: Int?
    /// Nodes that only the slow evaluation can judge.
    private(set) var slowNodes: [Int] = []

    /// A longer list is not inlined into another one.
    private static let itemLimit = 256

    init(_ nodes: [Int], in program: Program) {
        var seen = Set(nodes)
        for node in nodes {
            guard program.nodes[node].hasUnevaluated else {
                add(node, program, &seen)
                continue
            }
            // Unevaluated members are known in advance only if the node is applied separately, without alternatives.
            let target = program.nodes[node].keywords.compactMap { keyword -> Int? in
                if case .unevaluatedProperties(let target) = keyword { target } else { nil }
            }.first
            if nodes.count == 1, let target, Self.isStatic(node, program) {
                unevaluated = target
                add(node, program, &seen)
            } else if nodes.count == 1 {
                slowNodes.append(node)
            } else {
                others.append(node)
            }
        }
    }

    private mutating func add(_ node: Int, _ program: Program, _ seen: inout Set<Int>) {
        if let verdict = program.nodes[node].verdict {
            if !verdict { refusesAll = true }
            return
        }
        for keyword in program.nodes[node].keywords {
            switch keyword {
            case .reference(let target): follow(target, program, &seen)
            case .allOf(let targets): for target in targets { follow(target, program, &seen) }
            case .unevaluatedProperties: break
            default: items.append((keyword, node))
            }
        }
    }

    private mutating func follow(_ target: Int, _ program: Program, _ seen: inout Set<Int>) {
        guard seen.insert(target).inserted else { return }
        if program.nodes[target].hasUnevaluated || items.count > Self.itemLimit {
            others.append(target)
        } else {
            add(target, program, &seen)
        }
    }

    /// Whether the value has no influence on which members a node evaluates.
    private static func isStatic(_ first: Int, _ program: Program) -> Bool {
        let items = program.conjunction(of: first)
        guard Set(items.map(\.node)).count <= itemLimit else { return false }
        return items.allSatisfy { keyword, node in
            if node != first, program.nodes[node].hasUnevaluated { return false }
            switch keyword {
            case .anyOf, .oneOf, .condition, .dependentSchemas, .dynamicReference, .unevaluatedItems: return false
            default: return true
            }
        }
    }
}
