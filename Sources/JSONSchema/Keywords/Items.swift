import JSON

extension Evaluation {
    /// The keywords that look at arrays.
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
        var isValid = true
        for (index, value) in values.enumerated() {
            let isFine: Bool
            if index < prefix.count {
                isFine = descend(prefix[index], value, to: String(index), through: "prefixItems", String(index))
            } else if let rest {
                if program.nodes[rest].verdict == false {
                    report(
                        .unwantedItem(index: index, allowed: prefix.count), value, node, ["items"], part: String(index))
                    // All that follow are too many as well.
                    marks?.markAll()
                    return false
                }
                isFine = descend(rest, value, to: String(index), through: "items")
            } else {
                break
            }
            marks?.mark(index)
            if !isFine {
                isValid = false
                if !explains { break }
            }
        }
        return isValid
    }

    private mutating func contains(
        _ target: Int, _ min: Int, _ max: Int?, _ values: [JSONValue], _ value: JSONValue, _ node: Program.Node,
        _ marks: inout Marks?
    ) -> Bool {
        var count = 0
        for (index, element) in values.enumerated() {
            guard matchesPart(target, element) else { continue }
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
        var isValid = true
        for (index, value) in values.enumerated() where !evaluated[index] {
            if program.nodes[target].verdict == false {
                report(
                    .unwantedItem(index: index, allowed: nil), value, node, ["unevaluatedItems"], part: String(index))
                isValid = false
                break
            }
            if !descend(target, value, to: String(index), through: "unevaluatedItems") {
                isValid = false
                if !explains { break }
            }
        }
        marks?.markAll()
        return isValid
    }
}

extension Program.Node {
    /// The keyword that asks for so many matches: one is what `contains` alone means.
    func keywordFor(min: Int) -> String {
        min == 1 ? "contains" : "minContains"
    }
}
