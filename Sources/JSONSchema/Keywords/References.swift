import HoldfastJSON

extension Evaluation {
    mutating func reference(_ keyword: Keyword, _ value: JSONValue, _ marks: inout Marks?) -> Bool {
        switch keyword {
        case .reference(let target): return follow(target, value, &marks, through: "$ref")
        case .dynamicReference(let initial, let anchor):
            let target = anchor.flatMap { outermost($0) } ?? initial
            let opened = (node: target, instanceDepth: location.tokens.count)
            // The target of a dynamic reference is known only now, so only now can a loop be detected.
            guard !openReferences.contains(where: { $0 == opened }) else {
                report(.endless, value, program.nodes[target], [])
                return false
            }
            openReferences.append(opened)
            defer { openReferences.removeLast() }
            return follow(target, value, &marks, through: "$dynamicRef")
        default: return true
        }
    }

    /// The node of a dynamic anchor in the outermost resource that defines it.
    private func outermost(_ anchor: String) -> Int? {
        for resource in scope {
            if let node = program.resources[resource].dynamicAnchors[anchor] { return node }
        }
        return nil
    }
}
