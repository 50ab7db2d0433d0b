import Basics
import JSON

extension Evaluation {
    /// The keywords that look at objects.
    mutating func check(
        _ keyword: Keyword, _ object: JSONObject, _ value: JSONValue, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        switch keyword {
        case .minProperties(let limit):
            return object.count >= limit
                || fail(.count("members", found: object.count, limit: limit), value, node, "minProperties")
        case .maxProperties(let limit):
            return object.count <= limit
                || fail(.count("members", found: object.count, limit: limit), value, node, "maxProperties")
        case .required(let names):
            var isValid = true
            for name in names where !object.contains(name) {
                report(.missing(name, because: nil), value, node, ["required"])
                isValid = false
                if !explains { break }
            }
            return isValid
        case .dependentRequired(let pairs):
            var isValid = true
            for (key, names) in pairs where object.contains(key) {
                for name in names where !object.contains(name) {
                    report(.missing(name, because: key), value, node, ["dependentRequired", key])
                    isValid = false
                    if !explains { return false }
                }
            }
            return isValid
        case .properties(let table): return properties(table, object, node, &marks)
        case .propertyNames(let target): return propertyNames(target, object, node)
        case .unevaluatedProperties(let target): return unevaluated(target, object, node, &marks)
        default: return true
        }
    }

    private mutating func properties(
        _ table: PropertyTable, _ object: JSONObject, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        var isValid = true
        for (position, (name, value)) in object.enumerated() {
            var isKnown = false
            if let target = table.names[ExactString(name)] {
                isKnown = true
                if !member(target, name, value, node, ["properties", name]) { isValid = false }
            }
            for (pattern, target) in table.patterns where pattern.matches(name) {
                isKnown = true
                if !member(target, name, value, node, ["patternProperties", pattern.text]) { isValid = false }
            }
            if !isKnown, let target = table.additional {
                isKnown = true
                if !rest(target, name, value, node, "additionalProperties", known: { _ in table.order }) {
                    isValid = false
                }
            }
            if isKnown { marks?.mark(position) }
            if !isValid, !explains { return false }
        }
        return isValid
    }

    private mutating func member(
        _ target: Int, _ name: String, _ value: JSONValue, _ node: Program.Node, _ tokens: [String]
    ) -> Bool {
        if program.nodes[target].verdict == false {
            report(.forbiddenProperty(name), value, node, tokens, part: name)
            return false
        }
        return descend(target, value, to: name, through: tokens[0], tokens[1])
    }

    /// A member that no other keyword speaks for.
    private mutating func rest(
        _ target: Int, _ name: String, _ value: JSONValue, _ node: Program.Node, _ keyword: String,
        known: (Program) -> [String]
    ) -> Bool {
        guard program.nodes[target].verdict == false else {
            return descend(target, value, to: name, through: keyword)
        }
        if explains {
            let names = known(program)
            let nearest = nearestName(to: name, among: names)
            report(.unknownProperty(name, nearest: nearest, known: names), value, node, [keyword], part: name)
        }
        return false
    }

    private mutating func propertyNames(_ target: Int, _ object: JSONObject, _ node: Program.Node) -> Bool {
        var isValid = true
        for (name, value) in object {
            var none: Marks?
            if matches(target, .string(name), &none) { continue }
            isValid = false
            guard explains else { break }
            let reason = gather { evaluation in
                var none: Marks?
                return evaluation.follow(target, .string(name), &none, through: "propertyNames")
            }.findings.first?.violation.message
            report(.propertyName(name, reason: reason ?? "not allowed"), value, node, ["propertyNames"], part: name)
        }
        return isValid
    }

    private mutating func unevaluated(
        _ target: Int, _ object: JSONObject, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        guard let evaluated = marks else { return true }
        var isValid = true
        for (position, (name, value)) in object.enumerated() where !evaluated[position] {
            if !rest(target, name, value, node, "unevaluatedProperties", known: { $0.propertyNames(from: node) }) {
                isValid = false
                if !explains { return false }
            }
        }
        marks?.markAll()
        return isValid
    }
}

extension Program {
    /// The property names a schema speaks of, with all that applies to the same place, in the order of the schema.
    func propertyNames(from node: Node) -> [String] {
        var names: [String] = []
        var known: Set<ExactString> = []
        var seen: Set<Int> = []
        func add(_ keywords: [Keyword]) {
            for keyword in keywords {
                if case .properties(let table) = keyword {
                    names += table.order.filter { known.insert(ExactString($0)).inserted }
                }
                if case .not = keyword { continue }
                for target in keyword.inPlace where seen.insert(target).inserted {
                    add(nodes[target].keywords)
                }
            }
        }
        add(node.keywords)
        return names
    }
}
