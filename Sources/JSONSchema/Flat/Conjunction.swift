import HoldfastJSON

/// All that holds wherever some nodes hold together: their keywords and those of what they refer to, in one list.
///
/// This is what makes `allOf` and `$ref` cost nothing: a message and the envelope it is mixed with become one object.
struct Conjunction {
    typealias Item = (keyword: Keyword, node: Int)

    private(set) var items: [Item] = []
    /// Nodes that have to be applied for themselves.
    private(set) var others: [Int] = []
    private(set) var refusesAll = false
    /// The node of members nobody has looked at, when it can be told beforehand which those are.
    private(set) var unevaluated: Int?
    /// Nodes that only the slow evaluation can judge.
    private(set) var questions: [Int] = []

    /// A list longer than this is not drawn into another one.
    private static let itemLimit = 256

    init(_ nodes: [Int], in program: Program) {
        var seen = Set(nodes)
        for node in nodes {
            guard program.nodes[node].asksForRest else {
                add(node, program, &seen)
                continue
            }
            // Which members are left over is known beforehand only to a node that is judged alone, without alternatives.
            let target = program.nodes[node].keywords.compactMap { keyword -> Int? in
                if case .unevaluatedProperties(let target) = keyword { target } else { nil }
            }.first
            if nodes.count == 1, let target, Self.isStatic(node, program) {
                unevaluated = target
                add(node, program, &seen)
            } else if nodes.count == 1 {
                questions.append(node)
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
        if program.nodes[target].asksForRest || items.count > Self.itemLimit {
            others.append(target)
        } else {
            add(target, program, &seen)
        }
    }

    /// Whether the members a node looks at do not depend on the value.
    private static func isStatic(_ first: Int, _ program: Program) -> Bool {
        var pending = [first]
        var seen = Set(pending)
        while let node = pending.popLast() {
            if node != first, program.nodes[node].asksForRest { return false }
            if seen.count > itemLimit { return false }
            for keyword in program.nodes[node].keywords {
                switch keyword {
                case .reference(let target): if seen.insert(target).inserted { pending.append(target) }
                case .allOf(let targets): pending += targets.filter { seen.insert($0).inserted }
                case .anyOf, .oneOf, .condition, .dependentSchemas, .dynamicReference, .unevaluatedItems: return false
                default: break
                }
            }
        }
        return true
    }
}
