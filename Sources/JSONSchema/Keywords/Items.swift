import HoldfastJSON

extension Evaluation {
    mutating func check(
        _ keyword: Keyword, _ values: [JSONValue], _ value: JSONValue, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        switch keyword {
        case .minItems(let limit):
            return values.count >= limit
                || fail(.count("elements", found: values.count, limit: limit), value, node, "minItems")
        case .maxItems(let limit):
            return values.count <= limit
                || fail(.count("elements", found: values.count, limit: limit), value, node, "maxItems")
        case .uniqueItems: return uniqueItems(values, value, node)
        case .items(let prefix, let rest): return items(prefix, rest, values, node, &marks)
        case .contains(let target, let min, let max):
            return contains(target, min, max, values, value, node, &marks)
        case .unevaluatedItems(let target): return unevaluated(target, values, node, &marks)
        default: return true
        }
    }

    private mutating func uniqueItems(_ values: [JSONValue], _ value: JSONValue, _ node: Program.Node) -> Bool {
        var firsts: [JSONValue: Int] = [:]
        for (index, element) in values.enumerated() {
            if let first = firsts[element] {
                return fail(.notUnique(first: first, second: index), value, node, "uniqueItems")
            }
            firsts[element] = index
        }
        return true
    }

    private mutating func items(
        _ prefix: [Int], _ rest: Int?, _ values: [JSONValue], _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        let areFine = all(zip(values, prefix).enumerated()) { evaluation, pair in
            let index = pair.offset
            marks?.mark(index)
            return evaluation.descend(
                pair.element.1, pair.element.0, to: String(index), through: "prefixItems", String(index))
        }
        guard let rest, values.count > prefix.count, areFine || explains else { return areFine }
        // If one element is too many, so are all after it.
        marks?.markAll()
        return restOfItems(rest, Array(values.enumerated().dropFirst(prefix.count)), "items", prefix.count, node)
            && areFine
    }

    /// Checks the elements that no other keyword covers; at most `allowed` may precede them.
    private mutating func restOfItems(
        _ target: Int, _ values: [(offset: Int, element: JSONValue)], _ keyword: String, _ allowed: Int?,
        _ node: Program.Node
    ) -> Bool {
        if let first = values.first, program.nodes[target].verdict == false {
            report(
                .unwantedItem(index: first.offset, allowed: allowed), first.element, node, [keyword],
                part: String(first.offset))
            return false
        }
        return all(values) { $0.descend(target, $1.element, to: String($1.offset), through: keyword) }
    }

    private mutating func contains(
        _ target: Int, _ min: Int, _ max: Int?, _ values: [JSONValue], _ value: JSONValue, _ node: Program.Node,
        _ marks: inout Marks?
    ) -> Bool {
        var count = 0
        for (index, element) in values.enumerated() {
            instancePath.append(String(index))
            defer { instancePath.removeLast() }
            var none: Marks?
            guard matches(target, element, &none) else { continue }
            count += 1
            marks?.mark(index)
        }
        let fault = Fault.contains(found: count, min: min, max: max)
        if count < min { return fail(fault, value, node, node.keywordFor(min: min)) }
        if let max, count > max { return fail(fault, value, node, "maxContains") }
        return true
    }

    private mutating func unevaluated(
        _ target: Int, _ values: [JSONValue], _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        guard let evaluated = marks else { return true }
        marks?.markAll()
        return restOfItems(
            target, values.enumerated().filter { !evaluated[$0.offset] }, "unevaluatedItems", nil, node)
    }
}

extension Program.Node {
    /// The keyword behind the minimum: `contains` alone means one.
    func keywordFor(min: Int) -> String { min == 1 ? "contains" : "minContains" }
}
