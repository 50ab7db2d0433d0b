import HoldfastJSON

extension Evaluation {
    /// `$ref` and `$dynamicRef`.
    mutating func reference(_ keyword: Keyword, _ value: JSONValue, _ marks: inout Marks?) -> Bool {
        switch keyword {
        case .reference(let target): return follow(target, value, &marks, through: "$ref")
        case .dynamicReference(let initial, let anchor):
            let target = anchor.flatMap { outermost($0) } ?? initial
            let opened = (node: target, instanceDepth: location.tokens.count)
            // Where a dynamic reference leads is known only now, and so is whether it comes back to itself.
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

    /// The node of a dynamic anchor in the outermost resource that has it.
    private func outermost(_ anchor: String) -> Int? {
        for resource in scope {
            if let node = program.resources[resource].dynamicAnchors[anchor] { return node }
        }
        return nil
    }
}
