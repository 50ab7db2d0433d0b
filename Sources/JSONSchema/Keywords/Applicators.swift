import JSON

extension Evaluation {
    /// The applicators that look at the same place of the instance and have no alternatives.
    mutating func applicator(
        _ keyword: Keyword, _ value: JSONValue, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        switch keyword {
        case .allOf(let nodes):
            var isValid = true
            for (index, target) in nodes.enumerated()
            where !follow(target, value, &marks, through: "allOf", String(index)) {
                isValid = false
                if !explains { break }
            }
            return isValid
        case .not(let target):
            // What a forbidden schema looks at is not evaluated, whether it matches or not.
            var none: Marks?
            return !matches(target, value, &none) || fail(.not, value, node, "not")
        case .condition(let test, let then, let otherwise):
            var tested = marks.map { _ in Marks(value) }
            if matches(test, value, &tested) {
                if let tested { marks?.formUnion(tested) }
                return then.map { follow($0, value, &marks, through: "then") } ?? true
            }
            return otherwise.map { follow($0, value, &marks, through: "else") } ?? true
        case .dependentSchemas(let keyword, let pairs):
            guard case .object(let object) = value else { return true }
            var isValid = true
            for (key, target) in pairs where object.contains(key) {
                if !follow(target, value, &marks, through: keyword, key) {
                    isValid = false
                    if !explains { break }
                }
            }
            return isValid
        default: return true
        }
    }
}
