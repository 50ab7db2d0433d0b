import HoldfastJSON

extension Evaluation {
    /// The applicators for the same place of the instance, without alternatives.
    mutating func applicator(
        _ keyword: Keyword, _ value: JSONValue, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        switch keyword {
        case .allOf(let nodes):
            return all(nodes.enumerated()) { $0.follow($1.element, value, &marks, through: "allOf", String($1.offset)) }
        case .not(let target):
            // A schema under `not` marks nothing as evaluated, whether it matches or not.
            var none: Marks?
            guard matches(target, value, &none) else { return true }
            return fail(explains ? forbidden(by: target) : .not, value, node, "not")
        case .condition(let test, let then, let otherwise):
            var tested = marks.map { _ in Marks(value) }
            if matches(test, value, &tested) {
                if let tested { marks?.formUnion(tested) }
                return then.map { follow($0, value, &marks, through: "then") } ?? true
            }
            return otherwise.map { follow($0, value, &marks, through: "else") } ?? true
        case .dependentSchemas(let keyword, let pairs):
            guard case .object(let object) = value else { return true }
            return all(pairs) { evaluation, pair in
                !object.contains(pair.key)
                    || evaluation.follow(pair.node, value, &marks, through: keyword, pair.key)
            }
        default: return true
        }
    }

    /// The fault for a schema under `not`, in plain words for the simple schemas that are common there.
    private func forbidden(by target: Int) -> Fault {
        let keywords = program.nodes[target].keywords
        guard keywords.count == 1 else { return .not }
        switch keywords[0] {
        case .required(let names) where !names.isEmpty: return .notTogether(names)
        case .const(let value): return .excluded([value])
        case .enumeration(let values): return .excluded(values)
        default: return .not
        }
    }
}
